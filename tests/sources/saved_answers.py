"""Every saved answer at hand, by platform: the repository's own, and captured ones where they are kept beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from daemon.sources.model import Platform

_OWN = Path(__file__).parents[1] / "sites"
_CAPTURED = Path(__file__).parents[2].parent / "shared" / "fixtures"
_SUFFIXES = {".json", ".html"}
_LARGEST = 150_000
"""Bytes; larger captures would only make the mutations slow."""


@dataclass(frozen=True)
class SavedFile:
    path: Path

    @property
    def body(self) -> bytes:
        return self.path.read_bytes()

    def __str__(self) -> str:
        return self.path.name


def saved_answers(platform: Platform) -> list[SavedFile]:
    """Files named after the platform, or in a folder named after it."""
    name = platform.lower()
    files = [*_OWN.rglob("*"), *(_CAPTURED / name).glob("*")]
    return [
        SavedFile(path)
        for path in sorted(files)
        if path.suffix in _SUFFIXES
        and (path.name.startswith(name) or path.parent.name == name)
        and path.stat().st_size <= _LARGEST
    ]
