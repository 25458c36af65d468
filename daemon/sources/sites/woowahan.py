"""Woowahan (Baemin): the paged JSON list behind career.woowahan.com, and a posting's text by its number.

Robots and terms: robots.txt of career.woowahan.com disallows `/w1/**`, where both addresses lie, for every agent
(measured 27 May 2026 by the public collector JC; research, payloads-json §2). The user approved this source for
personal use, one polite run a day, knowing that (DESIGN 1.11); it can be switched off at once. The API is one
company's: the slug names the source and does not change the request.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import SplitResult, quote, urlencode

from pydantic import Field
from pydantic.alias_generators import to_camel

from daemon.sources.answer import list_page, page_number, require_same, require_success
from daemon.sources.json_answer import (
    Count,
    Flag,
    Said,
    Shape,
    Text,
    checked,
    item_id,
    one_posting,
    read_deadline,
    read_object,
)
from daemon.sources.model import (
    AggregatorCategory,
    ChangeSignalKind,
    ChangeSignature,
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
from daemon.sources.text import html_to_text

_HOST = "career.woowahan.com"
_PAGE_SIZE = 100
_SLUG = "woowahan"

_COMPANY = frozenset(
    {"우아한형제들", "배달의민족", "배민", "woowahan", "woowa", "woowabros", "woowabrothers", "baemin"}
)
"""Normal forms of the names of the one company whose site this is."""

_SUCCESS = "2000"
_NO_SUCH_POSTING = "9002"

_ALWAYS_OPEN = ("9999-", "2999-")
"""Years that stand for "no end" (seed 001; 29 of the 30 captured postings)."""

_NUMBER = re.compile(r"[A-Za-z0-9_-]{1,200}")
"""`recruitNumber`, which becomes part of an address."""


class _Recruit(Shape, alias_generator=to_camel):
    recruit_number: str = Field(pattern=f"^{_NUMBER.pattern}$")
    """The identity: `recruitSeq` is new with every edit (research, §2)."""
    recruit_version: int = Field(ge=0, lt=2**63)
    recruit_name: Said
    recruit_end_date: str
    """Naive Korean time. `recruitCloseDate` is an internal date and not the deadline."""
    is_unlimited_end_date: Flag = False
    is_hidden: Flag = False
    recruit_delete_yn: Flag = False
    is_temporary_status: Flag = False
    is_after_or_equal_end_day: Flag = False
    is_after_or_equal_open_day: Any = True
    recruit_contents: Text = ""
    """HTML; null in the list."""

    @property
    def withdrawn(self) -> bool:
        """The site does not show such a posting: hidden, deleted, a draft, over, or not open yet."""
        gone = self.is_hidden or self.recruit_delete_yn or self.is_temporary_status
        return gone or self.is_after_or_equal_end_day or self.is_after_or_equal_open_day is False

    def to_posting(self) -> RawJobPosting:
        deadline = None
        if not self.is_unlimited_end_date and not self.recruit_end_date.startswith(_ALWAYS_OPEN):
            deadline = read_deadline(self.recruit_end_date)
        return RawJobPosting(
            source_job_id=self.recruit_number,
            title=self.recruit_name,
            posting_url=f"https://{_HOST}/recruitment/{self.recruit_number}/detail",
            deadline_at=deadline,
            signature=ChangeSignature(kind=ChangeSignalKind.SOURCE_VERSION, value=str(self.recruit_version)),
            description_body=html_to_text(self.recruit_contents) or None,
        )


class _List(Shape, alias_generator=to_camel):
    page_number: Count
    total_page_number: Count
    total_size: Count
    items: list[Any] = Field(alias="list")


class _Woowahan:
    """Requests to and answers of `/w1/recruits`."""

    capabilities = SourceCapabilities(
        platform=Platform.WOOWAHAN,
        source_type=SourceType.COMPANY_BOUND,
        change_signal_kind=ChangeSignalKind.SOURCE_VERSION,
        provides_deadline=True,
        detail_use=DetailUse.ENRICHMENT,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=("/w1/recruits",),
            page_size_cap=_PAGE_SIZE,
            page_size_parameters=("size",),
            headers=(("Accept", "application/json"),),
            known_terms=(
                "우아한형제들 채용 사이트의 robots.txt는 이 소스가 쓰는 /w1/ 경로에 대한 모든 수집기의 접근을"
                " 금지합니다(2026년 5월 확인). 개인 용도로 하루 한 번만 요청하며, 언제든지 바로 끌 수 있습니다."
            ),
            known_terms_in_english=(
                "The robots.txt of Woowa Brothers' career site forbids every collector the path /w1/, which"
                " this source asks"
                " (seen in May 2026). Asked once a day for personal use, and can be switched off at any time."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return ()

    def board_in(self, address: SplitResult) -> str | None:
        return _SLUG if address.hostname == _HOST else None

    def board_guesses(self, company_key: str, guesses: tuple[str, ...]) -> tuple[str, ...]:
        known = company_key in _COMPANY or any(guess in _COMPANY for guess in guesses)
        return (_SLUG,) if known else ()

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        query = {
            "page": page_number(cursor, 0),
            "size": _PAGE_SIZE,
            "sort": "updateDate,desc",
            "recruitCampaignSeq": 0,
        }
        return Request(url=f"https://{_HOST}/w1/recruits?{urlencode(query, safe=',')}")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        found = checked(_List, _data(page), "data")
        # The request counts pages from 0, the answer from 1. When that changes, the first page is what was lost.
        if target is not None and cursor is None and found.page_number != 1:
            raise LayoutChanged(f"the first page was asked for and page {found.page_number} came")
        # A saved file only has the answer's own count.
        following = found.page_number if target is None and cursor is None else page_number(cursor, 0) + 1
        more = bool(found.items) and following < found.total_page_number
        return list_page(
            found.items,
            lambda item: item_id(item, "recruitNumber", _NUMBER),
            _posting,
            next_cursor=str(following) if more else None,
            declared_total=found.total_size,
        )

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return (Request(url=f"https://{_HOST}/w1/recruits/{quote(posting.source_job_id, safe='')}"),)

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        recruit = checked(_Recruit, _data(page), "data")
        if recruit.withdrawn:
            raise Unreadable(Outcome.NOT_FOUND, f"{recruit.recruit_number} is not shown any more")
        require_same(listed, recruit.recruit_number)
        posting = one_posting(recruit.to_posting, "data")
        if listed is None:
            return posting
        return replace(listed, description_body=posting.description_body or listed.description_body)


def _data(page: Page) -> object:
    answer = read_object(page)
    code = answer.get("code")
    if code == _NO_SUCH_POSTING:
        raise Unreadable(Outcome.NOT_FOUND, f"code {code}: {answer.get('message')}")
    require_success(page)
    if code != _SUCCESS:
        raise LayoutChanged(f"code {code!r:.20} instead of {_SUCCESS}: {answer.get('message')!r:.100}")
    return answer.get("data")


def _posting(source_job_id: str, item: object) -> RawJobPosting | None:
    recruit = _Recruit.model_validate(item)
    return None if recruit.withdrawn else recruit.to_posting()


ADAPTER: SourceAdapter = _Woowahan()
