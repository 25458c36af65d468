"""The eighteen parsers: nine adapters, a list and a posting's own page each, as `reading` calls them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import accumulate

from daemon.sources.model import (
    CollectionTarget,
    ListPage,
    NotFetched,
    Outcome,
    Page,
    Platform,
    RawJobPosting,
    Request,
)
from daemon.sources.reading import read_detail, read_list
from daemon.sources.registry import adapter_of
from daemon.sources.rules import permitted_target
from daemon.sources.text import CONTROL
from tests.fuzz import markup, octets, trees
from tests.fuzz.seeds import Seed, seeds_of, target_of

ANSWERED_AT = datetime(2026, 9, 17, 3, 0, tzinfo=UTC)
_STATUSES = (200, 200, 200, 200, 201, 204, 206, 302, 400, 403, 404, 410, 429, 500, 503)
_BIG = 0.004
"""Share of inputs that are whole answers or stretched ones, up to a megabyte."""


class Parser:
    """One adapter's reading of lists or of postings' own pages."""

    def __init__(self, platform: Platform, kind: str) -> None:
        self.name = f"{platform.lower()}-{kind}"
        self._adapter = adapter_of(platform)
        self._policy = self._adapter.capabilities.compliance
        self._is_list = kind == "list"
        self._target = target_of(platform)
        self._platform = platform

    # --- inputs

    @cached_property
    def _likely(self) -> tuple[Seed, ...]:
        """The seeds that this parser reads."""
        small = seeds_of(self._platform).small
        return tuple(seed for seed in small if any(self._reads(seed.body, listed) for listed in (None, _unknown())))

    @cached_property
    def _known(self) -> tuple[RawJobPosting, ...]:
        """Postings whose own pages the seeds are."""
        read = (self._reads(seed.body, None) for seed in self._likely)
        return tuple(posting for posting in read if isinstance(posting, RawJobPosting)) or (_unknown(),)

    def _reads(self, body: bytes, listed: RawJobPosting | None) -> ListPage | RawJobPosting | None:
        page = Page(body=body, answered_at=ANSWERED_AT)
        if self._is_list:
            read = read_list(self._adapter, None, page, None)
            return None if isinstance(read, NotFetched) else read
        detail = read_detail(self._adapter, page, listed)
        return None if isinstance(detail, NotFetched) else detail

    @cached_property
    def _weighed(self) -> tuple[tuple[Seed, ...], list[float]]:
        """Those seeds, a small one likelier than a large one: most mutations then strike something, and cost little."""
        likely = self._likely or seeds_of(self._platform).small
        return likely, list(accumulate(1 / len(seed.body) for seed in likely))

    def make(self, draw: random.Random) -> tuple[bytes, int]:
        seeds = seeds_of(self._platform)
        likely, weights = self._weighed
        circumstances = draw.randrange(1 << 16)
        if draw.random() < _BIG:
            seed = draw.choice(seeds.whole)
            body = seed.body if draw.random() < 0.5 else octets.stretched(draw, seed.body, draw.choice((10**5, 10**6)))
            return octets.mutant(draw, body), circumstances
        seed = draw.choices(likely, cum_weights=weights)[0] if draw.random() < 0.9 else draw.choice(seeds.small)
        steps = draw.choice((0, 1, 1, 1, 1, 2, 2, 3, 5, 12))
        donor = draw.choice(seeds.small)
        if draw.random() < 0.15:
            body = octets.mutant(draw, seed.body)
        elif seed.is_json and donor.is_json:
            body = trees.mutant(draw, seed.body, donor.body, steps)
        else:
            body = octets.encoded(draw, markup.mutant(draw, seed.body, donor.body, steps))
        return (octets.mutant(draw, body) if draw.random() < 0.05 else body), circumstances

    def every_way(self) -> Iterator[int]:
        return iter(range(0, 1 << 16, 1_021))

    # --- checks

    def check(self, data: bytes, circumstances: int) -> str:
        chance = random.Random(circumstances)
        page = Page(
            body=data,
            answered_at=ANSWERED_AT + timedelta(hours=chance.randrange(24 * 400)),
            status=200 if chance.random() < 0.95 else chance.choice(_STATUSES),
            url=chance.choice(("", f"https://{self._policy.host}/1", "https://[", "\0")),
            content_type=chance.choice(octets.LABELS),
        )
        read = self._list(page, chance) if self._is_list else self._detail(page, chance)
        if isinstance(read, NotFetched):
            assert read.outcome is not Outcome.FETCHED
            assert 0 < len(read.reason) <= 200
            assert not CONTROL.search(read.reason), repr(read.reason)
            return read.outcome
        return Outcome.FETCHED

    def _list(self, page: Page, chance: random.Random) -> ListPage | NotFetched:
        target = self._target if chance.random() < 0.5 else None
        read = read_list(self._adapter, target, page, None)
        if isinstance(read, NotFetched):
            if read.reason.startswith("parser failed"):
                self._adapter.parse_list(target, page, None)
            return read
        ids = [posting.source_job_id for posting in read.postings]
        ids += [*read.skipped_ids, *read.withdrawn_ids]
        assert len(ids) == len(set(ids)), "an id twice"
        assert all(0 < len(each) <= 200 for each in ids)
        assert read.unidentified >= 0
        assert read.declared_total is None or 0 <= read.declared_total < 2**31
        if read.next_cursor is not None and self._adapter.capabilities.list_page_limit != 1:
            self._require_permitted(self._adapter.list_request(self._target, read.next_cursor))
        for posting in read.postings:
            require_storable(posting)
        for posting in read.postings[:3]:
            self._require_details_permitted(self._target, posting)
        return read

    def _detail(self, page: Page, chance: random.Random) -> RawJobPosting | NotFetched:
        listed = chance.choice((None, None, None, chance.choice(self._known), _unknown(), _unknown()))
        read = read_detail(self._adapter, page, listed)
        if isinstance(read, NotFetched):
            if read.reason.startswith("parser failed"):
                self._adapter.parse_detail(page, listed)
            return read
        assert listed is None or read.source_job_id == listed.source_job_id
        require_storable(read)
        self._require_details_permitted(self._target, read)
        return read

    def _require_details_permitted(self, target: CollectionTarget, posting: RawJobPosting) -> None:
        for request in self._adapter.detail_requests(target, posting):
            self._require_permitted(request)

    def _require_permitted(self, request: Request) -> None:
        """What an answer leads to is an address that the site's policy allows: nothing it says leads elsewhere."""
        permitted_target(self._policy, request)


