"""Saramin (사람인): the result list of a job category, HTML.

Robots and terms: robots.txt shuts GPTBot and Bytespider out and keeps everyone off `/zf_user/recruit/recruit-posting/`
and `/recruit/recruit_view.php`; the list path used here is open, there is no crawl delay (research, payloads-html
1.1). The site answers an unnamed User-Agent with a redirect. The user approved this source for personal use, one
polite run a day (DESIGN 1.11); it can be switched off at once.

Only rows of the result list are read. The cards above them are advertisements: the same postings under other wording,
so a posting read from both would flip between two titles every day. A row carries no absolute date of change and its
deadline comes in words that change daily, so the signature is a hash over what stays: title, company, the deadline's
day and the conditions, never ages, badges or counters.

Details are not asked for (`DetailUse.NONE`): the posting's page is a shell without the text, about half of the texts
behind it are one image, and the address of the text was never captured; several hundred requests a day for that is
not worth the site's patience. `parse_detail` reads saved pages.
"""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from urllib.parse import parse_qs, unquote, urlencode

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.clock import business_date
from daemon.sources.answer import field_signature, list_page, require_same, required, tags
from daemon.sources.html_answer import attribute, meta, open_page, raw_attribute, refusal, text_of, texts_of
from daemon.sources.html_nesting import holders, outermost
from daemon.sources.model import (
    AggregatorCategory,
    ChangeSignalKind,
    CollectionTarget,
    DetailUse,
    LayoutChanged,
    ListPage,
    Page,
    Platform,
    RawJobPosting,
    Request,
    SourceAdapter,
    SourceCapabilities,
    SourceCompliancePolicy,
    SourceType,
)
from daemon.sources.text import collapse, deadline_of, korean_instant

_HOST = "www.saramin.co.kr"
_LIST_PATH = "/zf_user/jobs/list/job-category"
_PAGE_SIZE = 100

# Codes captured as link and label (research, payloads-html 1.7); labels repeat, codes are the key.
_CATEGORIES = {
    "84": "백엔드/서버개발",
    "87": "웹개발",
    "92": "프론트엔드",
    "89": "유지보수",
    "99": "QA/테스터",
    "100": "SE(시스템엔지니어)",
    "82": "데이터분석가",
    "83": "데이터엔지니어",
    "107": "데이터시각화",
    "116": "빅데이터",
    "1658": "데이터분석",
    "2248": "데이터 사이언티스트",
    "136": "클라우드",
    "142": "API",
    "145": "DBMS",
    "201": "AWS",
    "222": "Git",
    "235": "Java",
    "236": "Javascript",
    "243": "Kotlin",
    "272": "Python",
    "1412": "마케팅기획",
    "1425": "디지털마케팅",
    "1429": "브랜드마케팅",
    "1435": "콘텐츠마케팅",
    "1437": "퍼포먼스마케팅",
    "1419": "SNS마케팅",
    "1626": "광고기획",
    "1449": "검색광고",
    "1440": "AE(광고기획자)",
    "1484": "그래픽디자인",
    "1493": "브랜드디자인",
    "1496": "시각디자인",
    "1500": "영상디자인",
    "1502": "웹디자인",
    "1515": "콘텐츠디자인",
    "1529": "UI/UX디자인",
    "692": "기술영업",
    "699": "영업관리",
    "700": "영업지원",
    "746": "해외영업",
    "764": "기업영업",
    "2208": "영업기획",
    "1633": "사업기획",
    "1634": "상품기획",
    "1635": "서비스기획",
    "1637": "웹기획",
    "1639": "전략기획",
    "1649": "PM",
}

_ROW_ID = re.compile(r"^rec-(\d{1,20})$", re.ASCII)
_POSTING_ID = re.compile(r"[?&]rec_idx=(\d{1,20})(?:\D|$)", re.ASCII)
_COUNT = re.compile(r"^[\d,]{1,12}$", re.ASCII)
_LAST_DAY = re.compile(r"마감일\s*:\s*(\d{4}-\d{2}-\d{2})", re.ASCII)
_HEADING = re.compile(
    r"^\[(.+)\]\s*(.+?)\s*(?:\(\s*(?:D-\w+|오늘\s*마감|내일\s*마감|마감|상시\s*채용|채용시[^)]*)\s*\))?\s*-\s*사람인$"
)

