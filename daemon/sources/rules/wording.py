"""The one line that says why a request brought nothing."""

from __future__ import annotations

import re

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
"""What has no business in a line of text or an address."""

_REASON_LENGTH = 200


def clean_reason(text: str) -> str:
    """`text` as one line of at most 200 characters that is safe in a log, a terminal and a database."""
    line = " ".join(CONTROL.sub(" ", text).split())
    return line if len(line) <= _REASON_LENGTH else line[: _REASON_LENGTH - 1] + "…"