def require_storable(posting: RawJobPosting) -> None:
    """Every column can hold it (seed 001's lengths; UTF-8 without NUL)."""
    assert 0 < len(posting.source_job_id) <= 200
    assert 0 < len(posting.title) <= 500
    assert posting.title == posting.title.strip()
    assert posting.posting_url[:8].lower().startswith(("http://", "https://"))
    assert len(posting.posting_url) <= 2000
    if posting.deadline_at is not None:
        assert posting.deadline_at.utcoffset() == timedelta(0)
        assert 2000 <= posting.deadline_at.year <= 2100
    if posting.signature is not None:
        assert 0 < len(posting.signature.value) <= 200
    assert len(posting.structured_tags) <= 100
    assert all(0 < len(tag) <= 200 for tag in posting.structured_tags)
    assert len(posting.description_body or "") <= 200_000
    assert posting.description_body != ""
    for name in (posting.company_name, posting.company_identifier):
        assert name is None or 0 < len(name) <= 200
    texts = (posting.source_job_id, posting.title, posting.posting_url, *posting.structured_tags)
    said = "".join(
        (*texts, posting.description_body or "", posting.company_name or "", posting.company_identifier or "")
    )
    assert "\0" not in said
    said.encode()


def _unknown() -> RawJobPosting:
    return RawJobPosting(
        source_job_id="1", title="백엔드 시험", posting_url="https://a.example/1", deadline_at=None, signature=None
    )


PARSERS: tuple[Parser, ...] = tuple(Parser(platform, kind) for platform in Platform for kind in ("list", "detail"))
