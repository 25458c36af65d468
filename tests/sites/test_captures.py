"""Every captured answer, through `gonggo parse`'s own reading: how many postings, the first, or the outcome's name.

Each site's own test has all postings of its captures, read off the files by eye; this one holds that the command reads
every file there is, or refuses it by name. The files are not part of the repository; without them this is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from daemon.clock import KST
from daemon.sources.model import NotFetched, Outcome, Platform
from daemon.sources.registry import adapter_of
from daemon.sources.saved import Kind, SavedAnswer, read_saved

CAPTURES = Path(__file__).resolve().parents[2].parent / "shared" / "fixtures"

pytestmark = pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captured answers are not on this machine")


@dataclass(frozen=True)
class Read:
    """What a person reads in a capture."""

    name: str
    kind: Kind
    items: int
    first_id: str | None
    title: str | None
    company: str | None = None
    deadline: str | None = None
    total: int | None = None
    following: str | None = None
    at: str = "2026-09-30"


READ = [
    Read(
        "greenhouse/daangn_jobs_2026-05-27_first14.json",
        "list",
        14,
        "7726903003",
        "[2026 당근 썸머 디자인] Product Designer (인턴)",
        "당근마켓",
        total=14,
    ),
    Read(
        "greenhouse/krafton_jobs_2026-06-06.json",
        "list",
        11,
        "8125444002",
        "[AI Research Div.] AI Companion Team Internship (2년 이상 / 인턴)",
        "KRAFTON",
        total=11,
    ),
    Read(
        "greenhouse/moloco_jobs_2026-06-06.json",
        "list",
        5,
        "7635045003",
        "Machine Learning Engineer Intern (3-month internship)",
        "Moloco",
        total=5,
    ),
    Read(
        "incruit/detail_2605180002537_2026-05-24_excerpt.html",
        "detail",
        1,
        "2605180002537",
        "UI/UX 웹디자인 퍼블리셔 과정 교육생 모집",
        "(재)부산디자인진흥원",
        "2026-06-26T18:00:00+09:00",
    ),
    Read(
        "incruit/detail_2605180002537_2026-05-24_excerpt.derived-cp949.html",
        "detail",
        1,
        "2605180002537",
        "UI/UX 웹디자인 퍼블리셔 과정 교육생 모집",
        "(재)부산디자인진흥원",
        "2026-06-26T18:00:00+09:00",
    ),
    Read(
        "incruit/recruit_khmc_job_list_2026-10_reduced_2of3.html",
        "list",
        2,
        "2610080014",
        "계약직 신입직원 [간호본부 조무사] 공개채용 모집공고_",
        None,
        "2026-10-18T23:59:59+09:00",
    ),
    Read("jobkorea/body_iframe_47985035_2025-11.html", "detail", 1, None, None),
    Read(
        "jobkorea/detail_classic_46099393_2024-12-15.html",
        "detail",
        1,
        "46099393",
        "[잡코리아] Data Scientist (5년 이상)",
        "잡코리아(유)",
        "2025-01-05T23:59:59+09:00",
    ),
    Read(
        "jobkorea/detail_jsonld_49679719_2026-07-30_excerpt.html",
        "detail",
        1,
        "49679719",
        "용접 자동화 설비 S/W 개발 (비전과 제어)",
        "한국모니터링시스템",
        "2026-08-28T23:59:59+09:00",
    ),
    Read(
        "jobkorea/joblist_2024-05_total_row_pager.html",
        "list",
        1,
        "44738554",
        "[아르네코리아㈜] 개발팀 정규직 채용(광주)",
        "아르네코리아㈜",
        "2024-06-07T23:59:59+09:00",
        total=117_341,
        following="2",
        at="2024-05-22",
    ),
    Read(
        "jobkorea/joblist_rows_2026-09-26_2of3.html",
        "list",
        2,
        "50052681",
        "[압구정] 도산공원 일식당 아루 에서 조리사 신입,경력직 구인 주5일 근무",
        "아루",
        "2026-10-26T23:59:59+09:00",
    ),
    Read(
        "jumpit/position_detail_53688979_2026-05-21.json",
        "detail",
        1,
        "53688979",
        "B2B 프로젝트 개발팀 신입",
        "에스피에이치",
        "2026-05-20T23:59:59+09:00",
    ),
    Read(
        "jumpit/positions_career0_2026-05-20_2items.json",
        "list",
        2,
        "53688979",
        "B2B 프로젝트 개발팀 신입",
        "에스피에이치",
        "2026-05-20T23:59:59+09:00",
        total=3,
        following="2:2",
    ),
    Read(
        "jumpit/positions_jobCategory_2026-07-20_page1.json",
        "list",
        16,
        "54361338",
        "[로봇/AI] 3D vision Engineer (경력)",
        "세코어로보틱스",
        "2026-08-01T23:59:59+09:00",
        total=152,
        following="2:16",
    ),
    Read(
        "jumpit/positions_keyword_2026-07-20_page1.json",
        "list",
        16,
        "54508661",
        "NVR Web viewer개발(13↑)",
        "트루엔",
        "2026-08-18T23:59:59+09:00",
        total=610,
        following="2:16",
    ),
    Read(
        "remember/job_posting_detail_341688_2026-09-17.json",
        "detail",
        1,
        "341688",
        "프론트엔드 개발자",
        "(주)인피니티익스체인지코리아",
    ),
    Read(
        "remember/search_per2_page1_2026-09-17.json",
        "list",
        2,
        "341688",
        "프론트엔드 개발자",
        "(주)인피니티익스체인지코리아",
        total=122,
        following="2",
    ),
    Read(
        "saramin/detail_dom_38655001_2020-09-09.html",
        "detail",
        1,
        "38655001",
        "웹 /응용프로그램 개발자 모집",
        "(주)매그파이소프트",
        "2020-09-20T23:59:59+09:00",
    ),
    Read(
        "saramin/detail_dom_49488749_2024-12-07.html",
        "detail",
        1,
        "49488749",
        "개인정보보호 담당자(경력9년~14년)",
        "피엠인터내셔널코리아(유)",
        "2024-12-27T23:59:59+09:00",
    ),
    Read(
        "saramin/detail_raw_53293016_2026-03-13.html",
        "detail",
        1,
        "53293016",
        "(주)지투이 2026년 상반기 IT개발자 신입 채용",
        "(주)지투이",
        "2026-04-09T23:59:59+09:00",
    ),
    Read(
        "saramin/list_contents_mcls2_2026-10-02_5rows.html",
        "list",
        5,
        "55081974",
        "[올거나이즈코리아] B2B AI 솔루션 IT 운영 PM 채용 (경력)",
        "(주)맨파워그룹코리아",
        "2026-10-11T23:59:59+09:00",
        at="2026-10-02",
    ),
    Read(
        "saramin/list_job_category_84_2026-09_ads_rows_pager.html",
        "list",
        6,
        "54926795",
        "토스플레이스 자회사 [iShopCARE] 대규모 채용｜영업·마케팅·인사·법무·전략·CX·물류·AS·운영 外",
        "(주)아이샵케어",
        "2026-10-02T23:59:59+09:00",
        total=540,
        following="2",
        at="2026-09-20",
    ),
    Read(
        "wanted/v4_job_detail_380901_2026-08-15.json",
        "detail",
        1,
        "380901",
        "Senior Full-Stack Developer",
        "버티고우게임즈 (Vertigo Games)",
        "2026-09-30T23:59:59+09:00",
    ),
    Read(
        "wanted/v4_jobs_limit3_2026-08-15.json",
        "list",
        3,
        "380901",
        "Senior Full-Stack Developer",
        "버티고우게임즈 (Vertigo Games)",
        "2026-09-30T23:59:59+09:00",
        following="3",
    ),
    Read(
        "wanted/v4_jobs_query_2026-07-09_last_page.json",
        "list",
        5,
        "363969",
        "데이터 엔지니어(파이썬 개발자)",
        "래브라도랩스",
        "2026-07-31T23:59:59+09:00",
    ),
    Read("woowahan/recruit_detail_R2001105_2021.json", "detail", 1, "R2001105", "내부통제(ITGC) 담당자 모집"),
    Read(
        "woowahan/recruits_page0_size21_2021.json",
        "list",
        21,
        "R2007104",
        "B마트 iOS 개발자 모집",
        total=62,
        following="1",
    ),
    Read("woowahan/recruits_size50_2026-09.json", "list", 9, "R2605009", "QA Engineer(Test)", total=9),
]

REFUSED: list[tuple[str, Outcome, Outcome]] = [
    ("greenhouse/toss_static_mirror_2021_8items.json", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("incruit/jobfair_template_rows_edited_hrefs.html", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("incruit/search_rows_2026-02-12_6of30.derived-cp949.html", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("incruit/search_rows_2026-02-12_6of30.html", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("jobkorea/home_returned_for_unknown_gno_49849287_2025-11.html", Outcome.LAYOUT_CHANGED, Outcome.NOT_FOUND),
    ("jobkorea/search_cards_2026-08-15.html", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("jobkorea/search_next_2025-11-24_samsung.html", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("saramin/search_recruit_2026-07-30_5items.html", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("surfit/rendered_rows_2024-10_not_api.txt", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("wanted/navigation_v1_2026-09_first8of20.json", Outcome.LAYOUT_CHANGED, Outcome.LAYOUT_CHANGED),
    ("woowahan/recruit_detail_by_seq_error_2026-09.json", Outcome.NOT_FOUND, Outcome.NOT_FOUND),
]
"""Files that answer no request the product may make: the outcome as a list, and as a posting's page."""


