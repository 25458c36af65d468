"""What may be asked of a site."""

from __future__ import annotations

import json
import posixpath
from datetime import timedelta
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.sources.model import Request, SourceCompliancePolicy
from daemon.sources.rules import (
    ComplianceViolation,
    host_key,
    may_follow,
    path_is_allowed,
    permitted_target,
    request_delay,
    resolved_path,
)

POLICY = SourceCompliancePolicy(
    host="www.jobkorea.co.kr",
    allowed_paths=("/recruit/joblist", "/Recruit/GI_Read"),
    page_size_cap=50,
    page_size_parameters=("per", "page_size"),
    known_terms="",
)
SITE = "https://www.jobkorea.co.kr"


def asked(url: str, **fields: object) -> Request:
    return Request(url=url, **fields)  # type: ignore[arg-type]  # the cases below give each field its own type


# --- paths -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["/recruit/joblist", "/recruit/joblist/", "/recruit/joblist/2", "/Recruit/GI_Read/123", "/recruit/joblist//2"],
)
def test_a_path_that_is_or_continues_an_allowed_one_is_allowed(path: str) -> None:
    assert path_is_allowed(POLICY.allowed_paths, path)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "",
        "/Search/",
        "/recruit",
        "/recruit/joblistX",
        "/Recruit/GI_Read_Comt_Ifrm",
        "/RECRUIT/JOBLIST",
        "//recruit/joblist",
        "/./recruit/joblist",
        "/Search/../recruit/joblist",
        "/recruit/joblist/../../Search",
        "/recruit/joblist/%2e%2e/%2E%2E/Search",
        "/recruit/joblist/%252e%252e/%252e%252e/Search",
        "/recruit/joblist/..%2f..%2fSearch",
        "/recruit/joblist/..%5c..%5cSearch",
        "/recruit/joblist/..\\..\\Search",
        "/recruit/joblist/..;/..;x=1/Search",
        "/recruit/joblist%2f..%2f..%2fSearch",
        "/recruit%2fjoblist",
        "/recruit/joblist/%00",
        "/recruit/joblist/%0d%0aHost:x",
        "/recruit/joblist/%" + "25" * 8 + "2e",
    ],
)
def test_a_path_that_some_server_could_read_as_another_is_refused(path: str) -> None:
    assert not path_is_allowed(POLICY.allowed_paths, path)


def test_a_site_that_allows_everything_still_allows_no_climbing() -> None:
    assert path_is_allowed(("/",), "/daangn/job/")
    assert not path_is_allowed(("/",), "/../job/")
    assert not path_is_allowed(("/",), "/daangn/%2e/job/")
    assert resolved_path("/daangn//job/") == "/daangn/job"


@given(st.lists(st.sampled_from(["..", ".", "", "a", "..;x", "%2e%2e", "\\", "%2f", "%5c", "Search"]), max_size=8))
def test_no_mixture_of_dots_and_slashes_leaves_the_allowed_path(parts: list[str]) -> None:
    path = "/recruit/joblist/" + "/".join(parts)
    if path_is_allowed(POLICY.allowed_paths, path):
        read = unquote(path).replace("\\", "/")
        assert not {segment.partition(";")[0] for segment in read.split("/")} & {"..", "."}
        assert posixpath.normpath(read).startswith("/recruit/joblist")


# --- hosts and methods -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/recruit/joblist",
        "https://www.jobkorea.co.kr.evil.example/recruit/joblist",
        "https://www.jobkorea.co.kr@evil.example/recruit/joblist",
        "https://evil.example\\@www.jobkorea.co.kr/recruit/joblist",
        "https://user:secret@www.jobkorea.co.kr/recruit/joblist",
        "https://www.jobkorea.co.kr:8443/recruit/joblist",
        "https://www.jobkorea.co.kr./recruit/joblist",
        "ftp://www.jobkorea.co.kr/recruit/joblist",
        "//www.jobkorea.co.kr/recruit/joblist",
        "/recruit/joblist",
        "https://[::1/recruit/joblist",
        "https://www.jobkorea.co.kr:99999/recruit/joblist",
        "https://www.jobkorea.co.kr/recruit/joblist\r\nX: y",
        "https://www.jobkorea.co.kr/recruit/job list",
        "\thttps://www.jobkorea.co.kr/recruit/joblist",
        "https://www.jobkorea.co.kr/recruit/joblist?q=\ud800",
        "https://www.jobkorea.co.kr/recruit/joblist\\a?q=1",
        "",
    ],
)
def test_only_the_sites_own_host_may_be_asked(url: str) -> None:
    with pytest.raises(ComplianceViolation) as caught:
        permitted_target(POLICY, asked(url))
    assert caught.value.rule == "host"
    assert str(caught.value).startswith(f"{POLICY.host}: host: ")


