"""The six JSON sites answer in the shapes that were captured, page as the real ones page, and refuse as they refuse."""

from __future__ import annotations

import html
import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from daemon.demo.exchange import Answer, Ask
from daemon.demo.sites import SITES
from daemon.demo.world import Surface, Trouble, TroubleKind, World
from daemon.sources.model import Platform
from tests.demo.captures import captured, differences

_P = Platform


def ask(
    world: World, platform: Platform, target: str, *troubles: Trouble, number: int = 1, body: Any = None, **rest: str
) -> Answer:
    """The answer of a site to `target` (path and query) on a numbered day; a body makes it a POST."""
    parts = urlsplit(target)
    made = Ask(
        method="GET" if body is None else "POST",
        path=parts.path,
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        body=b"" if body is None else json.dumps(body).encode(),
        **rest,
    )
    site = SITES[platform]
    return site.render(made, site.locate(made), world.on(world.day_number(number)), troubles)


def data(answer: Answer) -> Any:
    assert answer.content_type.startswith("application/json")
    return json.loads(answer.body)


GREENHOUSE = "/v1/boards/daangn/jobs?content=true"
WOOWAHAN = "/w1/recruits?size=21&sort=updateDate,desc&recruitCampaignSeq=0&page="
JUMPIT = "/api/positions?jobCategory=1&sort=reg_dt&highlight=false&size=200&page="
WANTED = "/api/v4/jobs?country=kr&tag_type_ids=518&years=-1&limit=100&job_sort=job.latest_order&offset="
BACKEND = {"job_category_names": [{"level1": "SW개발", "level2": "백엔드"}], "organization_type": "without_headhunter"}


def remember(page: int, per: int = 50, search: Any = BACKEND) -> dict[str, Any]:
    return {"search": search, "sort": "starts_at_desc", "page": page, "per": per}


@pytest.mark.parametrize(
    ("platform", "target", "body", "capture", "left_out"),
    [
        # The values of a multi_select are lists on other boards.
        (
            _P.GREENHOUSE,
            GREENHOUSE,
            None,
            "greenhouse/daangn_jobs_2026-05-27_first14.json",
            (".jobs[].metadata[].value",),
        ),
        (_P.WOOWAHAN, f"{WOOWAHAN}0", None, "woowahan/recruits_size50_2026-09.json", ()),
        (_P.JUMPIT, f"{JUMPIT}1", None, "jumpit/positions_jobCategory_2026-07-20_page1.json", ()),
        (_P.WANTED, f"{WANTED}0", None, "wanted/v4_jobs_limit3_2026-08-15.json", ()),
        (
            _P.WANTED,
            "/api/chaos/navigation/v1/results?job_group_id=518&limit=20&offset=0",
            None,
            "wanted/navigation_v1_2026-09_first8of20.json",
            (".data[].reward.reward_",),
        ),
        (
            _P.REMEMBER,
            "/job_postings/search",
            remember(1),
            "remember/search_per2_page1_2026-09-17.json",
            (".data[].application_requirements.", ".meta.logger_info.query_meta_data.search.addresses"),
        ),
    ],
    ids=["greenhouse", "woowahan", "jumpit", "wanted", "wanted-navigation", "remember"],
)
def test_a_list_has_every_field_of_the_captured_one_in_a_captured_type(
    world: World, platform: Platform, target: str, body: Any, capture: str, left_out: tuple[str, ...]
) -> None:
    assert differences(data(ask(world, platform, target, body=body)), captured(capture), left_out=left_out) == []


