"""A small file system of its own for an embedded database, which can be filled up."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path
from typing import Self

_MEGABYTES = 96
_PIECE = bytes(64 * 1024)


class NoDisk(Exception):
    """Nothing can be mounted here."""


class SmallDisk:
    """A tmpfs at a path; a context manager. Raises NoDisk where this user may not mount."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self) -> None:
        """From now on nothing more can be written."""
        with (self.path / "ballast").open("ab", buffering=0) as ballast:
            for size in (len(_PIECE), 4096, 1):
                try:
                    while ballast.write(_PIECE[:size]):
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        """There is room again."""
        (self.path / "ballast").unlink(missing_ok=True)

    def __enter__(self) -> Self:
        self.path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={_MEGABYTES}m", "tmpfs", str(self.path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise NoDisk(str(error)) from error
        if done.returncode:
            raise NoDisk(done.stderr.strip())
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "-l", str(self.path)], check=True)
