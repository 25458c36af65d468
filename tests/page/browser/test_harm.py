"""What others may send or plant, in a real browser: nothing of it runs, nothing is obeyed, nobody else is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from daemon.application.actions import apply_for_posting
from daemon.clock import ManualClock
from daemon.db import Database, transaction
from daemon.flags.actions import list_flags
from daemon.matching.model import Confidence
from daemon.posting.store import save_descriptions
from daemon.sources.model import Platform
from tests.db.test_posting_views import add_evidence, add_result
from tests.engines import add_source
from tests.page.browser.chromium import WAYS, Way
from tests.page.browser.conftest import Visit
from tests.postings import add_company, add_posting

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLANTED = (
    '"><script>alert(1)</script><img src=//evil.example/x onerror=alert(2)><svg onload=alert(3)>'
    "<style>*{display:none}</style>\u202egnp.exe\u2066 {{ 7*7 }} </bdi></mark></main></html><!-- &lt;b&gt;"
)
BROKEN = "<table><tr><td><b>굵게<i>기울임</b></td><p>닫지 않은\n\n" + "가나다 " * 24_000 + "끝"


async def test_what_sites_plant_is_text_wherever_it_is_shown(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    board = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = await add_company(db, PLANTED[:150])
    posting = await add_posting(db, company, board, PLANTED, posting_url="javascript:alert(4)")
    await add_result(db, posting, top=Confidence.LIKELY)
    await add_evidence(db, posting, "재택", Confidence.LIKELY, PLANTED[:60])
    await transaction(db, save_descriptions, {posting: PLANTED + BROKEN}, clock.now())
    made = await apply_for_posting(db, posting, None, PLANTED)
    tab = await visit(way)
    for path in (
        *("/", "/postings", f"/postings/{posting}", f"/postings/{posting}?text=all", f"/companies/{company}"),
        *("/companies", "/applications", f"/applications/{made.id}", "/criteria?synonyms=script", "/postings/new"),
        "/postings?q=%22%3E%3Cscript%3Ealert(5)%3C/script%3E",
    ):
        await tab.open(path)
        assert await tab.css("main img, main script, main style, main table").count() == 0, path
        assert await tab.css("footer").is_visible(), path
        assert not await tab.is_too_wide(), path
    await tab.open(f"/postings/{posting}")
    assert await tab.text("h1") == " ".join(PLANTED.split())
    assert await tab.css("a[href^=javascript]").count() == 0
    await tab.keep_picture("planted")


@pytest_asyncio.fixture(loop_scope="session")
async def elsewhere() -> AsyncIterator[TestServer]:
    """Another site, whose page sends a form to wherever its address says, as soon as it is opened."""

    async def trap(request: web.Request) -> web.Response:
        page = (
            f'<form method="post" action="{request.query["to"]}"><input name="flag" value="posting.auto-close">'
            '<input name="to" value="on"><button id="go">Win!</button></form>'
        )
        return web.Response(text=page, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", trap)
    server = TestServer(app, host="127.0.0.2")
    await server.start_server()
    yield server
    await server.close()


async def test_a_form_that_another_site_sends_is_refused(
    db: Database, visit: Visit, elsewhere: TestServer, sqlite_only: None
) -> None:
    for way in WAYS:
        tab = await visit(way)
        for path in ("/begin", "/operations/flags", "/preferences", "/criteria/remove"):
            await tab.page.goto(str(elsewhere.make_url("/").with_query(to=f"{tab.origin}{path}")))
            await tab.press("#go")
            assert urlsplit(tab.page.url).path == path
            assert await tab.text("h1") == tab.says("다른 곳에서 온 요청입니다", "That came from elsewhere")
        tab.asked[:] = [url for url in tab.asked if not url.startswith(str(elsewhere.make_url("/")))]
    assert not any(flag.enabled for flag in await list_flags(db))
