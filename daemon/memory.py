"""What the C library keeps of memory that was freed."""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Options of mallopt(3)."""

_LARGE = 128 * 1024
"""Bytes; glibc begins with that too, and raises it to 32 MiB with what is allocated."""


def give_back_what_is_freed() -> None:
    """Have memory that pages and their trees took go back to the system; before there are threads.

    By itself glibc keeps an arena for each thread, and at the end of each what was needed there once. Where there is
    another C library nothing happens.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    for option, value in ((_ARENA_MAX, 1), (_TRIM_THRESHOLD, _LARGE), (_MMAP_THRESHOLD, _LARGE)):
        mallopt(option, value)
