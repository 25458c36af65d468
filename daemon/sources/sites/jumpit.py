"""Jumpit: Saramin's board for developers, a paged JSON list by job category.

Robots and terms: the API host has no robots.txt (404); jumpit.saramin.co.kr allows `/position` and forbids `/resumes`
for ordinary agents, and only GPTBot is shut out (seed 001; research, payloads-json §3). The user approved this source
for personal use, one polite run a day (DESIGN 1.11). The seeds set at most 200 postings a page and forbid asking for
details (seed 001, failure path 22: the list names the company), so `parse_detail` only reads saved answers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import AfterValidator, Field
from pydantic.alias_generators import to_camel

from daemon.sources.answer import field_signature, list_page, require_filtered, require_same, require_success, tags
from daemon.sources.json_answer import (
    Count,
    Flag,
    Label,
    NumberId,
    Said,
    Shape,
    Text,
    Texts,
    Whole,
    career_years,
    checked,
    item_id,
    one_posting,
    plain_text,
    read_deadline,
    read_object,
)
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
from daemon.sources.text import collapse, shown

_HOST = "jumpit-api.saramin.co.kr"
_PAGE_SIZE = 200
_REMOVED = "C003"

_LABELS = {
    "1": "서버/백엔드 개발자",
    "2": "프론트엔드 개발자",
    "3": "웹 풀스택 개발자",
    "4": "안드로이드 개발자",
    "5": "게임 클라이언트 개발자",
    "6": "게임 서버 개발자",
    "7": "DBA",
    "8": "인공지능/머신러닝",
    "9": "devops/시스템 엔지니어",
    "10": "정보보안 담당자",
    "11": "QA 엔지니어",
    "12": "개발 PM",
    "13": "HW/임베디드",
    "14": "기타",
    "15": "SW/솔루션",
    "16": "iOS 개발자",
    "17": "웹퍼블리셔",
    "18": "크로스플랫폼 앱개발자",
    "19": "빅데이터 엔지니어",
    "20": "VR/AR/3D",
    "21": "기술지원",
    "22": "블록체인",
}
"""`jobCategory` codes (research, §3): the labels are those that postings print in their `jobCategory`."""

_UNCHECKED = frozenset({"14"})
"""The label of "other" is only known from one program's table, so it can't tell a filtered list from another."""

_HIGHLIGHT = re.compile(r"</?span[^<>]*>")


def _without_highlight(text: str) -> str:
    """Hits of a keyword come wrapped in `<span>` unless `highlight=false` was asked for."""
    return _HIGHLIGHT.sub("", text)


_Highlighted = Annotated[Said, AfterValidator(_without_highlight)]


class _Position(Shape, alias_generator=to_camel):
    title: _Highlighted
    company_name: Said
    always_open: Flag = False
    closed_at: Any = None
    newcomer: Flag = False
    min_career: Whole = None
    max_career: Whole = None

    def to_posting(self, source_job_id: str, stacks: list[str], kinds: list[str], places: list[str]) -> RawJobPosting:
        """The posting; `closedAt` counts only when it is not always open (seed 001, failure path 21)."""
        if not self.always_open and "closed_at" not in self.model_fields_set:
            raise ValueError("closedAt is missing")
        deadline = None if self.always_open else read_deadline(self.closed_at)
        # What an editor edits. Not in it: viewCount, scrapCount and celebration (they count up), logo and imagePath
        # (new addresses for the same picture), scraped and applied (the reader's). Sorted, since a search reorders
        # lists.
        signature = field_signature(
            self.title,
            self.company_name,
            deadline,
            "\n".join(sorted(stacks)),
            "\n".join(sorted(kinds)),
            "\n".join(sorted(places)),
            f"{self.newcomer} {self.min_career} {self.max_career}",
        )
        career = ("신입",) if self.newcomer else career_years(self.min_career, self.max_career)
        return RawJobPosting(
            source_job_id=source_job_id,
            title=self.title,
            posting_url=f"https://jumpit.saramin.co.kr/position/{source_job_id}",
            deadline_at=deadline,
            signature=signature,
            structured_tags=tags(stacks, kinds, places, career),
            company_name=self.company_name,
        )


class _ListItem(_Position):
    job_category: Text = ""
    tech_stacks: Texts = Field(default_factory=list)
    locations: Texts = Field(default_factory=list)
    serial_number: Label = ""
    """The company's business registration number."""


class _Stack(Shape):
    stack: Label = ""


class _Name(Shape):
    name: Label = ""


class _Detail(_Position):
    id: NumberId
    tech_stacks: list[_Stack] = Field(default_factory=list)
    job_categories: list[_Name] = Field(default_factory=list)
    location: Label = ""
    serial_number: Label = ""
    invisible: Flag = False
    hidden_position: Flag = False
    service_info: Text = ""
    responsibility: Text = ""
    qualifications: Text = ""
    preferred_requirements: Text = ""
    welfares: Text = ""
    recruit_process: Text = ""

    @property
    def body(self) -> str | None:
        return plain_text(
            ("", self.service_info),
            ("주요업무", self.responsibility),
            ("자격요건", self.qualifications),
            ("우대사항", self.preferred_requirements),
            ("복지 및 혜택", self.welfares),
            ("채용절차", self.recruit_process),
        )


