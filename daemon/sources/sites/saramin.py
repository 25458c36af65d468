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
from datetime import datetime, timedelta
from itertools import pairwise
from urllib.parse import parse_qs, unquote, urlencode

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.clock import business_date
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
)
from daemon.sources.pages import (
    Malformed,
    attribute,
    company_from,
    list_page,
    meta,
    open_page,
    refusal,
    tags_from,
    text_of,
    title_from,
    unreadable,
)
from daemon.sources.text import DeadlineNotUnderstood, collapse, deadline_of, field_hash, korean_instant

_HOST = "www.saramin.co.kr"
_LIST_PATH = "/zf_user/jobs/list/job-category"
_PAGE_SIZE = 100

# Codes captured as link and label (research, payloads-html 1.7); labels repeat, codes are the key.
_CATEGORIES = """
84 백엔드/서버개발|87 웹개발|92 프론트엔드|89 유지보수|99 QA/테스터|100 SE(시스템엔지니어)|82 데이터분석가
83 데이터엔지니어|107 데이터시각화|116 빅데이터|1658 데이터분석
2248 데이터 사이언티스트|136 클라우드|142 API|145 DBMS|201 AWS|222 Git|235 Java
236 Javascript|243 Kotlin|272 Python|1412 마케팅기획|1425 디지털마케팅|1429 브랜드마케팅|1435 콘텐츠마케팅
1437 퍼포먼스마케팅|1419 SNS마케팅|1626 광고기획|1449 검색광고|1440 AE(광고기획자)|1484 그래픽디자인|1493 브랜드디자인
1496 시각디자인|1500 영상디자인|1502 웹디자인|1515 콘텐츠디자인|1529 UI/UX디자인|692 기술영업|699 영업관리|700 영업지원
746 해외영업|764 기업영업|2208 영업기획|1633 사업기획|1634 상품기획|1635 서비스기획|1637 웹기획|1639 전략기획|1649 PM
"""

_ROW_ID = re.compile(r"^rec-(\d{1,20})$", re.ASCII)
_POSTING_ID = re.compile(r"[?&]rec_idx=(\d{1,20})(?:\D|$)", re.ASCII)
_COUNT = re.compile(r"^[\d,]{1,12}$", re.ASCII)
_LAST_DAY = re.compile(r"마감일\s*:\s*(\d{4}-\d{2}-\d{2})", re.ASCII)
_HEADING = re.compile(
    r"^\[(.+)\]\s*(.+?)\s*(?:\(\s*(?:D-\w+|오늘\s*마감|내일\s*마감|마감|상시\s*채용|채용시[^)]*)\s*\))?\s*-\s*사람인$"
)


