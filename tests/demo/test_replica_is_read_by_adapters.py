"""The product's adapters and the replica were written apart from the same documents: here they meet."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date

import pytest

from daemon.clock import ManualClock, kst
from daemon.demo.replica import Replica
from daemon.demo.sources import DemoSource, demo_sources
from daemon.demo.world import World
from daemon.demo.world.truth import CycleEnd, PostingTruth, Truth, truth
from daemon.settings import load_settings
from daemon.sources.executor import Executor, SiteSession
from daemon.sources.model import (
    CollectionTarget,
    DetailUse,
    Fetched,
    NotFetched,
    Outcome,
    Permit,
    Platform,
    RawJobPosting,
    SourceAdapter,
)
from daemon.sources.reading import read_detail, read_list
from daemon.sources.registry import adapter_of
from daemon.sources.text import collapse

SOURCES = [pytest.param(source, id=f"{source.platform}-{source.board}") for source in demo_sources()]
LARGE = "84"
"""Saramin's category of 2,600 postings: two of the days are enough."""


@dataclass(kw_only=True)
class Walk:
    """What an adapter read of a source's list on one day."""

    postings: dict[str, RawJobPosting] = field(default_factory=dict)
    malformed: set[str] = field(default_factory=set)
    withdrawn: set[str] = field(default_factory=set)
    declared_total: int | None = None
    unidentified: int = 0
    pages: int = 0
    stopped_by: NotFetched | None = None


@pytest.fixture
async def executor(replica: Replica) -> AsyncIterator[Executor]:
    made = Executor(load_settings(platform_origins=replica.origins, request_delay_seconds=0))
    yield made
    await made.close()


def target_of(source: DemoSource) -> CollectionTarget:
    return CollectionTarget(
        job_source_id=1, platform=source.platform, slug=source.slug, category_code=source.category_code
    )


async def walk(
    session: SiteSession, executor: Executor, adapter: SourceAdapter, target: CollectionTarget, clock: ManualClock
) -> Walk:
    """Every list page until the adapter sees the end, a failure, or the page limit of the site's policy."""
    found = Walk()
    cursor: str | None = None
    limit = adapter.capabilities.list_page_limit or 60
    while found.pages < limit:
        request = adapter.list_request(target, cursor)
        answer = await session.fetch(request, Permit(host=executor.host_of(adapter)), clock.now)
        read = read_list(adapter, target, answer.page, cursor) if isinstance(answer, Fetched) else answer
        if isinstance(read, NotFetched):
            found.stopped_by = read
            return found
        found.pages += 1
        for posting in read.postings:
            found.postings.setdefault(posting.source_job_id, posting)
        found.malformed.update(read.skipped_ids)
        found.withdrawn.update(read.withdrawn_ids)
        found.unidentified += read.unidentified
        found.declared_total = max(found.declared_total or 0, read.declared_total or 0)
        cursor = read.next_cursor
        if cursor is None:
            return found
    return found


def assert_same(found: Walk, expected: Truth) -> None:
    """The adapter's reading of a day is the truth about it."""
    if expected.reason in set(Outcome):
        assert found.stopped_by is not None, f"nothing stopped it, {expected.reason} was to"
        assert found.stopped_by.outcome == expected.reason, found.stopped_by
    else:
        assert found.stopped_by is None
    assert found.unidentified == 0
    assert list(found.postings) == [one.source_job_id for one in expected.postings]
    assert found.malformed == set(expected.skipped_ids)
    assert found.withdrawn == set(expected.withdrawn_ids)
    if expected.declared_total is not None and found.stopped_by is None:
        assert found.declared_total == expected.declared_total
    for one in expected.postings:
        read = found.postings[one.source_job_id]
        assert (read.title, read.deadline_at) == (one.title, one.deadline_at), one.source_job_id
        if one.company_name is not None:
            assert read.company_name == one.company_name, one.source_job_id


@pytest.mark.parametrize("source", SOURCES)
async def test_an_adapter_reads_what_the_world_says_on_every_day(
    source: DemoSource, world: World, clock: ManualClock, executor: Executor
) -> None:
    adapter, target = adapter_of(source.platform), target_of(source)
    last: dict[str, tuple[int, RawJobPosting]] = {}
    for number in range(1, 3 if source.board == LARGE else world.days + 1):
        day = world.day_number(number)
        clock.set(kst(day, 1))
        async with executor.session(adapter) as session:
            found = await walk(session, executor, adapter, target, clock)
        expected = truth(world, source.platform, source.board, day)
        assert_same(found, expected)
        assert_signatures_follow_versions(expected, found, last)


def assert_signatures_follow_versions(expected: Truth, found: Walk, last: dict[str, tuple[int, RawJobPosting]]) -> None:
    """Equal signatures on two days when the posting was not edited between them, different ones when it was."""
    for one in expected.postings:
        read = found.postings[one.source_job_id]
        if one.source_job_id in last:
            version, before = last[one.source_job_id]
            if read.signature is not None:
                assert (read.signature == before.signature) == (version == one.version), one.source_job_id
        last[one.source_job_id] = (one.version, read)