class _List(Shape, alias_generator=to_camel):
    total_count: Count
    page: Count
    keyword: Text = ""
    positions: list[Any]


class _Jumpit:
    """Requests to and answers of `/api/positions`."""

    capabilities = SourceCapabilities(
        platform=Platform.JUMPIT,
        source_type=SourceType.AGGREGATOR,
        change_signal_kind=ChangeSignalKind.FIELD_HASH,
        provides_deadline=True,
        detail_use=DetailUse.NONE,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=("/api/positions",),
            page_size_cap=_PAGE_SIZE,
            page_size_parameters=("size",),
            headers=(("Accept", "application/json"),),
            known_terms=(
                "점핏 API 호스트에는 robots.txt가 없고, 점핏 웹사이트의 robots.txt는 공고 경로를 허용합니다"
                "(GPTBot만 차단). 개인 용도로 하루 한 번, 한 페이지에 200건까지만 요청합니다."
            ),
            known_terms_in_english=(
                "Jumpit's API host has no robots.txt; that of its website allows postings (only GPTBot is shut out)."
                " Asked once a day for personal use, at most 200 postings a page."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return tuple(AggregatorCategory(code=code, label=label) for code, label in _LABELS.items())

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        number, _ = _position(cursor)
        # The newest first: the other orders change with every view, and pages would overlap.
        query: dict[str, str | int] = {
            "page": number,
            "size": _PAGE_SIZE,
            "jobCategory": target.category_code,
            "sort": "reg_dt",
            "highlight": "false",
        }
        if target.keyword:
            query["keyword"] = target.keyword
        return Request(url=f"https://{_HOST}/api/positions?{urlencode(query)}")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        found = checked(_List, _result(page), "result")
        if target is not None:
            _require_asked(found, target)
        number, before = _position(cursor)
        if target is None and cursor is None:
            # A saved file says which page it is, but not how many postings the pages before it had.
            number, before = found.page, len(found.positions) * max(0, found.page - 1)
        seen = before + len(found.positions)
        more = bool(found.positions) and seen < found.total_count
        return list_page(
            found.positions,
            item_id,
            _posting,
            next_cursor=f"{number + 1}:{seen}" if more else None,
            declared_total=found.total_count,
        )

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return ()

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        detail = checked(_Detail, _result(page), "result")
        source_job_id = str(detail.id)
        if detail.invisible or detail.hidden_position:
            raise Unreadable(Outcome.NOT_FOUND, f"{source_job_id} is hidden")
        require_same(listed, source_job_id)
        if listed is not None:
            return replace(listed, description_body=detail.body or listed.description_body)
        stacks = [each.stack for each in detail.tech_stacks]
        kinds = [each.name for each in detail.job_categories]
        # The list knows city and district, the detail the whole address.
        places = [" ".join(detail.location.split()[:2])]
        posting = one_posting(lambda: detail.to_posting(source_job_id, stacks, kinds, places), "result")
        return replace(posting, description_body=detail.body, company_identifier=detail.serial_number or None)


def _position(cursor: str | None) -> tuple[int, int]:
    """Page number and postings seen on the pages before it: the site may give fewer a page than asked for."""
    if cursor is None:
        return 1, 0
    number, _, seen = cursor.partition(":")
    return int(number), int(seen or 0)


def _result(page: Page) -> object:
    answer = read_object(page)
    if answer.get("code") == _REMOVED:
        raise Unreadable(Outcome.NOT_FOUND, f"code {_REMOVED}: {answer.get('message')}")
    require_success(page)
    if answer.get("result") is None:
        raise LayoutChanged(f"no result; code {answer.get('code')!r:.20}: {answer.get('message')!r:.100}")
    return answer["result"]


def _require_asked(found: _List, target: CollectionTarget) -> None:
    """The answer is that of the search: it echoes the keyword, and its postings name the category."""
    if shown(found.keyword).casefold() != shown(target.keyword).casefold():
        raise LayoutChanged(f"searched for {target.keyword!r:.60}, answered for {found.keyword!r:.60}")
    label = _LABELS.get(target.category_code)
    if label is None or target.category_code in _UNCHECKED:
        return
    named = [_kinds(item.get("jobCategory")) for item in found.positions if isinstance(item, dict)]
    kinds = [set(each) for each in named if each]
    # A label that every posting has says that the site only renamed the category.
    if kinds and not set.intersection(*kinds):
        require_filtered((label in each for each in kinds), f"jobCategory {target.category_code} ({label})")


def _kinds(text: object) -> list[str]:
    if not isinstance(text, str):
        return []
    return [kind for each in _without_highlight(text).split(",") if (kind := collapse(each))]


def _posting(source_job_id: str, item: object) -> RawJobPosting:
    read = _ListItem.model_validate(item)
    stacks = [_without_highlight(stack) for stack in read.tech_stacks]
    posting = read.to_posting(source_job_id, stacks, _kinds(read.job_category), read.locations)
    return replace(posting, company_identifier=read.serial_number or None)


ADAPTER: SourceAdapter = _Jumpit()
