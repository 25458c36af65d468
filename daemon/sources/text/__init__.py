"""Text as sites write it: white space, HTML, hashes, Korean deadlines. Pure."""

from daemon.sources.text.deadlines import DeadlineNotUnderstood, deadline_of
from daemon.sources.text.instants import end_of_day, korean_instant
from daemon.sources.text.markup import html_to_text, node_text
from daemon.sources.text.plain import CONTROL, body_hash, clean_reason, collapse, field_hash, shown

__all__ = [
    "CONTROL",
    "DeadlineNotUnderstood",
    "body_hash",
    "clean_reason",
    "collapse",
    "deadline_of",
    "end_of_day",
    "field_hash",
    "html_to_text",
    "korean_instant",
    "node_text",
    "shown",
]
