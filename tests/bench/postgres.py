"""A private PostgreSQL for the benches of peers that need one: as it comes, durable, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

_START_SECONDS = 30.0


class PostgresMissing(Exception):
    """No PostgreSQL is installed here."""


def _programs() -> Path:
    """The folder of its programs: Debian keeps them off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    if initdb is None:
        raise PostgresMissing("PostgreSQL is not installed (Debian: postgresql)")
    return Path(initdb).parent


def _user() -> list[str]:
    """What puts a command under the user that PostgreSQL runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return []
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        raise PostgresMissing("there is no user postgres") from None
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


@contextmanager
def running_postgres() -> Iterator[str]:
    """The address (libpq's words) of a server with every default, so that each commit is on the disk.

    Raises PostgresMissing.
    """
    programs, user = _programs(), _user()
    folder = Path(tempfile.mkdtemp(prefix="gonggo-bench-pg-"))
    try:
        if user:
            shutil.chown(folder, "postgres", "postgres")
        data = folder / "data"
        subprocess.run(
            [*user, programs / "initdb", "-A", "trust", "-U", "bench", data], check=True, capture_output=True
        )
        port = free_port()
        listening = ["-p", str(port), "-k", str(folder), "-c", "listen_addresses=127.0.0.1"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [*user, str(programs / "postgres"), "-D", str(data), *listening], stdout=log, stderr=log
            )
        try:
            _wait(programs, port)
            yield f"host=127.0.0.1 port={port} user=bench dbname=postgres"
        finally:
            server.terminate()
            server.wait(_START_SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(programs: Path, port: int) -> None:
    ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    deadline = time.monotonic() + _START_SECONDS
    while subprocess.run(ready, check=False).returncode:
        if time.monotonic() > deadline:
            raise PostgresMissing(f"no answer after {_START_SECONDS:.0f} s")
        time.sleep(0.1)
