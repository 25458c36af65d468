"""Ctrl-C: while a command gets ready it ends the process at once, while it works it is raised and cleaned up after.

Python raises KeyboardInterrupt wherever the program happens to be. In the middle of an import that is wrapped in other
errors, or lost in a callback with a traceback on the terminal; so nothing is raised there.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""128 + SIGINT, as a shell has it."""


class _Leave:
    """The signal handler that ends the process; `sentence` is written to standard error first."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence.encode()

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        try:
            # Not by way of sys.stderr: the program may be in the midst of writing to it.
            os.write(2, self._sentence)
        finally:
            os._exit(INTERRUPTED)


def leave_at_interrupt(sentence: str = "") -> None:
    """From now on Ctrl-C ends the process with exit code 130. Does nothing where the signal is ignored (nohup)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler or _leaves():
        signal.signal(signal.SIGINT, _Leave(sentence))


@contextmanager
def interrupts_raised() -> Iterator[None]:
    """Within, Ctrl-C is a KeyboardInterrupt (asyncio makes it a cancellation)."""
    before = signal.getsignal(signal.SIGINT)
    if not _leaves():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leaves() -> bool:
    return isinstance(signal.getsignal(signal.SIGINT), _Leave)
