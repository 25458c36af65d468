"""What can be fuzzed: something that makes inputs out of a source of chance, and that tells how one of them ended."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Protocol


class Fuzzed(Protocol):
    """A parser or normaliser under fuzz.

    An input is bytes and a number that stands for the circumstances in which they are read (0 where there are none).
    """

    @property
    def name(self) -> str: ...

    def make(self, draw: random.Random) -> tuple[bytes, int]:
        """An input and its circumstances."""
        ...

    def check(self, data: bytes, circumstances: int) -> str:
        """Read `data`; the name of the outcome. Raises AssertionError, or whatever is raised, when it has none."""
        ...

    def every_way(self) -> Iterator[int]:
        """The circumstances in which an input of the corpus is read again."""
        ...
