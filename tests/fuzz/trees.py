"""Breaking JSON answers by their structure: drop, repeat, retype, rename, swap, transplant, nest."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.fuzz import nasty

Place = tuple[Any, Any]
"""A dict or list, and a key or index of it."""


def mutant(draw: random.Random, body: bytes, donor: bytes, steps: int) -> bytes:
    """`body`, a JSON text, with `steps` of its parts broken, some by parts of `donor`. A JSON text again."""
    value = mutated(draw, json.loads(body), _parts(donor), steps)
    return json.dumps(value, ensure_ascii=draw.random() < 0.5).encode("utf-8", "surrogatepass")


@cache
def _parts(donor: bytes) -> list[Place]:
    return list(places_of([json.loads(donor)]))


def mutated(draw: random.Random, value: Any, parts: list[Place], steps: int) -> Any:
    """`value` (which is changed) with `steps` of its parts broken, some by copies of `parts`."""
    root = [value]
    places = list(places_of(root))
    for _ in range(steps):
        container, key = draw.choice(places)
        if isinstance(container, list):
            if not container:
                continue
            key = min(key, len(container) - 1)
        elif key not in container:
            continue
        _break(draw, container, key, parts)
    return root[0] if root else None


def places_of(value: Any) -> Iterator[Place]:
    """Every place in a tree of dicts and lists."""
    stack = [value]
    while stack:
        at = stack.pop()
        for key in list(at) if isinstance(at, dict) else range(len(at)):
            yield at, key
            if isinstance(at[key], dict | list):
                stack.append(at[key])


def _break(draw: random.Random, container: Any, key: Any, parts: list[Place]) -> None:
    value = container[key]
    match draw.randrange(12):
        case 0:
            del container[key]
        case 1 if isinstance(container, list):
            container[key:key] = [_copy(value)] * draw.choice((1, 2, 5, 60))
        case 1 | 2 if isinstance(container, dict):
            renamed = draw.choice((str(key).upper(), f"{key}s", f"_{key}", "", "id", "title", "data"))
            container[renamed] = container.pop(key)
        case 3 | 4:
            container[key] = _copy(draw.choice(nasty.VALUES))
        case 5:
            other, at = draw.choice(parts)
            container[key] = _copy(other[at])
        case 6:
            container[key] = _nested(draw, value)
        case 7:
            container[key] = _retyped(value)
        case _:
            if isinstance(value, str):
                container[key] = nasty.text(draw, value)
            elif isinstance(value, int | float):
                container[key] = nasty.number(draw, value)
            elif isinstance(value, list):
                draw.shuffle(value)
                del value[draw.randrange(len(value) + 1) :]
            else:
                container[key] = draw.choice((nasty.text(draw), 1, [], {}))


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value)) if isinstance(value, dict | list) else value


def _nested(draw: random.Random, value: Any) -> Any:
    for _ in range(draw.choice((1, 2, 30, 190))):
        value = [value] if draw.random() < 0.5 else {"a": value}
    return value


def _retyped(value: Any) -> Any:
    match value:
        case bool():
            return "Y" if value else "N"
        case str():
            return [value] if len(value) % 2 else {"value": value}
        case int() | float():
            return str(value)
        case list():
            return {str(number): each for number, each in enumerate(value)}
        case dict():
            return list(value.values())
        case _:
            return "null"
