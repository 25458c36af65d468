"""White space, HTML to text, hashes, written-out instants and the Korean words for a deadline."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.clock import KST, business_date
from daemon.sources.text import (
    DeadlineNotUnderstood,
    body_hash,
    clean_reason,
    collapse,
    deadline_of,
    end_of_day,
    field_hash,
    html_to_text,
    korean_instant,
    shown,
)
from tests.sites.answers import at, until

FRIDAY = at(2026, 9, 25)
"""A day of which the captured forms were read: 2026-09-25, 10:00 in Korea."""

days = st.dates(date(2000, 1, 1), date(2090, 12, 31))
WEEKDAYS = "월화수목금토일"


def test_collapse_makes_one_blank_of_all_white_space_and_drops_what_no_column_holds() -> None:
    assert collapse(" \ufeff가\u00a0\u200b 나\r\n\t다\0\ud83d ") == "가 나 다"


def test_field_lists_that_run_together_have_different_hashes() -> None:
    lists = [("a", "b"), ("ab",), ("ab", ""), ("", "ab"), ("a", None, "b"), ("a", "", "b")]
    assert len({field_hash(*fields) for fields in lists}) == len(lists)


def test_entities_are_decoded_only_where_they_are_entities() -> None:
    assert shown("PL &amp; PMO &#39;A&#39;  R&D &copyright Q&A") == "PL & PMO 'A' R&D &copyright Q&A"


@given(st.text(max_size=500))
def test_a_reason_is_one_short_line_without_control_characters(text: str) -> None:
    reason = clean_reason(text + "\0\x1b[31m\u2028\r\n")
    assert len(reason) <= 200
    assert not any(ord(character) < 32 or character in "\x7f\u2028" for character in reason)
    reason.encode()


class TestHtmlToText:
    def test_blocks_become_lines_and_inline_elements_do_not(self) -> None:
        markup = "<p>주 <b>2</b>회\n재택</p>꼬리<ul><li>가<li>나</ul><table><tr><td>다<td>라</table>마<br>바"
        assert html_to_text(markup) == "주 2회 재택\n꼬리\n가\n나\n다 라\n마\n바"

    def test_a_line_ends_with_its_block_however_deep_the_block_stands(self) -> None:
        assert html_to_text("<span><p>가</p></span>나<b><i><div>다</div></i></b>라") == "가\n나\n다\n라"

    def test_scripts_styles_comments_and_the_head_are_no_text(self) -> None:
        markup = (
            "<head><title>t</title></head><style>p{}</style><script>x('<p>')</script><!-- c -->글<noscript>n</noscript>"
        )
        assert html_to_text(markup) == "글"

    def test_entities_are_decoded_once(self) -> None:
        assert html_to_text("<p>R&amp;D &amp;lt;b&amp;gt;&nbsp;끝</p>") == "R&D &lt;b&gt; 끝"

    def test_half_an_emoji_does_not_break_it(self) -> None:
        assert html_to_text("<p>채용\ud83d 공고</p>") == "채용 공고"

    @given(st.text(max_size=200))
    def test_it_never_fails_and_leaves_no_empty_lines(self, markup: str) -> None:
        text = html_to_text(markup)
        assert text == "\n".join(line for line in map(collapse, text.split("\n")) if line)


def test_a_changed_indentation_is_no_edit_of_a_body_but_a_changed_word_is() -> None:
    assert body_hash("주요업무\n  서버") == body_hash(" 주요업무 서버\n")
    assert body_hash("주요업무 서버") != body_hash("주요업무 서비")


class TestKoreanInstant:
    @pytest.mark.parametrize(
        ("text", "instant"),
        [
            ("2026-08-28", until(2026, 8, 28)),
            ("2026.8.28.", until(2026, 8, 28)),
            ("2026-08-28 00:00:00", until(2026, 8, 28)),
            ("2026-08-28T23:59", until(2026, 8, 28)),
            ("2026-08-28 24:00", until(2026, 8, 28)),
            ("2026.06.26 (금) 18:00", at(2026, 6, 26, 18)),
            ("2026-08-28T23:00:00", at(2026, 8, 28, 23)),
            ("2026-05-31T23:59:59.000+09:00", until(2026, 5, 31)),
            ("2026-05-31T09:00:00Z", at(2026, 5, 31, 18)),
            ("2026-05-31T10:00:00-04:00", at(2026, 5, 31, 23)),
        ],
    )
    def test_a_missing_time_and_midnight_mean_the_end_of_the_day_and_other_times_are_as_written(
        self, text: str, instant: datetime
    ) -> None:
        assert korean_instant(text) == instant

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "",
                "채용시",
                "2026-13-01",
                "2026-02-30",
                "2026-01-01 25:00",
                "20260828",
                "0001-01-01 00:30",
                "2026.08-28",
            ),
            "9999-12-31T23:59Z",  # after the last Korean day there is; found by fuzzing
        ],
    )
    def test_anything_else_is_not_an_instant(self, text: str) -> None:
        assert korean_instant(text) is None

    @given(days)
    def test_the_end_of_a_day_is_its_last_second_in_korea(self, day: date) -> None:
        assert business_date(end_of_day(day)) == day
        assert business_date(end_of_day(day) + timedelta(seconds=1)) == day + timedelta(days=1)
        assert end_of_day(day).tzinfo is UTC


class TestDeadlineWords:
    @pytest.mark.parametrize(
        ("words", "instant"),
        [
            ("~10.02(금)", until(2026, 10, 2)),
            ("~ 10/11(일)", until(2026, 10, 11)),
            ("~02.13 (금)", until(2026, 2, 13)),
            ("~ 1/10(일)", until(2027, 1, 10)),
            ("~10.26", until(2026, 10, 26)),
            ("(~06/30)", until(2027, 6, 30)),
            ("12/03(목) 마감", until(2026, 12, 3)),
            ("~10/02(fri)", until(2026, 10, 2)),
            ("～10.02（금）", until(2026, 10, 2)),
            ("~26.10.02(금)", until(2026, 10, 2)),
            ("10월 2일(금) 18시 마감", at(2026, 10, 2, 18)),
            ("D-7", until(2026, 10, 2)),
            ("D-1", until(2026, 9, 26)),
            ("D-day", until(2026, 9, 25)),
            ("D-Day", until(2026, 9, 25)),
            ("(D-27)", until(2026, 10, 22)),
            ("오늘마감", until(2026, 9, 25)),
            ("(오늘 마감)", until(2026, 9, 25)),
            ("내일마감", until(2026, 9, 26)),
            ("15시마감", at(2026, 9, 25, 15)),
            ("17시 마감", at(2026, 9, 25, 17)),
            ("24시 마감", until(2026, 9, 25)),
            ("2026.10.08 00:00~2026.10.18 23:59", until(2026, 10, 18)),
            ("2026.07.16 00:00 ~ 2026.07.30 17:00", at(2026, 7, 30, 17)),
            ("모집중 2026.09.07 09:00~2026.10.14 15:00", at(2026, 10, 14, 15)),
            ("2026.12.20 ~ 01.10", until(2027, 1, 10)),
            ("마감일:2026-04-09", until(2026, 4, 9)),
            ("마감일 : 2026.08.28", until(2026, 8, 28)),
            ("2025.01.05(일)", until(2025, 1, 5)),
            ("2020.09.20 23:59", until(2020, 9, 20)),
        ],
    )
    def test_a_form_that_names_a_day_gives_its_last_instant(self, words: str, instant: datetime) -> None:
        assert deadline_of(words, FRIDAY) == instant

    @pytest.mark.parametrize(
        "words",
        ["채용시", "상시채용", "상시", "채용시까지", "채용시 마감", "(채용시)", "2026.10.08 ~ 채용시까지", "진행예정"],
    )
    def test_always_open_and_until_filled_name_no_day(self, words: str) -> None:
        assert deadline_of(words, FRIDAY) is None

    @pytest.mark.parametrize(
        "words",
        [
            "",
            "~",
            "3일 전 등록",
            "(9일전 등록)",
            "11/24(월) 등록",
            "등록일 26/09/26",
            "수정일 26/07/21",
            "마감",
            "마감된 공고",
            "21일 07:49:58",
            "~13.40",
            "~02.30",
            "25시 마감",
            "D+3",
            "D-99999",
            "마감임박",
            "9999.99.99",
        ],
    )
    def test_ages_and_other_words_are_not_understood_rather_than_taken_for_always_open(self, words: str) -> None:
        with pytest.raises(DeadlineNotUnderstood):
            deadline_of(words, FRIDAY)

    def test_a_day_without_year_is_next_years_only_once_it_is_past(self) -> None:
        """Failure path 20 of seed 001: `~08/15` on 08/16 is next year's, on 08/14 this year's."""
        assert deadline_of("~08/15", at(2026, 8, 16)) == until(2027, 8, 15)
        assert deadline_of("~08/15", at(2026, 8, 14)) == until(2026, 8, 15)
        assert deadline_of("~08/15", at(2026, 8, 15, 23, 59, 59)) == until(2026, 8, 15)

    def test_the_day_of_the_answer_is_the_korean_one(self) -> None:
        still_august_15_in_utc = datetime(2026, 8, 15, 15, 30, tzinfo=UTC)
        assert deadline_of("~08/15", still_august_15_in_utc) == until(2027, 8, 15)
        assert deadline_of("오늘마감", still_august_15_in_utc) == until(2026, 8, 16)

    def test_the_weekday_chooses_the_year_even_when_that_day_is_past(self) -> None:
        """2026-12-31 is a Thursday: a list read just after New Year's Eve does not move it by a year."""
        assert deadline_of("~12.31(목)", at(2027, 1, 1, 0, 10)) == until(2026, 12, 31)
        assert deadline_of("~01.01(금)", at(2026, 12, 31)) == until(2027, 1, 1)

    def test_a_weekday_that_fits_no_year_near_by_is_left_aside(self) -> None:
        assert deadline_of("~08/15(월)", at(2026, 8, 14)) == until(2026, 8, 15)

    def test_the_29th_of_february_waits_for_a_year_that_has_one(self) -> None:
        assert deadline_of("~02.29", at(2026, 3, 1)) == until(2028, 2, 29)
        assert deadline_of("~02.29(화)", at(2027, 6, 1)) == until(2028, 2, 29)

    @given(
        days, st.integers(0, 350), st.sampled_from(["~{m:02}.{d:02}({w})", "~ {m}/{d}({w})", "~{m:02}.{d:02} ({w})"])
    )
    def test_days_left_and_the_dated_form_of_one_day_give_one_instant(self, today: date, left: int, form: str) -> None:
        """Else every posting would look edited on the day its list changes from `~10.02(금)` to `D-7`."""
        last = today + timedelta(days=left)
        answered_at = datetime(today.year, today.month, today.day, 7, 30, tzinfo=KST)
        dated = form.format(m=last.month, d=last.day, w=WEEKDAYS[last.weekday()])
        assert deadline_of(dated, answered_at) == deadline_of(f"D-{left}", answered_at) == end_of_day(last)

    @given(days, st.integers(1, 12), st.integers(1, 31), st.integers(0, 23))
    def test_a_day_without_year_and_weekday_is_never_past_and_never_a_year_away(
        self, today: date, month: int, day: int, hour: int
    ) -> None:
        answered_at = datetime(today.year, today.month, today.day, hour, tzinfo=KST)
        try:
            ends = deadline_of(f"~{month:02}/{day:02}", answered_at)
        except DeadlineNotUnderstood:
            assert (month, day) in {(2, 30), (2, 31), (4, 31), (6, 31), (9, 31), (11, 31)}
            return
        assert ends is not None
        assert answered_at <= ends
        assert ends <= answered_at + timedelta(days=367) or (month, day) == (2, 29)

    @given(st.text(max_size=40) | st.from_regex(r"[~D\-0-9./():월금시마감 ]{1,20}", fullmatch=True), days)
    def test_any_words_give_an_instant_nothing_or_the_one_error(self, words: str, today: date) -> None:
        try:
            ends = deadline_of(words, datetime(today.year, today.month, today.day, tzinfo=KST))
        except DeadlineNotUnderstood:
            return
        assert ends is None or ends.utcoffset() == timedelta(0)


def test_markup_that_would_keep_the_parser_busy_for_minutes_loses_its_tags_unparsed() -> None:
    assert html_to_text("<div>" * 50_000 + "본문 &amp; 끝") == "본문 & 끝"
