"""HTML answers: opening them, and telling what came when it is not the page that was asked for. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources.charset import decode
from daemon.sources.model import Outcome, Page, Unreadable
from daemon.sources.text import collapse

_BLOCK_WORDS = re.compile(
    "비정상적인 ?(?:접근|접속)|자동 ?입력 ?방지|자동화된 ?(?:접근|요청)|일시적으로 ?차단|보안 ?문자|로봇이 ?아닙니다"
    "|(?:접근|접속)이 ?(?:제한|차단|거부)|captcha|access denied|request blocked|attention required|just a moment"
    "|are you a (?:human|robot)|unusual traffic|403 forbidden|too many requests",
    re.IGNORECASE,
)
_LOGIN_WORDS = re.compile("로그인|log ?in|sign ?in", re.IGNORECASE)

_SHORT_PAGE = 4_000
"""Characters of visible text up to which a page may be one that only turns the visitor away: a site's ordinary pages,
which mention logging in and access limits too, are longer."""


def open_page(page: Page) -> LexborHTMLParser:
    """The page as a tree, whatever its bytes are labelled as."""
    return LexborHTMLParser(decode(page.body, page.content_type).text)


def refusal(tree: LexborHTMLParser, missing: str) -> Unreadable:
    """Why a page without what was looked for (`missing`, for a person) is not that page.

    A page of little text with block words is BLOCKED, one with a password field under a heading or title of logging
    in is LOGIN_REQUIRED, everything else LAYOUT_CHANGED. Only for pages that lack the content: real pages hold the
    same words (a quick-login layer, a posting about captchas).
    """
    title = text_line(tree.css_first("title"))
    body = tree.body
    visible = "" if body is None else _visible_text(body)
    if len(visible) <= _SHORT_PAGE and (words := _BLOCK_WORDS.search(f"{title} {visible}")):
        return Unreadable(Outcome.BLOCKED, f"block page: {words[0]!r} in place of {missing}")
    if tree.css_first("input[type=password]") is not None and (
        len(visible) <= _SHORT_PAGE or _LOGIN_WORDS.search(title)
    ):
        return Unreadable(Outcome.LOGIN_REQUIRED, f"login page in place of {missing}")
    return Unreadable(Outcome.LAYOUT_CHANGED, f"no {missing} in {title[:80]!r}" if title else f"no {missing}")


def _visible_text(body: LexborNode) -> str:
    """The first characters of a page's text, without scripts; enough to tell a short page from a long one."""
    parts: list[str] = []
    left = _SHORT_PAGE + 1
    for node in body.traverse(include_text=True):
        if left <= 0:
            break
        if node.is_text_node and (parent := node.parent) is not None and parent.tag not in ("script", "style"):
            text = collapse(node.text_content or "")
            parts.append(text)
            left -= len(text)
    return " ".join(part for part in parts if part)


def text_line(node: LexborNode | None) -> str:
    """The text of `node` as a reader sees it, in one line; empty when there is no such node."""
    return "" if node is None else collapse(node.text())


def attribute(node: LexborNode | None, name: str) -> str:
    """An attribute's value, collapsed and unescaped once more: sites escape attributes twice (Saramin's titles)."""
    value = None if node is None else node.attributes.get(name)
    return collapse(html.unescape(value)) if value else ""


def meta(tree: LexborHTMLParser, name: str) -> str:
    """The content of the first `meta` tag of that name or property; empty when there is none."""
    return attribute(tree.css_first(f'meta[name="{name}"], meta[property="{name}"]'), "content")


def own_paths(tree: LexborHTMLParser) -> Iterator[str]:
    """The paths of the addresses by which a page names itself: canonical link, then `og:url`."""
    for address in (attribute(tree.css_first('link[rel="canonical"]'), "href"), meta(tree, "og:url")):
        try:
            path = urlsplit(address).path
        except ValueError:
            continue
        if address:
            yield path or "/"