def opened(name: str, kind: Kind, at: str) -> SavedAnswer | NotFetched:
    """What `gonggo parse PLATFORM FILE --kind KIND --at AT` reads."""
    platform = Platform(name.partition("/")[0].upper())
    body = (CAPTURES / name).read_bytes()
    return read_saved(adapter_of(platform), body, kind, datetime.fromisoformat(f"{at}T12:00").replace(tzinfo=KST))


@pytest.mark.parametrize("expected", READ, ids=lambda expected: expected.name)
def test_a_capture_is_read_as_a_person_reads_it(expected: Read) -> None:
    answer = opened(expected.name, expected.kind, expected.at)
    assert isinstance(answer, SavedAnswer), answer
    first = answer.postings[0]
    assert (len(answer.postings), answer.skipped) == (expected.items, 0)
    assert (answer.total, answer.next_cursor) == (expected.total, expected.following)
    assert (first["sourceJobId"], first["title"]) == (expected.first_id, expected.title)
    assert (first["companyName"], first["deadlineAt"]) == (expected.company, expected.deadline)


def outcome_of(name: str, kind: Kind, at: str) -> Outcome | None:
    answer = opened(name, kind, at)
    return answer.outcome if isinstance(answer, NotFetched) else None


@pytest.mark.parametrize("expected", READ, ids=lambda expected: expected.name)
def test_a_captured_list_is_no_posting_and_a_posting_no_list(expected: Read) -> None:
    other: Kind = "detail" if expected.kind == "list" else "list"
    assert outcome_of(expected.name, other, expected.at) is Outcome.LAYOUT_CHANGED


@pytest.mark.parametrize(("name", "as_list", "as_detail"), REFUSED)
def test_a_capture_that_answers_no_request_of_ours_has_an_outcome_and_no_posting(
    name: str, as_list: Outcome, as_detail: Outcome
) -> None:
    assert outcome_of(name, "list", "2026-09-30") is as_list
    assert outcome_of(name, "detail", "2026-09-30") is as_detail


def test_every_captured_file_is_in_one_of_the_two_tables() -> None:
    listed = {each.name for each in READ} | {name for name, _, _ in REFUSED}
    files = {path.relative_to(CAPTURES).as_posix() for path in CAPTURES.rglob("*.*") if path.suffix != ".md"}
    assert files == listed
