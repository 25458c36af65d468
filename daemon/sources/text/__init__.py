"""Text as sites write it: white space, HTML, hashes, Korean deadlines. Pure."""

from daemon.sources.text.deadlines import DeadlineNotUnderstood, day_without_year, deadline_of
from daemon.sources.text.instants import end_at, end_of_day, korean_instant
from daemon.sources.text.plain import body_hash, collapse, field_hash, html_to_text, node_text, shown

__all__ = [
    "DeadlineNotUnderstood",
    "body_hash",
    "collapse",
    "day_without_year",
    "deadline_of",
    "end_at",
    "end_of_day",
    "field_hash",
    "html_to_text",
    "korean_instant",
    "node_text",
    "shown",
]
