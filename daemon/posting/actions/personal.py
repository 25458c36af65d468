"""What a person does with postings: enter one, correct it, undo a wrong closing (FR-20)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

import structlog

from daemon.company.model import UnknownCompany
from daemon.company.store import lock_company
from daemon.db import Database, Tx, transaction
from daemon.posting import rules
from daemon.posting.model import (
    EditRefusal,
    EditRefused,
    PersonalPosting,
    PostingEdit,
    PostingExists,
    PostingOvertaken,
    UnknownPosting,
)
from daemon.posting.store import personal

log = structlog.get_logger(__name__)

Versions = Collection[int]
"""The versions that the caller has read, any of which will do (`If-Match`)."""


async def register_manual(
    db: Database, company_id: int, title: str, posting_url: str, deadline_at: datetime | None = None
) -> int:
    """Enter a posting of a registered company by hand; returns its id. No list ever misses it (failure path 5).

    A deadline None is always open; one that has passed is accepted, for the history of an application. Raises
    InvalidPosting, UnknownCompany, PostingExists (the company has one at this address, collected or not).
    """
    checked = rules.checked_title(title), rules.checked_address(posting_url), rules.checked_deadline(deadline_at)
    posting_id = await transaction(db, _register, company_id, *checked)
    log.info("posting.registered", posting_id=posting_id, company_id=company_id)
    return posting_id


async def _register(tx: Tx, company_id: int, title: str, posting_url: str, deadline_at: datetime | None) -> int:
    # The company's lock: of two who enter one address at once, the second finds what the first has entered.
    name = await lock_company(tx, company_id)
    if name is None:
        raise UnknownCompany(company_id)
    existing = await personal.find_address(tx, company_id, posting_url)
    if existing is not None:
        raise PostingExists(existing)
    key = rules.dedup_key(name, title)
    return await personal.add_by_hand(tx, company_id, title, posting_url, deadline_at, key, await tx.now())


async def edit_posting(
    db: Database, posting_id: int, edit: PostingEdit, *, expected: Versions | None = None
) -> PersonalPosting:
    """Change what is given of a posting, as `rules.decide_edit` allows; returns it as it is then.

    A change that changes nothing raises no version. Raises InvalidPosting, UnknownPosting, EditRefused, PostingExists,
    and PostingOvertaken when someone (a list, the 00:30 sweep, another window) changed it since one of the `expected`
    versions was read.
    """
    checked = edit.copy()
    if "title" in edit:
        checked["title"] = rules.checked_title(edit["title"])
    if "posting_url" in edit:
        checked["posting_url"] = rules.checked_address(edit["posting_url"])
    if "deadline_at" in edit:
        checked["deadline_at"] = rules.checked_deadline(edit["deadline_at"])
    edited = await transaction(db, _edit, posting_id, checked, expected)
    log.info("posting.edited", posting_id=posting_id, version=edited.version)
    return edited


async def _edit(tx: Tx, posting_id: int, edit: PostingEdit, expected: Versions | None) -> PersonalPosting:
    company_id = await personal.load_company_id(tx, posting_id)
    # The company first, as everyone who locks both does.
    name = None if company_id is None else await lock_company(tx, company_id)
    posting = await personal.lock_personal(tx, posting_id)
    if posting is None or name is None:
        raise UnknownPosting(posting_id)
    if expected is not None and posting.version not in expected:
        raise PostingOvertaken(posting)
    now = await tx.now()
    edited = rules.decide_edit(posting, edit, now)
    if isinstance(edited, EditRefusal):
        raise EditRefused(posting, edited)
    if edited == posting:
        return posting
    if edited.posting_url != posting.posting_url:
        existing = await personal.find_address(tx, posting.company_id, edited.posting_url)
        if existing is not None:
            raise PostingExists(existing)
    key = None if edited.title == posting.title else rules.dedup_key(name, edited.title)
    if posting.company_id != company_id or not await personal.save_personal(tx, posting, edited, key, now):
        raise PostingOvertaken(posting)
    return replace(edited, version=posting.version + 1)
