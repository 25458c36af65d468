"""Instants and preconditions as the API reads them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from daemon.web.precondition import IfMatch
from daemon.web.route import Input, Instant


class At(Input):
    at: Instant


@pytest.mark.parametrize(
    "written",
    [
        "2026-12-01T10:30:00+09:00",
        "2026-12-01T01:30:00Z",
        "2026-12-01T01:30Z",
        "2026-11-30T15:30:00-10:00",
        "2026-12-01T01:30:00.000000999Z",
    ],
)
def test_an_instant_is_read_with_any_offset_and_kept_in_utc(written: str) -> None:
    read = At.model_validate_json(f'{{"at": "{written}"}}').at
    assert (read, read.tzinfo) == (datetime(2026, 12, 1, 1, 30, tzinfo=UTC), UTC)


@pytest.mark.parametrize(
    "written",
    [
        '"2026-12-01T10:30:00"',
        '"2026-12-01"',
        '"2026-12-01 10:30:00+09:00"',
        '"1796117400"',
        "1796117400",
        '"2026-02-30T10:30:00Z"',
        '"2026-12-01T24:30:00Z"',
        '"2026-12-01T10:30:00+25:00"',
        '"0001-01-01T00:00:00+14:00"',
        '"9999-12-31T23:59:59-12:00"',
        '"２０２６-12-01T10:30:00Z"',
        "null",
        "true",
    ],
)
def test_what_is_no_instant_or_lacks_its_offset_is_refused(written: str) -> None:
    with pytest.raises(ValidationError) as refused:
        At.model_validate_json(f'{{"at": {written}}}')
    assert [error["loc"] for error in refused.value.errors()] == [("at",)]


@pytest.mark.parametrize(
    ("header", "versions"),
    [
        (None, None),
        ("*", None),
        ('"3"', {3}),
        (' "3" ,"4"', {3, 4}),
        ('W/"3"', set()),
        ('W/"3", "5"', {5}),
        ('"of-another-server"', set()),
        ('"-1"', set()),
        ('""', set()),
    ],
)
def test_the_versions_of_if_match_are_those_of_its_strong_tags(header: str | None, versions: set[int] | None) -> None:
    """RFC 9110, 13.1.1: the strong comparison; 8.8.3: what a tag is."""
    given = {} if header is None else {"If-Match": header}
    assert IfMatch.model_validate_strings(given, by_alias=True).versions == versions


@pytest.mark.parametrize("header", ["3", "", '"3', 'W/3, "4"', '"3" "4"', '"3", *'])
def test_an_if_match_that_is_no_list_of_tags_is_refused_by_its_name(header: str) -> None:
    with pytest.raises(ValidationError) as refused:
        IfMatch.model_validate_strings({"If-Match": header}, by_alias=True)
    assert [error["loc"] for error in refused.value.errors()] == [("If-Match",)]
