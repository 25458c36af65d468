"""What the outside of an answer says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.sources.model import Outcome, SourceCompliancePolicy
from daemon.sources.rules import (
    block_page,
    challenge_header,
    is_json,
    leads_to_login,
    outcome_of_status,
    redirect_target,
    retry_after,
)

POLICY = SourceCompliancePolicy(
    host="www.jobkorea.co.kr", allowed_paths=("/recruit/joblist",), page_size_cap=50, known_terms=""
)
NOW = datetime(2026, 9, 1, 0, 0, tzinfo=UTC)
SITE = "https://www.jobkorea.co.kr"


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, Outcome.FETCHED),
        (204, Outcome.FETCHED),
        (299, Outcome.FETCHED),
        (300, Outcome.REDIRECTED),
        (206, Outcome.PROTOCOL_ERROR),
        (101, Outcome.PROTOCOL_ERROR),
        (301, Outcome.REDIRECTED),
        (307, Outcome.REDIRECTED),
        (304, Outcome.REDIRECTED),
        (399, Outcome.REDIRECTED),
        (400, Outcome.PROTOCOL_ERROR),
        (401, Outcome.LOGIN_REQUIRED),
        (403, Outcome.BLOCKED),
        (404, Outcome.NOT_FOUND),
        (405, Outcome.PROTOCOL_ERROR),
        (408, Outcome.TIMEOUT),
        (410, Outcome.NOT_FOUND),
        (422, Outcome.PROTOCOL_ERROR),
        (429, Outcome.RATE_LIMITED),
        (451, Outcome.BLOCKED),
        (500, Outcome.SERVER_ERROR),
        (503, Outcome.SERVER_ERROR),
        (520, Outcome.SERVER_ERROR),
        (599, Outcome.SERVER_ERROR),
        (600, Outcome.PROTOCOL_ERROR),
        (999, Outcome.PROTOCOL_ERROR),
        (0, Outcome.PROTOCOL_ERROR),
    ],
)
def test_a_status_has_one_outcome(status: int, outcome: Outcome) -> None:
    assert outcome_of_status(status) is outcome


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 120 ", 120),
        ("0", 1),
        ("000120", 120),
        ("86401", 86400),
        ("9" * 5000, 86400),
        ("Tue, 01 Sep 2026 00:10:00 GMT", 600),
        ("Tuesday, 01-Sep-26 00:10:00 GMT", 600),
        ("Tue Sep  1 00:10:00 2026", 600),
        ("Tue, 01 Sep 2026 09:10:00 +0900", 600),
        ("Tue, 01 Sep 2026 00:00:00 GMT", 1),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 86400),
    ],
)
def test_retry_after_is_seconds_or_a_date_within_a_second_and_a_day(header: str, seconds: int) -> None:
    assert retry_after(header, NOW) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "-5",
        "+5",
        "1.5",
        "soon",
        "１２０",
        "²",
        "1e3",
        "Mon, 31 Aug 2026 23:59:59 GMT",
        "Tue, 99 Foo 2026",
        "0x10",
    ],
)
def test_a_retry_after_that_means_nothing_is_ignored(header: str | None) -> None:
    assert retry_after(header, NOW) is None


@given(st.text(max_size=40))
def test_no_retry_after_header_can_break_the_rule(header: str) -> None:
    wait = retry_after(header, NOW)
    assert wait is None or timedelta(seconds=1) <= wait <= timedelta(hours=24)


ORIGIN = "http://127.0.0.1:9001"


@pytest.mark.parametrize(
    ("location", "origin", "target"),
    [
        ("/Recruit/GI_Read/1", None, f"{SITE}/Recruit/GI_Read/1"),
        ("2", None, f"{SITE}/recruit/2"),
        ("https://login.example/", None, "https://login.example/"),
        ("/Recruit/GI_Read/1", ORIGIN, f"{SITE}/Recruit/GI_Read/1"),
        (f"{ORIGIN}/Recruit/GI_Read/1?a=1", ORIGIN, f"{SITE}/Recruit/GI_Read/1?a=1"),
        ("//127.0.0.1:9001/x", ORIGIN, f"{SITE}/x"),
        ("http://127.0.0.1:9002/x", ORIGIN, "http://127.0.0.1:9002/x"),
        (None, None, None),
        ("", None, None),
        ("http://[::1/", None, None),
        ("/a\r\nb", None, None),
        ("http://REPLICA:9001/x", "http://replica:9001", f"{SITE}/x"),
        ("http://replica:9001/x", "http://REPLICA:9001", f"{SITE}/x"),
        ("https://a.example/".ljust(2000, "x"), None, "https://a.example/".ljust(2000, "x")),
        ("https://a.example/".ljust(2001, "x"), None, None),
        ("/".ljust(2000, "x"), None, None),
    ],
)
def test_a_redirect_is_told_by_the_sites_real_address(
    location: str | None, origin: str | None, target: str | None
) -> None:
    assert redirect_target(POLICY, f"{SITE}/recruit/joblist", location, origin) == target


def test_a_bot_walls_own_header_tells_its_challenge() -> None:
    assert challenge_header({"cf-mitigated": "challenge"}) == "cf-mitigated"
    assert challenge_header({"x-amzn-waf-action": "captcha"}) == "x-amzn-waf-action"
    assert challenge_header({"cf-ray": "1", "x-amzn-waf-action": "allow"}) is None


@pytest.mark.parametrize(
    "body",
    [
        b"<html><title>Just a moment...</title>",
        b"\xef\xbb\xbf\r\n <!doctype html><script>window._CF_chl_opt={}</script>",
        "<html>비정상적인 접근이 감지되었습니다</html>".encode(),
        "<html>자동입력 방지 문자</html>".encode("cp949"),
        b"<html>g-recaptcha".ljust(64 * 1024),
        b"<HTML><BODY><H1>Access Denied</H1>You don't have permission to access this",
    ],
)
def test_a_block_page_is_known_by_its_words_in_utf8_and_cp949(body: bytes) -> None:
    assert block_page(body) is not None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>200 postings</body></html>",
        b'{"message": "captcha-delivery.com"}',
        b"<html>g-recaptcha".ljust(64 * 1024 + 1),
        b"X<html>g-recaptcha</html>",
        b'<html><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script></html>',
    ],
)
def test_an_ordinary_page_is_no_block_page(body: bytes) -> None:
    assert block_page(body) is None


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (b'{"code": "C003"}', True),
        (b"[]", True),
        (b"404", False),
        (b"<html>", False),
        (b"", False),
        (b"\xff\xfe", False),
        (b"[" * 100_000, False),
    ],
)
def test_json_is_an_object_or_a_list(body: bytes, answer: bool) -> None:
    assert is_json(body) is answer


@pytest.mark.parametrize(
    ("location", "login"),
    [
        ("https://edit.incruit.com/login/login.asp?gotoURL=https%3A%2F%2Fjob%2Eincruit%2Ecom", True),
        ("https://www.jobkorea.co.kr/Login/Login_Tot.asp", True),
        ("https://login.example.com/", True),
        ("https://example.com/users/sign-in", True),
        ("https://example.com/auth/start", True),
        ("https://example.com/jobs?return=/login", False),
        ("https://example.com/authors/1", False),
        ("https://example.com/blogindex", False),
        (None, False),
    ],
)
def test_a_login_page_is_known_by_host_and_path_and_never_by_its_query(location: str | None, login: bool) -> None:
    assert leads_to_login(location) is login
