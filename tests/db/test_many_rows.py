"""Rows that are sent as text arrive as they are, and the text is the driver's own."""

from __future__ import annotations

from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymysql.converters import escape_item
from sqlalchemy import bindparam, select

from daemon.collection.tables import job_posting_collection_runs
from daemon.db import AtOnce, Database, EachAtOnce, Tx, insert_if_absent, insert_rows, reading, transaction, upsert
from daemon.db.literals import row_texts
from daemon.flags.tables import feature_flags
from daemon.posting.tables import job_posting_descriptions, job_posting_source_tags

AT = datetime(2026, 12, 1, 9, 0, 0, 123456, tzinfo=UTC)
AWKWARD = (
    "it's",
    '"quoted"',
    "back\\slash",
    "trailing\\",
    "'); DROP TABLE job_postings; --",
    "100 % (%s, %(name)s)",
    "a\nb\r\tc\x1a",
    "한글 ㈜ 똠방각하",
    "🧑‍💻",
    "ʼ＇\u2019",
    "0",
    "NULL",
)


class Colour(StrEnum):
    RED = "RED"


_VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text("'\"\\%\0\n\r\x1a가a"),
    st.datetimes(),
    st.dates(),
    st.just(Colour.RED),
)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[_VALUES] * width), min_size=1, max_size=8)))
def test_the_text_of_rows_is_what_the_driver_would_send(rows: list[tuple[Any, ...]]) -> None:
    by_driver = ",".join(f"({','.join(escape_item(value, 'utf8mb4') for value in row)})" for row in rows)
    assert ",".join(row_texts(zip(*rows, strict=True))) == by_driver


def test_no_portion_is_too_large_for_a_statement() -> None:
    bodies = [f"{number} {'가' * 200_000}" for number in range(5)] + ["나"] * 2_500
    portions = list(row_texts([range(len(bodies)), bodies]))
    assert len(portions) >= 5 + 2
    assert max(len(portion.encode()) for portion in portions) < 2 * 1024 * 1024
    assert ",".join(portions) == ",".join(f"({number},'{body}')" for number, body in enumerate(bodies))


async def test_awkward_texts_are_stored_as_they_are(db: Database) -> None:
    rows = [
        {"job_posting_id": number, "tag_value": text, "normalized_value": text[::-1], "created_at": AT}
        for number, text in enumerate(AWKWARD)
    ]
    await transaction(db, insert_rows, job_posting_source_tags, rows)
    found = await reading(db, _tags)
    assert found == [(number, text, text[::-1], AT) for number, text in enumerate(AWKWARD)]


async def _tags(tx: Tx) -> list[tuple[int, str, str, datetime]]:
    tags = job_posting_source_tags.c
    query = select(tags.job_posting_id, tags.tag_value, tags.normalized_value, tags.created_at)
    rows = await tx.execute(query.order_by(tags.job_posting_id))
    return [(row.job_posting_id, row.tag_value, row.normalized_value, row.created_at) for row in rows]


async def test_awkward_texts_replace_what_was_there(db: Database) -> None:
    def rows(texts: tuple[str, ...]) -> list[dict[str, Any]]:
        return [
            {"job_posting_id": number, "body": text, "char_length": len(text), "created_at": AT, "updated_at": AT}
            for number, text in enumerate(texts)
        ]

    for texts in (AWKWARD, AWKWARD[::-1]):
        await transaction(db, upsert, job_posting_descriptions, rows(texts), ["job_posting_id"], ["created_at"])
    assert await reading(db, _bodies) == list(AWKWARD[::-1])


async def _bodies(tx: Tx) -> list[str]:
    texts = job_posting_descriptions.c
    return [row.body for row in await tx.execute(select(texts.body).order_by(texts.job_posting_id))]


async def test_only_absent_rows_are_inserted(db: Database) -> None:
    def flag(key: str, description: str) -> dict[str, Any]:
        return {"flag_key": key, "enabled": 0, "description": description, "created_at": AT, "updated_at": AT}

    await transaction(db, insert_if_absent, feature_flags, [flag("a'b", "first")])
    await transaction(db, insert_if_absent, feature_flags, [flag("a'b", "second"), flag("c%d", "first")])
    found = await reading(db, _flags)
    assert found["a'b"] == found["c%d"] == "first"


async def _flags(tx: Tx) -> dict[str, str]:
    rows = await tx.execute(select(feature_flags.c.flag_key, feature_flags.c.description))
    return {row.flag_key: row.description for row in rows}


@pytest.mark.parametrize("when", [datetime(2026, 12, 1), AT.replace(tzinfo=None)])
async def test_an_instant_without_a_time_zone_is_refused(db: Database, when: datetime) -> None:
    row = {"job_posting_id": 1, "tag_value": "a", "normalized_value": "a", "created_at": when}
    with pytest.raises(Exception, match="without a time zone"):
        await transaction(db, insert_rows, job_posting_source_tags, [row])


def test_a_date_is_a_date() -> None:
    assert list(row_texts([[date(2026, 12, 1)], [None]])) == ["('2026-12-01',NULL)"]


_RUNS = job_posting_collection_runs.c
_COLUMNS = (_RUNS.job_source_id, _RUNS.run_date, _RUNS.failure_cause_summary, _RUNS.started_at, _RUNS.created_at)
_SINCE = select(*_COLUMNS).where(_RUNS.run_date >= bindparam("since"))


async def test_rows_that_are_read_as_one_text_are_those_that_are_read_one_by_one(db: Database) -> None:
    at_once = AtOnce(_SINCE)
    since = {"since": date(2026, 12, 2)}
    assert await reading(db, at_once.rows, since) == []
    texts = (None, "", *AWKWARD)
    rows = [
        {
            "job_source_id": 2**62 + number,
            "run_date": date(2026, 12, number + 1),
            "run_status": "FAILED",
            "failure_cause_summary": text,
            "started_at": AT,
            "finished_at": AT,
            "created_at": AT.replace(microsecond=0),
        }
        for number, text in enumerate(texts)
    ]
    await transaction(db, insert_rows, job_posting_collection_runs, rows)
    found = await reading(db, at_once.rows, since)
    assert sorted(found) == [[row[column.name] for column in _COLUMNS] for row in rows[1:]]
    assert sorted(tuple(row) for row in found) == await reading(db, _one_by_one, since)
    each = await reading(db, EachAtOnce(_SINCE.order_by(_RUNS.run_date.desc()).limit(5)).rows, since)
    assert [list(row) for row in each] == sorted(found)[:-6:-1]
    assert each[0].failure_cause_summary == AWKWARD[-1]


async def _one_by_one(tx: Tx, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in await tx.execute(_SINCE, values))
