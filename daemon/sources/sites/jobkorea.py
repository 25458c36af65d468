"""JobKorea (잡코리아): the first page of a job category's list, a posting's page and the frame with its text, HTML.

Robots and terms: robots.txt shuts AI crawlers out by name; for everyone else `/recruit/joblist` and `/Recruit/GI_Read`
are open and the keyword search `/Search/?stext=` is not (research, payloads-html 2.1). So exactly three paths are
allowed here: the list, the posting, and the frame `/Recruit/GI_Read_Comt_Ifrm` that holds its text. The list's further
pages come from another path by POST, which is not asked for: one page by policy, and a cycle there ends without
claiming to have seen everything. The user approved this source for personal use, one polite run a day (DESIGN 1.11);
it can be switched off at once.

A keyword can't be searched for on an allowed path: the whole category is collected and matching does the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import from_json
from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.clock import KST, business_date
from daemon.sources.answer import field_signature, list_page, require_same, required, tags
from daemon.sources.html_answer import (
    attribute,
    meta,
    open_page,
    own_addresses,
    raw_attribute,
    refusal,
    split_address,
    text_of,
    texts_of,
)
from daemon.sources.html_nesting import holders, outermost
from daemon.sources.json_answer import Said, Shape, Text
from daemon.sources.model import (
    AggregatorCategory,
    ChangeSignalKind,
    CollectionTarget,
    DetailUse,
    LayoutChanged,
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
from daemon.sources.text import DeadlineNotUnderstood, deadline_of, korean_instant, node_text, shown

_HOST = "www.jobkorea.co.kr"
_LIST_PATH = "/recruit/joblist"
_POSTING_PATH = "/Recruit/GI_Read"
_FRAME_PATH = "/Recruit/GI_Read_Comt_Ifrm"

_CATEGORIES = {
    "10026": "기획·전략",
    "10027": "법무·사무·총무",
    "10028": "인사·HR",
    "10029": "회계·세무",
    "10030": "마케팅·광고·MD",
    "10031": "AI·개발·데이터",
    "10032": "디자인",
    "10033": "물류·무역",
    "10034": "운전·운송·배송",
    "10035": "영업",
    "10036": "고객상담·TM",
    "10037": "금융·보험",
    "10038": "식·음료",
    "10039": "고객서비스·리테일",
    "10040": "엔지니어링·설계",
    "10041": "제조·생산",
    "10042": "교육",
    "10043": "건축·시설",
    "10044": "의료·바이오",
    "10045": "미디어·문화·스포츠",
    "10046": "공공·복지",
}

_NUMBER = re.compile(r"^\d{1,20}$", re.ASCII)
_OWN_PATH = re.compile(r"^/recruit/gi_read/(\d{1,20})/?$", re.ASCII | re.IGNORECASE)
_POSTING_LINK = re.compile(r"/recruit/gi_read/(\d{1,20})(?:\D|$)", re.ASCII | re.IGNORECASE)
_COMPANY_LINK = re.compile(r"/recruit/co_read/\w/(\d{1,20})(?:\D|$)", re.ASCII | re.IGNORECASE)
_PERIOD = re.compile(r"\|(\d{4}-\d{2}-\d{2})\|(\d{4}-\d{2}-\d{2})\|", re.ASCII)
_LAST_DAY = re.compile(r"마감일\s*:\s*(\d{4}\.\d{1,2}\.\d{1,2})", re.ASCII)

_CONDITIONS = ", ".join(
    f'[data-sentry-component="{name}"]' for name in ("RecruitmentField", "RecruitmentItem", "QualificationItem")
)

_ENDLESS_YEAR = 2069
"""From here on a date means always open: the site writes 2070-01-01."""

_ENDLESS_PERIOD = timedelta(days=360)
"""A posting said to stay up for about a year is always open (seed 001: `validThrough≈+1년`)."""


def _organization(value: object) -> str:
    """The name of schema.org's Organization, which may also be given as a bare text."""
    name = value.get("name") if isinstance(value, dict) else value
    return shown(name) if isinstance(name, str) else ""


class _Identifier(Shape):
    value: str | int = ""


class _JobPosting(Shape):
    """schema.org JobPosting as the site fills it in; its description is boilerplate and not read."""

    title: Said
    identifier: _Identifier
    company: Annotated[str, BeforeValidator(_organization)] = Field(alias="hiringOrganization", default="")
    posted: Text = Field(alias="datePosted", default="")
    valid_through: Text = Field(alias="validThrough", default="")