@pytest.mark.parametrize(
    ("platform", "board", "path", "capture", "left_out"),
    [
        (
            _P.WOOWAHAN,
            "woowahan",
            "/w1/recruits/",
            "woowahan/recruit_detail_R2001105_2021.json",
            (
                ".data.qualificationRestriction.",
                ".data.resumeEntryGroups[]",
                ".data.selfIntroduces[]",
                ".data.recruitmentRequestUrl",
            ),
        ),
        (
            _P.JUMPIT,
            "1",
            "/api/position/",
            "jumpit/position_detail_53688979_2026-05-21.json",
            (".result.cacheCompanyImages[]", ".result.itCompanyStory[]"),
        ),
        (_P.WANTED, "518", "/api/v4/jobs/", "wanted/v4_job_detail_380901_2026-08-15.json", (".job.company_images[]",)),
        (
            _P.REMEMBER,
            "310",
            "/job_postings/",
            "remember/job_posting_detail_341688_2026-09-17.json",
            (".data.application_requirements.",),
        ),
    ],
    ids=["woowahan", "jumpit", "wanted", "remember"],
)
def test_a_detail_has_every_field_of_the_captured_one_in_a_captured_type(
    world: World, platform: Platform, board: str, path: str, capture: str, left_out: tuple[str, ...]
) -> None:
    listed = world.on(world.first_day).listed(platform, board) or ()
    dated = next(one for one in listed if one.deadline is not None and not one.withdrawn)
    ours = data(ask(world, platform, f"{path}{dated.site_id}"))
    assert differences(ours, captured(capture), left_out=left_out) == []


def test_greenhouse_escapes_its_texts_once_as_a_whole(world: World) -> None:
    jobs = data(ask(world, _P.GREENHOUSE, GREENHOUSE))["jobs"]
    assert all(job["content"].startswith("&lt;div class=&quot;content-intro&quot;") for job in jobs)
    assert all("<" not in job["content"] and "&amp;nbsp;" in job["content"] for job in jobs)
    assert "<h3>주요업무</h3>" in html.unescape(jobs[0]["content"])


def test_greenhouse_without_content_leaves_the_texts_out(world: World) -> None:
    answer = data(ask(world, _P.GREENHOUSE, "/v1/boards/daangn/jobs"))
    assert all("content" not in job and "departments" not in job for job in answer["jobs"])
    assert answer["meta"]["total"] == len(answer["jobs"])


def test_greenhouse_answers_404_for_a_board_or_a_job_that_it_has_not(world: World) -> None:
    assert ask(world, _P.GREENHOUSE, "/v1/boards/dunamu/jobs").status == 404
    assert ask(world, _P.GREENHOUSE, "/v1/boards/daangn/jobs/1").status == 404


def test_greenhouse_titles_carry_stray_white_space_and_dates_an_american_offset(world: World) -> None:
    jobs = data(ask(world, _P.GREENHOUSE, GREENHOUSE))["jobs"]
    assert any(job["title"] != job["title"].strip() for job in jobs)
    assert {job["updated_at"][-6:] for job in jobs} <= {"-04:00", "-05:00"}
    assert len({job["updated_at"][-6:] for job in jobs}) == 2


def test_woowahan_counts_pages_from_0_when_asked_and_from_1_when_answering(world: World) -> None:
    first, third, past = (data(ask(world, _P.WOOWAHAN, f"{WOOWAHAN}{page}"))["data"] for page in (0, 2, 9))
    assert (first["pageNumber"], third["pageNumber"]) == (1, 3)
    assert (len(first["list"]), first["totalPageNumber"]) == (21, 3)
    assert first["totalSize"] == 42 + len(third["list"])
    assert past["list"] == []


def test_woowahan_moves_an_edited_posting_to_the_front_under_a_new_sequence_number(world: World) -> None:
    def rows(number: int) -> dict[str, Any]:
        found = data(ask(world, _P.WOOWAHAN, "/w1/recruits?size=100&page=0", number=number))["data"]["list"]
        return {row["recruitNumber"]: row for row in found}

    before, after = rows(1), rows(2)
    edited = [
        key for key in before.keys() & after.keys() if before[key]["recruitVersion"] != after[key]["recruitVersion"]
    ]
    assert edited
    for key in edited:
        assert after[key]["recruitSeq"] != before[key]["recruitSeq"]
        assert list(after).index(key) < 10


