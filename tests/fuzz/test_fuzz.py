"""A short run of the fuzz campaign, the corpus of what once failed, and the campaign's own promises."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz import campaign
from tests.fuzz.parsers import PARSERS
from tests.fuzz.processes import FUZZED

INPUTS = 250
"""Of each; `make fuzz` reads 20,000 of each, or as many as it is told."""

READ = {parser.name for parser in PARSERS} - {"surfit-detail"}
"""Parsers that can read something; of Surfit no posting's own page is known."""


@pytest.mark.parametrize("name", FUZZED)
def test_broken_answers_and_words_have_an_outcome_soon_and_in_little_memory(name: str) -> None:
    account = campaign.run(FUZZED[name], 20260917, range(INPUTS))
    assert [f"input {failure.index}: {failure.what}" for failure in account.failures] == []
    assert account.inputs == INPUTS
    if name in READ:
        # What is refused at its first byte tests nothing behind it.
        assert account.outcomes["FETCHED"] >= INPUTS * 0.1, account.outcomes


CORPUS = sorted(path for path in campaign.CORPUS.rglob("*") if path.is_file() and path.name != "README.md")


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_once_failed_has_an_outcome_in_every_circumstance(path: Path) -> None:
    fuzzed = FUZZED[path.parent.name]
    for circumstances in fuzzed.every_way():
        assert fuzzed.check(path.read_bytes(), circumstances)


@pytest.mark.parametrize("name", ["saramin-list", "jumpit-detail", "deadlines"])
def test_an_input_can_be_made_again(name: str) -> None:
    made = [campaign.input_of(FUZZED[name], 7, index) for index in range(50)]
    assert [campaign.input_of(FUZZED[name], 7, index) for index in range(50)] == made
    assert len(set(made)) > 30


class _Faulty:
    """A parser that fails on every third input."""

    name = "faulty"
    reads = 0

    def make(self, draw: random.Random) -> tuple[bytes, int]:
        return draw.randbytes(8), 0

    def check(self, data: bytes, circumstances: int) -> str:
        self.reads += 1
        if self.reads % 3 == 0:
            raise ValueError("found")
        return "read"

    def every_way(self) -> Iterator[int]:
        return iter((0,))


def test_a_parser_that_fails_is_reported_with_its_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "CORPUS", tmp_path)
    account = campaign.run(_Faulty(), 1, range(30))
    assert account.outcomes["FAILED"] == len(account.failures) == 10
    assert "ValueError: found" in account.failures[0].what
    kept = campaign.keep("faulty", account.failures[0])
    assert kept.read_bytes() == account.failures[0].data


def test_a_slow_input_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "MOST_SECONDS", 0.0)
    account = campaign.run(FUZZED["plain"], 1, range(5))
    assert [failure.what.partition(" ")[0] for failure in account.failures] == ["took"] * 5