class _Jobkorea:
    """Requests to and answers of list, posting and frame."""

    capabilities = SourceCapabilities(
        platform=Platform.JOBKOREA,
        source_type=SourceType.AGGREGATOR,
        change_signal_kind=ChangeSignalKind.FIELD_HASH,
        provides_deadline=True,
        detail_use=DetailUse.ENRICHMENT,
        list_page_limit=1,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=(_LIST_PATH, _POSTING_PATH, _FRAME_PATH),
            page_size_cap=50,
            page_size_parameters=("pagesize", "PageSize"),
            known_terms=(
                "잡코리아의 robots.txt는 특정 AI 수집기의 접근과 키워드 검색 경로를 금지합니다."
                " 허용된 경로에서 목록의 첫 페이지와 공고 상세만 개인 용도로 하루 한 번 요청합니다."
                " 키워드로 범위를 좁힐 수는 없습니다."
            ),
            known_terms_in_english=(
                "JobKorea's robots.txt forbids certain AI collectors, and the paths of keyword searches."
                " Of the allowed paths only the first page of a list and the postings' own pages are asked,"
                " once a day for personal use."
                " It can't be narrowed by a keyword."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return tuple(AggregatorCategory(code=code, label=label) for code, label in _CATEGORIES.items())

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        """The first page; there is no other (`list_page_limit`). Raises ValueError for a cursor."""
        if cursor is not None:
            raise ValueError(f"JobKorea's list has one page by policy, asked for {cursor!r}")
        query = urlencode({"menucode": "duty", "dutyCtgr": target.category_code})
        return Request(url=f"https://{_HOST}{_LIST_PATH}?{query}")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        tree = open_page(page)
        rows = tree.css("tr.devloopArea")
        total = _total(tree)
        if not rows and total != 0:
            raise refusal(tree, "list row tr.devloopArea")
        more = _has_later_page(tree) or (total is not None and total > len(rows))
        holding = holders(rows)

        def read(number: str, row: LexborNode) -> RawJobPosting:
            # What is found in such a row may be the other's.
            if row.mem_id in holding:
                raise ValueError("a row round another")
            return _posting(number, row, page.answered_at)

        return list_page(
            rows,
            lambda row: _row_number(row, holds_another=row.mem_id in holding),
            read,
            next_cursor="2" if more else None,
            declared_total=total,
        )

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        number = posting.source_job_id
        return (
            Request(url=_posting_url(number)),
            Request(url=f"https://{_HOST}{_FRAME_PATH}?{urlencode({'Gno': number})}"),
        )

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        """Read a posting's page or the frame with its text; the text of both is put together in that order.

        What the list said stays: the page only adds text, and the frame names no posting.
        """
        tree = open_page(page)
        frame = _frame(page, tree)
        if frame is not None:
            return _with_frame(page, frame, listed)
        posting = _from_json_ld(tree) or _from_head(tree)
        if posting is None:
            if any(address.path in ("", "/") for address in own_addresses(tree)):
                raise Unreadable(Outcome.NOT_FOUND, "the site's home page in place of the posting")
            raise refusal(tree, "posting")
        if listed is None:
            return replace(posting, description_body=_page_text(tree))
        require_same(listed, posting.source_job_id)
        return replace(listed, description_body=_page_text(tree) or listed.description_body)


def _posting_url(number: str) -> str:
    return f"https://{_HOST}{_POSTING_PATH}/{number}"


def _total(tree: LexborHTMLParser) -> int | None:
    """How many postings the category has, ` 117,341` as the site writes it; None when the page does not say."""
    text = attribute(tree.css_first("#hdnGICnt"), "value").replace(",", "")
    return int(text) if _NUMBER.match(text) and len(text) <= 9 else None


def _has_later_page(tree: LexborHTMLParser) -> bool:
    return tree.css_first("#dvGIPaging a[data-page]") is not None


def _row_number(row: LexborNode, *, holds_another: bool) -> str:
    """The posting's number (gno); the legacy number beside it is as long, so never the first eight digits found."""
    own = attribute(row, "data-gno")
    if _NUMBER.match(own):
        return own
    for link in () if holds_another else row.css("td.tplTit a"):
        if found := _POSTING_LINK.search(raw_attribute(link, "href")):
            return found[1]
    first = attribute(row, "data-info").partition("|")[0].strip()
    return first if _NUMBER.match(first) else ""


def _posting(number: str, row: LexborNode, answered_at: datetime) -> RawJobPosting:
    link = row.css_first("td.tplTit strong a")
    title = required(text_of(link) or attribute(link, "title"), "title")
    company_link = row.css_first("td.tplCo a.link")
    company = required(text_of(company_link) or text_of(row.css_first("td.tplCo span, td.tplCo strong")), "company")
    conditions = texts_of(row, "p.etc span.cell")
    keywords = [word.strip() for word in text_of(row.css_first("p.dsc")).split(",")]
    deadline = _deadline(row, answered_at)
    last_day = None if deadline is None else business_date(deadline).isoformat()
    return RawJobPosting(
        source_job_id=number,
        title=title,
        posting_url=_posting_url(number),
        deadline_at=deadline,
        # The day, not the instant; conditions and keywords come in no fixed order.
        signature=field_signature(title, company, last_day, *sorted(conditions), "", *sorted(keywords)),
        structured_tags=tags(conditions, keywords),
        company_name=company,
        company_identifier=_company_identifier(company_link, row),
    )


def _company_identifier(link: LexborNode | None, row: LexborNode) -> str | None:
    """The company's member number: of its link, else the last part of the row's `data-info`."""
    if link is not None and (found := _COMPANY_LINK.search(raw_attribute(link, "href"))):
        return found[1]
    last = attribute(row, "data-info").rpartition("|")[2].strip()
    return last if _NUMBER.match(last) else None


def _deadline(row: LexborNode, answered_at: datetime) -> datetime | None:
    """The end of a row: its words when they say that there is none, else the dated period, else its words.

    The period of `data-brazeinfo` has a year and stays the same to the last day, the words don't. Its other fields are
    not counted: their order differs between page types, and a title may hold the separator.
    Raises DeadlineNotUnderstood when neither tells.
    """
    periods = _PERIOD.findall(raw_attribute(row.css_first("button[data-brazeinfo]"), "data-brazeinfo"))
    dated = korean_instant(periods[-1][1]) if periods else None
    try:
        said = deadline_of(text_of(row.css_first("span.date")), answered_at)
    except DeadlineNotUnderstood:
        if dated is None:
            raise
        said = dated
    return said if said is None or dated is None else _or_endless(dated)


def _or_endless(instant: datetime, opened: datetime | None = None) -> datetime | None:
    """`instant`, or None when it is so far away that it means always open."""
    if instant.astimezone(KST).year >= _ENDLESS_YEAR:
        return None
    return None if opened is not None and instant - opened >= _ENDLESS_PERIOD else instant


def _from_json_ld(tree: LexborHTMLParser) -> RawJobPosting | None:
    """The posting that the page's JSON-LD describes; None unless one of its objects is a JobPosting with a number."""
    for item in _json_ld(tree):
        try:
            job = _JobPosting.model_validate(item)
        except ValidationError:
            continue
        number = str(job.identifier.value)
        if not _NUMBER.match(number):
            continue
        ends, opened = korean_instant(job.valid_through), korean_instant(job.posted)
        return RawJobPosting(
            source_job_id=number,
            title=job.title,
            posting_url=_posting_url(number),
            deadline_at=None if ends is None else _or_endless(ends, opened),
            signature=None,
            company_name=job.company or None,
        )
    return None


def _json_ld(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    """The JSON-LD objects of the page whose type is JobPosting; blocks that are no JSON are passed over."""
    for script in tree.css('script[type="application/ld+json"]'):
        try:
            value = from_json(script.text())
        except ValueError:
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and item.get("@type") in ("JobPosting", ["JobPosting"]):
                yield item


def _from_head(tree: LexborHTMLParser) -> RawJobPosting | None:
    """The posting that the head of an older page describes (until 2024, and OnePick); None when it names none."""
    number = next((found[1] for address in own_addresses(tree) if (found := _OWN_PATH.match(address.path))), "")
    heading = (meta(tree, "og:title") or text_of(tree.css_first("title"))).removesuffix("| 잡코리아").rstrip()
    company, hiring, title = heading.partition(" 채용 - ")
    if not number or not heading:
        return None
    found = _LAST_DAY.search(meta(tree, "description"))
    ends = None if found is None else korean_instant(found[1])
    named = text_of(tree.css_first(".coName")) or (company if hiring else meta(tree, "writer"))
    return RawJobPosting(
        source_job_id=number,
        title=title or heading,
        posting_url=_posting_url(number),
        deadline_at=None if ends is None else _or_endless(ends),
        signature=None,
        company_name=named or None,
    )


def _page_text(tree: LexborHTMLParser) -> str | None:
    """The labelled conditions of a posting's page, one in a line; the text itself is in the frame."""
    lines: list[str] = []
    for item in outermost(tree.css(_CONDITIONS)):
        while len(parts := list(item.iter())) == 1:
            item = parts[0]
        label, *values = [node_text(part).replace("\n", ", ") for part in parts or [item]]
        if any(values):
            lines.append(" ".join((label, *values)).strip())
    blocks = [] if lines else outermost(tree.css("article.artReadJobSum .tbRow"))
    return "\n".join(lines or [node_text(block) for block in blocks]) or None


def _frame(page: Page, tree: LexborHTMLParser) -> LexborNode | None:
    """The element with the text when the page is the frame; None when it is anything else."""
    content = tree.css_first("#detail-content, td.detailTable, article.view-content")
    if content is not None:
        return content
    asked = split_address(page.url)
    is_frame = asked is not None and asked.path.lower() == _FRAME_PATH.lower()
    return tree.body if is_frame and not own_addresses(tree) else None


def _with_frame(page: Page, frame: LexborNode, listed: RawJobPosting | None) -> RawJobPosting:
    """`listed` with the frame's text behind what its page said."""
    asked = split_address(page.url)
    numbers = [] if asked is None else parse_qs(asked.query).get("Gno", [])
    if listed is None:
        raise LayoutChanged("the frame with a posting's text does not say whose it is")
    if numbers:
        require_same(listed, numbers[0])
    for placeholder in outermost(frame.css(".detailed-summary-header .header-wrap")):
        placeholder.decompose()
    parts = (listed.description_body, node_text(frame))
    return replace(listed, description_body="\n".join(part for part in parts if part) or None)


ADAPTER: SourceAdapter = _Jobkorea()