@pytest.mark.parametrize(
    "url", [SITE, SITE.upper().replace("HTTPS", "https"), f"{SITE}:443", "http://www.jobkorea.co.kr:80"]
)
def test_the_default_port_and_the_case_of_a_host_make_no_difference(url: str) -> None:
    assert permitted_target(POLICY, asked(url + "/recruit/joblist?a=1#part")).path == "/recruit/joblist"


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE", "get", "CONNECT", "GET / HTTP/1.1\r\nX: y\r\n\r\n"])
def test_nothing_but_get_and_post_is_sent(method: str) -> None:
    with pytest.raises(ComplianceViolation) as caught:
        permitted_target(POLICY, asked(f"{SITE}/recruit/joblist", method=method))
    assert caught.value.rule == "method"
    assert str(caught.value).startswith(f"{POLICY.host}: method: ")


def test_a_get_carries_no_body() -> None:
    with pytest.raises(ComplianceViolation):
        permitted_target(POLICY, asked(f"{SITE}/recruit/joblist", json_body=b"{}"))


def test_what_is_sent_is_what_was_checked_percent_encoded() -> None:
    target = permitted_target(POLICY, asked(f"{SITE}/recruit/joblist/서울%2B?keyword=백엔드&a=%EA%B0%80+b"))
    assert target.path == "/recruit/joblist/" + quote("서울") + "%2B"
    assert target.query == "keyword=" + quote("백엔드") + "&a=%EA%B0%80+b"
    assert permitted_target(POLICY, asked(f"{SITE}/recruit/joblist?q=a\\b?c")).query == "q=a\\b?c"


def test_a_header_cannot_smuggle_a_line() -> None:
    with pytest.raises(ComplianceViolation) as caught:
        permitted_target(POLICY, asked(f"{SITE}/recruit/joblist", headers=(("X-A", "a\r\nX-B: b"),)))
    assert caught.value.rule == "header"
    assert str(caught.value).startswith(f"{POLICY.host}: header: ")


def test_a_violation_says_what_was_asked_in_one_safe_line() -> None:
    with pytest.raises(ComplianceViolation) as caught:
        permitted_target(POLICY, asked(f"{SITE}/Search/" + "x" * 1000))
    assert str(caught.value).startswith("www.jobkorea.co.kr: path: /Search/xxx")
    assert len(caught.value.detail) == 200
    with pytest.raises(ComplianceViolation, match=r"^www\.jobkorea\.co\.kr: page size: the body is not JSON$"):
        permitted_target(POLICY, asked(f"{SITE}/recruit/joblist", method="POST", json_body=b"per=51"))


# --- page sizes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "page=9000", "per=50", "per=1&page_size=50", "paper=999", "perx=999", "x=per"])
def test_a_page_size_up_to_the_cap_may_be_asked(query: str) -> None:
    assert permitted_target(POLICY, asked(f"{SITE}/recruit/joblist?{query}")).query == query


@pytest.mark.parametrize(
    "query",
    [
        "per=51",
        "per=0",
        "per=-1",
        "per=",
        "per",
        "per=all",
        "per=1e9",
        "per=50.0",
        "per=0x10",
        "per=%20900",
        "per=９００",
        "per=" + "9" * 5000,
        "PER=51",
        "p%65r=51",
        "per=50&per=51",
        "a=1;per=51",
        "condition[per]=51",
        "condition%5Bper%5D=51",
        "paging.page_size=51",
        "page_size=51&per=50",
    ],
)
def test_a_page_size_over_the_cap_or_of_unknown_meaning_is_refused(query: str) -> None:
    with pytest.raises(ComplianceViolation) as caught:
        permitted_target(POLICY, asked(f"{SITE}/recruit/joblist?{query}"))
    assert caught.value.rule == "page size"
    assert str(caught.value).startswith(f"{POLICY.host}: page size: ")


