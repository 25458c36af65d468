"""One process on an embedded database: its folder and file, and a lock file beside it (DESIGN 1.1)."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.db import Database

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600


class AlreadyRunning(Exception):
    """Another process works on the same embedded database."""

    def __init__(self, path: Path, pid: str) -> None:
        super().__init__(f"another gonggo (process {pid or 'unknown'}) works on {path}; only a server can be shared")
        self.path = path
        self.pid = pid


class StateUnusable(Exception):
    """The folder or a file of an embedded database can't be made or written."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path}: {error.strerror}")
        self.path = path
        self.error = error


def prepare_file(path: Path) -> None:
    """Make the embedded database's folder and (empty) file, for its owner alone, where they are missing.

    Both may be read by nobody else: they hold a person's life. SQLite gives its own files the mode of this one. Raises
    StateUnusable, also where what exists can't be written.
    """
    try:
        path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        # One that is there is not opened: to close it would give back the locks of this process's connections.
        if not path.exists():
            os.close(_opened(path))
        elif path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise StateUnusable(path, error) from error


def _opened(path: Path) -> int:
    """A descriptor to read and write `path`, which is made where it is missing. Raises OSError.

    Made by root in the folder of another user (the service's, which has no name outside of it) it is that user's.
    """
    made = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
    if made and os.geteuid() == 0:
        file, folder = os.fstat(descriptor), path.parent.stat()
        # The service's sandbox refuses even to ask for what is so already.
        if (file.st_uid, file.st_gid) != (folder.st_uid, folder.st_gid):
            os.fchown(descriptor, folder.st_uid, folder.st_gid)
    return descriptor


@contextmanager
def sole_instance(db: Database) -> Iterator[None]:
    """Hold the embedded database's lock; a server database may be shared, so nothing is held for it.

    The lock is the operating system's and goes with the process, however it ends. Makes folder and file where they are
    missing. Raises AlreadyRunning, StateUnusable.
    """
    name = db.engine.url.database
    if db.shared or not name or name == ":memory:":
        yield
        return
    path = Path(name)
    prepare_file(path)
    lock = Path(f"{path}.lock")
    try:
        descriptor = _opened(lock)
    except OSError as error:
        raise StateUnusable(lock, error) from error
    try:
        _lock(descriptor, path, lock)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path, lock: Path) -> None:
    """Raises AlreadyRunning naming the process that holds it, StateUnusable where ours can't be named."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
    except BlockingIOError:
        raise AlreadyRunning(path, os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()) from None
    except OSError as error:
        raise StateUnusable(lock, error) from error
