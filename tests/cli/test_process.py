"""The installed `gonggo` as a process: what an interpreter's start, end and signals could spoil."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest

from tests.cli.command import PROGRAM, Gonggo
from tests.cli.test_parse import board, job


def test_the_installed_program_shows_its_help(gonggo: Gonggo) -> None:
    ended = gonggo.process("--help")
    assert (ended.code, ended.errors) == (0, "")
    assert ended.output == gonggo.run("--help").output


def test_the_installed_program_tells_its_version(gonggo: Gonggo) -> None:
    assert gonggo.process("--version").output.startswith("gonggo 1.")


def test_a_saved_answer_comes_from_standard_input_and_goes_to_standard_output(gonggo: Gonggo) -> None:
    ended = gonggo.process("parse", "greenhouse", "-", stdin=board(job(1)))
    assert ended.code == 0
    assert json.loads(ended.output)["title"] == "서버 개발자 1 & 동료"
    assert ended.errors == "items=1 skipped=0 total=1 next=-\n"


def test_a_wrong_call_and_a_wrong_setting_have_their_exit_codes(gonggo: Gonggo) -> None:
    assert gonggo.process("parse", "greenhouse").code == 2
    assert gonggo.having(http_port="x").process("status").code == 3
    assert gonggo.process("status").code == 3


def test_a_daemon_less_life_init_check_flag_status(gonggo: Gonggo) -> None:
    for command in (["init", "--activate"], ["check"], ["flag", "off", "posting.auto-close"], ["status"]):
        ended = gonggo.process(*command)
        assert (ended.code, ended.errors) == (0, ""), command
    assert "꺼진 플래그: posting.auto-close\n" in gonggo.process("status").output


def test_a_reader_that_has_seen_enough_is_no_error(gonggo: Gonggo) -> None:
    with gonggo.start("parse", "greenhouse", "-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(board(*(job(number) for number in range(2000))))
        process.stdin.close()
        errors = process.stderr.read().decode()
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


def test_control_c_exits_130_with_one_sentence(gonggo: Gonggo, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never-ending")
    with (
        gonggo.start("parse", "greenhouse", str(tmp_path / "never-ending")) as process,
        (tmp_path / "never-ending").open("wb"),  # opens once the command reads
    ):
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == b""
    assert errors.decode() == "gonggo: 중단했습니다.\n"


@pytest.mark.parametrize("moment", [0.0, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("command", [["status"], ["run"]])
def test_control_c_at_any_moment_of_the_start_leaves_no_traceback(
    gonggo: Gonggo, command: list[str], moment: float
) -> None:
    gonggo.run("init")
    with gonggo.having(http_port="0").start(*command) as process:
        # Python itself, until it reads our first line, dies of the signal; from then on it is ours.
        wait_until_it_imports(process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    # Python gives the signal back before it ends, so the very last moment dies of it: to a shell that is 130 as well.
    code = 130 if process.returncode == -signal.SIGINT else process.returncode
    assert code in ({130, 0} if command == ["status"] else {130})
    assert "Traceback" not in output.decode() + errors.decode()
    assert "KeyboardInterrupt" not in errors.decode()


def wait_until_it_imports(pid: int) -> None:
    """Return once the process has loaded an extension module: gonggo loads its first one after its first line."""
    maps = Path(f"/proc/{pid}/maps")
    for _ in range(10_000):
        if f"{sysconfig.get_config_var('EXT_SUFFIX')}" in maps.read_text():
            return
        threading.Event().wait(0.002)
    raise AssertionError("the command has loaded nothing")


def test_its_first_line_comes_before_whatever_takes_time() -> None:
    """What `wait_until_it_imports` relies on, and what keeps the time small in which Ctrl-C is still Python's own."""
    told = "import daemon.cli, pathlib; print(pathlib.Path('/proc/self/maps').read_text())"
    maps = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout
    assert sysconfig.get_config_var("EXT_SUFFIX") not in maps


@pytest.mark.acceptance
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_daemon_stops_cleanly_and_its_code_tells_whose_wish_it_was(
    gonggo: Gonggo, number: signal.Signals, code: int
) -> None:
    with gonggo.having(http_port="0", log_format="json").start("run") as daemon:
        assert daemon.stderr is not None
        journal = []
        for line in daemon.stderr:
            journal.append(json.loads(line)["event"])
            if journal[-1] == "daemon.nothing_followed":
                daemon.send_signal(number)
    assert daemon.returncode == code
    assert journal[-1] == "daemon.stopped", "and every line was JSON"


@pytest.mark.parametrize(
    ("command", "redirection"),
    [
        ("status", ">&-"),
        ("status", ">/dev/full"),
        ("status", "2>&-"),
        ("status", "<&- >&- 2>&-"),
        ("--help", ">/dev/full"),
        ("no-such-command", "2>/dev/full"),
        ("no-such-command", "2>&-"),
    ],
)
def test_an_output_that_cannot_be_written_is_one_sentence_and_exit_one(
    gonggo: Gonggo, command: str, redirection: str
) -> None:
    gonggo.run("init")
    done = subprocess.run(
        f"{PROGRAM} {command} {redirection}",
        shell=True,
        capture_output=True,
        env=gonggo.environment,
        cwd=gonggo.home,
        timeout=60,
        check=False,
    )
    errors = done.stderr.decode()
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors
    if command == "no-such-command":
        assert done.returncode == 2
    elif redirection == ">/dev/full" or ">&-" in redirection.split():
        assert done.returncode == 1
        assert errors == "" or errors.startswith("gonggo: 결과를 출력하지 못했습니다")
    else:
        assert done.returncode == 0
    assert [path.name for path in (gonggo.home / ".local/state/gonggo").glob("*") if "gonggo" not in path.name] == []


@pytest.mark.parametrize("encoding", ["ascii", "cp949"])
def test_a_terminal_that_lacks_a_letter_gets_it_escaped(gonggo: Gonggo, encoding: str) -> None:
    environment = {**gonggo.environment, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [PROGRAM, "parse", "greenhouse", "-"],
        input=board(job(1, title="개발자 🙂")),
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "\\U0001f642" in done.stdout.decode(encoding)


@pytest.mark.acceptance
def test_the_daemon_tells_the_service_manager_that_it_is_ready_alive_and_stopping(
    gonggo: Gonggo, tmp_path: Path
) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(30)
        variables = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "60000000"}
        with gonggo.having(http_port="0").start("run", **variables) as daemon:
            words = {manager.recv(1000).decode() for _ in range(3)}
            assert words == {"READY=1", "WATCHDOG=1", "STATUS=소스 0개, 꺼진 기능 5개"}
            daemon.send_signal(signal.SIGTERM)
            assert manager.recv(1000).decode() == "STOPPING=1"
            _, journal = daemon.communicate(timeout=60)
    assert daemon.returncode == 0
    lines = [json.loads(line) for line in journal.decode().splitlines()]
    assert lines[-1]["event"] == "daemon.stopped"
    told = {line["event"]: line for line in lines}
    assert {"daemon.started", "daemon.flags_off", "daemon.nothing_followed"} <= set(told)
    assert told["web.listening"]["address"] in told["daemon.nothing_followed"]["say"]


@pytest.mark.acceptance
def test_a_daemon_that_cannot_start_says_why_and_exits_three(gonggo: Gonggo) -> None:
    gonggo.run("init")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = gonggo.having(http_port=str(taken.getsockname()[1])).process("run")
    assert ended.code == 3
    assert "GONGGO_HTTP_PORT" in ended.errors.splitlines()[-1]