_LONGEST_HEADING = 2_000
"""Characters; four times what a title may have. The expression takes time by the square of the heading's length."""


class _Saramin:
    """Requests to and answers of the category list."""

    capabilities = SourceCapabilities(
        platform=Platform.SARAMIN,
        source_type=SourceType.AGGREGATOR,
        change_signal_kind=ChangeSignalKind.FIELD_HASH,
        provides_deadline=True,
        detail_use=DetailUse.NONE,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=(_LIST_PATH,),
            page_size_cap=_PAGE_SIZE,
            page_size_parameters=("page_count",),
            known_terms=(
                "사람인의 robots.txt는 이 소스가 쓰는 직업별 채용 목록 경로를 막지 않으며 Crawl-delay도 없습니다."
                " 개인 용도로 하루 한 번, 1초 간격으로 목록만 요청합니다."
            ),
            known_terms_in_english=(
                "Saramin's robots.txt does not shut out the lists by job that this source asks, and names no"
                " crawl delay."
                " Asked once a day for personal use, the lists alone, one page a second."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return tuple(AggregatorCategory(code=code, label=label) for code, label in _CATEGORIES.items())

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        """The page `cursor` (1-based) of the category. A keyword is sent along, but no capture shows that it counts."""
        query = {"cat_kewd": target.category_code, "page": cursor or "1", "page_count": str(_PAGE_SIZE)}
        if target.keyword:
            query |= {"searchType": "search", "searchword": target.keyword}
        return Request(url=f"https://{_HOST}{_LIST_PATH}?{urlencode(query)}")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        tree = open_page(page)
        section = tree.css_first("section.list_recruiting")
        rows = [] if section is None else section.css("div.list_item")
        total = _total(tree)
        if not rows and total != 0:
            raise refusal(tree, "section.list_recruiting with rows")
        current, following = _pager(tree, target)
        # Past its end the site repeats page 1: what is not the page asked for has no next one.
        asked = int(cursor or "1") if target is not None else current
        holding = holders(rows)

        def read(source_job_id: str, row: LexborNode) -> RawJobPosting:
            # What is found in such a row may be the other's.
            if row.mem_id in holding:
                raise ValueError("a row round another")
            return _posting(source_job_id, row, page.answered_at)

        return list_page(
            rows,
            lambda row: _row_id(row, holds_another=row.mem_id in holding),
            read,
            next_cursor=following if current == asked else None,
            declared_total=total,
        )

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return ()

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        """Read a saved posting page: number, title, company and last day, out of the head.

        Of two postings in one saved page (endless scroll) the head names the first.
        """
        tree = open_page(page)
        source_job_id = _own_id(tree)
        company, title = _heading(tree)
        if not source_job_id or not title:
            raise refusal(tree, "posting")
        require_same(listed, source_job_id)
        return listed or RawJobPosting(
            source_job_id=source_job_id,
            title=title,
            posting_url=_posting_url(source_job_id),
            deadline_at=_detail_deadline(tree, source_job_id),
            signature=None,
            company_name=company or None,
        )


def _posting_url(source_job_id: str) -> str:
    return f"https://{_HOST}/zf_user/jobs/view?rec_idx={source_job_id}"


def _row_id(row: LexborNode, *, holds_another: bool) -> str:
    """The posting's number: of the row, else of its link; `""` when neither has one."""
    if found := _ROW_ID.match(raw_attribute(row, "id")):
        return found[1]
    for link in () if holds_another else row.css('a[href*="rec_idx="]'):
        if found := _POSTING_ID.search(raw_attribute(link, "href")):
            return found[1]
    return ""


def _posting(source_job_id: str, row: LexborNode, answered_at: datetime) -> RawJobPosting:
    heading = row.css_first(".job_tit .str_tit")
    title = required(text_of(heading) or attribute(heading, "title"), "title")
    company = required(text_of(row.css_first(".company_nm .str_tit")), "company")
    sectors, conditions = texts_of(row, ".job_sector > span"), texts_of(row, ".recruit_info p")
    deadline = _deadline(row.css_first(".support_detail .date"), answered_at)
    last_day = None if deadline is None else business_date(deadline).isoformat()
    return RawJobPosting(
        source_job_id=source_job_id,
        title=title,
        posting_url=_posting_url(source_job_id),
        deadline_at=deadline,
        # The day, not the instant: on that day `D-1` turns into `15시마감`, which is no edit.
        signature=field_signature(title, company, last_day, *conditions, "", *sorted(sectors)),
        structured_tags=tags(sectors, conditions),
        company_name=company,
        company_identifier=attribute(row.css_first("button.interested_corp"), "csn") or None,
    )


def _deadline(cell: LexborNode | None, answered_at: datetime) -> datetime | None:
    """The end that a row words; an empty cell says that there is none. Raises ValueError for anything else."""
    if cell is None:
        raise ValueError("no deadline")
    words = text_of(cell)
    return deadline_of(words, answered_at) if words else None


def _total(tree: LexborHTMLParser) -> int | None:
    """How many postings the whole list has; only page 1 is known to say so."""
    text = text_of(tree.css_first(".total_count em"))
    return int(text.replace(",", "")) if _COUNT.match(text) and text.strip(",") else None


def _pager(tree: LexborHTMLParser, target: CollectionTarget | None) -> tuple[int, str | None]:
    """The present page, and the cursor of the next one; None on the last page and on a list without a pager.

    Raises Unreadable when the pager's addresses name other categories than were asked for: a 200 is no proof that the
    filter worked (DESIGN 1.11).
    """
    pager = tree.css_first(".PageBox")
    if pager is None:
        return 1, None
    text = text_of(pager.css_first(".active"))
    current = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1
    following = False
    for button in pager.css("button, a"):
        address = raw_attribute(button, "onclick") + raw_attribute(button, "href")
        if target is not None:
            _require_category(address, target.category_code)
        number = raw_attribute(button, "page")
        later = number.isascii() and number.isdigit() and len(number) < 6 and int(number) > current
        following = following or later or "BtnNext" in raw_attribute(button, "class")
    return current, str(current + 1) if following else None


def _require_category(address: str, asked: str) -> None:
    echoed = parse_qs(address.partition("?")[2].partition("#")[0]).get("cat_kewd")
    if echoed and set(echoed[0].split(",")) != set(unquote(asked).split(",")):
        raise LayoutChanged(f"list of category {echoed[0]}, not of {asked}")


def _own_id(tree: LexborHTMLParser) -> str:
    for address in (attribute(tree.css_first('link[rel="canonical"]'), "href"), meta(tree, "og:url")):
        if found := _POSTING_ID.search(address):
            return found[1]
    return ""


def _heading(tree: LexborHTMLParser) -> tuple[str, str]:
    """Company and title out of `[company] title(D-27) - 사람인`; both may hold brackets.

    The description begins with the same two, joined by a comma, which tells where the one ends and the other begins.
    """
    heading = meta(tree, "og:title") or text_of(tree.css_first("title"))
    if len(heading) > _LONGEST_HEADING or (found := _HEADING.match(heading)) is None:
        return "", ""
    company, title = found[1], found[2]
    described = meta(tree, "description")
    inside = f"{company}] {title}"
    for position in (each.start() for each in re.finditer(r"\]\s*", inside)):
        name, rest = inside[:position], inside[position + 1 :].strip()
        if described.startswith(f"{name}, {rest}"):
            return name, rest
    name, _, rest = inside.partition("]")
    return collapse(name), collapse(rest)


def _detail_deadline(tree: LexborHTMLParser, source_job_id: str) -> datetime | None:
    """The last day that a posting page names: its period, else its description; None when it names none."""
    own = tree.css_first(f".jview-0-{source_job_id}")
    period = (tree if own is None else own).css_first("dl.info_period")
    if period is not None:
        terms = [text_of(node) for node in outermost(period.css("dt, dd"))]
        for term, value in pairwise(terms):
            if term == "마감일" and (instant := korean_instant(value)) is not None:
                return instant
    found = _LAST_DAY.search(meta(tree, "description"))
    return korean_instant(found[1]) if found else None


ADAPTER: SourceAdapter = _Saramin()
