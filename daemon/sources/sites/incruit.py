"""Incruit (인크루트): a company's page of open postings on recruit.incruit.com, and each posting's page. HTML, CP949.

Robots and terms: `www.incruit.com` is closed to robots altogether, but it is not asked; for recruit.incruit.com nothing
is known, neither a robots file nor terms (research, payloads-html 3.1). Some companies' pages answer 403. The user
approved this source for personal use, one polite run a day (DESIGN 1.11); it can be switched off at once.

Each company has a template of its own, so a posting is whatever carries a link `/{slug}/job/{digits}`. The list has no
sign of an edit: the signature is a hash of the posting's text, and every posting's page is asked for each day. Every
page links to the login page; only the login page's own form says that a posting is for members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain, islice
from urllib.parse import SplitResult, parse_qs, quote, unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources.answer import list_page, require_same, required
from daemon.sources.html_answer import (
    link_target,
    meta,
    open_page,
    own_addresses,
    refusal,
    split_address,
    text_of,
)
from daemon.sources.html_items import ITEM_TAGS, beside, found_in, items_round
from daemon.sources.html_nesting import outermost
from daemon.sources.model import (
    AggregatorCategory,
    ChangeSignalKind,
    ChangeSignature,
    CollectionTarget,
    DetailUse,
    ListPage,
    Outcome,
    Page,
    Platform,
    RawJobPosting,
    Request,
    SourceAdapter,
    SourceCapabilities,
    SourceCompliancePolicy,
    SourceType,
    Unreadable,
)
from daemon.sources.text import DeadlineNotUnderstood, body_hash, collapse, deadline_of, node_text

_HOST = "recruit.incruit.com"

_POSTING_PATH = re.compile(r"^/([^/]{1,200})/job/(\d{1,20})/?$", re.ASCII)
_BOARD_PATH = re.compile(r"^/([A-Za-z0-9_-]{1,100})(?:/|$)")
_NUMBER = re.compile(r"^\d{1,20}$", re.ASCII)
_PAGE_CURSOR = re.compile(r"^(\w{1,30})=(\d{1,4})$", re.ASCII)
_DATE = r"\d{4}[.\-/]\d{1,2}[.\-/]\d{1,2}(?:\s*\([^)]{1,4}\))?(?:\s*\d{1,2}:\d{2}(?::\d{2})?)?"
_PERIOD = re.compile(rf"{_DATE}\s*[~～〜∼]\s*({_DATE}|채용\s?\S{{0,6}}|상시\S{{0,3}}|수시\S{{0,3}})", re.ASCII)
_DEADLINE_MARK = re.compile("[~～〜∼]|D-|채용|상시|수시|마감", re.IGNORECASE)

_MOST_TRIED = 20
"""Elements of one posting that may say its title, or its state: they may stand in one another."""

_LONGEST_ITEM = 50_000
"""Characters, blanks included, of what a list shows of one posting."""

_NOTHING = re.compile(r"(?:등록된|진행 ?중인)\s*(?:채용 ?)?(?:공고|정보)[가이]?\s*없습니다")
_CLOSED = frozenset({"마감", "모집마감", "접수마감", "채용마감", "모집종료", "접수종료", "마감됨", "종료"})
_CLOSING = re.compile("마 ?감|종 ?료")  # one is in each of them
_LABEL_WORDS = "자세히보기 상세보기 바로가기 지원하기 입사지원 더보기 모집중 접수중 진행중 접수기간 new"
_LABELS = frozenset(_LABEL_WORDS.split())

_TITLES = ".title, .tit, .subject, .tit_job, .job_tit, .job-title"
_STATES = "[class*=state], [class*=status]"
_HEADINGS = "h2, h3, h4, h5, strong"
_PAGERS = "[class*=paging] a, [class*=pagination] a, [class*=paginate] a"
_LOGIN_FORM = 'input[name="txtUserID"], #g_form_login_box'
_CONTENT = "main, article, #contents, #content, .contents, .content"
_PORTAL_CONTENT = ".job_info_detail .jc_list, .working_area, .reception"
_PORTAL_MARKUP = ".top-cnt h1, .reception .end"
_NOISE = "header, footer, nav, aside, .LayerNew, .dPosLayer, #incruit_header_wrap, .layer_new_td, [class*=rank]"

_PASSING = re.compile(
    r"D-?\s*(?:\d+|day)|남은\s*기간.*|(?:조회|스크랩)수?\s*:?\s*[\d,]+|(?:오늘|내일)\s*마감"
    r"|\(?\d+\s*(?:분|시간|일)\s*전\s*(?:등록|수정)\)?",
    re.IGNORECASE,
)
"""Lines that change by themselves from day to day."""

_RECRUITER = r"(?:채용|인사|모집|공고)?\s*담당자\s*(?:명|이름|성명)?"
_NAME = r"[가-힣]{2,4}(?:\s*(?:님|사원|주임|대리|과장|차장|부장|팀장|실장|파트장|매니저|이사|교수|선생님))?"
_RECRUITER_LABEL = re.compile(rf"\W*{_RECRUITER}\s*:?")
_RECRUITER_LINE = re.compile(rf"\W*{_RECRUITER}\s*:?\s+{_NAME}(?:[\s,/(]+[\d()+\-.\s]{{7,}}\)?)?(?:[\s,/]+\S+@\S+)?")
_RECRUITER_NAMED = re.compile(rf"({_RECRUITER}\s*:\s*){_NAME}(?!\w)")


class _Incruit:
    """Requests to and answers of a company's list and its postings."""

    capabilities = SourceCapabilities(
        platform=Platform.INCRUIT,
        source_type=SourceType.COMPANY_BOUND,
        change_signal_kind=ChangeSignalKind.DETAIL_BODY_HASH,
        provides_deadline=True,
        detail_use=DetailUse.SIGNATURE,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            # A host of its own on which every path is a company's page.
            allowed_paths=("/",),
            page_size_cap=100,
            detail_request_limit_per_run=200,
            known_terms=(
                "인크루트 기업 채용 페이지(recruit.incruit.com)의 robots.txt와 약관은 확인하지 못했습니다."
                " 개인 용도로 하루 한 번, 1초 간격으로 목록과 공고(최대 200건)만 요청합니다."
            ),
            known_terms_in_english=(
                "Robots.txt and terms of Incruit's company pages (recruit.incruit.com) are not known."
                " Asked once a day for personal use, the list and postings (200 at most), one a second."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return ()

    def board_in(self, address: SplitResult) -> str | None:
        found = _BOARD_PATH.match(address.path)
        return found[1].lower() if address.hostname == _HOST and found is not None else None

    def board_guesses(self, company_key: str, guesses: tuple[str, ...]) -> tuple[str, ...]:
        return guesses

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        query = f"?{cursor}" if cursor else ""
        return Request(url=f"https://{_HOST}/{quote(target.slug, safe='')}/job/{query}")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        tree = open_page(page)
        slugs, links = _posting_links(tree, None if target is None else target.slug)
        if not links:
            if tree.body is not None and _NOTHING.search(node_text(tree.body)):
                return ListPage(postings=(), next_cursor=None, declared_total=0)
            raise refusal(tree, "link to a posting /{slug}/job/{number}")
        items = items_round(links, _is_dated)
        titled = found_in(items, tree, _TITLES)

        def read(number: str, _: str) -> RawJobPosting | None:
            headings = (node for item in items[number] for node in item.css(_HEADINGS))
            titles = chain(titled.get(number, ()), links[number], headings)
            return _posting(number, slugs[number], titles, items[number], page.answered_at)

        return list_page(
            (*items, *("" for _ in _orphans(items))),
            str,
            read,
            next_cursor=_next_page(tree, cursor),
            declared_total=None,
        )

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return (Request(url=f"https://{_HOST}/{quote(target.slug, safe='')}/job/{posting.source_job_id}"),)

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        """Read a posting's page. The login page in its place means a posting for members only.

        A saved page of the job portal reads as well: it is the only posting markup of this site that is known.
        """
        tree = open_page(page)
        source_job_id, address = _own_address(page, tree)
        if not _is_posting(tree, listed):
            return _restricted(tree, listed)
        if source_job_id:
            require_same(listed, source_job_id)
        title = text_of(tree.css_first(".top-cnt h1") or tree.css_first("h1")) or text_of(tree.css_first(_TITLES))
        company = text_of(tree.css_first(".top-cnt em a"))
        deadline = _detail_deadline(tree, page.answered_at)
        text = _posting_text(tree)
        if not text or (listed is None and not (source_job_id and title)):
            raise refusal(tree, "posting")
        signature = ChangeSignature(kind=ChangeSignalKind.DETAIL_BODY_HASH, value=body_hash(text))
        if listed is not None:
            deadline = deadline if listed.deadline_at is None else listed.deadline_at
            return replace(listed, deadline_at=deadline, signature=signature, description_body=text)
        return RawJobPosting(
            source_job_id=source_job_id,
            title=title,
            posting_url=address,
            deadline_at=deadline,
            signature=signature,
            description_body=text,
            company_name=company or None,
        )


def _posting_links(tree: LexborHTMLParser, slug: str | None) -> tuple[dict[str, str], dict[str, list[LexborNode]]]:
    """The slugs of postings and the links to them by number, of the company `slug` when that is known."""
    slugs: dict[str, str] = {}
    links: dict[str, list[LexborNode]] = {}
    for link in tree.css('a[href*="/job/"]'):
        found = _posting_of(link)
        if found is not None and (slug is None or unquote(found[0]).lower() == slug.lower()):
            slugs.setdefault(found[1], found[0])
            links.setdefault(found[1], []).append(link)
    return slugs, links


def _posting_of(link: LexborNode) -> tuple[str, str] | None:
    """Slug and number of a link to a posting; None for any other link. Other hosts of the site have other numbers."""
    address = link_target(link)
    if address is None or (found := _POSTING_PATH.match(address.path)) is None:
        return None
    host = (address.netloc or _HOST).lower()
    return None if host.endswith("incruit.com") and host != _HOST else (found[1], found[2])


def _orphans(items: dict[str, list[LexborNode]]) -> Iterator[LexborNode]:
    """Elements beside the postings' that look like one, with a period, but have no link to any posting."""
    for element in beside(items):
        if element.tag in ITEM_TAGS and _is_dated(element):
            addresses = (link_target(link) for link in element.css("a"))
            if not any(address and _POSTING_PATH.match(address.path) for address in addresses):
                yield element


def _is_dated(node: LexborNode) -> bool:
    """Whether a period stands in an element that is no larger than one posting's."""
    text = node.text(separator=" ")
    return len(text) <= _LONGEST_ITEM and _PERIOD.search(collapse(text)) is not None


def _posting(
    number: str, slug: str, titles: Iterable[LexborNode], items: list[LexborNode], answered_at: datetime
) -> RawJobPosting | None:
    """What a list says of a posting; None when it says that the posting is closed. Raises ValueError."""
    title = required(next(filter(None, map(_title, islice(titles, _MOST_TRIED))), ""), "title")
    lines = [line for item in items for line in _lines(item)]
    deadline = _deadline(lines, title, answered_at)
    if _says_closed(items, lines, deadline is not None and deadline < answered_at):
        return None
    return RawJobPosting(
        source_job_id=number,
        title=title,
        posting_url=f"https://{_HOST}/{slug}/job/{number}",
        deadline_at=deadline,
        signature=None,
    )


def _title(node: LexborNode) -> str:
    """The text of what may be a posting's title; empty when it is none: the link often only says `자세히 보기`."""
    text = text_of(node)
    is_label = len(text) <= 1 or text.replace(" ", "").lower() in _LABELS or _PERIOD.search(text)
    return "" if is_label else text


def _lines(item: LexborNode) -> list[str]:
    return [line for part in item.text(separator="\n").split("\n") if part and (line := collapse(part))]


def _deadline(lines: list[str], title: str, answered_at: datetime) -> datetime | None:
    """The end of a posting's period; None when it has none or it can't be read (seed 001: 파싱 실패 시 null)."""
    if period := _PERIOD.search(" ".join(lines).replace(title, " ", 1)):
        lines = [period[1]]
    else:
        lines = [line for line in lines if line != title and _DEADLINE_MARK.search(line)]
    return _first_understood(lines, answered_at)


def _first_understood(lines: Iterable[str], answered_at: datetime) -> datetime | None:
    """The end that the first of `lines` which can be read names; None when it names none, or none can be read."""
    for line in lines:
        try:
            return deadline_of(line, answered_at)
        except DeadlineNotUnderstood:
            continue
    return None


def _says_closed(items: list[LexborNode], lines: list[str], past: bool) -> bool:
    """Whether items call their posting closed: by its state, or by a bare word when the deadline is past too."""
    if _CLOSING.search("".join(lines)) is None:
        return False
    states = (text_of(node) for item in items for node in islice(item.css(_STATES), _MOST_TRIED))
    return any(word.replace(" ", "") in _CLOSED for word in (chain(states, lines) if past else states))


def _next_page(tree: LexborHTMLParser, cursor: str | None) -> str | None:
    """The query of the next page, when the page has a pager with a link to it; no company with one was ever captured.

    A pager that works by script is followed as `page=N`: should the site ignore that, the page repeats, and a list
    whose end was only found so is never taken for complete (DESIGN 1.4).
    """
    asked = _PAGE_CURSOR.match(cursor or "")
    following = str(int(asked[2]) + 1 if asked else 2)
    for link in tree.css(_PAGERS):
        if text_of(link) == following:
            address = link_target(link)
            query = parse_qs("" if address is None else address.query)
            name = next((name for name, values in query.items() if values == [following]), "page")
            return f"{name}={following}" if _PAGE_CURSOR.match(f"{name}={following}") else f"page={following}"
    return None


def _is_posting(tree: LexborHTMLParser, listed: RawJobPosting | None) -> bool:
    """Whether a page is a posting's, by its address, its markup or the title that the list gave.

    Without one of these a page's text must not be taken for the posting's: it may be a login form under its address.
    """
    if _named_posting(own_addresses(tree)) is not None or tree.css_first(_PORTAL_MARKUP) is not None:
        return True
    if listed is None:
        return tree.css_first(_LOGIN_FORM) is None and tree.css_first("input[type=password]") is None
    text = "" if tree.body is None else node_text(tree.body)
    return re.sub(r"\s", "", listed.title) in re.sub(r"\s", "", text)


def _restricted(tree: LexborHTMLParser, listed: RawJobPosting | None) -> RawJobPosting:
    """`listed` as a posting for members only when the page is the login page. Raises Unreadable for any other page."""
    error = refusal(tree, "posting")
    if tree.css_first(_LOGIN_FORM) is not None or error.outcome is Outcome.LOGIN_REQUIRED:
        if listed is None:
            raise Unreadable(Outcome.LOGIN_REQUIRED, "login page in place of the posting")
        return replace(listed, access_restricted=True)
    raise error


def _own_address(page: Page, tree: LexborHTMLParser) -> tuple[str, str]:
    """A posting page's number and address, by its own word, else by what was asked; empty when neither tells."""
    asked = split_address(page.url)
    return _named_posting(own_addresses(tree)) or _named_posting(() if asked is None else (asked,)) or ("", "")


def _named_posting(addresses: tuple[SplitResult, ...]) -> tuple[str, str] | None:
    """Number and full address of the first that is a posting's: a company's, or the portal's."""
    for address in addresses:
        if found := _POSTING_PATH.match(address.path):
            return found[2], f"https://{_HOST}/{found[1]}/job/{found[2]}"
        number = parse_qs(address.query).get("job", [""])[0]
        if address.path.endswith("/jobpost.asp") and _NUMBER.match(number):
            return number, address.geturl()
    return None


def _detail_deadline(tree: LexborHTMLParser, answered_at: datetime) -> datetime | None:
    """The end that a posting's page names, with its time where it has one; None when it names none."""
    text = "" if tree.body is None else collapse(tree.body.text(separator=" "))
    period = _PERIOD.search(text) or _PERIOD.search(meta(tree, "description"))
    portal = text_of(tree.css_first(".reception .end .day em"))
    return _first_understood((portal, period[1] if period else ""), answered_at)


def _posting_text(tree: LexborHTMLParser) -> str:
    """A posting's text without what surrounds it, what changes by itself, and the recruiter's name."""
    for node in outermost(tree.css(_NOISE)):
        node.decompose()
    portal = outermost(tree.css(_PORTAL_CONTENT))
    text = "\n".join(node_text(node) for node in portal)
    if not text:
        content = tree.css_first(_CONTENT)
        text = "" if content is None else node_text(content)
    if len(text) < 50 and not portal and tree.body is not None:
        text = node_text(tree.body)
    return "\n".join(_lasting_lines(text))


def _lasting_lines(text: str) -> Iterator[str]:
    name_follows = False
    for line in text.split("\n"):
        skipped = name_follows and re.fullmatch(_NAME, line) is not None
        name_follows = _RECRUITER_LABEL.fullmatch(line) is not None
        if not (skipped or name_follows or _PASSING.fullmatch(line) or _RECRUITER_LINE.fullmatch(line)):
            yield _RECRUITER_NAMED.sub(r"\1", line).rstrip()


ADAPTER: SourceAdapter = _Incruit()
