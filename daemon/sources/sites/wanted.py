"""Wanted: the JSON list `/api/v4/jobs`, the one of its three that tells the deadline, and a posting's text by its id.

Robots and terms: one reader got 403 even on robots.txt (May and June 2026) and reads article 19-7 of the terms as
forbidding automated collection; others called the same addresses with plain clients until September 2026 (research,
payloads-json §4). The user approved this source for personal use, one polite run a day (DESIGN 1.11); it can be
switched off at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from pydantic import Field

from daemon.sources.answer import field_signature, list_page, page_number, require_filtered, require_same, tags
from daemon.sources.json_answer import (
    Deadline,
    Flag,
    Label,
    NumberId,
    Said,
    Shape,
    Text,
    Whole,
    career_years,
    checked,
    item_id,
    plain_text,
    read_answer,
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

_HOST = "www.wanted.co.kr"
_LIST_PATH = "/api/v4/jobs"
_PAGE_SIZE = 100

_GROUPS = {
    "518": "개발",
    "507": "경영·비즈니스",
    "523": "마케팅·광고",
    "511": "디자인",
    "510": "고객서비스·리테일",
    "530": "영업",
    "524": "미디어",
    "513": "엔지니어링·설계",
    "522": "제조·생산",
    "508": "금융",
    "517": "HR",
    "10566": "정보보호",
    "509": "건설·시설",
    "959": "게임 제작",
    "532": "물류·무역",
    "10057": "식·음료",
    "521": "법률·법집행기관",
    "10101": "교육",
    "515": "의료·제약·바이오",
    "514": "공공·복지",
}
"""`job_group_id`, all checked live on 22 September 2026 by the public collector KA (research, §4)."""

_DEVELOPMENT = {
    "872": "서버 개발자",
    "10110": "소프트웨어 엔지니어",
    "873": "웹 개발자",
    "669": "프론트엔드 개발자",
    "1634": "머신러닝 엔지니어",
    "674": "DevOps/시스템 관리자",
    "660": "자바 개발자",
    "899": "파이썬 개발자",
    "900": "C,C++ 개발자",
    "655": "데이터 엔지니어",
    "895": "Node.js 개발자",
    "665": "시스템,네트워크 관리자",
    "1024": "데이터 사이언티스트",
    "877": "개발 매니저",
    "658": "임베디드 개발자",
    "676": "QA,테스트 엔지니어",
    "672": "하드웨어 엔지니어",
    "1025": "빅데이터 엔지니어",
    "939": "웹 퍼블리셔",
    "1026": "기술지원",
    "677": "안드로이드 개발자",
    "661": ".NET 개발자",
    "893": "PHP 개발자",
    "876": "프로덕트 매니저",
    "678": "iOS 개발자",
    "10111": "크로스플랫폼 앱 개발자",
    "1027": "블록체인 플랫폼 엔지니어",
    "10231": "DBA",
    "896": "영상,음성 엔지니어",
    "898": "그래픽스 엔지니어",
    "795": "CTO",
    "10230": "ERP전문가",
    "894": "루비온레일즈 개발자",
    "1022": "BI 엔지니어",
    "10112": "VR 엔지니어",
    "10536": "테크니컬 라이터",
    "10531": "RPA 엔지니어",
    "793": "CIO",
}
"""Sub-categories of 518, from the site's own page data (research, §4). `tag_type_ids` takes these and the groups."""

_NO_UPPER_LIMIT = 100
"""`annual_to` of a posting without an upper limit of experience."""


class _Category(Shape):
    id: int
    parent_id: int | None = None


class _Company(Shape):
    id: int | None = None
    name: Said


class _Address(Shape):
    location: Label = ""
    district: Label = ""
    full_location: Label = ""

    @property
    def place(self) -> str:
        """City and district: two fields in the list, the first two words of the address in the detail."""
        words = [self.location, self.district] if self.district else self.full_location.split()[:2]
        return " ".join(word for word in words if word)


class _Job(Shape):
    id: NumberId
    position: Said
    company: _Company
    due_time: Deadline
    """Null is always open. The key must be there: the navigation list has none, and would read as always open."""
    status: str = "active"
    hidden: Flag = False
    category_tags: list[_Category] = Field(default_factory=list)
    annual_from: Whole = None
    annual_to: Whole = None
    address: _Address | None = None

    @property
    def withdrawn(self) -> bool:
        return self.hidden or self.status != "active"

    def to_posting(self) -> RawJobPosting:
        place = self.address.place if self.address else ""
        upper = None if self.annual_to == _NO_UPPER_LIMIT else self.annual_to
        # What an editor edits. Not in it: like_count, response statistics of the company and reward wording (they move
        # by themselves), images, matching scores and bookmarks, and the street address, which the list and the detail
        # spell differently. Sorted, since the order of categories means nothing.
        signature = field_signature(
            self.position,
            self.company.name,
            self.due_time,
            " ".join(str(number) for number in sorted(tag.id for tag in self.category_tags)),
            f"{self.annual_from} {self.annual_to}",
            place,
        )
        return RawJobPosting(
            source_job_id=str(self.id),
            title=self.position,
            posting_url=f"https://{_HOST}/wd/{self.id}",
            deadline_at=self.due_time,
            signature=signature,
            structured_tags=tags(
                (_DEVELOPMENT.get(str(tag.id), "") for tag in self.category_tags),
                (place,),
                career_years(self.annual_from, upper),
            ),
            company_name=self.company.name,
            company_identifier=None if self.company.id is None else str(self.company.id),
        )


class _Texts(Shape):
    intro: Text = ""
    main_tasks: Text = ""
    requirements: Text = ""
    preferred_points: Text = ""
    benefits: Text = ""


