"""A world of thirty sources, however long it has been collected: written by the server itself, from numbers.

Every day brings the same: so many postings, each open for a month, a cycle and a run per source, a snapshot, the daily
jobs. What is alive (open postings, sources, today's cycles) is therefore the same after a month and after ten years;
only the history grows. Texts and tags are kept for open postings alone: lists and deltas never read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import insert, text

from daemon import schema
from daemon.clock import business_date
from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.matching.actions.criteria import add_keyword_group
from daemon.schedule.model import JobName
from daemon.sources.model import Platform, SourceType
from tests.databases import execute

PER_DAY = 274
"""Postings found a day: a million in ten years."""

OPEN_DAYS = 30
SOURCES = 30
_LOT = 50_000

BOARDS = (Platform.GREENHOUSE, Platform.WOOWAHAN, Platform.INCRUIT)
SEARCHES = (Platform.SARAMIN, Platform.JUMPIT, Platform.WANTED, Platform.REMEMBER, Platform.SURFIT, Platform.JOBKOREA)


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """How long the world has been collected."""

    days: int
    today: date

    @property
    def postings(self) -> int:
        """Postings in all."""
        return self.days * PER_DAY

    @property
    def companies(self) -> int:
        """Companies in all: some are discovered every day."""
        return 1_000 + self.days * 5


async def write_history(db: Database, days: int) -> History:
    """Migrate an empty database of a server and fill it; its statistics are fresh afterwards."""
    history = History(days=days, today=business_date(db.clock.now()))
    await schema.migrate(db)
    for key in FlagKey:
        await switch_flag(db, key, True)
    await _write_sources(db, history)
    for first in range(0, history.postings, _LOT):
        span = {"first": first, "until": min(first + _LOT, history.postings), "postings": history.postings}
        for statement in (_POSTINGS, _RESULTS, _TEXTS, _TAGS):
            await execute(db, text(statement), span)
    await add_keyword_group(db, "백엔드", ["백엔드"])
    await execute(db, text(_GROUPS))
    for statement in (_CYCLES, _RUNS, _HEADERS, _ITEMS):
        await execute(db, text(statement), {"days": history.days, "today": history.today})
    for job in JobName:
        await execute(db, text(_JOBS), {"days": history.days, "today": history.today, "job": job.value})
    for table in ("job_postings", "job_posting_match_results", "job_posting_collection_cycles", "companies",
                  "job_posting_collection_runs", "job_posting_collection_sla_snapshot_sources"):  # fmt: skip
        await execute(db, text(f"ANALYZE TABLE {table}"))
    for table, rows in (("job_postings", history.postings), ("job_posting_match_results", history.postings),
                        ("job_posting_collection_cycles", days * SOURCES), ("companies", history.companies),
                        ("scheduled_job_executions", days * len(JobName))):  # fmt: skip
        (found,) = await execute(db, text(f"SELECT COUNT(*) FROM {table}"))
        assert found[0] == rows, f"{table}: {found[0]} rows in place of {rows}"
    return history


async def _write_sources(db: Database, history: History) -> None:
    now = db.clock.now() - timedelta(days=history.days)
    stamps: dict[str, datetime] = {"created_at": now, "updated_at": now, "seeded_at": now}
    await execute(db, text(_COMPANIES), {"companies": history.companies})
    for number in range(SOURCES):
        if number < SOURCES // 2:
            kind, platform = SourceType.COMPANY_BOUND, BOARDS[number % len(BOARDS)]
            place: dict[str, object] = {"company_id": number + 1, "source_slug": f"board{number}"}
        else:
            kind, platform = SourceType.AGGREGATOR, SEARCHES[number % len(SEARCHES)]
            place = {"search_category_code": str(number), "search_keyword": ""}
        await execute(db, insert(job_sources).values(platform=platform, source_type=kind, **place, **stamps))


def numbers(until: str, first: str = "0", name: str = "n") -> str:
    """A table of the numbers from `first` up to, not including, `until`; at most a million of them."""
    return f"""(
        WITH RECURSIVE up AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM up WHERE i < 999)
        SELECT {first} + high.i * 1000 + low.i AS number FROM up AS high CROSS JOIN up AS low
        WHERE high.i <= (({until}) - {first}) DIV 1000 AND {first} + high.i * 1000 + low.i < {until}
        ORDER BY number
    ) AS {name}"""


_COMPANIES = f"""
    INSERT INTO companies (id, name, name_key, registration_type, company_origin, created_at, updated_at)
    SELECT number + 1, CONCAT('주식회사 회사', number), CONCAT('회사', number), 'MANUAL_ONLY',
           IF(number < 30, 'WATCHED', 'DISCOVERED'), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)
    FROM {numbers(":companies")}
