"""Messages to the person: what they are about, where each stands, and what Discord may say to one (seed 001, 알림)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from daemon.matching.model import Confidence
from daemon.sources.model import Platform


class TargetType(StrEnum):
    """What a message is about."""

    JOB_POSTING = "JOB_POSTING"
    JOB_SOURCE = "JOB_SOURCE"
    DAILY_DIGEST = "DAILY_DIGEST"


class NotificationType(StrEnum):
    """Why it is sent; the order is that in which a day's messages go out."""

    DEADLINE_D1 = "DEADLINE_D1"
    """A posting of a watched company closes tomorrow (P1, behind its flag)."""
    NEW_JOB_POSTING = "NEW_JOB_POSTING"
    """A new matched posting of a watched company."""
    DAILY_DIGEST = "DAILY_DIGEST"
    """The day's new matched postings of discovered companies, together."""
    PERMANENT_REMINDER = "PERMANENT_REMINDER"
    """An always-open posting of a watched company is still open (P1, behind its flag)."""
    SOURCE_FAILURE = "SOURCE_FAILURE"
    """A source has been abnormal for three days."""

    @property
    def rank(self) -> int:
        """Its place in the order of sending."""
        return list(NotificationType).index(self)


class DispatchStatus(StrEnum):
    """Where a message stands; the last three are final for its row."""

    PENDING = "PENDING"
    """Due; nobody is sending it."""
    SENDING = "SENDING"
    """A request may be under way."""
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"
    """Not delivered in its run. The next day's run begins a new row, see `ResendState`."""
    EXPIRED = "EXPIRED"
    """Never sent: its time has passed, or what it was about is no news any more."""


class ResendState(StrEnum):
    """What becomes of a message because of its row."""

    NONE = "NONE"
    """Nothing: it is delivered."""
    NEXT_RUN = "NEXT_RUN"
    """The next run sends it."""
    REPLACED = "REPLACED"
    """A later row of the same message has taken over."""
    EXPIRED = "EXPIRED"
    """Its time has passed, or what it was about is no news any more."""
    UNCONFIRMED = "UNCONFIRMED"
    """Sent twice and never confirmed: a third request could only repeat it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageKey:
    """The identity of a message (FR-38); as text, its idempotency key."""

    target_type: TargetType
    target_id: int
    """A posting, a source, or the number of a digest's part, from 0."""
    notification_type: NotificationType
    dispatch_sequence: int
    """1 for a new posting; a source's failure episode; the ordinal of the KST date of a digest, or of the deadline that
    is near; the how-many-th reminder."""

    def __str__(self) -> str:
        return f"{self.target_type}:{self.target_id}:{self.notification_type}:{self.dispatch_sequence}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """A row that was made before about the same posting or source; a digest counts for each posting in it."""

    notification_type: NotificationType
    dispatch_sequence: int
    status: DispatchStatus
    unconfirmed: int
    """Requests of this message, over all its rows until then, whose answer never came."""
    told_at: datetime | None
    """Delivered at, or last attempted at; None when never attempted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedKeyword:
    """Why a posting matched."""

    group: str
    synonym: str
    """The word that stands in the title."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkArrangement:
    """The best evidence of a work arrangement."""

    keyword: str
    confidence: Confidence
    snippet: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingNotice:
    """What a message says of a posting."""

    job_posting_id: int
    company_name: str
    title: str
    posting_url: str
    deadline_at: datetime | None
    """None is always open."""
    first_seen_at: datetime
    platform: Platform | None
    """The site that shows it; None when it was entered by hand."""
    keywords: Sequence[MatchedKeyword]
    work_arrangement: WorkArrangement | None
    """None when nothing is known of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureNotice:
    """What a message says of a broken source."""

    job_source_id: int
    source_label: str
    broken_since: datetime
    failure_episode: int
    abnormal_days: int
    last_normal_at: datetime | None
    last_error: str | None
    """Why its last collection failed; None when it read an empty list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A message as Discord takes it."""

    payload: str
    """JSON body of the request."""
    summary: str
    """The gist of it in one line, for the history."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A message that is due today."""

    key: MessageKey
    message: Message
    expires_at: datetime
    """Not sent at or after."""
    unconfirmed: int = 0
    """Requests of earlier rows whose answer never came."""
    job_posting_ids: Sequence[int] = ()
    """The postings in a part of a digest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Due:
    """The row that is to be sent next."""

    dispatch_id: int
    unconfirmed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """The right to make one request for a message and to write down what came of it, proved by `token`."""

    dispatch_id: int
    token: str
    key: MessageKey
    payload: str
    attempt: int
    """Requests made for this row, this one included."""
    unconfirmed: int


class ClaimLost(Exception):
    """The message is no longer this claim's: nothing was written."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(f"dispatch {claim.dispatch_id} ({claim.key}) is no longer held")
        self.claim = claim


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """Discord has the message."""

    message_id: str | None
    """None when its answer could not be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RateLimited:
    """Not taken: too many requests (429)."""

    retry_after: timedelta


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """Not taken, and not to be had as it is (any other 4xx, a redirect)."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WebhookGone:
    """The webhook does not exist or its token is wrong (404, 401): it must not be used again."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Unavailable:
    """Certainly not taken: no connection, or an error of Discord's own (5xx)."""

    reason: str
    retry_after: timedelta | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Unconfirmed:
    """Sent, and no answer came: it may have been taken."""

    reason: str


Answer: TypeAlias = Accepted | RateLimited | Refused | WebhookGone | Unavailable | Unconfirmed
"""What came of a request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deliver:
    """Write down that it arrived."""

    message_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class TryAgain:
    """Leave it due and make another request after `pause`."""

    pause: timedelta
    reason: str
    unconfirmed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class GiveUp:
    """It failed in this run; go on with the next message after `pause`."""

    pause: timedelta
    reason: str
    unconfirmed: int
    outage: bool
    """Whether it speaks of Discord or the network rather than of this message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Halt:
    """Leave it due and send nothing more in this run."""

    reason: str
    park: bool
    """Whether nothing is to be sent until a person has seen to the webhook."""


Step: TypeAlias = Deliver | TryAgain | GiveUp | Halt
"""What follows from an answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WebhookState:
    """The webhook of the settings, as the database knows it."""

    configured: bool
    parked_at: datetime | None
    """Since when nothing is sent to it; null when it is in use."""
    parked_reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Dispatch:
    """One row of the history: a message, and how its run ended."""

    dispatch_id: int
    target_type: TargetType
    target_id: int
    notification_type: NotificationType
    dispatch_sequence: int
    dispatch_status: DispatchStatus
    attempt_count: int
    """Requests made."""
    last_error: str | None
    message_summary: str | None
    attempted_at: datetime | None
    created_at: datetime
    delivered_at: datetime | None
    discord_message_id: str | None
    expires_at: datetime | None
    """Not sent at or after."""
    resend_state: ResendState
    resend_at: datetime | None
    """When the run that sends it again is due; null when none does."""
    may_repeat: bool
    """Whether an answer to one of its requests never came, so that it may stand in the channel twice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DispatchPage:
    """One page of the history, newest first."""

    dispatches: tuple[Dispatch, ...]
    total_count: int
    page: int
    size: int
    webhook: WebhookState