async def details(
    session: SiteSession, executor: Executor, adapter: SourceAdapter, listed: RawJobPosting, clock: ManualClock
) -> RawJobPosting | NotFetched:
    """What a posting's own pages add to it."""
    known: RawJobPosting | NotFetched = listed
    for request in adapter.detail_requests(target_of(SOURCE_OF[adapter.capabilities.platform]), listed):
        answer = await session.fetch(request, Permit(host=executor.host_of(adapter)), clock.now)
        if isinstance(answer, NotFetched):
            return answer
        assert isinstance(known, RawJobPosting)
        known = read_detail(adapter, answer.page, known)
        if isinstance(known, NotFetched):
            return known
    return known


SOURCE_OF = {source.platform: source for source in reversed(demo_sources())}
"""The first source of each site."""
DETAILED = [platform for platform in Platform if adapter_of(platform).capabilities.detail_use is not DetailUse.NONE]


@pytest.mark.parametrize("platform", DETAILED)
async def test_an_adapter_finds_the_text_of_a_posting_on_its_own_pages(
    platform: Platform, world: World, clock: ManualClock, executor: Executor
) -> None:
    source, adapter = SOURCE_OF[platform], adapter_of(platform)
    expected = truth(world, platform, source.board, world.first_day)
    open_to_all = [one for one in expected.postings if not one.access_restricted][:6]
    async with executor.session(adapter) as session:
        found = await walk(session, executor, adapter, target_of(source), clock)
        for one in open_to_all:
            read = await details(session, executor, adapter, found.postings[one.source_job_id], clock)
            assert isinstance(read, RawJobPosting), read
            assert_text(read, one)
            assert (read.title, read.deadline_at) == (one.title, one.deadline_at)


def assert_text(read: RawJobPosting, one: PostingTruth) -> None:
    body = collapse(read.description_body or "")
    for line in one.lines:
        assert collapse(line) in body, f"{one.source_job_id}: {line!r}"


async def test_greenhouse_lists_carry_the_texts(world: World, clock: ManualClock, executor: Executor) -> None:
    source, adapter = SOURCE_OF[Platform.GREENHOUSE], adapter_of(Platform.GREENHOUSE)
    async with executor.session(adapter) as session:
        found = await walk(session, executor, adapter, target_of(source), clock)
    for one in truth(world, Platform.GREENHOUSE, source.board, world.first_day).postings:
        assert_text(found.postings[one.source_job_id], one)


async def test_incruit_texts_hash_alike_from_day_to_day_until_they_are_edited(
    world: World, clock: ManualClock, executor: Executor
) -> None:
    source, adapter = SOURCE_OF[Platform.INCRUIT], adapter_of(Platform.INCRUIT)
    before: dict[str, tuple[int, object]] = {}
    edits = 0
    for number in (1, 2, 3, 4):
        day: date = world.day_number(number)
        clock.set(kst(day, 1))
        async with executor.session(adapter) as session:
            found = await walk(session, executor, adapter, target_of(source), clock)
            for one in truth(world, Platform.INCRUIT, source.board, day).postings:
                read = await details(session, executor, adapter, found.postings[one.source_job_id], clock)
                if one.access_restricted:
                    continue
                assert isinstance(read, RawJobPosting), read
                assert read.signature is not None
                if one.source_job_id in before:
                    version, signature = before[one.source_job_id]
                    assert (signature == read.signature) == (version == one.version), (day, one.source_job_id)
                    edits += version != one.version
                before[one.source_job_id] = (one.version, read.signature)
    assert edits >= 3


async def test_restricted_incruit_postings_are_told_from_open_ones(
    world: World, clock: ManualClock, executor: Executor
) -> None:
    adapter = adapter_of(Platform.INCRUIT)
    outcomes = {}
    for source in demo_sources():
        if source.platform is not Platform.INCRUIT:
            continue
        async with executor.session(adapter) as session:
            found = await walk(session, executor, adapter, target_of(source), clock)
            for one in truth(world, Platform.INCRUIT, source.board, world.first_day).postings:
                if one.access_restricted:
                    listed = found.postings[one.source_job_id]
                    request = adapter.detail_requests(target_of(source), listed)[0]
                    answer = await session.fetch(request, Permit(host=executor.host_of(adapter)), clock.now)
                    read = read_detail(adapter, answer.page, listed) if isinstance(answer, Fetched) else answer
                    outcomes[source.board] = read
    redirected, form = outcomes["khmc"], outcomes["wooribank"]
    assert isinstance(redirected, NotFetched)
    assert redirected.outcome is Outcome.REDIRECTED
    assert redirected.location is not None
    assert redirected.location.startswith("https://edit.incruit.com/login/")
    assert isinstance(form, RawJobPosting)
    assert form.access_restricted


def test_the_days_end_in_every_way_that_a_cycle_can(world: World) -> None:
    ends = {
        truth(world, source.platform, source.board, world.day_number(number)).end
        for source in demo_sources()
        for number in range(1, world.days + 1)
    }
    assert ends == set(CycleEnd)
