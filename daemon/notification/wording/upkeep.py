"""Messages about the program itself: a broken source, the trial message, and why Discord took a message or not."""

from __future__ import annotations

import re
from datetime import datetime

from daemon.clock import business_date
from daemon.messages import Language, text
from daemon.notification.model import FailureNotice, Message
from daemon.notification.wording import limits
from daemon.notification.wording.limits import Embed
from daemon.notification.wording.moments import moment_text
from daemon.notification.wording.plain import clipped, escaped_within, one_line
from daemon.notification.wording.posting import SUMMARY_CHARACTERS

_LABEL = 300
_ORANGE = 0xE67E22


def broken_source(language: Language, notice: FailureNotice, now: datetime) -> Message:
    """A source that has been abnormal for days (FR-19)."""
    today = business_date(now)
    normal = notice.last_normal_at
    facts = {
        "notify.field_broken_since": moment_text(language, notice.broken_since, today),
        "notify.field_last_normal": (
            text(language, "notify.never") if normal is None else moment_text(language, normal, today)
        ),
        "notify.field_last_error": (
            escaped_within(notice.last_error or "", limits.FIELD_VALUE) or text(language, "notify.failure_empty")
        ),
    }
    embed: Embed = {
        "description": text(language, "notify.failure_text", days=notice.abnormal_days),
        "color": _ORANGE,
        "fields": [{"name": text(language, key), "value": value, "inline": False} for key, value in facts.items()],
        "footer": {"text": text(language, "notify.failure_hint")},
    }
    content = text(language, "notify.failure", source=escaped_within(notice.source_label, _LABEL))
    summary = f"{one_line(notice.source_label)} · {one_line(notice.last_error or '')}".rstrip(" ·")
    return Message(payload=limits.body(content, [embed]), summary=clipped(summary, SUMMARY_CHARACTERS))


def trial_message(language: Language) -> Message:
    """What `gonggo notification test` sends."""
    content = text(language, "notify.test")
    return Message(payload=limits.body(content), summary=content)


_KINDS = {
    "HTTP (401|404)": "GONE",
    "HTTP 5": "AILING",
    "HTTP ": "REFUSED",
    "rate limited": "BUSY",
    "no connection": "NOT_REACHED",
    "no answer": "NOT_CONFIRMED",
    "the webhook is parked": "PARKED",
    r"\d+ messages in a row": "OUTAGE",
}
"""How recorded reasons begin: what `discord.py`, `rules/answers.py`, `actions/claim.py` and `actions/send.py` say."""


def told_reason(language: Language, reason: str | None) -> str:
    """Why a message was not taken, as a person is told: what it means, then the words in which it was recorded."""
    kind = next((kind for head, kind in _KINDS.items() if re.match(head, reason or "")), None)
    return reason or "" if kind is None else text(language, f"webhook.{kind}", reason=reason)
