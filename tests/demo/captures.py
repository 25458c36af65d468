"""The shape of a JSON answer, and the stored real answers to hold the replica's against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

_CAPTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures"

Shape = dict[str, set[str]]


def captured(name: str) -> Any:
    """A stored real answer; skips the test where the captures are not beside the repository."""
    path = _CAPTURES / name
    if not path.is_file():
        pytest.skip(f"no capture {name} beside the repository")
    return json.loads(path.read_text("utf-8"))


def shape(value: Any, path: str = "") -> Shape:
    """The types found at each path; the items of a list share one path."""
    found: Shape = {path: {type(value).__name__}}
    if isinstance(value, dict):
        parts = [(f"{path}.{key}", item) for key, item in value.items()]
    elif isinstance(value, list):
        parts = [(f"{path}[]", item) for item in value]
    else:
        parts = []
    for where, item in parts:
        for inner, types in shape(item, where).items():
            found.setdefault(inner, set()).update(types)
    return found


def differences(ours: Any, theirs: Any, *, left_out: tuple[str, ...] = ()) -> list[str]:
    """Fields of a real answer that ours lacks or types otherwise. Null may stand for anything, on either side.

    `left_out` are path beginnings that ours leaves out on purpose.
    """
    mine, real = shape(ours), shape(theirs)
    problems = []
    for path, types in real.items():
        if path.startswith(left_out):
            continue
        if path not in mine:
            # Below something that is null or empty with us there is nothing to compare.
            if not path.endswith("[]") and "dict" in mine.get(path.rpartition(".")[0], ()):
                problems.append(f"missing {path}")
            continue
        extra = mine[path] - types - {"NoneType"}
        if extra and types != {"NoneType"}:
            problems.append(f"{path}: {sorted(extra)} instead of {sorted(types)}")
    return problems