"""

_AGE = f"((:postings - 1 - number) DIV {PER_DAY})"
"""Whole days since a posting was found."""

_FOUND = f"UTC_TIMESTAMP(6) - INTERVAL {_AGE} DAY - INTERVAL ((:postings - 1 - number) MOD {PER_DAY}) MINUTE"
_OPEN = f"{_AGE} < {OPEN_DAYS}"
_SOURCE = f"number MOD {SOURCES}"
_COMPANY = f"IF({_SOURCE} < {SOURCES // 2}, {_SOURCE} + 1, number * 7919 MOD (1000 + number DIV {PER_DAY} * 5) + 1)"
_COPY = "(number MOD 10 = 7)"
"""One posting in ten is a copy of the one before it."""

_KEY = f"CONCAT('주식회사회사|', number - {_COPY}, '소프트웨어엔지니어백엔드')"

_POSTINGS = f"""
    INSERT INTO job_postings (
        id, company_id, job_source_id, representative_id, dedup_key, posting_origin, source_job_id, title, posting_url,
        deadline_at, posting_status, closed_reason, closed_at, change_signal_kind, change_signal_value,
        notification_eligible, eligible_alone, dedup_pending, first_seen_at, last_seen_at, detail_verified_at, version,
        created_at, updated_at
    )
    SELECT
        number + 1, {_COMPANY}, {_SOURCE} + 1, IF({_COPY}, number, NULL), {_KEY}, 'COLLECTED',
        CONCAT('J', number),
        CONCAT('[', {_COMPANY}, '] ', ELT(number MOD 5 + 1, '백엔드', '프론트엔드', '데이터', '보안', '기획'),
               ' 개발자 및 소프트웨어 엔지니어 모집 (', number, ')'),
        CONCAT('https://www.example.co.kr/careers/jobs/view?id=', number),
        IF(number MOD 3, {_FOUND} + INTERVAL {OPEN_DAYS} DAY, NULL),
        IF({_OPEN}, 'OPEN', 'CLOSED'), IF({_OPEN}, NULL, 'NOT_FOUND_TWICE'),
        IF({_OPEN}, NULL, {_FOUND} + INTERVAL {OPEN_DAYS} DAY),
        'FIELD_HASH', SHA2(CONCAT(number), 256), NOT {_COPY}, IF({_COPY}, 1, NULL), 0,
        {_FOUND}, {_FOUND} + INTERVAL LEAST({_AGE}, {OPEN_DAYS}) DAY, {_FOUND}, 0, {_FOUND},
        {_FOUND} + INTERVAL LEAST({_AGE}, {OPEN_DAYS}) DAY
    FROM {numbers(":until", ":first")}
"""

_RESULTS = f"""
    INSERT INTO job_posting_match_results (
        job_posting_id, criteria_revision, matched, notifiable, top_confidence, work_arrangement_sort_rank,
        evaluated_at, created_at, updated_at, posting_version
    )
    SELECT number + 1, 1, number MOD 20 = 0, number MOD 20 = 0,
           IF(number MOD 50 = 0, 'CONFIRMED', IF(number MOD 50 = 1, 'LIKELY', 'UNKNOWN')),
           IF(number MOD 50 < 2, number MOD 50 + 1, 99), {_FOUND}, {_FOUND}, {_FOUND}, 0
    FROM {numbers(":until", ":first")}
"""

_TEXTS = f"""
    INSERT INTO job_posting_descriptions (job_posting_id, body, char_length, created_at, updated_at)
    SELECT number + 1, REPEAT('주요 업무: 서버 개발, 자격 요건: 경력 3년 이상. ', 30), 990, {_FOUND}, {_FOUND}
    FROM {numbers(":until", ":first")} WHERE {_OPEN}
