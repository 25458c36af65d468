"""What an answer must look like: exact members, their types and meanings, told where it is not so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.acceptance.inhabited import Answer

Shape = Any
"""A type, a set of words, a list of one shape, members by name, a pattern, or a value itself."""


@dataclass(frozen=True)
class Maybe:
    """That shape, or null."""

    shape: Shape


@dataclass(frozen=True)
class Exactly:
    """That very list."""

    value: list[Any]


INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
PLATFORM = {"GREENHOUSE", "WOOWAHAN", "INCRUIT", "SARAMIN", "JUMPIT", "WANTED", "REMEMBER", "JOBKOREA", "SURFIT"}
APPLICATION_STATUS = {
    "APPLIED",
    "DOCUMENT_SCREENING",
    "INTERVIEWING",
    "OFFERED",
    "ACCEPTED",
    "REJECTED",
    "WITHDRAWN",
    "OFFER_DECLINED",
}
SOURCE_TYPE = {"COMPANY_BOUND", "AGGREGATOR"}


def require(found: Any, shape: Shape, at: str = "answer") -> None:
    """Fails where `found` is not of that shape; members must be those, no more and no fewer."""
    match shape:
        case Maybe():
            if found is not None:
                require(found, shape.shape, at)
        case re.Pattern():
            assert isinstance(found, str), f"{at}: {found!r}"
            assert shape.fullmatch(found), f"{at}: {found!r}"
        case type():
            assert type(found) is shape, f"{at}: {found!r}"
        case set():
            assert found in shape, f"{at}: {found!r} is none of {sorted(shape)}"
        case [of_each]:
            assert isinstance(found, list), f"{at}: {found!r}"
            for number, one in enumerate(found):
                require(one, of_each, f"{at}[{number}]")
        case Mapping():
            assert isinstance(found, dict), f"{at}: {found!r}"
            assert set(found) == set(shape), f"{at}: members differ: {set(found) ^ set(shape)}"
            for name, inner in shape.items():
                require(found[name], inner, f"{at}.{name}")
        case Exactly():
            assert found == shape.value, f"{at}: {found!r} is not {shape.value!r}"
        case _:
            assert found == shape, f"{at}: {found!r} is not {shape!r}"


def require_problem(answer: Answer, status: int, kind: str | None, **members: Shape) -> None:
    """Fails where the answer is not that RFC 9457 document. `field` names the value at fault of a 422."""
    assert answer.status == status, (answer.status, answer.body)
    assert answer.headers["Content-Type"].partition(";")[0] == "application/problem+json"
    document = dict(answer.json)
    require(document["title"], str, "title")
    assert document["status"] == status
    assert document["type"] == (f"urn:gonggo:problem:{kind}" if kind else "about:blank")
    if (field := members.pop("field", None)) is not None:
        assert [fault["field"] for fault in document["errors"]] == [field], document
        require(document["errors"], [{"in": {"query", "body", "header"}, "field": str, "code": str, "message": str}])
    for name, shape in members.items():
        require(document[name], shape, name)
