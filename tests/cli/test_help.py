"""Help and texts: complete, in both languages, and no wider than a terminal."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.cells import cell_len

from daemon import messages
from daemon.cli.entry import command_tree, help_key
from daemon.cli.shell import Shell
from daemon.messages import Language
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


def test_both_languages_name_the_same_values() -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    differing = [key for key, (korean, english) in messages._TEXTS.items() if values(korean) != values(english)]
    assert differing == []


def test_every_text_is_used() -> None:
    sources = "".join(path.read_text("utf-8") for path in PRODUCT.rglob("*.py"))
    composed = ("help", "reason.", "flag.", "check.", "column.", "cell.", "init.next_", "discovery.", "page.")
    unused = [key for key in messages._TEXTS if not key.startswith(composed) and f'"{key}"' not in sources]
    assert unused == []
