"""A systemd that runs the shipped unit: a user manager in a mount and process namespace of its own.

PID 1 of the machine may be anything. Needs root (namespaces, and a place among the control groups); whether one can
run here is found out by starting it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.acceptance.waiting import until

UNIT = Path(__file__).parents[2] / "systemd" / "gonggo.service"
_PROGRAM = "/opt/gonggo/.venv/bin/gonggo"
_TARGETS = ("default", "basic", "shutdown", "network-online", "nss-lookup", "time-sync")
_PROGRAMS = ("unshare", "nsenter", "systemctl", "systemd")

_START = """
mkdir -p /run/systemd && mount -t tmpfs tmpfs /run/systemd && mkdir /run/systemd/system
systemd --user --log-target=console
"""
"""A user manager wants a machine that systemd has booted, and sees that by this folder. It must not be process 1."""

_NOT_HERE = {
    "DynamicUser": "no",  # the interpreter may be in a folder that only its owner may enter
    "ProtectHome": "no",  # the interpreter may be in a home
    "PrivateTmp": "no",  # the test's own files are there
    "ProtectKernelLogs": "no",  # a container may not mount over /dev/kmsg
    "ProtectKernelTunables": "no",  # nor over /proc/sys
}
"""What of the sandbox depends on how the machine is laid out; all the rest is as shipped."""


_SECONDS = 60.0
"""How long the unit may take to come to a state."""


class SystemdMissing(Exception):
    """No systemd can be run here; says why."""


class Systemd:
    """A manager that has the unit; `asked` is systemctl."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.folder = folder
        self._inside = ["nsenter", "--target", str(pid), "--mount", "--pid"]

    async def asked(self, *arguments: str) -> tuple[int, str]:
        """Exit code and output of `systemctl --user …`."""
        process = await asyncio.create_subprocess_exec(
            *self._inside,
            *("systemctl", "--user", "--no-pager", *arguments),
            env=_environment(self.folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, output.decode("utf-8", "replace")

    async def told(self, *arguments: str) -> None:
        """A systemctl that must succeed."""
        code, output = await self.asked(*arguments)
        assert code == 0, f"systemctl {' '.join(arguments)}: {output}\n{self.log[-3000:]}"

    async def shown(self, *properties: str) -> tuple[str, ...]:
        """Properties of the unit."""
        _, output = await self.asked("show", "gonggo.service", *(f"--property={name}" for name in properties))
        found = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
        return tuple(found[name] for name in properties)

    async def comes_to(self, **properties: str) -> None:
        """Wait until the unit's properties are these."""
        wanted = tuple(properties.values())

        found: tuple[str, ...] = ()

        async def there() -> bool:
            nonlocal found
            found = await self.shown(*properties)
            return found == wanted

        await until(there, lambda: f"{properties}, but {found}; the log ends:\n{self.log[-3000:]}", _SECONDS)

    async def restarted(self) -> None:
        """Wait until the manager has started the unit anew by itself, and it runs."""
        found: tuple[str, ...] = ()

        async def there() -> bool:
            nonlocal found
            found = await self.shown("NRestarts", "ActiveState", "SubState")
            return found[0] != "0" and found[1:] == ("active", "running")

        await until(there, lambda: f"a restart, but {found}; the log ends:\n{self.log[-3000:]}", _SECONDS)

    @property
    def log(self) -> str:
        """All that the daemons wrote."""
        path = self.folder / "journal"
        return path.read_text("utf-8", "replace") if path.exists() else ""

    def write_unit(self, settings: Mapping[str, str], **directives: str) -> None:
        """The shipped unit with a program and folders that exist here, and `directives` of the test's own."""
        text = UNIT.read_text("utf-8").replace(f"{_PROGRAM} --config /etc/gonggo/gonggo.toml", self._command)
        units = self.folder / "units"
        (units / "gonggo.service").write_text(text, "utf-8")
        changes = {
            **_NOT_HERE,
            "WorkingDirectory": str(Path(__file__).parents[2]),
            "StandardOutput": f"append:{self.folder}/journal",
            "StandardError": f"append:{self.folder}/journal",
            **directives,
        }
        lines = [f"{name}={value}" for name, value in changes.items()]
        lines += [f"Environment='{name}={value}'" for name, value in settings.items()]
        drop_in = units / "gonggo.service.d"
        drop_in.mkdir(exist_ok=True)
        (drop_in / "here.conf").write_text("[Service]\n" + "\n".join(lines) + "\n", "utf-8")

    @property
    def _command(self) -> str:
        return f"{sys.executable} -m daemon --config {self.folder}/gonggo.toml"

    @property
    def state(self) -> Path:
        """The unit's StateDirectory."""
        return self.folder / ".config" / "gonggo"


def _environment(folder: Path) -> dict[str, str]:
    kept = {"PATH": os.environ.get("PATH", os.defpath)}
    return {**kept, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "SYSTEMD_UNIT_PATH": f"{folder}/units"}


@asynccontextmanager
async def running_systemd(folder: Path) -> AsyncIterator[Systemd]:
    """A manager for as long as the context lasts; everything that it started ends with it. Raises SystemdMissing."""
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        raise SystemdMissing(f"not installed: {', '.join(missing)}" if missing else "only root can start it")
    (folder / "units").mkdir()
    for name in _TARGETS:
        (folder / "units" / f"{name}.target").write_text("[Unit]\nDefaultDependencies=no\n", "ascii")
    with (folder / "systemd.log").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", _START),
            env=_environment(folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield Systemd(folder, await _manager(process, folder))
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _manager(process: asyncio.subprocess.Process, folder: Path) -> int:
    """The process of the namespace, once the manager in it answers."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for _ in range(200):
        if process.returncode is not None:
            break
        if (folder / "systemd" / "private").exists() and (found := children.read_text().split()):
            return int(found[0])
        await asyncio.sleep(0.05)
    said = (folder / "systemd.log").read_text("utf-8", "replace").strip().splitlines()
    raise SystemdMissing(f"it did not come up: {said[-1:]}")