def test_woowahan_says_always_open_by_flag_and_year_9999(world: World) -> None:
    rows = data(ask(world, _P.WOOWAHAN, "/w1/recruits?size=100&page=0"))["data"]["list"]
    assert all(row["isUnlimitedEndDate"] == row["recruitEndDate"].startswith("9999") for row in rows)
    assert {row["recruitCloseDate"] for row in rows} == {"2999-12-31 00:00:00"}
    assert [row["isHidden"] for row in rows].count(True) == 1


def test_woowahan_answers_an_unknown_number_with_200_and_code_9002(world: World) -> None:
    answer = ask(world, _P.WOOWAHAN, "/w1/recruits/25747")
    assert answer.status == 200
    assert data(answer) == {"code": "9002", "message": "RecruitService::findTopBy:25747", "data": None}


def test_jumpit_has_16_a_page_unless_asked_and_no_more_past_its_end(world: World) -> None:
    first = data(ask(world, _P.JUMPIT, "/api/positions?jobCategory=1"))["result"]
    past = data(ask(world, _P.JUMPIT, f"{JUMPIT}9"))["result"]
    assert (len(first["positions"]), first["page"]) == (16, 1)
    assert (past["positions"], past["totalCount"]) == ([], first["totalCount"])


def test_jumpit_marks_hits_unless_told_not_to(world: World) -> None:
    marked = data(ask(world, _P.JUMPIT, "/api/positions?jobCategory=1&keyword=서버&size=200"))["result"]
    plain = data(ask(world, _P.JUMPIT, "/api/positions?jobCategory=1&keyword=서버&size=200&highlight=false"))["result"]
    assert any("<span>서버</span>" in one["title"] for one in marked["positions"])
    assert not any("<span>" in one["title"] for one in plain["positions"])
    assert plain["keyword"] == "서버"


def test_jumpit_leaves_a_stale_date_on_some_postings_that_are_always_open(world: World) -> None:
    positions = data(ask(world, _P.JUMPIT, f"{JUMPIT}1"))["result"]["positions"]
    open_ended = [one["closedAt"] for one in positions if one["alwaysOpen"]]
    assert None in open_ended
    assert "2026-10-31T23:59:59" in open_ended


def test_jumpit_refuses_a_posting_that_is_gone_with_400_and_c003(world: World) -> None:
    answer = ask(world, _P.JUMPIT, "/api/position/1")
    assert (answer.status, data(answer)["code"]) == (400, "C003")
    assert ask(world, _P.JUMPIT, "/api/positions/54700001").status == 404


def test_wanted_links_to_the_next_page_relatively_until_the_last(world: World) -> None:
    seen: list[int] = []
    following: str | None = f"{WANTED}0"
    while following is not None:
        assert following.startswith("/api/v4/jobs?")
        answer = data(ask(world, _P.WANTED, following))
        seen += [one["id"] for one in answer["data"]]
        following = answer["links"]["next"]
        assert following is None or "tag_type_ids=518" in following
    listed = world.on(world.first_day).listed(_P.WANTED, "518") or ()
    assert seen == [int(one.site_id) for one in listed]


def test_wanted_gives_at_most_100_a_page_and_an_empty_list_for_an_unknown_tag(world: World) -> None:
    many = data(ask(world, _P.WANTED, "/api/v4/jobs?tag_type_ids=518&limit=500"))
    none = data(ask(world, _P.WANTED, "/api/v4/jobs?tag_type_ids=99999&limit=100"))
    assert len(many["data"]) == 100
    assert (none["data"], none["links"]["next"]) == ([], None)


def test_wanted_refuses_years_above_10_and_a_posting_that_is_gone(world: World) -> None:
    assert ask(world, _P.WANTED, "/api/v4/jobs?years=15&limit=20").status == 422
    assert ask(world, _P.WANTED, "/api/v4/jobs/1").status == 404


