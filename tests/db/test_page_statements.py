"""A page is written in a fixed number of ways to the server and back, however many postings it has."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import delete

from daemon.collection.actions.commit_page import PageToCommit, commit_page
from daemon.collection.actions.read_page import PageRead
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.db import Tx, transaction, update_each
from daemon.posting.model import DetailState, Observed
from daemon.posting.tables import job_posting_descriptions, job_postings
from daemon.sources.model import ChangeSignalKind, ChangeSignature, ListPage, RawJobPosting
from tests.db.lossy import Scene, held
from tests.engines import page_of, rows, write

MOST_WAYS = 12
POSTINGS = 200


def _posting(number: int, version: int) -> RawJobPosting:
    return RawJobPosting(
        source_job_id=f"R{number:03}",
        title=f"백엔드 개발자 {number} '{version}' %s 100%",
        posting_url=f"https://example.com/{number}?v={version}",
        deadline_at=None,
        signature=ChangeSignature(kind=ChangeSignalKind.FIELD_HASH, value=f"{version}-{number}"),
        description_body=f"본문 {version}: (괄호), %s, \\ 그리고 '따옴표'" * 300,
        structured_tags=("정규직", "서울", f"v{version}"),
    )


def _page(base: PageToCommit, version: int) -> PageToCommit:
    postings = tuple(_posting(number, version) for number in range(POSTINGS))
    read = PageRead(
        list_page=ListPage(postings=postings, next_cursor=f"{version}"),
        observed=tuple(Observed(raw=raw, detail=DetailState.READ) for raw in postings),
    )
    return replace(base, read=read, slice_use=replace(base.slice_use, pages=1, postings=0))


async def test_a_page_of_two_hundred_postings_takes_no_more_ways_than_one_of_two(scene: Scene) -> None:
    await scene.reset()
    taken = await held(scene)
    base = page_of(scene.engine, taken)
    used = {}
    for name, version in {"new": 1, "the same": 1, "all edited": 2}.items():
        await write(scene.engine.db, delete(seen))
        scene.proxy.expect()
        await commit_page(scene.behind, taken.claim, _page(base, version))
        used[name] = len(scene.proxy.statements)
        stored = await rows(scene.engine.db, job_postings)
        texts = await rows(scene.engine.db, job_posting_descriptions)
        wanted = [_posting(number, version) for number in range(POSTINGS)]
        assert [(each["source_job_id"], each["title"], each["posting_url"]) for each in stored] == [
            (raw.source_job_id, raw.title, raw.posting_url) for raw in wanted
        ]
        assert [each["body"] for each in texts] == [raw.description_body for raw in wanted]
        assert len(await rows(scene.engine.db, seen)) == POSTINGS
    assert max(used.values()) <= MOST_WAYS, used


async def test_texts_larger_than_a_statement_may_be_are_sent_in_several(scene: Scene) -> None:
    await scene.reset()
    taken = await held(scene)
    base = page_of(scene.engine, taken)
    page = _page(base, 1)
    large = [replace(each, raw=replace(each.raw, description_body="가" * 300_000)) for each in page.read.observed[:9]]
    page = replace(page, read=replace(page.read, observed=tuple(large)))
    scene.proxy.expect()
    await commit_page(scene.behind, taken.claim, page)
    assert max(len(each.encode()) for each in scene.proxy.statements) < 2 * 1024 * 1024
    assert [len(each["body"]) for each in await rows(scene.engine.db, job_posting_descriptions)] == [300_000] * 9


async def test_each_row_gets_values_of_its_own_and_those_not_named_keep_theirs(scene: Scene) -> None:
    await scene.reset()
    taken = await held(scene)
    await commit_page(scene.engine, taken.claim, _page(page_of(scene.engine, taken), 1))
    before = await rows(scene.engine.db, job_postings)
    changed = [{"id": each["id"], "title": f"새 제목 {each['id']}", "deadline_at": None} for each in before[:150]]
    changed[7]["deadline_at"] = scene.clock.now()

    async def change(tx: Tx) -> None:
        await update_each(tx, job_postings, changed, {"version": "version + 1"})

    await transaction(scene.engine.db, change)
    after = await rows(scene.engine.db, job_postings)
    assert after[:150] == [
        {**old, **new, "version": old["version"] + 1} for old, new in zip(before, changed, strict=False)
    ]
    assert after[150:] == before[150:]
