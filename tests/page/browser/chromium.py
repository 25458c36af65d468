"""A real browser at the real application: Debian's chromium, driven by Playwright. Nobody who lacks it is stopped."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Response, async_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


@dataclass(frozen=True, kw_only=True)
class Way:
    """How a person looks at the page."""

    size: str
    language: str
    script: bool
    dark: bool = False

    def __str__(self) -> str:
        return f"{self.size}-{self.language}-{'script' if self.script else 'plain'}{'-dark' if self.dark else ''}"


WAYS = (
    Way(size="desktop", language="ko", script=True),
    Way(size="phone", language="en", script=True, dark=True),
    Way(size="desktop", language="en", script=False, dark=True),
    Way(size="phone", language="ko", script=False),
)
"""Each size with each language, with and without script, light and dark: every pair of them once at least."""

WAYS_ON_SERVERS = (WAYS[0], WAYS[-1])
"""What is under a page changes nothing in a browser: with both sizes, with and without script, it is seen to work."""


@dataclass(kw_only=True)
class Tab:
    """One tab, and what it complained of."""

    page: Page
    origin: str
    way: Way
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    """Since the last `open`."""
    asked: list[str] = field(default_factory=list)
    """Ever."""
    bytes_sent: int = 0
    """Of the document that was opened last, before compression."""

    def listen(self) -> None:
        """Keep what goes wrong from here on: scripts, styles, policy, whatever can't be loaded, answers of 500."""

        def hear(message: ConsoleMessage) -> None:
            # That a page is a refusal is no fault; what else is not there is told by `receive`.
            if message.type == "error" and "the server responded with a status of" not in message.text:
                self.faults.append(message.text)

        def receive(answer: Response) -> None:
            if answer.status >= (500 if answer.request.resource_type == "document" else 400):
                self.faults.append(f"{answer.status} {answer.url}")

        self.page.on("console", hear)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("response", receive)
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("dialog", lambda dialog: self.faults.append(f"a dialog: {dialog.message}"))

    def _note(self, url: str) -> None:
        self.requests.append(url)
        self.asked.append(url)

    async def open(self, path: str) -> None:
        """Go to a page, and wait until all of it is there."""
        self.requests.clear()
        answer = await self.page.goto(f"{self.origin}{path}", wait_until="load")
        assert answer is not None
        self.bytes_sent = len(await answer.body())

    async def beside(self) -> Tab:
        """Another tab of the same person."""
        tab = Tab(page=await self.page.context.new_page(), origin=self.origin, way=self.way, faults=self.faults)
        tab.asked = self.asked
        tab.listen()
        return tab

    def css(self, selector: str) -> Locator:
        """The elements of a selector."""
        return self.page.locator(selector)

    async def text(self, selector: str) -> str:
        """The text of the one element of a selector, as it is seen."""
        return " ".join((await self.css(selector).inner_text()).split())

    async def texts(self, selector: str) -> list[str]:
        """The texts of the elements of a selector."""
        return [" ".join(text.split()) for text in await self.css(selector).all_inner_texts()]

    async def path(self) -> str:
        """Where it is, without the origin."""
        return self.page.url.removeprefix(self.origin)

    def says(self, korean: str, english: str) -> str:
        """What is to be read in the language of this person."""
        return korean if self.way.language == "ko" else english

    async def press(self, selector: str) -> None:
        """Press a button or follow a link, as a person does: it has to be seen, and nothing may lie over it."""
        async with self.page.expect_navigation(wait_until="load"):
            await self.css(selector).first.click()

    async def unfold(self, selector: str) -> None:
        """Open a part that is folded away, if it is."""
        part = self.css(selector).first
        if await part.get_attribute("open") is None:
            await part.locator("summary").first.click()

    async def choose(self, selector: str, value: str, button: str) -> None:
        """Choose from a list: with script the page follows by itself, without it a button is pressed."""
        if self.way.script:
            async with self.page.expect_navigation(wait_until="load"):
                await self.page.select_option(selector, value)
        else:
            await self.page.select_option(selector, value)
            await self.press(button)

    async def tick(self, selector: str, button: str) -> None:
        """Tick a box of a list's filters: as `choose`."""
        if self.way.script:
            async with self.page.expect_navigation(wait_until="load"):
                await self.page.check(selector)
        else:
            await self.page.check(selector)
            await self.press(button)

    async def keep_picture(self, name: str) -> None:
        """Keep what is seen in `GONGGO_TEST_PICTURES`, a folder, if that is set."""
        folder = os.environ.get("GONGGO_TEST_PICTURES")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            await self.page.screenshot(path=f"{folder}/{name}-{self.way}.png", full_page=True)

    async def is_too_wide(self) -> bool:
        """Whether the page has to be moved sideways to be read."""
        width: int = await self.page.evaluate("document.documentElement.scrollWidth")
        return width > SIZES[self.way.size][0]


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """The browser, without a window."""
    async with async_playwright() as playwright:
        # Without a sandbox: tests run as root in containers, and no page but ours is opened.
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


async def _person(browser: Browser, way: Way) -> BrowserContext:
    width, height = SIZES[way.size]
    return await browser.new_context(
        viewport={"width": width, "height": height},
        locale={"ko": "ko-KR", "en": "en-GB"}[way.language],
        color_scheme="dark" if way.dark else "light",
        java_script_enabled=way.script,
        has_touch=way.size == "phone",
    )


@asynccontextmanager
async def opened_tab(browser: Browser, origin: str, way: Way) -> AsyncIterator[Tab]:
    """A tab of a new person, who has no cookies; faults of script, style or policy are kept in it."""
    context = await _person(browser, way)
    context.set_default_timeout(30_000)
    tab = Tab(page=await context.new_page(), origin=origin, way=way)
    tab.listen()
    yield tab
    await context.close()
