"""What holds for every adapter of the registry, whichever site it is for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest

from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import (
    CollectionTarget,
    DetailUse,
    ListPage,
    Page,
    Platform,
    RawJobPosting,
    Request,
    SourceAdapter,
    SourceType,
    Unreadable,
)
from daemon.sources.reading import read_list
from daemon.sources.registry import ADAPTERS, adapter_of
from daemon.sources.rules import ComplianceViolation, permitted_target
from tests.sources.saved_answers import saved_answers

NOW = datetime(2026, 9, 17, 3, 0, tzinfo=UTC)
KEYWORDS = ("", "백엔드", "C++ & C#", "a/b?c=d#e", "../..", "100%", "a;b=9999", "x" * 200, "per=9999&size=9999")
HOSTILE_SLUGS = ("../../etc", "..", "a/b", "a?b=c", "a#b", "a b", "%2e%2e", "..%2f..", "a\\b", "당근", "a;size=9999")
BOARDS = sorted(
    platform for platform, each in ADAPTERS.items() if each.capabilities.source_type is SourceType.COMPANY_BOUND
)
PAGE_SIZE_NAMES = {"size", "per", "limit", "page_size", "pagesize", "page_count", "per_page", "perpage", "rows"}


@pytest.fixture(params=sorted(ADAPTERS), ids=str)
def adapter(request: pytest.FixtureRequest) -> SourceAdapter:
    return adapter_of(request.param)


def targets(adapter: SourceAdapter) -> Iterator[CollectionTarget]:
    platform = adapter.capabilities.platform
    if adapter.capabilities.source_type is SourceType.COMPANY_BOUND:
        for slug in ("daangn", "woowahan", "acme-2"):
            yield CollectionTarget(job_source_id=1, platform=platform, slug=slug)
        return
    for category in adapter.categories():
        yield CollectionTarget(job_source_id=1, platform=platform, category_code=category.code)
    for keyword in KEYWORDS:
        code = adapter.categories()[0].code
        yield CollectionTarget(job_source_id=1, platform=platform, category_code=code, keyword=keyword)


def lists(adapter: SourceAdapter) -> Iterator[ListPage]:
    for file in saved_answers(adapter.capabilities.platform):
        listed = read_list(adapter, None, Page(body=file.body, answered_at=NOW), None)
        if isinstance(listed, ListPage):
            yield listed


def must_pass(adapter: SourceAdapter, request: Request) -> None:
    permitted_target(adapter.capabilities.compliance, request)
    names = set(adapter.capabilities.compliance.page_size_parameters)
    body = json.loads(request.json_body) if request.json_body else {}
    used = {key for key, _ in parse_qsl(urlsplit(request.url).query)} | set(body)
    undeclared = {key for key in used if key.casefold() in PAGE_SIZE_NAMES} - names
    assert not undeclared, f"page sizes that the policy does not know of: {undeclared}"


def test_every_platform_has_its_adapter() -> None:
    assert set(ADAPTERS) == set(Platform)
    assert all(adapter.capabilities.platform is platform for platform, adapter in ADAPTERS.items())


def test_an_adapters_policy_is_one_that_can_be_enforced(adapter: SourceAdapter) -> None:
    policy = adapter.capabilities.compliance
    assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", policy.host)
    assert policy.allowed_paths
    assert all(path.startswith("/") and (path == "/" or not path.endswith("/")) for path in policy.allowed_paths)
    assert policy.page_size_cap > 0
    assert policy.request_delay >= timedelta(seconds=1)
    assert policy.detail_request_limit_per_run >= 0
    assert re.search("[가-힣]", policy.known_terms), "what is known of the terms is shown to a Korean reader"
    assert policy.terms_in("ko") == policy.known_terms
    assert re.fullmatch("[ -~]{50,}", policy.terms_in("en")), "and to who reads English"
    assert not {name.lower() for name, _ in policy.headers} & {"user-agent", "cookie", "host", "authorization"}


def test_the_executor_never_asks_a_real_site_faster_than_once_a_second(adapter: SourceAdapter) -> None:
    executor = Executor(Settings.model_validate({"request_delay_seconds": 0}))
    assert executor.delay_of(adapter) >= timedelta(seconds=1)
    assert executor.host_of(adapter) == adapter.capabilities.compliance.host


def test_aggregators_have_categories_and_company_boards_none(adapter: SourceAdapter) -> None:
    codes = [category.code for category in adapter.categories()]
    assert len(codes) == len(set(codes))
    assert all(0 < len(code) <= 100 for code in codes)
    assert all(category.label.strip() for category in adapter.categories())
    assert bool(codes) is (adapter.capabilities.source_type is SourceType.AGGREGATOR)


def test_capabilities_agree_with_each_other(adapter: SourceAdapter) -> None:
    capabilities = adapter.capabilities
    assert capabilities == adapter.capabilities
    assert capabilities.list_page_limit is None or capabilities.list_page_limit >= 1
    if capabilities.company_identifier_in_detail_only:
        assert capabilities.detail_use is not DetailUse.NONE
    if capabilities.detail_use is not DetailUse.NONE:
        assert capabilities.compliance.detail_request_limit_per_run > 0


def test_every_first_page_may_be_asked_for(adapter: SourceAdapter) -> None:
    assert targets(adapter)
    for target in targets(adapter):
        must_pass(adapter, adapter.list_request(target, None))


def test_every_next_page_may_be_asked_for(adapter: SourceAdapter) -> None:
    one_page = adapter.capabilities.list_page_limit == 1
    cursors = set() if one_page else {listed.next_cursor for listed in lists(adapter)} - {None}
    # The whole board at once, one page by policy, and a board of which no saved list has a pager.
    without = {Platform.GREENHOUSE, Platform.JOBKOREA, Platform.INCRUIT}
    assert bool(cursors) is (adapter.capabilities.platform not in without)
    for cursor in cursors:
        for target in targets(adapter):
            must_pass(adapter, adapter.list_request(target, cursor))


def test_every_detail_may_be_asked_for_and_none_where_details_are_not_used(adapter: SourceAdapter) -> None:
    target = next(targets(adapter))
    for listed in lists(adapter):
        for posting in listed.postings:
            requests = adapter.detail_requests(target, posting)
            for request in requests:
                must_pass(adapter, request)
            assert len(requests) <= 3
            if adapter.capabilities.detail_use is DetailUse.NONE:
                assert requests == ()
            if adapter.capabilities.detail_use is DetailUse.SIGNATURE:
                assert requests


@pytest.mark.parametrize("slug", HOSTILE_SLUGS)
@pytest.mark.parametrize("platform", BOARDS, ids=str)
def test_a_slug_cannot_lead_to_another_part_of_the_site(platform: Platform, slug: str) -> None:
    adapter = adapter_of(platform)
    plain = adapter.list_request(CollectionTarget(job_source_id=1, platform=platform, slug="plain"), None)
    hostile = adapter.list_request(CollectionTarget(job_source_id=1, platform=platform, slug=slug), None)
    try:
        sent = permitted_target(adapter.capabilities.compliance, hostile)
    except ComplianceViolation:
        return
    expected = permitted_target(adapter.capabilities.compliance, plain)
    assert sent.query == expected.query
    assert len(sent.path.split("/")) == len(expected.path.split("/"))
    assert ".." not in sent.path.split("/")


def test_the_repository_has_a_list_of_every_site_that_can_be_read(adapter: SourceAdapter) -> None:
    assert any(listed.postings for listed in lists(adapter))


def test_a_posting_says_what_the_capabilities_promise(adapter: SourceAdapter) -> None:
    capabilities = adapter.capabilities
    for listed in lists(adapter):
        for posting in listed.postings:
            if posting.signature is not None:
                assert posting.signature.kind is capabilities.change_signal_kind
            else:
                assert capabilities.detail_use is DetailUse.SIGNATURE
            if capabilities.source_type is SourceType.AGGREGATOR and not capabilities.company_identifier_in_detail_only:
                assert posting.company_name
            if not capabilities.provides_deadline:
                assert posting.deadline_at is None
            assert posting.deadline_at is None or posting.deadline_at.tzinfo is not None


def test_reading_twice_gives_the_same_and_changes_nothing(adapter: SourceAdapter) -> None:
    for file in saved_answers(adapter.capabilities.platform):
        page = Page(body=file.body, answered_at=NOW)
        before = replace(page)
        first, second = list_or_refusal(adapter, page), list_or_refusal(adapter, page)
        assert first == second
        detail, again = detail_or_refusal(adapter, page, None), detail_or_refusal(adapter, page, None)
        assert detail == again
        assert page == before


def list_or_refusal(adapter: SourceAdapter, page: Page) -> ListPage | str:
    try:
        return adapter.parse_list(None, page, None)
    except Unreadable as error:
        return str(error)


def detail_or_refusal(adapter: SourceAdapter, page: Page, listed: RawJobPosting | None) -> RawJobPosting | str:
    try:
        return adapter.parse_detail(page, listed)
    except Unreadable as error:
        return str(error)
