"""Which way an application may go (seed 001, 상태 전이 표 Application). Pure; the only place that knows."""

from __future__ import annotations

import unicodedata

from daemon.application.model import ApplicationStatus, InvalidValue, Refusal, Refused, Step

MEMO_CHARACTERS = 2000
LABEL_CHARACTERS = 100
LAST_ROUND = 1000

_S = ApplicationStatus

_NEXT: dict[ApplicationStatus, tuple[ApplicationStatus, ...]] = {
    _S.APPLIED: (_S.DOCUMENT_SCREENING, _S.REJECTED, _S.WITHDRAWN),
    _S.DOCUMENT_SCREENING: (_S.INTERVIEWING, _S.REJECTED, _S.WITHDRAWN),
    _S.INTERVIEWING: (_S.OFFERED, _S.REJECTED, _S.WITHDRAWN),
    _S.OFFERED: (_S.ACCEPTED, _S.OFFER_DECLINED),
    _S.ACCEPTED: (),
    _S.REJECTED: (),
    _S.WITHDRAWN: (),
    _S.OFFER_DECLINED: (),
}

_STAGES = (_S.APPLIED, _S.DOCUMENT_SCREENING, _S.INTERVIEWING, _S.OFFERED)
"""In the order in which they are gone through."""


def allowed_next(status: ApplicationStatus) -> tuple[ApplicationStatus, ...]:
    """The statuses that an application may be moved to, the way forward first; none from a terminal one."""
    return _NEXT[status]


def is_terminal(status: ApplicationStatus) -> bool:
    """Whether an application has ended (FR-43)."""
    return not _NEXT[status]


def decide_transition(current: ApplicationStatus, wanted: ApplicationStatus) -> Step | Refused:
    """Whether an application may be moved to `wanted`; a rejection keeps the stage it came in (FR-43)."""
    if wanted not in _NEXT[current]:
        return Refused(refusal=_why_refused(current, wanted))
    return Step(previous=current, next=wanted, rejected_at_stage=current if wanted is _S.REJECTED else None)


def _why_refused(current: ApplicationStatus, wanted: ApplicationStatus) -> Refusal:
    if is_terminal(current):
        return Refusal.TERMINAL
    if wanted is current:
        return Refusal.SAME_STATUS
    match wanted:
        case _S.WITHDRAWN:
            return Refusal.DECLINE_THE_OFFER
        case _S.REJECTED:
            return Refusal.OFFER_STANDS
        case _S.ACCEPTED | _S.OFFER_DECLINED:
            return Refusal.NOT_OFFERED
        case _:
            ahead = _STAGES.index(wanted) > _STAGES.index(current)
            return Refusal.STAGE_SKIPPED if ahead else Refusal.BACKWARDS


def checked_memo(memo: str | None) -> str | None:
    """A note as it is stored: without blank ends, None when nothing is left. Raises InvalidValue."""
    clean = None if memo is None else memo.strip()
    if not clean:
        return None
    if len(clean) > MEMO_CHARACTERS:
        raise InvalidValue("memo", f"longer than {MEMO_CHARACTERS} characters")
    return clean


def checked_label(label: str) -> str:
    """The name of an interview round on one line. Raises InvalidValue."""
    clean = " ".join(unicodedata.normalize("NFC", label).split())
    if not clean:
        raise InvalidValue("label", "empty")
    if len(clean) > LABEL_CHARACTERS:
        raise InvalidValue("label", f"longer than {LABEL_CHARACTERS} characters")
    return clean


def checked_round(number: int) -> int:
    """The number of an interview round, from 1. Raises InvalidValue."""
    if not 1 <= number <= LAST_ROUND:
        raise InvalidValue("round_number", f"must be from 1 to {LAST_ROUND}")
    return number
