"""SQL of postings, their texts and tags, and of the groups of their copies."""

from daemon.posting.store.groups import group_of, load_copies
from daemon.posting.store.recording import (
    WrittenIds,
    add_postings,
    close_passed,
    ids_of,
    load_known,
    load_open,
    mark_edited,
    mark_found,
    mark_reopened,
    mark_verified,
    replace_tags,
    save_descriptions,
    save_missed,
    save_rewritten,
)

__all__ = [
    "WrittenIds",
    "add_postings",
    "close_passed",
    "group_of",
    "ids_of",
    "load_copies",
    "load_known",
    "load_open",
    "mark_edited",
    "mark_found",
    "mark_reopened",
    "mark_verified",
    "replace_tags",
    "save_descriptions",
    "save_missed",
    "save_rewritten",
]
