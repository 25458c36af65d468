"""The unit file: valid, tight, and in agreement with the daemon it starts."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from daemon.settings import _SECRETS, INSTALLED, Settings

UNIT = Path(__file__).parents[2] / "systemd" / "gonggo.service"
ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not on this machine (package systemd)")


def directives() -> dict[str, str]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # directive names have capitals
    parser.read(UNIT, "utf-8")
    return {**parser["Unit"], **parser["Service"]}


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that exists on this machine."""
    text = UNIT.read_text("utf-8").replace("/opt/gonggo/.venv/bin/gonggo", sys.executable)
    (tmp_path / "gonggo.service").write_text(text, "utf-8")
    return tmp_path / "gonggo.service"


@needs_systemd
def test_systemd_finds_nothing_to_complain_about_in_the_unit(unit: Path) -> None:
    assert ANALYZE is not None
    found = subprocess.run([ANALYZE, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False)
    assert found.stderr + found.stdout == ""
    assert found.returncode == 0


@needs_systemd
def test_the_exposure_of_the_unit_is_at_most_one_point_five(unit: Path) -> None:
    assert ANALYZE is not None
    command = [ANALYZE, "security", "--offline=true", "--no-pager", "--threshold=15", str(unit)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    level = re.search(r"exposure level for gonggo.service: ([\d.]+)", found.stdout)
    assert level is not None, found.stderr
    assert float(level.group(1)) <= 1.5
    assert found.returncode == 0


def test_systemd_waits_longer_than_the_daemon_s_own_stop_budget() -> None:
    assert int(directives()["TimeoutStopSec"]) >= Settings().stop_seconds + 10


def test_a_failing_start_is_retried_for_ever() -> None:
    unit = directives()
    assert unit["Restart"] == "on-failure"
    assert unit["StartLimitIntervalSec"] == "0"
    assert int(unit["RestartSec"]) > 0


def test_systemd_waits_for_ready_and_watches_the_daemon() -> None:
    unit = directives()
    assert unit["Type"] == "notify"
    assert int(unit["WatchdogSec"]) > 0
    assert "AF_UNIX" in unit["RestrictAddressFamilies"], "without it no notification gets out"


def test_systemd_s_reload_is_the_daemon_s() -> None:
    assert directives()["ExecReload"] == "kill -HUP $MAINPID"


def test_every_secret_can_be_given_as_a_credential_that_may_be_missing() -> None:
    loaded = re.findall(r"^LoadCredential=(\w+):(.+)$", UNIT.read_text("utf-8"), re.MULTILINE)
    assert {name for name, _ in loaded} == set(_SECRETS)
    # systemd starts the unit without a credential only when it is named, not given by its path.
    assert not [source for _, source in loaded if "/" in source]


def test_the_example_configuration_holds_known_settings_at_their_defaults() -> None:
    example = tomllib.loads((UNIT.parent / "gonggo.toml").read_text("utf-8"))
    defaults = Settings().model_dump()
    assert example
    assert example == {name: defaults[name] for name in example}


def test_a_shell_command_looks_where_the_unit_has_its_things() -> None:
    text = UNIT.read_text("utf-8")
    assert f"--config {INSTALLED.config} run" in text
    assert directives()["StateDirectory"] == str(INSTALLED.state.relative_to("/var/lib"))
    for name in _SECRETS:
        assert f"LoadCredential={name}:gonggo.{name}" in text
        assert f"{INSTALLED.credentials}/gonggo.{name}" in text
