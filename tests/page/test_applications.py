"""Applications in a browser without script: the board, allowed moves, conflicts, interviews."""

from __future__ import annotations

from daemon.application.actions import add_interview, apply_for_posting, transit_application
from daemon.application.model import ApplicationStatus
from daemon.db import Database
from tests.db.applied import some_posting
from tests.page.conftest import Browse


async def test_the_board_offers_only_the_moves_that_are_allowed(db: Database, browse: Browse) -> None:
    made = await apply_for_posting(db, await some_posting(db), None, None)
    browser = await browse(db)
    page = await browser.open("/applications")
    assert page.texts(".board h2")[0] == "지원함 1"
    assert page.texts(".moves button") == ["서류 전형", "불합격", "지원 철회"]
    page = await browser.fill(page, f"/applications/{made.id}/move", next_status="DOCUMENT_SCREENING")
    assert page.path == "/applications"
    assert page.texts(".board h2")[:2] == ["지원함 0", "서류 전형 1"]
    page = await browser.fill(page, f"/applications/{made.id}/move", next_status="REJECTED")
    assert page.texts(".ended h3[id]") == ["불합격 1"]
    assert "서류 전형에서" in page.text(".ended .card")
    assert page.tree.css(".moves") == []


async def test_a_move_that_is_not_allowed_says_why(db: Database, browse: Browse) -> None:
    made = await apply_for_posting(db, await some_posting(db), None, None)
    browser = await browse(db)
    move = f"/applications/{made.id}/move"
    page = await browser.fill(await browser.open(f"/applications/{made.id}"), move, next_status="OFFERED")
    assert page.status == 409
    assert page.text(".told") == "지원함에서 처우 협의(으)로 단계를 건너뛸 수 없습니다."
    assert (await browser.send(move, {"next_status": "GONE", "version": "0"})).status == 422
    assert (await browser.send(move, {"next_status": "REJECTED"})).status == 422


async def test_of_two_windows_the_second_is_shown_what_the_first_has_done(db: Database, browse: Browse) -> None:
    made = await apply_for_posting(db, await some_posting(db), None, None)
    browser = await browse(db)
    seen = await browser.open(f"/applications/{made.id}")
    await transit_application(db, made.id, ApplicationStatus.DOCUMENT_SCREENING)
    page = await browser.fill(seen, f"/applications/{made.id}/move", next_status="WITHDRAWN", memo="그만두기")
    assert page.status == 409
    assert "‘서류 전형’(으)로 바뀌었습니다" in page.text(".told")
    assert page.text(".track .here") == "서류 전형"
    assert page.form(f"/applications/{made.id}/move") == {"version": "1", "memo": "그만두기"}
    page = await browser.fill(page, f"/applications/{made.id}/move", next_status="WITHDRAWN")
    assert page.text(".track .here") == "지원 철회"
    assert page.texts(".story .memo") == ["그만두기"]


async def test_interviews_are_added_and_changed_and_a_stale_change_is_not_lost(db: Database, browse: Browse) -> None:
    made = await apply_for_posting(db, await some_posting(db), None, "첫 지원")
    browser = await browse(db)
    rounds = f"/applications/{made.id}/interviews"
    page = await browser.open(f"/applications/{made.id}")
    assert page.form(rounds)["round_number"] == "1"
    page = await browser.fill(page, rounds, label="기술면접", scheduled_at="2026-12-10T14:00")
    assert page.texts(".round h3") == ["1회차 · 기술면접"]
    assert "12월 10일 (목) 14:00" in page.text(".round")
    taken = await browser.fill(page, rounds, round_number="1", label="또")
    assert (taken.status, taken.form(rounds)["label"]) == (409, "또")
    assert "이미 있는 회차" in taken.text(".told")
    (edit,) = [action for action in page.actions() if action.startswith(f"{rounds}/")]
    done = await browser.fill(page, edit, interview_result="PASSED", memo="잘 봤다\n두 번째 줄")
    assert done.texts(".round .badge") == ["합격"]
    late = await browser.fill(page, edit, interview_result="FAILED")
    assert (late.status, late.texts(".round .badge"), late.form(edit)["interview_result"]) == (409, ["합격"], "FAILED")
    cleared = await browser.fill(done, edit, interview_result="", memo="", scheduled_at="")
    assert (cleared.tree.css(".round .badge"), cleared.texts(".round > .memo")) == ([], [])


async def test_an_interview_of_another_application_is_not_reached(db: Database, browse: Browse) -> None:
    mine = await apply_for_posting(db, await some_posting(db), None, None)
    other = await apply_for_posting(db, await some_posting(db), None, None)
    added = await add_interview(db, other.id, 1, "면접", None)
    browser = await browse(db)
    path = f"/applications/{mine.id}/interviews/{added.interview_id}"
    page = await browser.send(path, {"version": "0", "label": "x"})
    assert page.status == 404