def test_remember_echoes_what_it_understood(world: World) -> None:
    answer = data(ask(world, _P.REMEMBER, "/job_postings/search", body=remember(1)))
    echo = answer["meta"]["logger_info"]["query_meta_data"]["search"]
    assert (echo["job_category_ids"], echo["job_category_names"]) == ([310], None)
    assert echo["organization_type"] == "without_headhunter"
    assert answer["meta"]["total_count"] == len(world.on(world.first_day).listed(_P.REMEMBER, "310") or ())


def test_remember_ignores_camel_case_and_answers_with_everything(world: World) -> None:
    wrong = {"jobCategoryNames": [{"level1": "SW개발", "level2": "백엔드"}]}
    right, everything = (
        data(ask(world, _P.REMEMBER, "/job_postings/search", body=remember(1, search=search)))["meta"]
        for search in (BACKEND, wrong)
    )
    assert everything["total_count"] > right["total_count"]
    assert everything["logger_info"]["query_meta_data"]["search"]["job_category_ids"] is None


def test_remember_refuses_more_than_50_a_page_and_has_nothing_past_the_last(world: World) -> None:
    assert ask(world, _P.REMEMBER, "/job_postings/search", body=remember(1, per=51)).status == 400
    meta = data(ask(world, _P.REMEMBER, "/job_postings/search", body=remember(1)))["meta"]
    past = data(ask(world, _P.REMEMBER, "/job_postings/search", body=remember(meta["total_pages"] + 1)))
    assert past["data"] == []


def test_surfit_insists_on_origin_and_referer_of_its_job_site(world: World) -> None:
    site = "https://jobs.surfit.io"
    refused = ask(world, _P.SURFIT, "/v1/jobs/all", body={"page": 1})
    answer = ask(world, _P.SURFIT, "/v1/jobs/all", body={"page": 1}, origin=site, referer=f"{site}/")
    assert refused.status == 403
    assert {"id", "is_closed", "close", "ads_end_at"} <= data(answer)["data"][0].keys()


def test_surfit_says_always_open_in_words_and_a_closed_posting_by_flag(world: World) -> None:
    site = "https://jobs.surfit.io"
    jobs = [
        job
        for page in (1, 2, 3, 4)
        for job in data(ask(world, _P.SURFIT, "/v1/jobs/all", body={"page": page}, origin=site, referer=site))["data"]
    ]
    assert all((job["close"] == "상시채용") == (job["ads_end_at"] is None) for job in jobs)
    assert [job["is_closed"] for job in jobs].count(True) == 1


def test_counters_differ_from_day_to_day_where_the_real_ones_do(world: World) -> None:
    def views(number: int) -> dict[int, int]:
        positions = data(ask(world, _P.JUMPIT, f"{JUMPIT}1", number=number))["result"]["positions"]
        return {one["id"]: one["viewCount"] for one in positions}

    before, after = views(1), views(2)
    assert all(after[key] > before[key] for key in before.keys() & after.keys())


@pytest.mark.parametrize("rows", [3, -3], ids=["appeared", "vanished"])
def test_rows_that_appear_or_vanish_while_a_list_is_read_repeat_or_hide_others(world: World, rows: int) -> None:
    shift = Trouble(kind=TroubleKind.SHIFT_ROWS, value=rows, surface=Surface.LIST)
    pages = [data(ask(world, _P.JUMPIT, f"{JUMPIT}{page}", shift))["result"]["positions"] for page in (1, 2)]
    ids = [one["id"] for page in pages for one in page]
    total = len(world.on(world.first_day).listed(_P.JUMPIT, "1") or ())
    assert len(ids) == total + max(rows, 0) + min(rows, 0)
    assert len(set(ids)) == total + min(rows, 0)


def test_a_list_that_repeats_its_last_page_never_says_that_it_ends(world: World) -> None:
    endless = Trouble(kind=TroubleKind.REPEAT_LAST_PAGE)
    last = data(ask(world, _P.WANTED, f"{WANTED}100", endless))
    past = data(ask(world, _P.WANTED, f"{WANTED}900", endless))
    assert last["data"] == past["data"] != []
    assert past["links"]["next"] is not None
