"""The words systemd hears, on a real datagram socket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.sdnotify import Notifier, feed_watchdog, watchdog_interval

T0 = datetime(2026, 12, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@contextlib.contextmanager
def service_manager(address: str) -> Iterator[socket.socket]:
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.bind("\0" + address[1:] if address.startswith("@") else address)
    receiver.setblocking(False)
    with receiver:
        yield receiver


def heard(receiver: socket.socket) -> list[str]:
    words = []
    with contextlib.suppress(BlockingIOError):
        while True:
            words.append(receiver.recv(4096).decode("utf-8"))
    return words


@pytest.mark.parametrize("abstract", [False, True])
def test_every_word_arrives_as_one_datagram(tmp_path: Path, abstract: bool) -> None:
    address = f"@gonggo-test-{tmp_path}" if abstract else str(tmp_path / "notify")
    with service_manager(address) as receiver:
        notifier = Notifier.from_environment({"NOTIFY_SOCKET": address})
        notifier.ready()
        notifier.status("수집 중\n3/9")
        notifier.beat()
        notifier.extend_timeout(timedelta(seconds=1.5))
        notifier.stopping()
        assert heard(receiver) == [
            "READY=1",
            "STATUS=수집 중 3/9",
            "WATCHDOG=1",
            "EXTEND_TIMEOUT_USEC=1500000",
            "STOPPING=1",
        ]


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1234"}])
def test_without_a_usable_socket_nothing_is_sent_and_nothing_fails(environ: dict[str, str]) -> None:
    notifier = Notifier.from_environment(environ)
    notifier.ready()
    assert not notifier.connected


def test_a_socket_that_is_gone_or_full_disturbs_nobody(tmp_path: Path) -> None:
    Notifier(str(tmp_path / "gone")).ready()
    with service_manager(str(tmp_path / "full")) as receiver:
        notifier = Notifier(str(tmp_path / "full"))
        for _ in range(2000):
            notifier.beat()
        assert 0 < len(heard(receiver)) < 2000


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"}, timedelta(seconds=60)),
        ({"WATCHDOG_USEC": "60000000"}, timedelta(seconds=60)),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "0", "WATCHDOG_PID": "7"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_interval_is_read_only_when_it_is_meant_for_this_process(
    environ: dict[str, str], expected: timedelta | None
) -> None:
    assert watchdog_interval(environ, pid=7) == expected


class Engine:
    """An engine whose last step is a number that the test sets."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.last_step = clock.ticks()

    def advance(self) -> None:
        self.last_step = self.clock.ticks()

    def progress(self) -> float:
        return self.last_step


async def _pass(clock: ManualClock, duration: timedelta) -> None:
    clock.advance(duration)
    for _ in range(20):
        await asyncio.sleep(0)


async def test_the_watchdog_is_fed_while_the_engine_advances_and_starves_when_it_does_not(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    clock, stopping = ManualClock(T0), asyncio.Event()
    engine = Engine(clock)
    with service_manager(address) as receiver:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(
                feed_watchdog(Notifier(address), 30 * SECOND, clock, engine.progress, 25 * SECOND, stopping)
            )
            await _pass(clock, timedelta(0))
            assert heard(receiver) == ["WATCHDOG=1"]
            for _ in range(3):
                engine.advance()
                await _pass(clock, 10 * SECOND)
            assert heard(receiver) == ["WATCHDOG=1"] * 3
            await _pass(clock, 10 * SECOND)
            assert heard(receiver) == ["WATCHDOG=1"]
            await _pass(clock, 10 * SECOND)
            await _pass(clock, 10 * SECOND)
            words = heard(receiver)
            assert words == ["STATUS=no progress for 30 s"]
            engine.advance()
            await _pass(clock, 10 * SECOND)
            assert heard(receiver) == ["WATCHDOG=1"]
            stopping.set()


async def test_feeding_ends_at_once_when_the_daemon_stops(tmp_path: Path) -> None:
    clock, stopping = ManualClock(T0), asyncio.Event()
    feeding = asyncio.ensure_future(feed_watchdog(Notifier(None), 60 * SECOND, clock, clock.ticks, SECOND, stopping))
    await asyncio.sleep(0)
    stopping.set()
    await asyncio.wait_for(feeding, 1)
    assert feeding.done()
