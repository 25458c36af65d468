"""Seed 001 lists thirty failure paths that must be covered ("반드시 커버할 실패 경로"): each is named by a test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

_TESTS = Path(__file__).parents[1]
_NAMED = re.compile(r"[Ff]ailure paths? (\d+(?: \([^)]*\))?(?:(?:, | and )\d+(?: \([^)]*\))?)*)")


def paths_named(source: str) -> set[int]:
    """The failure paths that the docstrings of a file's test functions name."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
            for told in _NAMED.findall(ast.get_docstring(node) or ""):
                found |= {int(number) for number in re.findall(r"\d+", re.sub(r"\([^)]*\)", "", told))}
    return found


def test_names_are_read_as_they_are_written() -> None:
    written = 'def test_x():\n    """Seed 001, failure paths 13 (seeding) and 14 (reopened); FR-16."""\n'
    assert paths_named(written) == {13, 14}
    assert paths_named('def test_x():\n    """Failure path 9 of seed 001, first half."""\n') == {9}


def test_every_failure_path_of_the_seeds_is_named_by_a_test() -> None:
    named = set().union(*(paths_named(path.read_text("utf-8")) for path in _TESTS.rglob("test_*.py")))
    assert set(range(1, 31)) - named == set()
