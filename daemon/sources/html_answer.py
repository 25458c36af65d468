"""HTML answers: opening them, reading elements, and telling what came in place of the page asked for. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources.answer import require_success
from daemon.sources.html_nesting import DEEPEST, is_too_deep, outermost
from daemon.sources.model import LayoutChanged, Outcome, Page, Unreadable
from daemon.sources.text import collapse, shown
from daemon.sources.text.charset import decode

_BLOCK_WORDS = re.compile(
    "자동 입력 방지|자동화된 요청|로봇이 ?아닙니다|보안 문자|접속이 ?(?:제한|차단)|captcha|access denied"
    "|request blocked|are you a (?:human|robot)|unusual traffic|403 forbidden|too many requests",
    re.IGNORECASE,
)
_LOGIN_WORDS = re.compile("로그인|log ?in|sign ?in", re.IGNORECASE)

_GONE_WORDS = re.compile(
    "(?:삭제된|존재하지 ?않는) ?(?:채용 ?)?(?:공고|정보|페이지)"
    "|(?:페이지|공고|정보)[가를이]? ?(?:존재하지 ?않|찾을 수 없|삭제되)"
)

_SHORT_PAGE = 4_000
"""Characters of visible text up to which a page may be one that only turns the visitor away: a site's ordinary pages,
which mention logging in and access limits too, are longer."""

_TINY_PAGE = 300
"""Characters of visible text up to which a page with a password field has no other purpose."""


MOST_TEXTS = 500
"""Elements of one kind in a row; the sites' rows have at most some twenty conditions."""


def open_page(page: Page) -> LexborHTMLParser:
    """The page as a tree, whatever its bytes are labelled as.

    Raises Unreadable when its status is no success, or when its elements are nested deeper than any site's.
    """
    require_success(page)
    decoded = decode(page.body, page.content_type)
    # Bytes that are UTF-8 as they came need not be encoded once more.
    tree = LexborHTMLParser(page.body if decoded.is_body else decoded.text)
    if is_too_deep(tree):
        raise Unreadable(Outcome.TOO_LARGE, f"HTML nested {DEEPEST} deep")
    return tree


def refusal(tree: LexborHTMLParser, missing: str) -> Unreadable:
    """Why a page without what was looked for (`missing`, for a person) is not that page.

    LOGIN_REQUIRED for a password field on a page that is about logging in, BLOCKED when a short page speaks of robots,
    NOT_FOUND for the site's words that there is no such page or posting, everything else LAYOUT_CHANGED (of which
    `reading` tells the known walls apart). Only for pages that lack the content: real pages hold the same words (a
    quick-login layer, a posting about captchas).
    """
    title = text_of(tree.css_first("title"))
    visible = "" if tree.body is None else _visible_text(tree.body)
    if tree.css_first("input[type=password]") is not None:
        headings = (title, *(text_of(heading) for heading in outermost(tree.css("h1, h2"))))
        if len(visible) <= _TINY_PAGE or any(_LOGIN_WORDS.search(heading) for heading in headings):
            return Unreadable(Outcome.LOGIN_REQUIRED, f"login page in place of {missing}")
    if len(visible) <= _SHORT_PAGE:
        if found := _BLOCK_WORDS.search(f"{title} {visible}"):
            return Unreadable(Outcome.BLOCKED, f"block page ({found[0]}) in place of {missing}")
        if found := _GONE_WORDS.search(visible):
            return Unreadable(Outcome.NOT_FOUND, f"{found[0]}: in place of {missing}")
    return LayoutChanged(f"no {missing} in the page {title[:80]!r}")


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


def text_of(node: LexborNode | None) -> str:
    """The text of `node` in one line as a reader sees it; empty when there is no such node."""
    return "" if node is None else collapse(node.text())


def texts_of(node: LexborNode, selector: str) -> list[str]:
    """The text of each element in `node` that `selector` finds, as `text_of`.

    Raises ValueError when there are over `MOST_TEXTS`: a list of so many conditions is none.
    """
    found = node.css(selector)
    if len(found) > MOST_TEXTS:
        raise ValueError(f"{len(found)} of {selector}")
    return [text_of(each) for each in found]


def raw_attribute(node: LexborNode | None, name: str) -> str:
    """An attribute's value as the page writes it; empty when there is no such node or attribute."""
    # Not `attributes`, which makes a dict of all of them.
    return "" if node is None else node.attrs.get(name) or ""


def attribute(node: LexborNode | None, name: str) -> str:
    """An attribute's value as `shown`; empty when there is no such node or attribute."""
    return shown(raw_attribute(node, name))


def meta(tree: LexborHTMLParser, name: str) -> str:
    """The content of the first `meta` tag of that name or property; empty when there is none."""
    return attribute(tree.css_first(f'meta[name="{name}"], meta[property="{name}"]'), "content")


def own_addresses(tree: LexborHTMLParser) -> tuple[SplitResult, ...]:
    """The addresses by which a page names itself: canonical link, then `og:url`; those that are none are left out."""
    named = (attribute(tree.css_first('link[rel="canonical"]'), "href"), meta(tree, "og:url"))
    return tuple(address for text in named if text and (address := split_address(text)) is not None)


def link_target(link: LexborNode) -> SplitResult | None:
    """Where a link points; None when that is no address."""
    return split_address(raw_attribute(link, "href"))


@lru_cache(maxsize=512)
def split_address(text: str) -> SplitResult | None:
    """The parts of an address as a page writes it; None when it is none (`http://[`)."""
    try:
        return urlsplit(text.strip())
    except ValueError:
        return None
