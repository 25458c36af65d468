"""Text as sites write it: white space, HTML, hashes, Korean deadlines. Pure."""

from __future__ import annotations

import hashlib
import re

_SPACE = re.compile(r"[\s\u00a0\u200b\ufeff]+")


def collapse(text: str) -> str:
    """`text` with every run of white space (also NBSP, zero-width space, BOM) as one blank, trimmed; NUL dropped."""
    return _SPACE.sub(" ", text.replace("\0", "")).strip()


def field_hash(*fields: str | None) -> str:
    """SHA-256 in hex over the fields, each length-prefixed so that no two field lists run together."""
    digest = hashlib.sha256()
    for value in fields:
        data = b"\xff" if value is None else value.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
