"""Exports of the application history: whole, and safe to open in a spreadsheet (DESIGN 1.10)."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest

from daemon.application.actions import add_interview, apply_for_posting, edit_interview, transit_application
from daemon.application.model import ApplicationStatus, InterviewResult
from daemon.clock import ManualClock
from daemon.db import Database
from daemon.operations.applications import actions as views
from daemon.operations.spreadsheet import csv_head, csv_rows
from tests.db.applied import add_company, add_posting, some_posting
from tests.web.conftest import Client, Serve

APPLIED_AT = datetime(2026, 11, 28, 10, 30, tzinfo=UTC)


async def sheet(client: Client) -> list[list[str]]:
    """The CSV export as a spreadsheet reads it."""
    answer = await client.get("/api/export/applications.csv")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="gonggo-applications.csv"'
    body = await answer.read()
    assert body.startswith(b"\xef\xbb\xbf")
    assert body.endswith(b"\r\n")
    return list(csv.reader(io.StringIO(body.decode("utf-8-sig"), newline="")))


async def some_history(db: Database, clock: ManualClock) -> int:
    """An application with two steps and two interviews."""
    posting = await add_posting(db, await add_company(db, "당근마켓"), '=HYPERLINK("http://evil.example","채용")')
    application = (await apply_for_posting(db, posting, APPLIED_AT, "-추천\r\n+둘째 줄")).id
    await transit_application(db, application, ApplicationStatus.REJECTED, "아쉽다")
    passed = await add_interview(db, application, 1, "1차 기술면접", clock.now() + timedelta(hours=14))
    await edit_interview(db, application, passed.interview_id, {"interview_result": InterviewResult.PASSED})
    await add_interview(db, application, 2, "2차")
    return application


async def test_the_spreadsheet_has_a_row_per_application_with_history_and_interviews(
    db: Database, serve: Serve, clock: ManualClock
) -> None:
    application = await some_history(db, clock)
    header, row = await sheet(await serve(db))
    assert dict(zip(header, row, strict=True)) == {
        "지원": str(application),
        "회사": "당근마켓",
        "공고": '\'=HYPERLINK("http://evil.example","채용")',
        "주소": "https://example.com/jobs/1",
        "공고 상태": "모집 중",
        "상태": "불합격",
        "탈락 단계": "지원함",
        "지원한 때": "2026-11-28 19:30:00",
        "최근 변경": "2026-12-01 00:00:00",
        "메모": "'-추천\n+둘째 줄",
        "이력": "2026-11-28 19:30:00 지원함: -추천\n+둘째 줄\n2026-12-01 00:00:00 불합격: 아쉽다",
        "면접": "1회차 1차 기술면접 2026-12-01 14:00:00 합격\n2회차 2차",
    }


async def test_the_json_export_is_every_application_as_it_is_shown(
    db: Database, serve: Serve, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_CHUNK", 2)
    ids = [await some_history(db, clock)]
    ids += [(await apply_for_posting(db, await some_posting(db), None, None)).id for _ in range(4)]
    client = await serve(db)
    answer = await client.get("/api/export/applications.json")
    assert answer.status == 200
    exported = (await answer.json())["applications"]
    assert exported == [await (await client.get(f"/api/applications/{each}")).json() for each in ids]
    assert (len(exported[0]["statusHistories"]), len(exported[0]["interviews"])) == (2, 2)
    assert [row[0] for row in await sheet(client)] == ["지원", *map(str, ids)]


async def test_without_applications_the_exports_are_empty_but_whole(db: Database, serve: Serve) -> None:
    client = await serve(db, language="en")
    (header,) = await sheet(client)
    assert header[:3] == ["Application", "Company", "Posting"]
    assert await (await client.get("/api/export/applications.json")).json() == {"applications": []}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+82 10", "'+82 10"),
        ("-2", "'-2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\n=1"),
        ("\u200b=1", "'\u200b=1"),
        ("＝1", "'＝1"),
        ("\x00=1", "'=1"),
        ("a=1", "a=1"),
        ("1-2", "1-2"),
        ("", ""),
        ('따옴표 " 와, 쉼표\n줄', '따옴표 " 와, 쉼표\n줄'),
        ("nul\x00 esc\x1b", "nul esc"),
    ],
)
def test_no_text_of_others_becomes_a_formula_and_the_rest_stays_as_it_is(text: str, cell: str) -> None:
    """OWASP, CSV injection: `=`, `+`, `-`, `@`, tab and carriage return at the beginning."""
    ((read,),) = csv.reader(io.StringIO(csv_rows([[text]]).decode(), newline=""))
    assert read == cell


def test_numbers_stay_numbers_and_nothing_stays_empty() -> None:
    assert csv_rows([[-5, None, datetime(2026, 12, 1, 15, tzinfo=UTC)]]) == b"-5,,2026-12-02 00:00:00\r\n"
    assert csv_head(["번호", "a"]) == "\ufeff번호,a\r\n".encode()


def test_half_a_character_does_not_spoil_the_file() -> None:
    assert csv_rows([["\ud83d 반쪽"]]) == "? 반쪽\r\n".encode()
