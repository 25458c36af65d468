"""What a list, its absence, the passing of time, copies and the person make of a posting. Pure."""

from daemon.posting.rules.copies import SAME_ROUND, group_copies, standing_under
from daemon.posting.rules.lists import (
    MISSES_TO_CLOSE,
    decide_found,
    decide_missed,
    dedup_key,
    is_edited,
    may_reopen,
    normalized_tags,
    wanted_details,
)
from daemon.posting.rules.personal import (
    ADDRESS_CHARACTERS,
    DEADLINE_YEARS,
    TITLE_CHARACTERS,
    checked_address,
    checked_deadline,
    checked_title,
    decide_edit,
)

__all__ = [
    "ADDRESS_CHARACTERS",
    "DEADLINE_YEARS",
    "MISSES_TO_CLOSE",
    "SAME_ROUND",
    "TITLE_CHARACTERS",
    "checked_address",
    "checked_deadline",
    "checked_title",
    "decide_edit",
    "decide_found",
    "decide_missed",
    "dedup_key",
    "group_copies",
    "is_edited",
    "may_reopen",
    "normalized_tags",
    "standing_under",
    "wanted_details",
]
