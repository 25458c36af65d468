"""What holds on every page: language, colours, guards, headers, size, faults."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from daemon import messages
from daemon.db import Database
from daemon.messages import has_text
from daemon.web.page.routes import FORMS, PAGES
from daemon.web.page.visit import DONE_COOKIE
from tests.page.conftest import Browse
from tests.web.conftest import Serve

PLAIN = [page.path for page in PAGES if "{" not in page.path]
PACKAGE = Path(__file__).parents[2] / "daemon" / "web" / "page"
TOKEN = "correct-horse-battery-staple"


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_every_page_opens_with_nothing_in_the_database(db: Database, browse: Browse, language: str) -> None:
    browser = await browse(db, language)
    for path in PLAIN:
        page = await browser.open(path)
        assert page.status == 200, (path, page.source)
        assert page.root()["lang"] == language
        assert len(page.tree.css("h1")) == 1, path
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"


async def test_a_page_is_small_and_asks_for_nothing_elsewhere(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    for path in PLAIN:
        page = await browser.open(path)
        assert len(page.source.encode()) < 100_000
        loaded = [node.attributes.get("src") or node.attributes.get("href") for node in page.tree.css("script, link")]
        assert len(loaded) <= 4
        assert all(address and address.startswith("/static/") for address in loaded), loaded
        for address in loaded:
            answer = await browser.client.get(address or "")
            assert answer.status == 200
            assert "immutable" in answer.headers["Cache-Control"]


async def test_no_page_has_script_or_style_in_it_and_its_policy_forbids_both(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    for path in PLAIN:
        page = await browser.open(path)
        assert [node.text() for node in page.tree.css("script, style") if node.text()] == []
        assert not re.search(r'\s(style|on[a-z]+)="', page.source)
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["Referrer-Policy"] == "same-origin"
        assert page.headers["X-Content-Type-Options"] == "nosniff"


async def test_the_language_follows_the_browser_until_the_person_chooses(db: Database, browse: Browse) -> None:
    browser = await browse(db, "de, en;q=0.8, ko;q=0.9")
    assert (await browser.open("/postings")).text("h1") == "공고"
    page = await browser.send("/preferences", {"language": "en", "back": "/postings?sort=DEADLINE"})
    assert (page.path, page.text("h1")) == ("/postings?sort=DEADLINE", "Postings")
    assert (await (await browse(db, "en-GB,ko;q=0")).open("/postings")).text("h1") == "Postings"
    assert (await (await browse(db, "fr")).open("/postings")).text("h1") == "공고"
    assert (await (await browse(db, "fr", language="en")).open("/postings")).text("h1") == "Postings"


async def test_colours_are_kept_and_given_back_to_the_system(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.send("/preferences", {"theme": "dark", "back": "/"})
    assert page.root()["data-theme"] == "dark"
    page = await browser.send("/preferences", {"theme": "auto", "back": "/"})
    assert "data-theme" not in page.root()


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x"])
async def test_a_form_leads_nowhere_else(db: Database, browse: Browse, back: str) -> None:
    browser = await browse(db)
    page = await browser.send("/preferences", {"theme": "dark", "back": back})
    assert (page.status, page.path) == (200, "/")


async def test_a_form_of_another_site_is_refused_by_every_path_that_takes_one(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    forged: list[dict[str, str]] = [
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {},
    ]
    for form in FORMS:
        path = re.sub(r"\{[a-z]+\}", "1", form.path)
        for headers in forged:
            answer = await browser.client.post(path, data={"to": "on"}, headers=headers | {"Accept": "text/html"})
            assert answer.status == 403, (path, headers)
            assert "다른 곳에서 온 요청" in await answer.text()


async def test_a_form_path_takes_forms_alone_and_the_api_still_takes_none(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    own = {"Origin": f"http://{browser.client.host}:{browser.client.port}"}
    assert (await browser.client.post("/begin", json={}, headers=own)).status == 415
    answer = await browser.client.post("/api/applications", data={"jobPostingId": "1"}, headers=own)
    assert answer.status == 415
    multipart = {"Content-Type": "multipart/form-data; boundary=x"}
    assert (await browser.client.post("/begin", data=b"--x--", headers=own | multipart)).status == 415


async def test_what_is_not_there_is_a_page_for_a_person_and_a_document_for_a_program(
    db: Database, browse: Browse
) -> None:
    browser = await browse(db)
    for path in ("/nothing", "/postings/999", "/applications/999", "/companies/999", "/postings/0", "/postings/x"):
        page = await browser.open(path)
        assert page.status == 404, path
        assert page.tree.css_first("h1") is not None
        assert page.hrefs("main a") == ["/"]
    answer = await browser.client.get("/nothing", headers={"Accept": "*/*"})
    assert (answer.status, answer.content_type) == (404, "application/problem+json")
    answer = await browser.client.get("/api/job-postings/999", headers={"Accept": "text/html"})
    assert answer.content_type == "application/problem+json"


async def test_a_form_of_something_that_is_gone_is_404(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    for path, values in (
        ("/postings/999/apply", {}),
        ("/applications/999/move", {"next_status": "REJECTED", "version": "0"}),
        ("/companies/999/promote", {}),
        ("/companies/999/sources/switch", {"source": "1", "to": "off"}),
    ):
        page = await browser.send(path, values)
        assert page.status == 404, path
        assert "이미 지워졌거나" in page.text()


async def test_a_database_that_is_away_is_said_in_words(offline: Database, browse: Browse) -> None:
    browser = await browse(offline)
    page = await browser.open("/")
    assert page.status == 503
    assert "데이터베이스가 대답하지 않습니다" in page.text()


async def test_where_a_token_is_set_the_page_asks_for_it_once(db: Database, browse: Browse) -> None:
    browser = await browse(db, api_token=TOKEN)
    page = await browser.open("/postings")
    assert (page.status, page.path) == (200, "/sign-in")
    assert (await browser.client.get("/api/flags")).status == 401
    wrong = await browser.fill(page, "/sign-in", token="guess")
    assert wrong.status == 403
    assert "guess" not in wrong.source
    page = await browser.fill(page, "/sign-in", token=TOKEN)
    assert (page.status, page.path) == (200, "/")
    assert (await browser.open("/postings")).path == "/postings"
    assert (await browser.client.get("/api/export/postings.csv")).status == 200
    assert all(TOKEN not in cookie.value for cookie in browser.client.session.cookie_jar)


async def test_a_session_is_worth_nothing_with_another_token(db: Database, browse: Browse) -> None:
    browser = await browse(db, api_token=TOKEN)
    await browser.send("/sign-in", {"token": TOKEN})
    stolen = {cookie.key: cookie.value for cookie in browser.client.session.cookie_jar}
    other = await browse(db, api_token="another-token-altogether")
    other.client.session.cookie_jar.update_cookies(stolen)
    assert (await other.open("/postings")).path == "/sign-in"


async def test_what_was_done_is_said_once(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.send("/begin", {})
    assert page.texts("[role=status]")[:1] == ["기능을 켰습니다. 이제 무엇을 모을지 고르세요."]
    assert (await browser.open("/")).tree.css(".told") == []
    browser.client.session.cookie_jar.update_cookies({DONE_COOKIE: "<script>"})
    assert (await browser.open("/")).tree.css(".told") == []


def test_every_text_that_a_template_names_is_there_and_none_is_idle() -> None:
    sources = [path.read_text("utf-8") for path in PACKAGE.rglob("*") if path.suffix in {".html", ".py"}]
    named = {key for source in sources for key in re.findall(r"""[^\w]t\(\s*['"]([a-z_.]+[a-z_])['"]""", source)}
    missing = [key for key in named if not has_text(key[1:] if key.startswith(".") else f"page.{key}")]
    assert missing == []
    everything = "".join(sources)
    composed = (
        *("field.", "unfit.", "apology", "done.", "flag.", "fate.", "sort.", "within."),
        *("place.", "story.", "nav.", "theme.", "snapshot.", "refused.", "company.found.", "outcome."),
    )
    own = [key.removeprefix("page.") for key in messages._TEXTS if key.startswith("page.")]
    idle = [key for key in own if not key.startswith(composed) and not re.search(rf"""['"]{key}['"]""", everything)]
    assert idle == []
    assert len(own) > 200
    for key in own:
        english = messages.text("en", f"page.{key}", **dict.fromkeys(_values(f"page.{key}"), "x"))
        assert not re.search("[가-힣]", english), key


def _values(key: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(messages._TEXTS[key][1]) if name}


async def test_the_api_client_of_the_tests_still_gets_documents(db: Database, serve: Serve) -> None:
    client = await serve(db)
    answer = await client.get("/nothing/here")
    assert answer.content_type == "application/problem+json"
