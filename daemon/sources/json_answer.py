"""A JSON answer as it came: bytes to a checked object, items to postings, and what of it could not be used.

Shared by the six sites that answer JSON. The sites' own shapes are pydantic models in their files; the field types
here say how far a field is trusted: `Said`, `WebAddress` and `Deadline` make an item malformed when they are not what
they should be, `Text`, `Texts`, `Flag` and `Whole` only enrich and fall back to "nothing said".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from daemon.sources.model import ListPage, Outcome, Page, RawJobPosting, Unreadable
from daemon.sources.rules import block_page, clean_reason, outcome_of_status
from daemon.sources.text import collapse, korean_instant, shown

_Model = TypeVar("_Model", bound=BaseModel)

_NUMBER_ID = re.compile(r"[0-9]{1,200}")


def unreadable(outcome: Outcome, reason: str) -> Unreadable:
    """The error to raise for an answer, its reason cut to the one line that `NotFetched` may carry."""
    return Unreadable(outcome, clean_reason(reason))


def layout_changed(reason: str) -> Unreadable:
    """The answer is not in the shape that the site is known to give."""
    return unreadable(Outcome.LAYOUT_CHANGED, reason)


def read_json(page: Page) -> object:
    """The JSON value of an answer, whatever its status. Raises Unreadable when the body is anything but JSON."""
    body = page.body.removeprefix(b"\xef\xbb\xbf")
    if not body.strip():
        require_success(page)
        raise layout_changed("the answer is empty")
    if body.lstrip()[:1] == b"<":
        require_success(page)
        raise _markup(body)
    try:
        return _parsed(body)
    except (ValueError, RecursionError) as error:
        require_success(page)
        raise layout_changed(f"the answer is not JSON: {error}") from error


def read_object(page: Page) -> dict[str, Any]:
    """The JSON object of an answer, whatever its status. Raises Unreadable when the body is anything else."""
    answer = read_json(page)
    if not isinstance(answer, dict):
        require_success(page)
        raise layout_changed(f"the answer is a JSON {_kind(answer)}, not an object")
    return answer


def require_success(page: Page) -> None:
    """Raise Unreadable when the status says that this is no answer to the request.

    A site's parser calls this after it has looked for an error of the site's own in the body.
    """
    outcome = outcome_of_status(page.status)
    if outcome is not Outcome.FETCHED:
        raise unreadable(outcome, f"HTTP {page.status}")


def checked(model: type[_Model], value: object, where: str) -> _Model:
    """`value` as `model`. Raises Unreadable LAYOUT_CHANGED that names the field, by its path from `where`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise layout_changed(f"{where}: {_first_error(error)}") from error


def list_page(
    items: Sequence[object],
    read: Callable[[str, object], RawJobPosting | None],
    *,
    next_cursor: str | None,
    declared_total: int | None,
    id_field: str = "id",
    id_pattern: re.Pattern[str] = _NUMBER_ID,
) -> ListPage:
    """The items of one list answer, each read by `read(id, item)`, and an account of those that can't be stored.

    `read` returns None for an item that the site itself calls closed or hidden, and raises ValueError (pydantic's
    is one) for one that lacks what a posting needs. An id given twice on a page counts once.
    Raises Unreadable LAYOUT_CHANGED when more than a fifth of the items can't be read (DESIGN 1.4).
    """
    postings: dict[str, RawJobPosting] = {}
    malformed: dict[str, None] = {}
    withdrawn: dict[str, None] = {}
    unidentifiable = 0
    complaint = ""
    for item in items:
        source_job_id = _readable_id(item, id_field, id_pattern)
        if source_job_id is None:
            unidentifiable += 1
            complaint = complaint or f"an item has no usable {id_field}"
            continue
        try:
            posting = read(source_job_id, item)
        except ValueError as error:
            malformed[source_job_id] = None
            complaint = complaint or f"{source_job_id}: {_first_error(error)}"
            continue
        if posting is None:
            withdrawn[source_job_id] = None
        else:
            postings.setdefault(source_job_id, posting)
    if (len(malformed) + unidentifiable) * 5 > len(items):
        raise layout_changed(f"{len(malformed) + unidentifiable} of {len(items)} items unreadable; {complaint}")
    return ListPage(
        postings=tuple(postings.values()),
        next_cursor=next_cursor,
        declared_total=declared_total,
        malformed_ids=tuple(each for each in malformed if each not in postings),
        withdrawn_ids=tuple(each for each in withdrawn if each not in postings and each not in malformed),
        unidentifiable=unidentifiable,
    )


def one_posting(build: Callable[[], RawJobPosting], where: str) -> RawJobPosting:
    """What `build` makes of a detail. Its ValueError, a field that can't be read, is Unreadable LAYOUT_CHANGED here."""
    try:
        return build()
    except ValueError as error:
        raise layout_changed(f"{where}: {_first_error(error)}") from error


def require_same(listed: RawJobPosting | None, source_job_id: str) -> None:
    """Raise Unreadable LAYOUT_CHANGED when a detail is of another posting than the one it was asked for."""
    if listed is not None and listed.source_job_id != source_job_id:
        raise layout_changed(f"asked for {listed.source_job_id}, answered {source_job_id}")


def require_filtered(matches: Iterable[bool], asked: str) -> None:
    """Raise Unreadable LAYOUT_CHANGED when most postings of a page are not of the category asked for.

    A 200 is no proof that a filter worked: three of the sites answer an unknown filter with everything (research,
    payloads-json). `matches` has one entry per item that names its categories. Half of them may disagree, since
    what a site prints on an item need not be all that it files it under.
    """
    answers = list(matches)
    foreign = answers.count(False)
    if foreign * 2 > len(answers):
        raise layout_changed(f"the list is not filtered by {asked}: {foreign} of {len(answers)} postings are of others")


def tags(*groups: Iterable[str]) -> tuple[str, ...]:
    """Structured tags in the order given: white space collapsed, none twice, none empty."""
    found = (collapse(tag) for group in groups for tag in group)
    return tuple(dict.fromkeys(tag for tag in found if tag))


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


def page_number(cursor: str | None, first: int) -> int:
    """The page that a cursor of ours asks for; `first` for the first page."""
    return first if cursor is None else int(cursor)


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
    if words := block_page(body):
        return unreadable(Outcome.BLOCKED, f"block page: {words}")
    if re.search(rb"type\s*=\s*[\"']?password", body, re.IGNORECASE):
        return unreadable(Outcome.LOGIN_REQUIRED, "a login page instead of JSON")
    return layout_changed("HTML instead of JSON")


def _readable_id(item: object, id_field: str, pattern: re.Pattern[str]) -> str | None:
    if not isinstance(item, dict):
        return None
    value = item.get(id_field)
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return text if isinstance(text, str) and pattern.fullmatch(text) else None


def _first_error(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    said = "is not an object" if first["type"] == "model_type" else first["msg"]
    return ": ".join(part for part in (".".join(map(str, first["loc"])), said) if part)


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


class Answer(BaseModel):
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