"""

_TAGS = f"""
    INSERT INTO job_posting_source_tags (job_posting_id, tag_value, normalized_value, created_at)
    SELECT number + 1, tag, tag, {_FOUND}
    FROM {numbers(":until", ":first")} CROSS JOIN (SELECT '정규직' AS tag UNION ALL SELECT '서울') AS t WHERE {_OPEN}
"""

_GROUPS = """
    INSERT INTO job_posting_matched_keyword_groups (
        job_posting_match_result_id, job_keyword_group_id, matched_synonym, created_at
    )
    SELECT id, 1, '백엔드', created_at FROM job_posting_match_results WHERE notifiable = 1
"""

_DAY = "CAST(:today AS DATE) - INTERVAL day.number DAY"
_BEGUN = f"CAST({_DAY} AS DATETIME) - INTERVAL 9 HOUR"
_STATUS = "ELT((day.number + source.number) MOD 20 + 1, 'BUDGET_EXHAUSTED', 'FAILED')"
_DAYS = numbers(":days + 1", "1", "day")
"""Every day before today."""

_SOURCES = numbers(str(SOURCES), name="source")

_CYCLES = f"""
    INSERT INTO job_posting_collection_cycles (
        job_source_id, run_date, source_type, cycle_status, is_complete, next_eligible_at, attempt_count,
        list_page_count, fetched_count, new_count, started_at, finished_at, created_at, updated_at
    )
    SELECT source.number + 1, {_DAY}, IF(source.number < {SOURCES // 2}, 'COMPANY_BOUND', 'AGGREGATOR'),
           COALESCE({_STATUS}, 'SUCCESS'), {_STATUS} IS NULL, {_BEGUN}, 1, 6, 274, 9, {_BEGUN},
           {_BEGUN} + INTERVAL 5 MINUTE, {_BEGUN}, {_BEGUN} + INTERVAL 5 MINUTE
    FROM {_DAYS} CROSS JOIN {_SOURCES} ORDER BY day.number DESC, source.number
"""

_RUNS = f"""
    INSERT INTO job_posting_collection_runs (
        job_source_id, run_date, run_status, fetched_count, new_count, started_at, finished_at, created_at
    )
    SELECT source.number + 1, {_DAY}, COALESCE({_STATUS}, 'SUCCESS'), 274, 9, {_BEGUN},
           {_BEGUN} + INTERVAL 5 MINUTE, {_BEGUN} + INTERVAL 5 MINUTE
    FROM {_DAYS} CROSS JOIN {_SOURCES} WHERE COALESCE({_STATUS}, 'SUCCESS') <> 'BUDGET_EXHAUSTED'
    ORDER BY day.number DESC, source.number
"""

_HEADERS = f"""
    INSERT INTO job_posting_collection_sla_snapshots (
        id, snapshot_date, scheduled_at, capture_status, captured_at, created_at, updated_at
    )
    SELECT :days + 1 - day.number, {_DAY}, CAST({_DAY} AS DATETIME), 'CAPTURED', CAST({_DAY} AS DATETIME),
           {_BEGUN}, {_BEGUN}
    FROM {_DAYS}
"""

_ITEMS = f"""
    INSERT INTO job_posting_collection_sla_snapshot_sources (
        job_posting_collection_sla_snapshot_id, job_source_id, source_type, captured_cycle_status,
        captured_fetched_count, captured_is_complete, captured_abnormal, captured_close_guarded, created_at
    )
    SELECT :days + 1 - day.number, source.number + 1,
           IF(source.number < {SOURCES // 2}, 'COMPANY_BOUND', 'AGGREGATOR'), COALESCE({_STATUS}, 'SUCCESS'), 274,
           {_STATUS} IS NULL, {_STATUS} = 'FAILED' AND {_STATUS} IS NOT NULL, 0, CAST({_DAY} AS DATETIME)
    FROM {_DAYS} CROSS JOIN {_SOURCES} ORDER BY day.number DESC, source.number
"""

_JOBS = f"""
    INSERT INTO scheduled_job_executions (
        job_name, run_date, job_status, owner, attempt_count, started_at, finished_at, created_at, updated_at
    )
    SELECT :job, {_DAY}, 'SUCCESS', 'bench', 1, {_BEGUN}, {_BEGUN} + INTERVAL 1 MINUTE, {_BEGUN}, {_BEGUN}
    FROM {_DAYS} ORDER BY day.number DESC
"""
