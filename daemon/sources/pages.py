"""HTML answers: opening them, their rows, and telling what came when it is not the page that was asked for. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources.charset import decode
from daemon.sources.model import ListPage, Outcome, Page, RawJobPosting, Unreadable
from daemon.sources.rules import block_page
from daemon.sources.text import collapse, shown

_Row = TypeVar("_Row")

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

_REASON_LENGTH = 200
_TITLE_LENGTH = 500
_NAME_LENGTH = 200


class Malformed(ValueError):
    """Raised for a row that lacks what a posting needs; says what."""


def open_page(page: Page) -> LexborHTMLParser:
    """The page as a tree, whatever its bytes are labelled as. Raises Unreadable when its status is no success."""
    if not 200 <= page.status < 300:
        outcome = Outcome.NOT_FOUND if page.status in (404, 410) else Outcome.PROTOCOL_ERROR
        raise unreadable(outcome, f"HTTP status {page.status}")
    return LexborHTMLParser(decode(page.body, page.content_type).text)


def unreadable(outcome: Outcome, reason: str) -> Unreadable:
    """The error to raise for an answer, its reason cut to the one line that `NotFetched` may carry."""
    return Unreadable(outcome, collapse(reason)[:_REASON_LENGTH])


def refusal(page: Page, tree: LexborHTMLParser, missing: str) -> Unreadable:
    """Why a page without what was looked for (`missing`, for a person) is not that page.

    LOGIN_REQUIRED for a password field on a page that is about logging in, BLOCKED for a bot wall's words, NOT_FOUND
    for the site's words that there is no such page or posting, everything else LAYOUT_CHANGED. Only for pages that
    lack the content: real pages hold the same words (a quick-login layer, a posting about captchas).
    """
    title = text_of(tree.css_first("title"))
    visible = "" if tree.body is None else _visible_text(tree.body)
    if tree.css_first("input[type=password]") is not None:
        headings = (title, *(text_of(heading) for heading in tree.css("h1, h2")))
        if len(visible) <= _TINY_PAGE or any(_LOGIN_WORDS.search(heading) for heading in headings):
            return unreadable(Outcome.LOGIN_REQUIRED, f"login page in place of {missing}")
    if words := block_page(page.body):
        return unreadable(Outcome.BLOCKED, f"block page ({words}) in place of {missing}")
    if len(visible) <= _SHORT_PAGE and (found := _BLOCK_WORDS.search(f"{title} {visible}")):
        return unreadable(Outcome.BLOCKED, f"block page ({found[0]}) in place of {missing}")
    if len(visible) <= _SHORT_PAGE and (found := _GONE_WORDS.search(visible)):
        return unreadable(Outcome.NOT_FOUND, f"{found[0]}: in place of {missing}")
    return unreadable(Outcome.LAYOUT_CHANGED, f"no {missing} in the page {title[:80]!r}")


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


def list_page(
    rows: Iterable[_Row],
    identify: Callable[[_Row], str],
    read: Callable[[str, _Row], RawJobPosting | None],
    *,
    next_cursor: str | None,
    declared_total: int | None,
) -> ListPage:
    """The rows of one list answer and an account of those that can't be stored.

    `identify` gives a row's id or `""`; `read` returns None for a row that the site itself calls closed, and raises
    Malformed. An id given twice on a page counts once.
    Raises Unreadable LAYOUT_CHANGED when more than a fifth of the rows can't be read (DESIGN 1.4).
    """
    postings: dict[str, RawJobPosting] = {}
    malformed: dict[str, None] = {}
    withdrawn: dict[str, None] = {}
    count = unidentifiable = 0
    complaint = ""
    for row in rows:
        count += 1
        source_job_id = identify(row)
        if not source_job_id:
            unidentifiable += 1
            complaint = complaint or "a row has no usable id"
            continue
        try:
            posting = read(source_job_id, row)
        except Malformed as error:
            malformed[source_job_id] = None
            complaint = complaint or f"{source_job_id}: {error}"
            continue
        if posting is None:
            withdrawn[source_job_id] = None
        else:
            postings.setdefault(source_job_id, posting)
    unread = len(malformed) + unidentifiable
    if unread * 5 > count:
        raise unreadable(Outcome.LAYOUT_CHANGED, f"{unread} of {count} rows unreadable; {complaint}")
    return ListPage(
        postings=tuple(postings.values()),
        next_cursor=next_cursor,
        declared_total=declared_total,
        malformed_ids=tuple(each for each in malformed if each not in postings),
        withdrawn_ids=tuple(each for each in withdrawn if each not in postings and each not in malformed),
        unidentifiable=unidentifiable,
    )


def title_from(text: str) -> str:
    """`text`, at most 500 characters. Raises Malformed when it is empty."""
    if not text:
        raise Malformed("no title")
    return text[:_TITLE_LENGTH].rstrip()


def company_from(text: str) -> str:
    """`text`, at most 200 characters. Raises Malformed when it is empty."""
    if not text:
        raise Malformed("no company")
    return text[:_NAME_LENGTH].rstrip()


def tags_from(texts: Iterable[str]) -> tuple[str, ...]:
    """Structured tags in the order given, at most 200 characters each, none twice, none empty."""
    return tuple(dict.fromkeys(text[:_NAME_LENGTH].rstrip() for text in texts if text))


def text_of(node: LexborNode | None) -> str:
    """The text of `node` in one line as a reader sees it; empty when there is no such node."""
    return "" if node is None else collapse(node.text())


def attribute(node: LexborNode | None, name: str) -> str:
    """An attribute's value as `shown`; empty when there is no such node or attribute."""
    value = None if node is None else node.attributes.get(name)
    return shown(value) if value else ""


def meta(tree: LexborHTMLParser, name: str) -> str:
    """The content of the first `meta` tag of that name or property; empty when there is none."""
    return attribute(tree.css_first(f'meta[name="{name}"], meta[property="{name}"]'), "content")


def own_addresses(tree: LexborHTMLParser) -> tuple[SplitResult, ...]:
    """The addresses by which a page names itself: canonical link, then `og:url`; those that are none are left out."""
    named = (attribute(tree.css_first('link[rel="canonical"]'), "href"), meta(tree, "og:url"))
    return tuple(address for text in named if text and (address := split_address(text)) is not None)


def split_address(text: str) -> SplitResult | None:
    """The parts of an address as a page writes it; None when it is none (`http://[`)."""
    try:
        return urlsplit(text.strip())
    except ValueError:
        return None
