"""What the outside of an answer says: status, Retry-After, redirect, block page (DESIGN 1.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from daemon.sources.model import Outcome, SourceCompliancePolicy
from daemon.sources.text.plain import CONTROL

_RETRY_AFTER_LEAST = timedelta(seconds=1)
_RETRY_AFTER_MOST = timedelta(hours=24)
_URL_LENGTH = 2000

_OUTCOMES = {
    401: Outcome.LOGIN_REQUIRED,
    403: Outcome.BLOCKED,
    404: Outcome.NOT_FOUND,
    406: Outcome.BLOCKED,
    408: Outcome.TIMEOUT,
    410: Outcome.NOT_FOUND,
    418: Outcome.BLOCKED,
    429: Outcome.RATE_LIMITED,
    451: Outcome.BLOCKED,
}


def outcome_of_status(status: int) -> Outcome:
    """What an HTTP status means before the body is looked at.

    206 was not asked for, so it is a PROTOCOL_ERROR, like every status without a meaning of its own here. A 400 is too,
    unless its body is JSON: sites put their own words into it (Jumpit's `C003`), and the parser knows them.
    """
    if status in _OUTCOMES:
        return _OUTCOMES[status]
    if 200 <= status <= 299 and status != 206:
        return Outcome.FETCHED
    if 300 <= status <= 399:
        return Outcome.REDIRECTED
    if 500 <= status <= 599:
        return Outcome.SERVER_ERROR
    return Outcome.PROTOCOL_ERROR


def retry_after(value: str | None, now: datetime) -> timedelta | None:
    """How long a `Retry-After` header asks to wait from `now`, within 1 s and 24 h (RFC 9110, 10.2.3).

    None for no header, a negative number, a date that is past, or anything that is neither seconds nor a date.
    """
    text = (value or "").strip()
    if re.fullmatch("[0-9]+", text):
        wait = timedelta(seconds=int(text)) if len(text) <= 6 else _RETRY_AFTER_MOST
    else:
        try:
            until = parsedate_to_datetime(text)
            wait = (until if until.tzinfo else until.replace(tzinfo=UTC)) - now
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        if wait < timedelta(0):
            return None
    return min(max(wait, _RETRY_AFTER_LEAST), _RETRY_AFTER_MOST)


def challenge_header(headers: Mapping[str, str]) -> str | None:
    """The header by which a bot wall says that this answer is its challenge, whatever the status; None without one."""
    for name in ("cf-mitigated", "x-amzn-waf-action"):
        if headers.get(name, "").lower() in {"challenge", "captcha"}:
            return name
    return None


def redirect_target(policy: SourceCompliancePolicy, url: str, location: str | None, origin: str | None) -> str | None:
    """Where a redirect of `url` points, absolute, by the site's real address also when a replica at `origin` answered.

    None when there is no usable address in it.
    """
    if not location or len(location) > _URL_LENGTH or CONTROL.search(location):
        return None
    try:
        absolute = urljoin(url, location)
        parts = urlsplit(absolute)
        if origin is not None and parts.netloc.lower() == urlsplit(origin).netloc.lower():
            absolute = parts._replace(scheme="https", netloc=policy.host).geturl()
    except ValueError:
        return None
    return absolute if len(absolute) <= _URL_LENGTH else None


_LOGIN_WORD = re.compile(r"(?:^|[^a-z])(?:log-?in|sign-?in|member-?login|auth)(?:[^a-z]|$)")


def leads_to_login(location: str | None) -> bool:
    """Whether a redirect's target is a login page, by host and path (seed 001: 로그인 페이지로 리다이렉트).

    Incruit's is `https://edit.incruit.com/login/login.asp?gotoURL=…`; the query says nothing, it quotes any address.
    """
    if location is None:
        return False
    parts = urlsplit(location)
    return _LOGIN_WORD.search(f"{parts.hostname or ''}{parts.path}".lower()) is not None


def is_json(body: bytes) -> bool:
    """Whether `body` is a JSON object or array."""
    try:
        return isinstance(json.loads(body), dict | list)
    except (ValueError, RecursionError):
        return False


def is_markup(body: bytes) -> bool:
    """Whether `body` looks like HTML or XML, not like JSON or plain text."""
    return body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


_BLOCK_PAGE_LENGTH = 64 * 1024
"""Block pages are small; a real page may well carry a wall's script or the word captcha somewhere."""

_FINGERPRINTS = (
    "_cf_chl_opt",
    "cf-browser-verification",
    "attention required! | cloudflare",
    "<title>just a moment...</title>",
    "awswafcookiedomainlist",
    "token.awswaf.com",
    "errors.edgesuite.net",
    "you don't have permission to access",
    "_incapsula_resource",
    "incapsula incident id",
    "captcha-delivery.com",
    "px-captcha",
    "the requested url was rejected. please consult with your administrator",
    "the request could not be satisfied",
    "g-recaptcha",
    "h-captcha",
    "비정상적인 접근",
    "비정상적인 접속",
    "비정상적인 트래픽",
    "비정상적인 요청",
    "자동입력 방지",
    "자동입력방지",
    "자동화된 접근",
    "일시적으로 차단",
    "접근이 제한",
    "접근이 차단",
    "보안문자",
)
_FINGERPRINT_BYTES = tuple((words, tuple({words.encode("utf-8"), words.encode("cp949")})) for words in _FINGERPRINTS)


def block_page(body: bytes) -> str | None:
    """The words by which `body` is known as a bot wall's page; None when it is not known as one.

    Only of use once a parser could not read the body: then it tells BLOCKED from LAYOUT_CHANGED. The walls of Korean
    sites send their page without a charset, so UTF-8 and CP949 are both looked for.
    """
    if len(body) > _BLOCK_PAGE_LENGTH or not is_markup(body):
        return None
    lower = body.lower()
    for words, encodings in _FINGERPRINT_BYTES:
        if any(encoded in lower for encoded in encodings):
            return words
    return None
