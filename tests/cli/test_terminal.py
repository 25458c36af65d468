"""Tables and progress with Korean text, in windows and without one."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len

from daemon.terminal import Column, Progress, fitted, show_table, shown

COLUMNS = (Column(title="회사"), Column(title="공고"), Column(title="수", number=True))
ROWS = (
    ("우아한형제들", "[배민] 서버 개발자 (결제플랫폼) 경력 채용, 함께 자라고 싶은 분", 12),
    ("㈜당근마켓", "Backend Engineer", 3),
)


class Window(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(width: int | None, rows: tuple[tuple[object, ...], ...] = ROWS) -> list[str]:
    output = io.StringIO()
    show_table(COLUMNS, rows, stream=output, width=width)
    return output.getvalue().splitlines()


def test_columns_of_plain_output_line_up_in_cells_and_nothing_is_cut() -> None:
    lines = drawn(None)
    assert len(lines) == 3
    assert lines[1].startswith("우아한형제들  [배민] 서버 개발자 (결제플랫폼) 경력 채용, 함께 자라고 싶은 분")
    assert len({cell_len(line) for line in lines}) == 1
    assert cell_len(lines[2].split("Backend")[0]) == cell_len("우아한형제들  ")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_of_a_table_is_wider_than_the_window_and_no_letter_is_lost(width: int) -> None:
    lines = drawn(width)
    assert max(cell_len(line.rstrip()) for line in lines) <= width
    letters = "".join("".join(lines).split())
    for word in ("[배민]", "Backend", "㈜당근마켓", "12"):
        assert word in letters


@pytest.mark.parametrize("width", [10, 20])
def test_a_window_too_narrow_for_a_table_shows_records(width: int) -> None:
    lines = drawn(width)
    assert max(cell_len(line) for line in lines) <= width
    assert lines[0] == "회사: 우아한형제들"[: len(lines[0])]
    assert "수: 3" in lines


def test_a_table_is_drawn_in_characters_of_certain_width_only() -> None:
    frame = set("".join(drawn(60))) - set("".join(map(str, [*ROWS[0], *ROWS[1]]))) - set("회사공고수 ")
    assert frame == set()


def test_a_title_can_neither_break_the_row_nor_steer_the_terminal() -> None:
    lines = drawn(None, (("회사\n둘째 줄", "제목\x1b[2J\u202e", 1),))
    assert len(lines) == 2
    assert "\x1b" not in lines[1]
    assert lines[1].startswith("회사 둘째 줄")
    assert shown(None) == ""


def test_text_in_square_brackets_is_text_not_markup() -> None:
    assert any("[bold]굵게[/bold]" in line for line in drawn(80, (("a", "[bold]굵게[/bold] :smile:", 1),)))


@pytest.mark.parametrize(("text", "cells"), [("가나다라", 7), ("가나다라", 8), ("abc", 8), ("가", 1), ("가나다", 2)])
def test_fitted_text_takes_exactly_its_cells(text: str, cells: int) -> None:
    assert cell_len(fitted(text, cells)) == cells


def test_plain_progress_writes_a_line_when_a_piece_ends_and_every_ten_seconds_until_then() -> None:
    output, now = io.StringIO(), [0.0]
    with Progress(output, lambda: now[0]) as progress:
        progress.begin("1", "우아한형제들", total=4)
        for step in range(1, 4):
            now[0] += 6
            progress.update("1", step, total=4, note="공고 10")
        progress.end("1", "SUCCESS")
        progress.say("끝")
    assert output.getvalue().splitlines() == ["우아한형제들  2/4  공고 10", "우아한형제들  SUCCESS", "끝"]


def test_moving_progress_shows_every_piece_with_its_bar_and_note() -> None:
    output = Window()
    with Progress(output) as progress:
        progress.begin("1", "우아한형제들 [배민] 아주 긴 이름의 공고 목록을 가진 회사", total=4)
        progress.begin("2", "사람인")
        progress.update("1", 2, note="신규 3")
        progress.update("2", 7)
        progress.say("한 줄")
        progress.end("1", "SUCCESS")
        progress.begin("2", "사람인")
        progress.end("2", "FAILED")
    text = output.getvalue()
    assert "[########........] 2/4" in text
    assert "한 줄" in text
    assert "FAILED" in text
    assert "━" not in text


@pytest.mark.parametrize("columns", [30, 40, 44, 70, 120])
def test_a_moving_line_never_wraps(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    output = Window()
    with Progress(output) as progress:
        progress.begin("1", "우아한형제들 [배민] 아주 긴 이름의 공고 목록을 가진 회사", total=12345)
        progress.update("1", 1234, note="BUDGET_EXHAUSTED LIST_PAGE_LIMIT 그리고 더 긴 설명이 이어집니다")
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.getvalue()).replace("\r", "\n").split("\n")
    drawn = [line.rstrip() for line in lines if line.strip()]
    assert drawn
    assert all("/12345" in line for line in drawn), drawn
    assert "1234/12345" in drawn[-1]
    assert max(map(cell_len, drawn)) <= columns


def test_in_forty_columns_there_is_room_to_read_how_each_source_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    output = Window()
    with Progress(output) as progress:
        progress.begin("1", "SARAMIN 84", total=240)
        progress.update("1", 120, note="RUNNING")
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.getvalue())
    assert re.search(r"(?:^|\r)SARAMIN 84 +120/240 RUNNING *$", text, re.MULTILINE)
