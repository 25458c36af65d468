"""The normal form by which companies are found, and what a source may be (DESIGN 1.5, 1.10)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import NoReturn
from urllib.parse import urlsplit

from daemon.company.model import CompanySource, InvalidValue, Unfit, UnknownCategory
from daemon.sources.model import Platform, SourceType
from daemon.sources.registry import adapter_of
from daemon.sources.rules import DEFAULT_PORTS
from daemon.sources.text import CONTROL, collapse

KEY_CHARACTERS = 255
NAME_CHARACTERS = 200
SLUG_CHARACTERS = 200
KEYWORD_CHARACTERS = 200
ADDRESS_CHARACTERS = 500
LARGEST_ID = 2**63 - 1

_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""They turn the direction of the text around them: a name with one shows as another."""

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
    plain = _without_legal_forms(text)
    kept = "".join(filter(str.isalnum, plain))
    return kept or unicodedata.normalize("NFC", text)


def _without_legal_forms(text: str) -> str:
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).lower())
    plain = _KOREAN_MARKS.sub(" ", plain)
    if "회사" in plain:
        # In every Korean form, and in hardly any title.
        plain = _KOREAN_AFFIX.sub(" ", plain)
    return _ENGLISH_FORM.sub(" ", plain)


_MOST_GUESSES = 3
_GUESS = re.compile("[a-z0-9][a-z0-9-]{1,39}")
_WORD = re.compile("[a-z0-9]+")

_SECOND_LEVEL = frozenset({"co", "or", "ne", "re", "pe", "go", "ac", "com", "net", "org", "gov", "edu"})
_SHARED_HOSTS = frozenset(
    {"github", "gitlab", "notion", "oopy", "ninehire", "greetinghr", "wixsite", "tistory", "blogspot", "vercel"}
)
"""Where many companies have a site under a name of their own: that name says who it is."""


def slug_guesses(name: str, site_host: str | None) -> tuple[str, ...]:
    """What a company may call itself in addresses, most likely first: by its site's domain, and by its name.

    Only what has Latin letters or digits: no rule leads from 당근 to `daangn`.
    """
    words = _WORD.findall(_without_legal_forms(name))
    guesses = [_domain_label(site_host) if site_host else "", "".join(words), "-".join(words)]
    usable = (guess for guess in guesses if _GUESS.fullmatch(guess) and not guess.isdigit())
    return tuple(dict.fromkeys(usable))[:_MOST_GUESSES]


def _domain_label(host: str) -> str:
    """`daangn` of `about.daangn.com` and of `daangn.co.kr`; empty when there is none."""
    labels = host.split(".")[:-1]
    if len(labels) > 1 and len(host.rpartition(".")[2]) == 2 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    if len(labels) > 1 and labels[-1] in _SHARED_HOSTS:
        labels = labels[:-1]
    return labels[-1] if labels else ""


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
    if CONTROL.search(base_url) or " " in base_url:
        return True  # `urlsplit` drops line breaks
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        return True
    default = DEFAULT_PORTS.get(parts.scheme)
    if default is None or port not in (None, default) or parts.username is not None:
        return True
    return (parts.hostname or "") != host


def row_id(text: str) -> int | None:
    """The id that a person wrote in digits; None for anything else, and for what no database can hold."""
    if not re.fullmatch("[0-9]{1,19}", text.strip()):
        return None
    number = int(text.strip())
    return number if 1 <= number <= LARGEST_ID else None


def checked_name(field: str, name: str) -> str:
    """A company's name or alias as it is stored: NFC, white space collapsed. Raises InvalidValue."""
    return _checked_line(field, name, NAME_CHARACTERS) or _refuse(field, Unfit.EMPTY)


def _checked_line(field: str, text: str, limit: int) -> str:
    if CONTROL.search(text) or _TURNING.search(text):
        _refuse(field, Unfit.CONTROL_CHARACTERS)
    clean = collapse(unicodedata.normalize("NFC", text))
    if len(clean) > limit:
        _refuse(field, Unfit.TOO_LONG, limit=limit)
    return clean


def _refuse(field: str, unfit: Unfit, **values: object) -> NoReturn:
    raise InvalidValue(field, unfit, **values)


def board_hosts() -> dict[Platform, str]:
    """The platforms that have companies' own boards, and each one's own host."""
    capabilities = {platform: adapter_of(platform).capabilities for platform in Platform}
    return {
        platform: one.compliance.host
        for platform, one in capabilities.items()
        if one.source_type is SourceType.COMPANY_BOUND
    }


def checked_boards(followed: Sequence[CompanySource]) -> tuple[CompanySource, ...]:
    """Companies' boards as they can be followed, each one once. Raises InvalidValue."""
    seen: set[tuple[Platform, str]] = set()
    for source in followed:
        _check_board(source)
        key = (source.platform, source.source_slug)
        if key in seen:
            _refuse("sources", Unfit.GIVEN_TWICE, board=f"{source.platform}:{source.source_slug}")
        seen.add(key)
    return tuple(followed)


def _check_board(source: CompanySource) -> None:
    capabilities = adapter_of(source.platform).capabilities
    if capabilities.source_type is not SourceType.COMPANY_BOUND:
        _refuse("platform", Unfit.NOT_A_BOARD, platform=source.platform)
    slug = source.source_slug
    # It becomes part of a path: `..` would climb out of the allowed one.
    usable = slug.strip(".") and slug.isprintable() and not any(sign in slug for sign in " /?#\\%:")
    if not usable or len(slug) > SLUG_CHARACTERS:
        _refuse("source_slug", Unfit.NOT_A_SLUG, slug=slug, platform=source.platform)
    if source.base_url is not None and len(source.base_url) > ADDRESS_CHARACTERS:
        _refuse("base_url", Unfit.TOO_LONG, limit=ADDRESS_CHARACTERS)
    if source.base_url is not None and names_another_host(source.base_url, capabilities.compliance.host):
        _refuse("base_url", Unfit.ANOTHER_HOST, host=capabilities.compliance.host)


def checked_search(platform: Platform, category_code: str, keyword: str) -> str:
    """The keyword of a search on an aggregator as it is stored, `""` for none. Raises InvalidValue, UnknownCategory."""
    adapter = adapter_of(platform)
    if adapter.capabilities.source_type is not SourceType.AGGREGATOR:
        _refuse("platform", Unfit.NOT_AN_AGGREGATOR, platform=platform)
    known = {category.code: category.label for category in adapter.categories()}
    if category_code not in known:
        raise UnknownCategory(platform, category_code, known)
    return _checked_line("search_keyword", keyword, KEYWORD_CHARACTERS)
