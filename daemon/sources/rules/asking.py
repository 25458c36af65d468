"""What may be asked of a site: the policy's paths, page sizes, delay and host (seed 001 FR-69, DESIGN 1.9)."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from daemon.sources.model import Request, SourceCompliancePolicy
from daemon.sources.text.plain import CONTROL, clean_reason

LEAST_DELAY = timedelta(seconds=1)
"""Between two requests to one real host, whatever an adapter claims (seed 000: host 간격 1초)."""

DEFAULT_PORTS = {"http": 80, "https": 443}

_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\xa0\ud800-\udfff]")


class ComplianceViolation(Exception):
    """An adapter asked for something that the site's policy forbids. Nothing was sent (seed 001, failure path 29)."""

    def __init__(self, host: str, rule: str, detail: str) -> None:
        super().__init__(f"{host}: {rule}: {clean_reason(detail)}")
        self.rule = rule
        """One of `method`, `host`, `path`, `page size`, `header`."""
        self.detail = clean_reason(detail)


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The part of a permitted address behind the host, exactly as it is to be sent: ASCII, percent-encoded."""

    path: str
    query: str


def permitted_target(policy: SourceCompliancePolicy, request: Request) -> Target:
    """What to send for `request`; what is returned is what was checked, so that no two URL parsers can disagree.

    Raises ComplianceViolation when the method, host, path, a page size or a header is not the policy's.
    """
    if request.method not in {"GET", "POST"} or (request.json_body is not None and request.method != "POST"):
        raise ComplianceViolation(policy.host, "method", request.method)
    parts = _split(policy, request.url)
    path = quote(parts.path or "/", safe=string.punctuation)
    query = quote(parts.query, safe=string.punctuation)
    if not path_is_allowed(policy.allowed_paths, path):
        raise ComplianceViolation(policy.host, "path", path)
    for name, value in _page_sizes(policy, query, request.json_body):
        if not _is_page_size(value, policy.page_size_cap):
            raise ComplianceViolation(policy.host, "page size", f"{name}={value!r} over {policy.page_size_cap}")
    for name, value in request.headers:
        if CONTROL.search(name + value):
            raise ComplianceViolation(policy.host, "header", name)
    return Target(path=path, query=query)


def _split(policy: SourceCompliancePolicy, url: str) -> SplitResult:
    if _NOT_IN_A_URL.search(url) or "\\" in url.partition("?")[0]:
        raise ComplianceViolation(policy.host, "host", f"{url!r} is not a URL")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ComplianceViolation(policy.host, "host", f"{url!r}: {error}") from error
    own_port = port is None or port == DEFAULT_PORTS.get(parts.scheme)
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc or not own_port:
        raise ComplianceViolation(policy.host, "host", url)
    if (parts.hostname or "") != policy.host:
        raise ComplianceViolation(policy.host, "host", url)
    return parts


def path_is_allowed(allowed: Sequence[str], path: str) -> bool:
    """Whether `path` (percent-encoded) equals one of `allowed` or continues it after a `/`.

    It must hold for the path as it is sent *and* for what servers may make of it: `%2f`, `%252f`, `//` and backslashes
    resolved. A path with `..` or `.` in it, however it is written, is never allowed. `/` allows the whole site.
    """
    resolved = resolved_path(path)
    return resolved is not None and any(_continues(prefix, path) and _continues(prefix, resolved) for prefix in allowed)


def _continues(prefix: str, path: str) -> bool:
    base = prefix.rstrip("/")
    return path == base or path.startswith(base + "/")


def resolved_path(path: str) -> str | None:
    """The path as the most lenient server would read it; None when that can't be told or leads upwards."""
    for _ in range(4):
        decoded = unquote(path)
        if decoded == path:
            break
        path = decoded
    else:
        return None
    segments = [segment for segment in path.replace("\\", "/").split("/") if segment]
    climbs = any(segment.partition(";")[0] in {"..", "."} for segment in segments)
    return None if climbs or CONTROL.search(path) else "/" + "/".join(segments)


def _page_sizes(
    policy: SourceCompliancePolicy, query: str, json_body: bytes | None
) -> Iterator[tuple[str, str | int | None]]:
    names = {name.casefold() for name in policy.page_size_parameters}
    if not names:
        return
    for key, value in parse_qsl(query.replace(";", "&"), keep_blank_values=True):
        last = re.split(r"[\[\].]+", key.rstrip("]"))[-1]
        if key.casefold() in names or last.casefold() in names:
            yield key, value
    if json_body is not None:
        yield from _page_sizes_in_json(policy, names, json_body)


def _page_sizes_in_json(
    policy: SourceCompliancePolicy, names: set[str], body: bytes
) -> Iterator[tuple[str, str | int | None]]:
    found: list[tuple[str, Any]] = []

    def every_pair(pairs: list[tuple[str, Any]]) -> None:
        # A name given twice counts twice: sites differ in which one they take.
        found.extend((key, value) for key, value in pairs if key.casefold() in names)

    try:
        json.loads(body, object_pairs_hook=every_pair)
    except (ValueError, RecursionError) as error:
        raise ComplianceViolation(policy.host, "page size", "the body is not JSON") from error
    for key, value in found:
        number = type(value) is int or isinstance(value, str)
        yield key, value if number else None


def _is_page_size(value: str | int | None, cap: int) -> bool:
    """Only a plain number counts: `all`, `-1`, `1e9` and nothing at all may mean "everything" to a site."""
    if isinstance(value, str):
        value = int(value) if re.fullmatch("[0-9]{1,9}", value) else None
    return value is not None and 1 <= value <= cap


def may_follow(policy: SourceCompliancePolicy, location: str | None) -> bool:
    """Whether the one hop to `location` may be made, with a permit of its own: same host, allowed path, https."""
    if location is None or not location.startswith("https://"):
        return False
    try:
        permitted_target(policy, Request(url=location))
    except ComplianceViolation:
        return False
    return True


def request_delay(policy: SourceCompliancePolicy, wanted: timedelta | None, *, replaced: bool) -> timedelta:
    """The spacing of requests to one host: the policy's, at least 1 s.

    The person's setting `wanted` may raise it anywhere, and lower it only where a replica answers instead of the site.
    """
    least = max(policy.request_delay, LEAST_DELAY)
    if wanted is None:
        return least
    return wanted if replaced else max(least, wanted)


def host_key(policy: SourceCompliancePolicy, origin: str | None) -> str:
    """The permit's key: the site's host name in lower-case ASCII (punycode), or `host:port` of the replaced `origin`.

    Raises ValueError when the name has no ASCII form.
    """
    if origin is None:
        return _ascii_host(policy.host)
    parts = urlsplit(origin)
    host = parts.hostname or ""
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    return f"[{host}]:{port}" if ":" in host else f"{_ascii_host(host)}:{port}"


def _ascii_host(host: str) -> str:
    return host.encode("idna").decode("ascii").lower().rstrip(".")
