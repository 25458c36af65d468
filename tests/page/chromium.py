"""A real browser at the real application: Debian's chromium, driven by Playwright. Nobody who lacks it is stopped."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Locator, Page, async_playwright

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


@dataclass(kw_only=True)
class Tab:
    """One tab, and what it complained of."""

    page: Page
    origin: str
    way: Way
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    async def open(self, path: str) -> None:
        self.requests.clear()
        await self.page.goto(f"{self.origin}{path}", wait_until="networkidle")

    def css(self, selector: str) -> Locator:
        return self.page.locator(selector)

    async def press(self, selector: str) -> None:
        """Press a button or follow a link, as a person does: it has to be seen, and nothing may lie over it."""
        async with self.page.expect_navigation(wait_until="networkidle"):
            await self.css(selector).first.click()

    async def keep_picture(self, name: str) -> None:
        """Keep what is seen in `GONGGO_TEST_PICTURES`, a folder, if that is set."""
        folder = os.environ.get("GONGGO_TEST_PICTURES")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            await self.page.screenshot(path=f"{folder}/{name}-{self.way}.png", full_page=True)

    async def is_too_wide(self) -> bool:
        """Whether the page has to be moved sideways to be read."""
        width: int = await self.page.evaluate("document.documentElement.scrollWidth") if self.way.script else 0
        return width > SIZES[self.way.size][0]


@asynccontextmanager
async def opened_tab(origin: str, way: Way) -> AsyncIterator[Tab]:
    """A fresh browser with one tab; faults of script, style or policy are kept in it."""
    width, height = SIZES[way.size]
    async with async_playwright() as playwright:
        # Without a sandbox: tests run as root in containers, and no page but ours is opened.
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            locale={"ko": "ko-KR", "en": "en-GB"}[way.language],
            color_scheme="dark" if way.dark else "light",
            java_script_enabled=way.script,
            has_touch=way.size == "phone",
        )
        page = await context.new_page()
        tab = Tab(page=page, origin=origin, way=way)
        page.on("console", lambda message: tab.faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: tab.faults.append(str(error)))
        page.on("request", lambda request: tab.requests.append(request.url))
        yield tab
        await context.close()
        await browser.close()
