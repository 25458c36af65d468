"""One process on an embedded database: a lock file beside it (DESIGN 1.1)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.db import Database


class AlreadyRunning(Exception):
    """Another process works on the same embedded database."""

    def __init__(self, path: Path, pid: str) -> None:
        super().__init__(f"another gonggo (process {pid or 'unknown'}) works on {path}; only a server can be shared")
        self.path = path
        self.pid = pid


@contextmanager
def sole_instance(db: Database) -> Iterator[None]:
    """Hold the embedded database's lock; a server database may be shared, so nothing is held for it.

    The lock is the operating system's and goes with the process, however it ends. Raises AlreadyRunning.
    """
    name = db.engine.url.database
    if db.shared or not name or name == ":memory:":
        yield
        return
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise AlreadyRunning(path, file.read().strip()) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