class _Skill(Shape):
    title: Label = ""


class _Detail(_Job):
    detail: _Texts
    skill_tags: list[_Skill] = Field(default_factory=list)
    # `company_tags` (출퇴근, 50명이하, …) speak of the company as a whole: no evidence for this posting, so not read.

    @property
    def body(self) -> str | None:
        return plain_text(
            ("", self.detail.intro),
            ("주요업무", self.detail.main_tasks),
            ("자격요건", self.detail.requirements),
            ("우대사항", self.detail.preferred_points),
            ("혜택 및 복지", self.detail.benefits),
        )


class _Links(Shape):
    next: str | None


class _List(Shape):
    data: list[Any]
    links: _Links


class _Wanted:
    """Requests to and answers of `/api/v4/jobs`."""

    capabilities = SourceCapabilities(
        platform=Platform.WANTED,
        source_type=SourceType.AGGREGATOR,
        change_signal_kind=ChangeSignalKind.FIELD_HASH,
        provides_deadline=True,
        detail_use=DetailUse.ENRICHMENT,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=(_LIST_PATH,),
            page_size_cap=_PAGE_SIZE,
            page_size_parameters=("limit",),
            headers=(
                ("Accept", "application/json"),
                ("Referer", f"https://{_HOST}/wdlist"),
                ("wanted-user-agent", "user-web"),
                ("wanted-user-country", "KR"),
                ("wanted-user-language", "ko"),
            ),
            known_terms=(
                "원티드의 robots.txt는 접속 환경에 따라 403으로 막혀 있어 확인하지 못했고,"
                " 이용약관 제19조 제7항은 자동 수집을 금지하는 것으로 해석됩니다."
                " 개인 용도로 하루 한 번만 요청하며, 언제든지 바로 끌 수 있습니다."
            ),
            known_terms_in_english=(
                "Wanted's robots.txt answers 403 depending on where one asks from, so nobody has read it;"
                " article 19 (7) of its terms seems to forbid automatic collection."
                " Asked once a day for personal use, and can be switched off at any time."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        groups = (AggregatorCategory(code=code, label=label) for code, label in _GROUPS.items())
        development = (AggregatorCategory(code=code, label=f"개발 > {name}") for code, name in _DEVELOPMENT.items())
        return (*groups, *development)

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        query: dict[str, str | int] = {
            "country": "kr",
            "tag_type_ids": target.category_code,
            "locations": "all",
            "years": -1,
            "limit": _PAGE_SIZE,
            "offset": page_number(cursor, 0),
            "job_sort": "job.latest_order",
        }
        if target.keyword:
            query["query"] = target.keyword
        return Request(url=f"https://{_HOST}{_LIST_PATH}?{urlencode(query)}")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        found = checked(_List, read_answer(page), "answer")
        following = None
        if found.links.next is not None and found.data:
            following = _next_offset(found.links.next, target, page_number(cursor, 0))
        read = list_page(found.data, item_id, _posting, next_cursor=following, declared_total=None)
        if target is not None and target.category_code.isdecimal():
            code = int(target.category_code)
            require_filtered(_in_category(found.data, code), f"tag_type_ids {code}")
        return read

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return (Request(url=f"https://{_HOST}{_LIST_PATH}/{posting.source_job_id}"),)

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        job = checked(_Detail, read_answer(page).get("job"), "job")
        if job.withdrawn:
            raise Unreadable(Outcome.NOT_FOUND, f"{job.id} has status {job.status}, hidden {job.hidden}")
        require_same(listed, str(job.id))
        posting = listed or job.to_posting()
        return replace(
            posting,
            description_body=job.body or posting.description_body,
            structured_tags=tags(posting.structured_tags, (skill.title for skill in job.skill_tags)),
        )


def _next_offset(link: str, target: CollectionTarget | None, asked: int) -> str:
    """The offset in `links.next`, a relative address that repeats every filter.

    The next request is built anew from it, so no link can lead elsewhere; a link to another path, without the filters,
    or that does not move on says that this is not the list asked for. Raises Unreadable LAYOUT_CHANGED.
    """
    try:
        parts = urlsplit(link)
    except ValueError as error:
        raise LayoutChanged(f"links.next is no address: {link:.100}") from error
    if (parts.scheme, parts.netloc) not in (("", ""), ("https", _HOST)) or parts.path != _LIST_PATH:
        raise LayoutChanged(f"links.next leaves {_LIST_PATH}: {link:.100}")
    query = parse_qs(parts.query)
    offset = query.get("offset", [""])[0]
    if not re.fullmatch("[0-9]{1,8}", offset) or int(offset) <= asked:
        raise LayoutChanged(f"links.next does not move on from {asked}: {link:.100}")
    if target is not None:
        if target.category_code not in query.get("tag_type_ids", []):
            raise LayoutChanged(f"links.next lost tag_type_ids {target.category_code}: {link:.100}")
        if target.keyword and target.keyword not in query.get("query", []):
            raise LayoutChanged(f"links.next lost the keyword {target.keyword}: {link:.100}")
    return offset


def _in_category(items: Sequence[object], code: int) -> list[bool]:
    """For each item with category tags, whether one is the category or of the group `code`."""
    answers = []
    for item in items:
        found = item.get("category_tags") if isinstance(item, dict) else None
        if isinstance(found, list) and found:
            named = (tag.get(key) for tag in found if isinstance(tag, dict) for key in ("id", "parent_id"))
            answers.append(any(number == code for number in named))
    return answers


def _posting(source_job_id: str, item: object) -> RawJobPosting | None:
    job = _Job.model_validate(item)
    return None if job.withdrawn else job.to_posting()


ADAPTER: SourceAdapter = _Wanted()
