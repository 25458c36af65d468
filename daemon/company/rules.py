"""The normal form by which companies are found, and what a source may be (DESIGN 1.5, 1.10)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from urllib.parse import urlsplit

KEY_CHARACTERS = 255
NAME_CHARACTERS = 200

_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
"""Characters without width: gone before anything is compared, so that they can't split a legal form."""

_KOREAN_MARKS = re.compile(r"\(\s*[주유]\s*\)")
"""`(주)`, `(유)`; NFKC has already turned `㈜` into `(주)`."""

_KOREAN_WORDS = "주식회사|유한책임회사|유한회사|합자회사|합명회사"
_KOREAN_AFFIX = re.compile(rf"(?:(?<!\w)(?:{_KOREAN_WORDS}))|(?:(?:{_KOREAN_WORDS})(?!\w))")
"""At the start or end of a word: `주식회사 당근마켓`, `당근마켓주식회사`, but not inside `한국주식회사연구소`."""

_ENGLISH_FORM = re.compile(
    r"(?<![a-z0-9&-])(?:inc|incorporated|co|ltd|limited|l\.?l\.?c|l\.?l\.?p|corp|corporation|gmbh|pte|pty)"
    r"(?![a-z0-9-])\.?"
)
"""Whole words only: `Inc.` but not `Zinc`, `Co., Ltd.` but not `Costco` or `Co-founder`; also after a Korean letter.

`PLC` stays: in Korean titles it is a programmable controller, and titles take this normal form too.
"""


def normal_form(text: str) -> str:
    """`text` in NFKC and lower case, without legal forms, and of the rest only letters and digits (DESIGN 1.5).

    `(주)당근마켓`, `㈜ 당근 마켓`, `당근마켓 Inc.` and `당근마켓` with zero-width characters are all `당근마켓`. A text
    in which nothing remains keeps its NFC form.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).lower())
    for form in (_KOREAN_MARKS, _KOREAN_AFFIX, _ENGLISH_FORM):
        plain = form.sub(" ", plain)
    kept = "".join(character for character in plain if unicodedata.category(character)[0] in "LN")
    return kept or unicodedata.normalize("NFC", text)


def shortened(key: str) -> str:
    """`key` if it fits a key column (255 characters), else its head and the SHA-256 of the whole."""
    if len(key) <= KEY_CHARACTERS:
        return key
    digest = hashlib.sha256(key.encode()).hexdigest()
    return key[: KEY_CHARACTERS - len(digest)] + digest


def name_key(name: str) -> str:
    """What `companies.name_key` and `company_aliases.alias_key` hold for a name."""
    return shortened(normal_form(name))


def names_another_host(base_url: str, host: str) -> bool:
    """Whether an address given for a source is not an http(s) address of the platform's own `host`."""
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        return True
    default = {"http": 80, "https": 443}.get(parts.scheme)
    if default is None or port not in (None, default) or parts.username is not None:
        return True
    return (parts.hostname or "") != host
