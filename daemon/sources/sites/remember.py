"""Remember: a POST search by job category that answers with the whole postings, and a posting's skills by its id.

Robots and terms: career.rememberapp.co.kr allows `/job/` and forbids `/job_postings/` on the web host (21 August
2026); the API host asked here has no robots.txt; the terms forbid scrapers and more than 50 a page is refused with
400 (seed 001; research, payloads-json §5). The user approved this source for personal use, one polite run a day,
nothing passed on (DESIGN 1.11); it can be switched off at once.

The search is asked without headhunters: their postings name the agency, not the employer. `recruiter.name` is a
person's name and never read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from daemon.clock import KST
from daemon.sources.answer import field_signature, list_page, page_number, require_filtered, require_same, tags
from daemon.sources.json_answer import (
    Count,
    Deadline,
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

_HOST = "career-api.rememberapp.co.kr"
_SITE = "https://career.rememberapp.co.kr"
_PAGE_SIZE = 50

_CATEGORIES = {
    "310": ("SW개발", "백엔드"),
    "311": ("SW개발", "프론트엔드"),
    "312": ("SW개발", "풀스택"),
    "319": ("SW개발", "블록체인"),
    "321": ("SW개발", "웹퍼블리싱"),
    "323": ("SW개발", "DevOps"),
    "333": ("SW개발", "소프트웨어아키텍트"),
    "340": ("AI·데이터", "MLOps"),
    "240": ("영업", "영업 전략·기획"),
    "246": ("영업", "국내B2G영업"),
}
"""Ids that captured answers give to the names that the search takes (research, §5)."""

_NAMED = (
    ("AI·데이터", "데이터 분석가"),
    ("디자인/UX", "IT프로덕트/UX디자인"),
    ("디자인/UX", "UI/GUI 디자인"),
    ("디자인/UX", "UX리서치"),
    ("디자인/UX", "UX라이터"),
    ("디자인/UX", "디자인/UX 기타"),
)
"""Names whose ids no capture shows: their code is the two names themselves, `AI·데이터>데이터 분석가`."""


class _Organization(Shape):
    name: Said
    company_id: int | None = None


class _Category(Shape):
    id: int
    level1: Label = ""
    level2: Label = ""


class _Address(Shape):
    address_level1: Label = ""
    address_level2: Label = ""


class _Job(Shape):
    id: NumberId
    title: Said
    status: str = "published"
    organization: _Organization
    ends_at: Deadline
    """Null is always open, whatever `explicit_due` says (DESIGN 1.11)."""
    job_categories: list[_Category] = Field(default_factory=list)
    addresses: list[_Address] = Field(default_factory=list)
    min_experience: Whole = None
    max_experience: Whole = None
    introduction: Text = ""
    job_description: Text = ""
    qualifications: Text = ""
    preferred_qualifications: Text = ""
    recruiting_process: Text = ""
    additional_information: Text = ""

    @property
    def withdrawn(self) -> bool:
        return self.status != "published"

    def to_posting(self) -> RawJobPosting:
        kinds = [f"{each.level1} > {each.level2}" for each in self.job_categories]
        places = [f"{each.address_level1} {each.address_level2}" for each in self.addresses]
        body = plain_text(
            ("", self.introduction),
            ("주요업무", self.job_description),
            ("자격요건", self.qualifications),
            ("우대사항", self.preferred_qualifications),
            ("채용절차", self.recruiting_process),
            ("기타", self.additional_information),
        )
        # What an editor edits, the text included, since the list has it. Not in it: response statistics, chips and
        # `company` (they differ between list and detail of one posting), spotlight and ad_types (bought for a while),
        # matching_reward, and the reader's own marks. Sorted, since the order of categories and places means nothing.
        signature = field_signature(
            self.title,
            self.organization.name,
            self.ends_at,
            " ".join(str(number) for number in sorted(each.id for each in self.job_categories)),
            "\n".join(sorted(places)),
            f"{self.min_experience} {self.max_experience}",
            body,
        )
        company = self.organization.company_id
        return RawJobPosting(
            source_job_id=str(self.id),
            title=self.title,
            posting_url=f"{_SITE}/job/posting/{self.id}",
            deadline_at=self.ends_at,
            signature=signature,
            structured_tags=tags(kinds, places, career_years(self.min_experience, self.max_experience)),
            description_body=body,
            company_name=self.organization.name,
            company_identifier=None if company is None else str(company),
        )


class _Skill(Shape):
    name: Label = ""


class _Profile(Shape):
    skills: list[_Skill] = Field(default_factory=list)


class _Tag(Shape):
    value: Label = ""


class _Detail(_Job):
    desired_profile_condition: _Profile | None = None
    classified_tags: list[_Tag] | None = None

    @property
    def more_tags(self) -> list[str]:
        profile = self.desired_profile_condition or _Profile()
        return [skill.name for skill in profile.skills] + [tag.value for tag in self.classified_tags or ()]


class _Meta(Shape):
    total_count: Count
    total_pages: Count
    page: Count
    logger_info: Any = None


class _List(Shape):
    data: list[Any]
    meta: _Meta


class _Echo(Shape):
    """What the server understood of the search; everything null when it understood nothing."""

    job_category_ids: list[int] | None = None
    job_category_names: Any = None
    keywords: Any = None
    min_updated_at: Any = None


class _Query(Shape):
    search: _Echo | None = None


class _Log(Shape):
    query_meta_data: _Query | None = None


class _Remember:
    """Requests to and answers of `/job_postings`."""

    capabilities = SourceCapabilities(
        platform=Platform.REMEMBER,
        source_type=SourceType.AGGREGATOR,
        change_signal_kind=ChangeSignalKind.FIELD_HASH,
        provides_deadline=True,
        detail_use=DetailUse.ENRICHMENT,
        supports_incremental_since=True,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=("/job_postings",),
            page_size_cap=_PAGE_SIZE,
            page_size_parameters=("per",),
            headers=(("Accept", "application/json"), ("Origin", _SITE), ("Referer", f"{_SITE}/")),
            known_terms=(
                "리멤버 이용약관은 스크래핑을 금지하고, 웹사이트의 robots.txt는 /job_postings/ 경로를 막습니다."
                " 이 소스가 쓰는 API 호스트에는 robots.txt가 없습니다. 개인 용도로 하루 한 번,"
                " 50건씩만 요청하고 재배포하지 않습니다."
            ),
            known_terms_in_english=(
                "Remember's terms forbid scraping, and its website's robots.txt shuts out /job_postings/."
                " The API host that this source asks has no robots.txt. Asked once a day for personal use, 50"
                " at a time,"
                " and nothing is passed on."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        numbered = (AggregatorCategory(code=code, label=" > ".join(names)) for code, names in _CATEGORIES.items())
        named = (AggregatorCategory(code=">".join(names), label=" > ".join(names)) for names in _NAMED)
        return (*numbered, *named)

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        level1, level2 = _names(target.category_code)
        search: dict[str, Any] = {
            # snake_case: camelCase is not refused but ignored, and everything comes (research, §5).
            "job_category_names": [{"level1": level1, "level2": level2}],
            "organization_type": "without_headhunter",
        }
        if target.keyword:
            search["keywords"] = [target.keyword]
        if target.incremental_since is not None:
            search["min_updated_at"] = target.incremental_since.astimezone(KST).isoformat(timespec="milliseconds")
        body = {"search": search, "sort": "starts_at_desc", "page": page_number(cursor, 1), "per": _PAGE_SIZE}
        data = json.dumps(body, ensure_ascii=False).encode()
        return Request(url=f"https://{_HOST}/job_postings/search", method="POST", json_body=data)

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        found = checked(_List, read_answer(page), "answer")
        if target is not None:
            _require_asked(found, target)
        number = found.meta.page if target is None and cursor is None else page_number(cursor, 1)
        more = bool(found.data) and number < found.meta.total_pages
        return list_page(
            found.data,
            item_id,
            _posting,
            next_cursor=str(number + 1) if more else None,
            declared_total=found.meta.total_count,
        )

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return (Request(url=f"https://{_HOST}/job_postings/{posting.source_job_id}"),)

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        job = checked(_Detail, read_answer(page).get("data"), "data")
        if job.withdrawn:
            raise Unreadable(Outcome.NOT_FOUND, f"{job.id} has status {job.status}")
        require_same(listed, str(job.id))
        read = job.to_posting()
        posting = read if listed is None else replace(listed, description_body=read.description_body)
        return replace(posting, structured_tags=tags(posting.structured_tags, job.more_tags))


def _names(code: str) -> tuple[str, str | None]:
    """The two names that the search wants for a category code."""
    if code in _CATEGORIES:
        return _CATEGORIES[code]
    level1, _, level2 = code.partition(">")
    return level1.strip(), level2.strip() or None


def _require_asked(found: _List, target: CollectionTarget) -> None:
    """The answer is that of the search, by the server's own echo of it, else by the categories of its postings."""
    log = checked(_Log, found.meta.logger_info or {}, "meta.logger_info")
    echo = log.query_meta_data.search if log.query_meta_data else None
    code = target.category_code
    if echo is None:
        if code.isdecimal():
            require_filtered(_in_category(found.data, int(code)), f"category {code}")
        return
    ids = echo.job_category_ids
    if (ids and code.isdecimal() and int(code) not in ids) or not (ids or echo.job_category_names):
        raise LayoutChanged(f"asked for category {code}, the server understood {ids}")
    keywords = echo.keywords if isinstance(echo.keywords, list) else [echo.keywords]
    if target.keyword and target.keyword not in keywords:
        raise LayoutChanged(f"asked for keyword {target.keyword!r:.60}, the server understood {echo.keywords!r:.60}")
    if target.incremental_since is not None and echo.min_updated_at is None:
        raise LayoutChanged("asked for postings updated since, the server understood no such filter")


def _in_category(items: Sequence[object], code: int) -> list[bool]:
    """For each item with category ids, whether `code` is among them."""
    named = [item.get("job_category_ids") for item in items if isinstance(item, dict)]
    return [code in ids for ids in named if isinstance(ids, list) and ids]


def _posting(source_job_id: str, item: object) -> RawJobPosting | None:
    job = _Job.model_validate(item)
    return None if job.withdrawn else job.to_posting()


ADAPTER: SourceAdapter = _Remember()
