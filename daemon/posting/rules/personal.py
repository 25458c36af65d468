"""What a person may enter and change (FR-20). Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from daemon.posting.model import (
    EditRefusal,
    InvalidPosting,
    PersonalPosting,
    PostingEdit,
    PostingOrigin,
    PostingStatus,
)
from daemon.sources.text import collapse

TITLE_CHARACTERS = 500
ADDRESS_CHARACTERS = 2000
DEADLINE_YEARS = range(1970, 9999)


def checked_title(title: str) -> str:
    """A title as it is stored: one line, without blanks around. Raises InvalidPosting."""
    # What collapsing drops may have kept a letter and its accent apart.
    plain = unicodedata.normalize("NFC", collapse(title))
    if not plain:
        raise InvalidPosting("title", "empty")
    if len(plain) > TITLE_CHARACTERS:
        raise InvalidPosting("title", f"longer than {TITLE_CHARACTERS} characters")
    return plain


def checked_address(address: str) -> str:
    """The http(s) address of a posting, for a person to open. Raises InvalidPosting."""
    plain = address.strip()
    if len(plain) > ADDRESS_CHARACTERS:
        raise InvalidPosting("posting_url", f"longer than {ADDRESS_CHARACTERS} characters")
    if not plain.isprintable() or any(sign in plain for sign in ' "<>\\`'):
        raise InvalidPosting("posting_url", "contains a sign that no address has")
    try:
        parts = urlsplit(plain)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise InvalidPosting("posting_url", "not an address") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise InvalidPosting("posting_url", "write an address that begins with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise InvalidPosting("posting_url", "an address with a name or password in it is not kept")
    return plain


def checked_deadline(deadline_at: datetime | None) -> datetime | None:
    """A deadline that every database and every zone can tell. Raises InvalidPosting."""
    if deadline_at is not None and deadline_at.year not in DEADLINE_YEARS:
        raise InvalidPosting("deadline_at", f"the year must be from {DEADLINE_YEARS[0]} to {DEADLINE_YEARS[-1]}")
    return deadline_at


def decide_edit(posting: PersonalPosting, edit: PostingEdit, now: datetime) -> PersonalPosting | EditRefusal:
    """What a person's change makes of a posting.

    What they entered themselves is theirs. Of a collected one they may undo a wrong closing (seed 001, 데이터 롤백:
    `posting_status`를 OPEN으로 되돌리면 복구); everything else is the site's word.
    """
    edited = replace(
        posting,
        title=edit.get("title", posting.title),
        posting_url=edit.get("posting_url", posting.posting_url),
        deadline_at=edit.get("deadline_at", posting.deadline_at),
        status=edit.get("posting_status", posting.status),
    )
    if edited == posting:
        return posting
    if posting.origin is PostingOrigin.COLLECTED and edited != replace(posting, status=PostingStatus.OPEN):
        return EditRefusal.COLLECTED
    opens = edited.status is PostingStatus.OPEN and posting.status is PostingStatus.CLOSED
    if opens and edited.deadline_at is not None and edited.deadline_at <= now:
        return EditRefusal.DEADLINE_PASSED
    return edited
