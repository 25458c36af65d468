"""JSON answers: bytes to a checked object, and the types of its fields. Pure.

The sites' own shapes are pydantic models in their files; the field types here say how far a field is trusted: `Said`,
`WebAddress` and `Deadline` make an item malformed when they are not what they should be, `Text`, `Label`, `Texts`,
`Flag` and `Whole` only enrich and fall back to "nothing said".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from daemon.sources.answer import fault, require_success
from daemon.sources.model import LayoutChanged, Outcome, Page, RawJobPosting, Unreadable
from daemon.sources.text import collapse, korean_instant, shown

_Model = TypeVar("_Model", bound=BaseModel)

MOST_OBJECTS = 200_000
MOST_COMMAS = 1_000_000
"""Real answers have up to 7,500 objects and 34,000 commas a megabyte; 16 MiB of nothing else would take 500 MiB."""

_NUMBER_ID = re.compile(r"[0-9]{1,200}")


def read_json(page: Page) -> object:
    """The JSON value of an answer, whatever its status. Raises Unreadable when the body is anything but JSON.

    TOO_LARGE for a body with more in it than any list of postings: few bytes make many objects.
    """
    body = page.body.removeprefix(b"\xef\xbb\xbf")
    if not body.strip():
        require_success(page)
        raise LayoutChanged("the answer is empty")
    if body.lstrip()[:1] == b"<":
        require_success(page)
        raise _markup(body)
    if body.count(b"{") + body.count(b"[") > MOST_OBJECTS or body.count(b",") > MOST_COMMAS:
        require_success(page)
        raise Unreadable(Outcome.TOO_LARGE, f"over {MOST_OBJECTS} objects or {MOST_COMMAS} commas in one answer")
    try:
        return _parsed(body)
    except (ValueError, RecursionError) as error:
        require_success(page)
        raise LayoutChanged(f"the answer is not JSON: {error}") from error


def read_object(page: Page) -> dict[str, Any]:
    """The JSON object of an answer, whatever its status. Raises Unreadable when the body is anything else."""
    answer = read_json(page)
    if not isinstance(answer, dict):
        require_success(page)
        raise LayoutChanged(f"the answer is a JSON {_kind(answer)}, not an object")
    return answer


def read_answer(page: Page) -> dict[str, Any]:
    """The JSON object of a successful answer. Raises Unreadable when the status or the body is anything else."""
    answer = read_object(page)
    require_success(page)
    return answer


def checked(model: type[_Model], value: object, where: str) -> _Model:
    """`value` as `model`. Raises LayoutChanged that names the field, by its path from `where`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise LayoutChanged(f"{where}: {fault(error)}") from error


def item_id(item: object, field: str = "id", pattern: re.Pattern[str] = _NUMBER_ID) -> str:
    """The id of a list's item, a number or a text that fits `pattern`; `""` when it has none that is usable."""
    value = item.get(field) if isinstance(item, dict) else None
    text = str(value) if type(value) is int else value
    return text if isinstance(text, str) and pattern.fullmatch(text) else ""


def one_posting(build: Callable[[], RawJobPosting], where: str) -> RawJobPosting:
    """What `build` makes of a detail. Raises LayoutChanged for its ValueError: a field that can't be read."""
    try:
        return build()
    except ValueError as error:
        raise LayoutChanged(f"{where}: {fault(error)}") from error


def career_years(minimum: int | None, maximum: int | None) -> tuple[str, ...]:
    """A tag for the years of experience asked for, as Korean sites word it; none when nothing is asked."""
    lowest, highest = minimum or 0, maximum or 0
    if lowest <= 0 and highest <= 0:
        return ()
    if highest <= 0:
        return (f"경력 {lowest}년 이상",)
    return (f"신입~{highest}년",) if lowest <= 0 else (f"경력 {lowest}~{highest}년",)


def plain_text(*sections: tuple[str, str]) -> str | None:
    """A description out of headed plain-text sections, one line per line of text, no empty lines; None if all empty."""
    lines: list[str] = []
    for heading, text in sections:
        found = [line for line in (collapse(line) for line in text.splitlines()) if line]
        if found:
            lines += [heading, *found] if heading else found
    return "\n".join(lines) or None


def _parsed(body: bytes) -> object:
    r"""The JSON value of `body`. Raises ValueError or RecursionError.

    Half an emoji (`\ud83d` alone, from a title that the site cut) can be spelled in JSON but not in UTF-8. It becomes
    `?`, so that one such title does not cost the whole list; only such bodies pay for the second parse.
    """
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError:
        if re.search(rb"\\u[dD][89a-fA-F]", body) is None:
            raise
    lenient = json.dumps(json.loads(body), ensure_ascii=False)
    return from_json(lenient.encode("utf-8", "replace"), allow_inf_nan=False)


def _markup(body: bytes) -> Unreadable:
    if re.search(rb"type\s*=\s*[\"']?password", body, re.IGNORECASE):
        return Unreadable(Outcome.LOGIN_REQUIRED, "a login page instead of JSON")
    return LayoutChanged("HTML instead of JSON")


def _kind(value: object) -> str:
    names: dict[type, str] = {list: "list", str: "string", int: "number", float: "number", bool: "boolean"}
    return names.get(type(value), "null")


def _said(text: str) -> str:
    if not (found := shown(text)):
        raise ValueError("is empty")
    return found


def _web_address(text: str) -> str:
    address = text.strip()
    if not re.fullmatch(r"https?://[^\s/]\S*", address):
        raise ValueError("is not a web address")
    return address


def read_deadline(value: object) -> datetime | None:
    """A field's last instant to apply, aware UTC; None for null and `""`. Raises ValueError for what is no date."""
    if value is None or value == "":
        return None
    instant = korean_instant(value) if isinstance(value, str) else None
    if instant is None:
        raise ValueError(f"is not a date: {value!r:.40}")
    return instant.replace(microsecond=0)


def _texts(value: object) -> list[str]:
    return [shown(each) for each in value if isinstance(each, str)] if isinstance(value, list) else []


class Shape(BaseModel):
    """Base of the sites' own shapes: types as JSON has them (`"5"` is no number, `true` no 1); unknown keys ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


NumberId = Annotated[int, Field(ge=0, lt=10**18)]
"""A posting's id where sites number their postings."""

Said = Annotated[str, AfterValidator(_said)]
"""A title or a company's name as the site shows it, never empty."""

WebAddress = Annotated[str, AfterValidator(_web_address)]
"""An http or https address."""

Deadline = Annotated[datetime | None, BeforeValidator(read_deadline)]
"""The last instant to apply, aware UTC; null and `""` are none. A value that is no date is an error."""

Count = Annotated[int, Field(ge=0, le=10_000_000)]
"""A total or a page number: a number that a list could really have."""

Text = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
"""Free text; anything else counts as none."""

Label = Annotated[str, BeforeValidator(lambda value: shown(value) if isinstance(value, str) else "")]
"""A short text as the site shows it; anything else counts as none."""

Texts = Annotated[list[str], BeforeValidator(_texts)]
"""Short texts as the site shows them; anything else is left out."""

Flag = Annotated[bool, BeforeValidator(lambda value: value is True)]
"""True only when the site says so."""

Whole = Annotated[
    int | None, BeforeValidator(lambda value: value if type(value) is int and abs(value) < 1000 else None)
]
"""A small number such as years; anything else counts as none."""