class _Saramin:
    """Requests to and answers of the category list."""

    capabilities = SourceCapabilities(
        platform=Platform.SARAMIN,
        source_type=SourceType.AGGREGATOR,
        change_signal_kind=ChangeSignalKind.FIELD_HASH,
        provides_deadline=True,
        provides_structured_work_arrangement=False,
        company_identifier_in_detail_only=False,
        detail_use=DetailUse.NONE,
        supports_incremental_since=False,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=(_LIST_PATH,),
            page_size_cap=_PAGE_SIZE,
            page_size_parameters=("page_count",),
            request_delay=timedelta(seconds=1),
            known_terms=(
                "사람인의 robots.txt는 이 소스가 쓰는 직업별 채용 목록 경로를 막지 않으며 Crawl-delay도 없습니다."
                " 개인 용도로 하루 한 번, 1초 간격으로 목록만 요청합니다."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        entries = (entry.partition(" ") for line in _CATEGORIES.split("\n") for entry in line.split("|") if entry)
        return tuple(AggregatorCategory(code=code, label=label) for code, _, label in entries)

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
            raise refusal(page, tree, "section.list_recruiting with rows")
        current, following = _pager(tree, target)
        # Past its end the site repeats page 1: what is not the page asked for has no next one.
        asked = int(cursor or "1") if target is not None else current
        return list_page(
            rows,
            _row_id,
            lambda source_job_id, row: _posting(source_job_id, row, page.answered_at),
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
            raise refusal(page, tree, "posting")
        if listed is not None:
            if listed.source_job_id != source_job_id:
                raise unreadable(Outcome.NOT_FOUND, f"asked for {listed.source_job_id}, answered {source_job_id}")
            return listed
        deadline = _detail_deadline(tree, source_job_id)
        return RawJobPosting(
            source_job_id=source_job_id,
            title=title_from(title),
            posting_url=_posting_url(source_job_id),
            deadline_at=deadline,
            signature=None,
            company_name=company[:200].rstrip() or None,
        )


def _posting_url(source_job_id: str) -> str:
    return f"https://{_HOST}/zf_user/jobs/view?rec_idx={source_job_id}"


def _row_id(row: LexborNode) -> str:
    """The posting's number: of the row, else of its link; `""` when neither has one."""
    if found := _ROW_ID.match(row.attributes.get("id") or ""):
        return found[1]
    for link in row.css('a[href*="rec_idx="]'):
        if found := _POSTING_ID.search(link.attributes.get("href") or ""):
            return found[1]
    return ""


def _posting(source_job_id: str, row: LexborNode, answered_at: datetime) -> RawJobPosting:
    heading = row.css_first(".job_tit .str_tit")
    title = title_from(text_of(heading) or attribute(heading, "title"))
    company = company_from(text_of(row.css_first(".company_nm .str_tit")))
    sectors = [text_of(sector) for sector in row.css(".job_sector > span")]
    conditions = [text_of(condition) for condition in row.css(".recruit_info p")]
    deadline = _deadline(row.css_first(".support_detail .date"), answered_at)
    last_day = None if deadline is None else business_date(deadline).isoformat()
    return RawJobPosting(
        source_job_id=source_job_id,
        title=title,
        posting_url=_posting_url(source_job_id),
        deadline_at=deadline,
        signature=ChangeSignature(
            kind=ChangeSignalKind.FIELD_HASH,
            # The day, not the instant: on that day `D-1` turns into `15시마감`, which is no edit.
            value=field_hash(title, company, last_day, *conditions, "", *sorted(sectors)),
        ),
        structured_tags=tags_from((*sectors, *conditions)),
        company_name=company,
        company_identifier=attribute(row.css_first("button.interested_corp"), "csn")[:200] or None,
    )


def _deadline(cell: LexborNode | None, answered_at: datetime) -> datetime | None:
    if cell is None:
        raise Malformed("no deadline")
    words = text_of(cell)
    try:
        return deadline_of(words, answered_at) if words else None
    except DeadlineNotUnderstood as error:
        raise Malformed(str(error)) from error


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
        attributes = button.attributes
        address = (attributes.get("onclick") or "") + (attributes.get("href") or "")
        if target is not None:
            _require_category(address, target.category_code)
        number = attributes.get("page") or ""
        later = number.isascii() and number.isdigit() and len(number) < 6 and int(number) > current
        following = following or later or "BtnNext" in (attributes.get("class") or "")
    return current, str(current + 1) if following else None


def _require_category(address: str, asked: str) -> None:
    echoed = parse_qs(address.partition("?")[2].partition("#")[0]).get("cat_kewd")
    if echoed and set(echoed[0].split(",")) != set(unquote(asked).split(",")):
        raise unreadable(Outcome.LAYOUT_CHANGED, f"list of category {echoed[0]}, not of {asked}")


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
    if (found := _HEADING.match(heading)) is None:
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
        terms = [text_of(node) for node in period.css("dt, dd")]
        for term, value in pairwise(terms):
            if term == "마감일" and (instant := korean_instant(value)) is not None:
                return instant
    found = _LAST_DAY.search(meta(tree, "description"))
    return korean_instant(found[1]) if found else None


ADAPTER: SourceAdapter = _Saramin()
