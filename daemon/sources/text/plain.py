"""White space, entities, control characters, and the hashes that edits are noticed by."""

from __future__ import annotations

import hashlib
import html
import re

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
"""What has no business in a line of text or an address."""

_REASON_LENGTH = 200

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""NUL and lone surrogates: JSON can spell them, UTF-8 columns and hashes can't hold them."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""Only with its semicolon: `R&D` and `Q&A` in a title are no entities."""


def collapse(text: str) -> str:
    """`text` with every run of white space (also NBSP, zero-width space, BOM) as one blank, trimmed.

    NUL and lone surrogates are dropped: no database column can hold them.
    """
    line = " ".join(text.split())
    if line.isprintable():
        # Nearly always, and then there is nothing of the kind in it.
        return line
    return " ".join(_UNSTORABLE.sub("", line).replace("\u200b", " ").replace("\ufeff", " ").split())


def shown(text: str) -> str:
    """`text` as a reader sees it: entities decoded (once more: sites escape twice), white space collapsed."""
    return collapse(_ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text)


def clean_reason(text: str) -> str:
    """`text` as one line of at most 200 characters that is safe in a log, a terminal and a database."""
    line = " ".join(CONTROL.sub(" ", text).split())
    return line if len(line) <= _REASON_LENGTH else line[: _REASON_LENGTH - 1] + "…"


def field_hash(*fields: str | None) -> str:
    """SHA-256 in hex over the fields, each length-prefixed so that no two field lists run together."""
    texts = [b"\xff" if value is None else value.encode("utf-8", "surrogatepass") for value in fields]
    return hashlib.sha256(b"".join([len(text).to_bytes(8, "big") + text for text in texts])).hexdigest()


def body_hash(text: str) -> str:
    """SHA-256 in hex over `text` with its white space collapsed: a changed indentation is no edit."""
    return hashlib.sha256(collapse(text).encode()).hexdigest()
