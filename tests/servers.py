"""Private MariaDB and MySQL servers for a test run: started when first needed, gone when the run is over.

A run has one folder, shared by its xdist workers. The first that needs a server starts it there, under a file lock; a
small shell process stays beside it and ends it when the run says so or has died. Servers listen on 127.0.0.1 only.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import pymysql
from sqlalchemy import make_url

from tests.ports import free_port

SERVERS = ("mariadb", "mysql")

_REAL_MYSQL = Path(__file__).resolve().parents[2] / "shared" / "tools" / "real-mysql"
_START_SECONDS = 60.0

_KEEPER = """
owner=$1 folder=$2; shift 2
"$@" >"$folder/server.log" 2>&1 </dev/null & server=$!
trap '' INT
while kill -0 "$owner" 2>/dev/null && [ ! -e "$folder/stop" ]; do sleep 0.3; done
kill -9 "$server"; wait "$server" 2>/dev/null
rm -rf "$folder"
kill -0 "$owner" 2>/dev/null || rm -rf "${folder%/*}"
"""
"""Waits for the end of the run, then ends the server: its data is of no more use, so at once."""

_TUNING = (
    "--innodb-buffer-pool-size=64M",
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-doublewrite=0",
    "--performance-schema=OFF",
    "--skip-log-bin",
    "--max-connections=400",
)


class ServerMissing(Exception):
    """A server of this kind cannot be had here; the text says why."""


def given_servers() -> dict[str, str]:
    """The servers that `GONGGO_TEST_MYSQL_URL` names, by kind. Raises ServerMissing when one does not answer."""
    found: dict[str, str] = {}
    for url in filter(None, os.environ.get("GONGGO_TEST_MYSQL_URL", "").split(",")):
        try:
            with admin(url.strip()) as cursor:
                cursor.execute("SELECT VERSION()")
                version: str = cursor.fetchone()[0]
        except pymysql.err.MySQLError as error:
            raise ServerMissing(f"GONGGO_TEST_MYSQL_URL: {error}") from error
        found["mariadb" if "MariaDB" in version else "mysql"] = url.strip()
    return found


def why_missing(kind: str) -> str | None:
    """Why no server of this kind can be started here, as far as can be told without starting one."""
    if kind == "mariadb":
        return None if _which("mariadbd") else "mariadbd is not installed"
    if _genuine_mysqld() or (_REAL_MYSQL.exists() and shutil.which("apt-get")):
        return None
    return "no genuine mysqld is installed"


def _which(program: str) -> str | None:
    # Debian keeps servers where only root looks.
    return shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin")


def _genuine_mysqld() -> str | None:
    path = _which("mysqld")
    if path is None:
        return None
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return None if "MariaDB" in version else path


@contextmanager
def admin(url: str) -> Iterator[pymysql.cursors.Cursor]:
    """A cursor on the server, outside any database, each statement committed at once."""
    at = make_url(url)
    connection = pymysql.connect(
        host=at.host or "127.0.0.1",
        port=at.port or 3306,
        user=at.username or "root",
        password=at.password or "",
        connect_timeout=10,
        autocommit=True,
    )
    try:
        with connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()


class RunFolder:
    """The folder of one test run: its servers' data, and the SQLite files of its tests."""

    def __init__(self, path: Path, owner: int) -> None:
        self.path = path
        self.owner = owner

    @staticmethod
    def create() -> RunFolder:
        """A new one, in memory where there is room: a test database need not survive a power cut."""
        memory = Path("/dev/shm")
        roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 * 1024**3
        return RunFolder(Path(tempfile.mkdtemp(prefix="gonggo-tests-", dir=memory if roomy else None)), os.getpid())

    def server(self, kind: str) -> str:
        """The URL of the run's server of this kind, started when this is the first call in any worker.

        Raises ServerMissing when it cannot be had.
        """
        with (self.path / f"{kind}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            address, failure = self.path / f"{kind}.url", self.path / f"{kind}.failure"
            if failure.exists():
                raise ServerMissing(failure.read_text())
            if not address.exists():
                try:
                    address.write_text(self._start(kind))
                except (ServerMissing, subprocess.CalledProcessError) as error:
                    output = getattr(error, "stderr", None) or ""
                    failure.write_text(f"{kind} did not start: {error} {output[-500:]}")
                    raise ServerMissing(failure.read_text()) from error
            return address.read_text()

    def _start(self, kind: str) -> str:
        folder = self.path / kind
        command, port = _made(kind, folder)
        _keepers.append(
            subprocess.Popen(
                ["sh", "-c", _KEEPER, "keeper", str(self.owner), str(folder), *command],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        url = f"mysql://root@127.0.0.1:{port}"
        _wait_until_ready(url, folder / "server.log")
        return url

    def remove(self) -> None:
        """End the servers and remove everything."""
        running = [self.path / kind for kind in SERVERS if (self.path / kind).exists()]
        for folder in running:
            (folder / "stop").touch()
        deadline = time.monotonic() + 10
        while any(folder.exists() for folder in running) and time.monotonic() < deadline:
            time.sleep(0.05)
        shutil.rmtree(self.path, ignore_errors=True)


class OwnServer:
    """A server of one test alone, which it may stop, kill and start again; a context manager."""

    def __init__(self, kind: str, folder: Path) -> None:
        if why_missing(kind) is not None:
            raise ServerMissing(f"{kind}: {why_missing(kind)}")
        self._folder = folder
        self._command, self._port = _made(kind, folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address, without a database."""
        return f"mysql://root@127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it and return when it answers."""
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        _wait_until_ready(self.url, self._folder / "server.log")

    def end(self, number: signal.Signals) -> None:
        """End it by a signal and return when it is gone."""
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(_START_SECONDS)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            self.end(signal.SIGKILL)


def _made(kind: str, folder: Path) -> tuple[list[str], int]:
    """A new server's data in `folder`; the command line that runs it, and its port."""
    folder.mkdir()
    command = _initialised(kind, folder / "data")
    port = free_port()
    command += [f"--datadir={folder}/data", f"--port={port}", "--bind-address=127.0.0.1", *_TUNING]
    return [*command, f"--socket={folder}/socket", f"--pid-file={folder}/pid"], port


_keepers: list[subprocess.Popen[bytes]] = []


def _initialised(kind: str, data: Path) -> list[str]:
    """Make the data folder of a new server without passwords; the command line that runs it, to be completed."""
    user = ["--user=root"] if os.geteuid() == 0 else []
    if kind == "mariadb":
        options = ["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", f"--datadir={data}"]
        subprocess.run(["mariadb-install-db", *options, *user], check=True, capture_output=True, text=True)
        return [_which("mariadbd") or "mariadbd", "--no-defaults", *user]
    server = _genuine_mysqld()
    if server is None:
        tool = subprocess.run([str(_REAL_MYSQL)], check=True, capture_output=True, text=True)
        command = [tool.stdout.strip()]  # its wrapper passes --no-defaults itself
    else:
        command = [server, "--no-defaults"]
    options = ["--initialize-insecure", f"--datadir={data}", *user]
    subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    return [*command, *user]


def _wait_until_ready(url: str, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with admin(url) as cursor:
                cursor.execute("SELECT 1")
            return
        except pymysql.err.OperationalError as error:
            if time.monotonic() > deadline:
                last = log.read_text(errors="replace").splitlines()[-1:]
                raise ServerMissing(f"no connection after {_START_SECONDS:.0f} s ({error}; its log: {last})") from error
            time.sleep(0.1)
