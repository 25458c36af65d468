"""Help and texts: complete, in both languages, and no wider than a terminal."""

from __future__ import annotations

import ast
import errno
import functools
import re
import string
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic_core.core_schema import ErrorType
from rich.cells import cell_len

from daemon import messages
from daemon.application import rules as application
from daemon.cli.entry import command_tree, help_key
from daemon.cli.shell import Shell
from daemon.collection.model import BudgetReason, CycleStatus, FailureReason, RunStatus
from daemon.matching import model as matching
from daemon.messages import Language, text
from daemon.operations.model import SnapshotStatus
from daemon.posting.rules import personal
from daemon.schedule.model import JobName, JobStatus
from daemon.sources.model import Outcome
from tests.cli.command import Gonggo

PRODUCT = Path(__file__).parents[2] / "daemon"


def commands(language: Language) -> Iterator[tuple[str, Any]]:
    def below(path: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield path, command
        for name, child in getattr(command, "commands", {}).items():
            yield from below(f"{path} {name}".strip(), child)

    yield from below("", command_tree(Shell(language)))


def test_help_is_korean_unless_english_is_asked_for(gonggo: Gonggo) -> None:
    korean, english = gonggo.run("--help"), gonggo.having(language="en").run("--help")
    assert (korean.code, english.code) == (0, 0)
    assert "데몬을 실행합니다" in korean.output
    assert "Run the daemon" in english.output
    for command in (
        "run",
        "demo",
        "collect",
        "parse",
        "init",
        "migrate",
        "check",
        "status",
        "flag",
        "company",
        "source",
    ):
        assert re.search(rf"^  {command} ", korean.output, re.MULTILINE)


def test_gonggo_alone_shows_its_help(gonggo: Gonggo) -> None:
    assert gonggo.run().output == gonggo.run("--help").output


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_command_and_option_has_a_help_no_wider_than_eighty_cells(language: Language) -> None:
    shown = 0
    for path, command in commands(language):
        page = command.get_help(typer.Context(command, info_name=f"gonggo {path}", terminal_width=78))
        wide = [line for line in page.splitlines() if cell_len(line) > 80]
        assert wide == [], path
        for parameter in command.params:
            assert parameter.help, f"{path} {parameter.name}"
            assert messages.has_text(help_key(path, parameter))
        shown += 1
    assert shown >= 20


@pytest.mark.parametrize(
    "call",
    [
        ("posting", "list", "--page", "x"),
        ("company", "list", "--page", "-1"),
        ("notification", "list", "--days", "0"),
        ("demo", "--days", "61"),
    ],
)
def test_a_number_that_is_none_or_out_of_bounds_is_refused_in_the_persons_language(
    gonggo: Gonggo, call: tuple[str, ...]
) -> None:
    refused = gonggo.run(*call)
    assert (refused.code, refused.output) == (2, "")
    assert re.search(rf"{call[-2]}에는 [01]부터 [0-9]+까지의 수를 쓰세요: {call[-1]}", refused.errors)


def test_both_languages_name_the_same_values() -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    differing = [key for key, (korean, english) in messages._TEXTS.items() if values(korean) != values(english)]
    assert differing == []


@pytest.mark.parametrize(("count", "said"), [(0, "0 cycles"), (1, "1 cycle"), (2, "2 cycles")])
def test_a_number_has_the_word_that_goes_with_it(count: int, said: str) -> None:
    assert text("en", "job.prepared", count=count) == f"{said} prepared"
    assert text("ko", "job.prepared", count=count) == f"소스 {count}개의 하루 수집을 준비했습니다"


def test_every_text_is_used() -> None:
    # Those of the page are named in its templates: tests/page holds them.
    assert [key for key in messages._TEXTS if not key.startswith("page.") and not is_used(key)] == []


def test_a_text_that_nobody_says_would_be_found() -> None:
    for key in ("error.nobody_says", "help.nobody", "help.run --nothing", "reason.nothing", "cell.NOWHERE"):
        assert not is_used(key)


def test_every_text_that_is_said_is_in_the_catalogue() -> None:
    assert len(said()) > 100
    assert sorted(key for key in said() if not messages.has_text(key)) == []


def said() -> set[str]:
    """The keys written as arguments of what says a text, or fails with one."""
    keys = set()
    for path in PRODUCT.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            place = {"say": 0, "warn": 0, "text": 0, "_text": 0, "CommandFailed": 1}.get(name)
            of_catalogue = isinstance(call.func, ast.Attribute) or name == "CommandFailed"
            if place is not None and of_catalogue and len(call.args) > place:
                key = call.args[place]
                if isinstance(key, ast.Constant) and re.fullmatch(r"[a-z_]+\.[\w.-]+", str(key.value)):
                    keys.add(str(key.value))
    return keys


def test_every_way_a_source_s_day_can_end_and_every_state_of_a_snapshot_is_explained() -> None:
    ends = {*FailureReason, *BudgetReason, *Outcome} - {Outcome.FETCHED}
    assert {end for end in ends if not messages.has_text(f"outcome.{end}")} == set()
    assert {status for status in SnapshotStatus if not messages.has_text(f"sla.{status}")} == set()
    states = {*CycleStatus, *RunStatus}
    assert {state for state in states if not messages.has_text(f"state.{state}")} == set()
    jobs = {*JobName, *JobStatus}
    assert {job for job in jobs if not messages.has_text(f"daily.{job}")} == set()


@pytest.mark.parametrize(
    ("key", "limit"),
    [
        ("display_name", matching.KEYWORD_CHARACTERS),
        ("keyword", matching.KEYWORD_CHARACTERS),
        ("synonyms", matching.KEYWORD_CHARACTERS),
        ("synonyms", matching.MAXIMUM_SYNONYMS),
        ("memo", application.MEMO_CHARACTERS),
        ("label", application.LABEL_CHARACTERS),
        ("round_number", application.LAST_ROUND),
        ("title", personal.TITLE_CHARACTERS),
        ("posting_url", personal.ADDRESS_CHARACTERS),
        ("deadline_at", personal.DEADLINE_YEARS[0]),
        ("deadline_at", personal.DEADLINE_YEARS[-1]),
    ],
)
def test_what_a_value_may_be_is_told_with_the_limit_that_is_kept(key: str, limit: int) -> None:
    for language in typing.get_args(Language):
        assert str(limit) in re.findall(r"\d+", messages.text(language, f"invalid.{key}"))


def is_used(key: str) -> bool:
    """Whether the product can say the text: its key is written somewhere, or composed of a prefix and a word."""
    if key.startswith("help"):
        return key in helps()
    if key in words():
        return True
    prefixes = [key[: len(prefix)] for prefix in composed() if key.startswith(prefix)]
    return any(key[len(prefix) :] in words() | GIVEN_BY_OTHERS for prefix in prefixes)


GIVEN_BY_OTHERS = {*typing.get_args(ErrorType), *errno.errorcode.values()}
"""Words that the product does not write itself: pydantic's types of errors, the operating system's."""


@functools.cache
def helps() -> set[str]:
    keys = {"help", "help.epilog"}
    for path, command in commands("ko"):
        keys |= {f"help.{path}"} if path else set()
        for parameter in (*command.params, command.get_help_option(typer.Context(command))):
            keys.add(help_key(path, parameter))
    return keys


@functools.cache
def strings() -> tuple[ast.Constant | ast.JoinedStr, ...]:
    """The strings of the product but for its catalogue: there, every key is written."""
    paths = [path for path in PRODUCT.rglob("*.py") if PRODUCT / "messages" not in path.parents]
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    return tuple(node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr))


@functools.cache
def words() -> set[str]:
    return {node.value for node in strings() if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@functools.cache
def composed() -> set[str]:
    """What stands before the first brace: `cell.` of `f"cell.{status}"`."""
    firsts = [node.values[0] for node in strings() if isinstance(node, ast.JoinedStr) and len(node.values) > 1]
    texts = {str(first.value) for first in firsts if isinstance(first, ast.Constant)}
    return {text for text in texts if re.fullmatch(r"[a-z][\w.]*[._]", text)}
