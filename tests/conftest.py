"""Fixtures: `db` (on every engine, manual clock), `server_db` (MySQL family, server time), `blank`, `clock`.

`--engines sqlite,mariadb,mysql` chooses; by default every engine that can be had here, and
the others are skipped and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

from daemon.clock import KST, ManualClock, SystemClock
from daemon.db import Database, open_database
from tests.databases import Databases
from tests.servers import SERVERS, RunFolder, ServerMissing, given_servers, why_missing

ENGINES = ("sqlite", *SERVERS)

_WAITING = "acceptance"
"""Folder of the tests that start processes."""

# How long an example takes says how busy the machine is.
settings.register_profile("gonggo", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gonggo")

_run = pytest.StashKey[RunFolder]()
_given = pytest.StashKey[dict[str, str]]()
_missing = pytest.StashKey[dict[str, str]]()
_wanted = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gonggo")
    group.addoption("--engines", default=",".join(ENGINES), help="engines to test on, comma-separated")
    group.addoption("--require-engines", action="store_true", help="an engine that cannot be had is an error")


def pytest_configure(config: pytest.Config) -> None:
    wanted = [name.strip() for name in config.getoption("--engines").split(",")]
    if unknown := set(wanted) - set(ENGINES):
        raise pytest.UsageError(f"--engines: {', '.join(sorted(unknown))}? There are {', '.join(ENGINES)}.")
    try:
        given = given_servers()
    except ServerMissing as error:
        raise pytest.UsageError(str(error)) from error
    missing: dict[str, str] = {}
    for name in wanted:
        if name != "sqlite" and name not in given:
            reason = "not among GONGGO_TEST_MYSQL_URL" if given else why_missing(name)
            missing |= {name: reason} if reason else {}
    if missing and config.getoption("--require-engines"):
        raise pytest.UsageError(f"engines missing: {missing}")
    config.stash[_wanted], config.stash[_given], config.stash[_missing] = wanted, given, missing
    folder = getattr(config, "workerinput", {}).get("gonggo_run")
    config.stash[_run] = RunFolder(Path(folder[0]), folder[1]) if folder else RunFolder.create()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    run = node.config.stash[_run]  # type: ignore[attr-defined]  # xdist has no public type for it
    node.workerinput["gonggo_run"] = (str(run.path), run.owner)  # type: ignore[attr-defined]  # as above


def pytest_unconfigure(config: pytest.Config) -> None:
    run = config.stash.get(_run, None)
    if run is not None and not hasattr(config, "workerinput"):
        run.remove()


def pytest_report_header(config: pytest.Config) -> list[str]:
    missing = config.stash[_missing]
    engines = [f"{name} (MISSING: {missing[name]})" if name in missing else name for name in config.stash[_wanted]]
    return [f"engines: {', '.join(engines)}"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" not in metafunc.fixturenames:
        return
    missing = metafunc.config.stash[_missing]
    wanted = metafunc.config.stash[_wanted]
    possible: tuple[str, ...] = SERVERS if "server_only" in metafunc.fixturenames else ENGINES
    if "sqlite_only" in metafunc.fixturenames:
        possible = ("sqlite",)
    names = [name for name in wanted if name in possible]
    marks = {name: [pytest.mark.skip(reason=f"{name}: {missing[name]}")] if name in missing else [] for name in names}
    if not names:
        names, marks = ["none"], {"none": [pytest.mark.skip(reason=f"runs on {' and '.join(possible)} only")]}
    metafunc.parametrize("engine", [pytest.param(name, marks=marks[name]) for name in names])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the tests that start processes, and mostly wait for them, evenly among those that compute."""
    waiting = [item for item in items if _WAITING in item.path.parts]
    computing = [item for item in items if _WAITING not in item.path.parts]
    if waiting and computing:
        between = len(computing) / len(waiting)
        shares = [computing[round(n * between) : round((n + 1) * between)] for n in range(len(waiting))]
        items[:] = [each for first, share in zip(waiting, shares, strict=True) for each in (first, *share)]


def pytest_itemcollected(item: pytest.Item) -> None:
    callspec = getattr(item, "callspec", None)
    if callspec is not None and "engine" in callspec.params:
        item.user_properties.append(("engine", callspec.params["engine"]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            engine = dict(getattr(report, "user_properties", ())).get("engine")
            if engine is not None:
                counts.setdefault(str(engine), Counter())[outcome] += 1
    if counts:
        told = (f"{name} {', '.join(f'{n} {outcome}' for outcome, n in counts[name].items())}" for name in counts)
        terminalreporter.write_line(f"engines: {'; '.join(told)}")


@pytest.fixture(scope="session")
def databases(request: pytest.FixtureRequest) -> Iterator[Databases]:
    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    made = Databases(request.config.stash[_run], request.config.stash[_given], worker)
    yield made
    made.drop_all()


@pytest.fixture
def clock() -> ManualClock:
    """Time that stands at midnight of 2026-12-01 in Korea until the test moves it."""
    return ManualClock(datetime(2026, 12, 1, tzinfo=KST))


@pytest.fixture
def blank_url(engine: str, databases: Databases, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty database, not migrated."""
    try:
        url = databases.blank(engine)
    except ServerMissing as error:
        _skip_or_fail(request, error)
    yield url
    databases.forget(url)


@pytest.fixture
async def blank(blank_url: str, clock: ManualClock) -> AsyncIterator[Database]:
    """A database without any table."""
    opened = open_database(blank_url, clock)
    yield opened
    await opened.close()


@pytest.fixture
def server_only() -> None:
    """A test that has it runs on MariaDB and MySQL only."""


@pytest.fixture
def sqlite_only() -> None:
    """A test that has it runs on SQLite only."""


@pytest.fixture
async def _migrated_url(engine: str, databases: Databases, request: pytest.FixtureRequest) -> AsyncIterator[str]:
    try:
        url = await databases.migrated(engine)
    except ServerMissing as error:
        _skip_or_fail(request, error)
    yield url
    databases.forget(url)


@pytest.fixture
async def db(_migrated_url: str, engine: str, databases: Databases, clock: ManualClock) -> AsyncIterator[Database]:
    """A migrated database with nothing in it but the flags, all off; transactions take `clock`'s time."""
    opened = open_database(_migrated_url, clock)
    await databases.reset(engine, opened)
    yield opened
    await opened.close()


@pytest.fixture
async def server_db(
    _migrated_url: str, engine: str, databases: Databases, server_only: None
) -> AsyncIterator[Database]:
    """As `db`, on MariaDB and MySQL only; transactions take the server's time."""
    opened = open_database(_migrated_url, SystemClock())
    await databases.reset(engine, opened)
    yield opened
    await opened.close()


def _skip_or_fail(request: pytest.FixtureRequest, error: ServerMissing) -> NoReturn:
    if request.config.getoption("--require-engines"):
        raise error
    pytest.skip(str(error))
