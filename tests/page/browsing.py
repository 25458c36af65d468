"""A browser without script: pages, links, forms with their fields as they stand, cookies, redirects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient
from selectolax.lexbor import LexborHTMLParser, LexborNode


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A page as it came."""

    status: int
    path: str
    headers: Any
    source: str

    @property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.source)

    def texts(self, selector: str) -> list[str]:
        """The text of each element, white space collapsed."""
        return [" ".join(node.text().split()) for node in self.tree.css(selector)]

    def text(self, selector: str = "main") -> str:
        (found,) = self.texts(selector)
        return found

    def root(self) -> dict[str, str | None]:
        """The attributes of `<html>`."""
        (found,) = self.tree.css("html")
        return dict(found.attributes)

    def hrefs(self, selector: str = "a") -> list[str]:
        return [node.attributes.get("href") or "" for node in self.tree.css(selector)]

    def form(self, action: str) -> dict[str, str]:
        """The fields of the form that is sent to `action`, as they stand; buttons left out."""
        (form,) = self.tree.css(f'form[method=post][action="{action}"]')
        return dict(_fields(form))

    def actions(self) -> list[str]:
        return [node.attributes.get("action") or "" for node in self.tree.css("form[method=post]")]


def _fields(form: LexborNode) -> list[tuple[str, str]]:
    fields = []
    for node in form.css("input, textarea, select"):
        name = node.attributes.get("name")
        if name is None or (node.attributes.get("type") == "checkbox" and "checked" not in node.attributes):
            continue
        if node.tag == "select":
            options = node.css("option")
            chosen = [option for option in options if "selected" in option.attributes] or options[:1]
            fields += [(name, chosen[0].attributes.get("value") or "")] if chosen else []
        else:
            fields.append((name, node.text() if node.tag == "textarea" else node.attributes.get("value") or ""))
    return fields


class Browser:
    """One person at the application."""

    def __init__(self, client: TestClient[Any, Any], language: str) -> None:
        self.client = client
        self._headers = {"Accept": "text/html,application/xhtml+xml", "Accept-Language": language}

    async def open(self, path: str, **headers: str) -> Opened:
        return await _opened(await self.client.get(path, headers=self._headers | headers))

    async def send(self, action: str, values: dict[str, str], **headers: str) -> Opened:
        """Send a form, and follow where it leads."""
        own = {"Origin": f"http://{self.client.host}:{self.client.port}", "Sec-Fetch-Site": "same-origin"}
        return await _opened(await self.client.post(action, data=values, headers=self._headers | own | headers))

    async def fill(self, page: Opened, action: str, **values: str) -> Opened:
        """Change some fields of a form on a page, and send it."""
        return await self.send(action, page.form(action) | values)


async def _opened(answer: ClientResponse) -> Opened:
    return Opened(
        status=answer.status, path=answer.url.path_qs, headers=answer.headers, source=await answer.text("utf-8")
    )
