"""Which redirects lead to a login page."""

from __future__ import annotations

import pytest

from daemon.sources.rules import leads_to_login


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
