"""Real captured answers, served by a local server under the paths they came from, collected by a real daemon to rows.

Expected values are read from the captures by eye. Where a capture is a part of what its site declared, the cycle must
say so: what was seen is stored and nothing is concluded.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from daemon.clock import kst
from daemon.company.tables import companies
from daemon.demo.sources import DemoSource
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemons
from tests.acceptance.stage import follow, stage_on
from tests.databases import execute
from tests.sources.hostile import HostileSite

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

_CAPTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures"
_DAY = date(2026, 10, 2)
"""The day of the Saramin capture, whose deadlines count from it (`D-4`)."""

_JSON, _HTML = "application/json", "text/html; charset=UTF-8"


@dataclass(frozen=True, kw_only=True)
class Capture:
    """A stored answer, the address it answers, and what a person reads in it."""

    file: str
    source: DemoSource
    path: str
    kind: str = _JSON
    reason: str | None = None
    """How the cycle fails; None: it does not."""
    count: int
    titles: dict[str, str]
    """Some of them, by id."""
    deadlines: dict[str, datetime | None]
    company_names: frozenset[str] = frozenset()
    """Companies that must have been discovered."""


def _end_of(year: int, month: int, day: int) -> datetime:
    return kst(date(year, month, day), 23, 59, 59)


_P = Platform
_GREENHOUSE = (
    Capture(
        file="greenhouse/daangn_jobs_2026-05-27_first14.json",
        source=DemoSource(platform=_P.GREENHOUSE, slug="daangn", company_name="당근마켓"),
        path="/v1/boards/daangn/jobs",
        count=14,
        titles={
            "7726903003": "[2026 당근 썸머 디자인] Product Designer (인턴)",
            "4351200003": "DBA (Database Administrator) | 인프라 (DB)",
            "6238656003": "FP&A Manager | 재무 (경영관리)",
        },
        deadlines={"7726903003": None},
    ),
    Capture(
        file="greenhouse/moloco_jobs_2026-06-06.json",
        source=DemoSource(platform=_P.GREENHOUSE, slug="moloco", company_name="몰로코"),
        path="/v1/boards/moloco/jobs",
        count=5,
        titles={
            "7562204003": "Applied Scientist II (응용 과학자 II)",
            "7719162003": "Director of APAC Communications",  # a blank at its end in the answer
        },
        deadlines={"7562204003": None},
    ),
)
_CAPTURED = (
    *_GREENHOUSE,
    Capture(
        file="woowahan/recruits_size50_2026-09.json",
        source=DemoSource(platform=_P.WOOWAHAN, slug="woowahan", company_name="우아한형제들"),
        path="/w1/recruits",
        count=9,
        titles={
            "R2605009": "QA Engineer(Test)",
            "R2607038": "로보틱스 S/W 엔지니어링(자율주행 ML/팀장급)",
            "R2606008": "데이터과학(딜리버리)",
        },
        deadlines={"R2605009": None},  # 9999-12-31
    ),
    Capture(
        file="jumpit/positions_jobCategory_2026-07-20_page1.json",
        source=DemoSource(platform=_P.JUMPIT, category_code="8"),
        path="/api/positions",
        reason="LIST_TOTAL_MISMATCH",  # the first 16 of 152
        count=16,
        titles={"54361338": "[로봇/AI] 3D vision Engineer (경력)", "54358734": "AI Engineer (DX본부) (가산)"},
        deadlines={"54361338": _end_of(2026, 8, 1), "54272859": _end_of(2026, 7, 23)},
        company_names=frozenset({"세코어로보틱스", "한국딥러닝"}),
    ),
    Capture(
        file="saramin/list_contents_mcls2_2026-10-02_5rows.html",
        source=DemoSource(platform=_P.SARAMIN, category_code="84"),
        path="/zf_user/jobs/list/job-category",
        kind=_HTML,
        count=5,
        titles={
            "55081974": "[올거나이즈코리아] B2B AI 솔루션 IT 운영 PM 채용 (경력)",
            "55165625": "[반도체 중견기업] 10월 신입/경력 모집 (엔지니어, 제조직)",
            "55144201": "인천 씨티은행 (PL or PMO & 영어능숙자) 고급 구인",
        },
        deadlines={
            "55081974": _end_of(2026, 10, 11),  # ~10.11(일)
            "55144201": None,  # 채용시
            "55147183": _end_of(2026, 10, 6),  # D-4
        },
        company_names=frozenset({"(주)샘씨엔에스", "삼성서울병원"}),
    ),
    Capture(
        file="wanted/v4_jobs_query_2026-07-09_last_page.json",
        source=DemoSource(platform=_P.WANTED, category_code="518"),
        path="/api/v4/jobs",
        count=5,
        titles={
            "363969": "데이터 엔지니어(파이썬 개발자)",
            "326795": "[병역특례] 데이터 엔지니어 (Growth Data Engineer), 부산",
        },
        deadlines={"363969": _end_of(2026, 7, 31), "326795": None},
        company_names=frozenset({"래브라도랩스", "페이타랩(패스오더)"}),
    ),
    Capture(
        file="incruit/recruit_khmc_job_list_2026-10_reduced_2of3.html",
        source=DemoSource(platform=_P.INCRUIT, slug="khmc", company_name="경희의료원"),
        path="/khmc/job",
        kind=_HTML,
        count=2,
        titles={
            "2610080014": "계약직 신입직원 [간호본부 조무사] 공개채용 모집공고_",
            "2610080012": "계약직 신입직원 [사무직] 공개채용 모집",
        },
        deadlines={"2610080014": _end_of(2026, 10, 18), "2610080012": kst(date(2026, 10, 16), 16)},
    ),
)


async def test_captured_lists_become_rows_with_the_titles_deadlines_and_companies_that_a_person_reads(
    tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "A real capture served by a local server is collected to rows."""
    missing = [one.file for one in _CAPTURED if not (_CAPTURES / one.file).is_file()]
    if missing:
        pytest.skip(f"no captures beside the repository: {missing}")
    async with AsyncExitStack() as stack:
        sites = {one.source.platform: HostileSite() for one in _CAPTURED}
        for site in sites.values():
            await stack.enter_async_context(site)
        for one in _CAPTURED:
            sites[one.source.platform].answers(one.path, (_CAPTURES / one.file).read_bytes(), kind=one.kind)
        origins = {platform: site.origin for platform, site in sites.items()}
        url = f"sqlite:///{tmp_path}/gonggo.db"
        stage = await stack.enter_async_context(stage_on(tmp_path, url, kst(_DAY, 12), origins))
        sources = {await follow(stage.db, one.source): one for one in _CAPTURED}
        await daemons.start("daemon", stage.told(daily_details=0))
        ended = await stage.over(_DAY)
        stored: dict[int, dict[str, Any]] = {key: {} for key in sources}
        for posting in await execute(stage.db, select(job_postings)):
            stored[posting.job_source_id][posting.source_job_id] = posting
        names = {row.name for row in await execute(stage.db, select(companies))}
        for key, one in sources.items():
            assert ended[key]["failure_reason"] == one.reason, one.file
            found = stored[key]
            assert len(found) == ended[key]["new_count"] == one.count, one.file
            assert {job_id: found[job_id].title for job_id in one.titles} == one.titles
            assert {job_id: found[job_id].deadline_at for job_id in one.deadlines} == one.deadlines
            assert one.company_names <= names
