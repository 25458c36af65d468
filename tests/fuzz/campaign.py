"""Many inputs for one parser or normaliser: their outcomes, the slowest of them, memory, and every failure."""

from __future__ import annotations

import hashlib
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.fuzzed import Fuzzed
from tests.sources.peak_memory import forget_peak, kibibytes

CORPUS = Path(__file__).parent / "corpus"
MOST_SECONDS = 1.0
MOST_MEBIBYTES = 100.0
_MOST_FAILURES = 20
_BLOCK = 500
"""Inputs between two looks at the memory."""


@dataclass(kw_only=True)
class Failure:
    """An input that ended in an exception, took too long, or whose block of inputs took too much memory."""

    index: int
    what: str
    data: bytes


@dataclass(kw_only=True)
class Account:
    """What became of some of a run's inputs."""

    name: str
    inputs: int = 0
    octets: int = 0
    largest: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    worst_seconds: float = 0.0
    """Of processor time, for one input."""
    worst_index: int = -1
    growth_mebibytes: float = 0.0
    """The process's highest memory less that at the start: above what any single input can have taken."""
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Account) -> None:
        """Take in what another process found."""
        self.inputs += other.inputs
        self.octets += other.octets
        self.largest = max(self.largest, other.largest)
        self.outcomes += other.outcomes
        self.growth_mebibytes = max(self.growth_mebibytes, other.growth_mebibytes)
        self.failures += other.failures
        if other.worst_seconds > self.worst_seconds:
            self.worst_seconds, self.worst_index = other.worst_seconds, other.worst_index


def input_of(fuzzed: Fuzzed, seed: int, index: int) -> tuple[bytes, int]:
    """Input `index` of the run `seed`, always the same."""
    return fuzzed.make(random.Random(f"{seed}/{fuzzed.name}/{index}"))


def run(fuzzed: Fuzzed, seed: int, indexes: range) -> Account:
    """Read these inputs in this process."""
    account = Account(name=fuzzed.name)
    for index in indexes[:20]:
        with suppress(Exception):  # they are read again below; what is read and compiled once is no input's memory
            fuzzed.check(*input_of(fuzzed, seed, index))
    forget_peak()
    before = kibibytes("VmRSS")
    for block in _blocks(indexes):
        for index in block:
            _read(account, fuzzed, seed, index)
        account.growth_mebibytes = (kibibytes("VmHWM") - before) / 1024
        if account.growth_mebibytes > MOST_MEBIBYTES:
            what = f"memory grew by {account.growth_mebibytes:.0f} MiB by the inputs up to {block[-1]}"
            account.failures.append(Failure(index=block[0], what=what, data=b""))
        if len(account.failures) >= _MOST_FAILURES:
            break
    return account


def _blocks(indexes: range) -> Iterator[range]:
    return (indexes[start : start + _BLOCK] for start in range(0, len(indexes), _BLOCK))


def _read(account: Account, fuzzed: Fuzzed, seed: int, index: int) -> None:
    data, circumstances = input_of(fuzzed, seed, index)
    began = time.thread_time()
    try:
        outcome, failed = fuzzed.check(data, circumstances), ""
    except Exception:  # whatever it is, it is what this looks for
        outcome, failed = "FAILED", traceback.format_exc(limit=-6)
    seconds = time.thread_time() - began
    account.inputs += 1
    account.octets += len(data)
    account.largest = max(account.largest, len(data))
    account.outcomes[outcome] += 1
    if seconds > account.worst_seconds:
        account.worst_seconds, account.worst_index = seconds, index
    if seconds > MOST_SECONDS:
        failed = failed or f"took {seconds:.2f} s"
    if failed:
        account.failures.append(Failure(index=index, what=f"{failed} (circumstances {circumstances})", data=data))


def keep(name: str, failure: Failure) -> Path:
    """Put a failed input into the corpus, which the tests read from then on."""
    path = CORPUS / name / hashlib.sha256(failure.data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(failure.data)
    return path


def shown(account: Account) -> str:
    """One line of the report."""
    ends = ", ".join(
        f"{outcome} {count * 100 / account.inputs:.1f} %" for outcome, count in account.outcomes.most_common(4)
    )
    return (
        f"{account.name:22} {account.inputs:8,} inputs, {account.octets / account.inputs / 1024:6.1f} KiB each, largest"
        f" {account.largest / 1024:5.0f} KiB; worst {account.worst_seconds * 1000:5.0f} ms"
        f" (input {account.worst_index}), memory +{account.growth_mebibytes:3.0f} MiB;"
        f" {len(account.failures)} failed; {ends}"
    )


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