@pytest.mark.parametrize("body", [{}, {"per": 50}, {"search": {"per": 1}, "list": [{"per": "50"}]}, {"x": "per"}, [1]])
def test_a_body_with_a_page_size_up_to_the_cap_may_be_sent(body: object) -> None:
    request = asked(f"{SITE}/recruit/joblist", method="POST", json_body=json.dumps(body).encode())
    assert permitted_target(POLICY, request).path == "/recruit/joblist"


@pytest.mark.parametrize(
    "body",
    [
        b'{"per": 51}',
        b'{"a": {"b": [{"per": 51}]}}',
        b'{"per": 51, "per": 10}',
        b'{"per": 10, "per": 51}',
        b'{"PER": 51}',
        b'{"\\u0070er": 51}',
        b'{"per": "51"}',
        b'{"per": 1e9}',
        b'{"per": 50.5}',
        b'{"per": true}',
        b'{"per": null}',
        b'{"per": {"max": 10}}',
        b'{"per": [10]}',
        b"per=51",
        b"\xff",
        b"",
    ],
)
def test_a_body_with_a_page_size_over_the_cap_or_of_unknown_meaning_is_refused(body: bytes) -> None:
    with pytest.raises(ComplianceViolation) as caught:
        permitted_target(POLICY, asked(f"{SITE}/recruit/joblist", method="POST", json_body=body))
    assert caught.value.rule == "page size"
    assert str(caught.value).startswith(f"{POLICY.host}: page size: ")


# --- delay and host key ----------------------------------------------------------------------------------------------


def policy(*, delay: float = 1, host: str = "www.jobkorea.co.kr") -> SourceCompliancePolicy:
    return SourceCompliancePolicy(
        host=host, allowed_paths=("/",), page_size_cap=1, request_delay=timedelta(seconds=delay), known_terms=""
    )


@pytest.mark.parametrize(
    ("own", "wanted", "replaced", "expected"),
    [
        (1, None, False, 1),
        (3, None, False, 3),
        (0, None, False, 1),
        (-5, None, False, 1),
        (0, None, True, 1),
        (3, 0, False, 3),
        (0, 0, False, 1),
        (1, 5, False, 5),
        (1, 0, True, 0),
        (3, 0.1, True, 0.1),
        (1, 5, True, 5),
    ],
)
def test_only_a_replica_is_asked_faster_than_the_policy(
    own: float, wanted: float | None, replaced: bool, expected: float
) -> None:
    """Seed 001, failure path 29: 규약 정책 우회 시도(지연 0) → 강제해 우회 불가."""
    setting = None if wanted is None else timedelta(seconds=wanted)
    assert request_delay(policy(delay=own), setting, replaced=replaced) == timedelta(seconds=expected)


@pytest.mark.parametrize(
    ("host", "origin", "key"),
    [
        ("www.jobkorea.co.kr", None, "www.jobkorea.co.kr"),
        ("WWW.JobKorea.co.kr", None, "www.jobkorea.co.kr"),
        ("www.jobkorea.co.kr.", None, "www.jobkorea.co.kr"),
        ("당근.한국", None, "xn--6i0bp8g.xn--3e0b707e"),
        ("x", "http://127.0.0.1:9001", "127.0.0.1:9001"),
        ("x", "http://Replica", "replica:80"),
        ("x", "https://replica", "replica:443"),
        ("x", "http://[::1]:9001", "[::1]:9001"),
    ],
)
def test_permits_are_kept_by_ascii_host_and_by_host_and_port_of_a_replica(
    host: str, origin: str | None, key: str
) -> None:
    assert host_key(policy(host=host), origin) == key


# --- redirects -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "followed"),
    [
        (f"{SITE}/Recruit/GI_Read/1", True),
        (f"{SITE}/Login", False),
        (f"{SITE}/Recruit/GI_Read_Comt_Ifrm", False),
        ("http://www.jobkorea.co.kr/Recruit/GI_Read/1", False),
        ("https://m.jobkorea.co.kr/Recruit/GI_Read/1", False),
        (f"{SITE}/recruit/joblist?per=999", False),
        ("javascript:alert(1)", False),
        (None, False),
    ],
)
def test_only_a_redirect_within_the_policy_may_be_followed(location: str | None, followed: bool) -> None:
    assert may_follow(POLICY, location) is followed
