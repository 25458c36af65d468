"""The days: drives the clock through each, lets the strikes fall, and has what is left judged."""

from __future__ import annotations

import asyncio
import math
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from daemon.clock import kst
from daemon.demo.request_log import LoggedRequest
from daemon.demo.world import Surface
from daemon.demo.world.truth import PAGE_SIZES
from tests.acceptance.chaos.checks import judge
from tests.acceptance.chaos.checks.messages import repeats
from tests.acceptance.chaos.crew import Crew, Member
from tests.acceptance.chaos.evidence import CYCLES, OPEN, TABLES, Evidence, Memory, Violation
from tests.acceptance.chaos.moments import Moments
from tests.acceptance.chaos.outcome import Outcome
from tests.acceptance.chaos.recovery import Recoveries
from tests.acceptance.chaos.schedule import ON_DATABASE, DayPlan, Fault
from tests.acceptance.chaos.strikes import Strikes
from tests.acceptance.chaos.watch import Reader, Row
from tests.acceptance.replay import Replay
from tests.acceptance.stage import Theatre, write_postings
from tests.discord import Discord
from tests.discord import Fault as DiscordFault

DELAY = 1.0
"""Simulated seconds between two requests to a site."""
_IDLE_SPEED = 25.0
"""While nothing is asked of a site: leases run out, jobs are waited for."""
_CUTOFF_SPEED = 4.0
_LOOK_SECONDS = 0.12
_STUCK_SECONDS = 90.0
_QUIET_SECONDS = 1.0
_JOBS = (
    ("deadline-sweep", (0, 30)),
    ("dedup", (8, 30)),
    ("evaluation", (8, 50)),
    ("sla", (9, 0)),
    ("notification", (9, 0)),
    ("seen-cleanup", (10, 15)),
)


class Run:
    """One run, day after day."""

    strikes: Strikes

    def __init__(
        self, outcome: Outcome, theatre: Theatre, moments: Moments, discord: Discord, crew: Crew, reader: Reader
    ) -> None:
        self._outcome = outcome
        self._speed = outcome.options.speed
        self._theatre = theatre
        self._moments = moments
        self._discord = discord
        self._crew = crew
        self._reader = reader
        self._key_of = {(one.platform, one.board): key for key, one in theatre.sources.items()}
        self._asked_by: dict[int, str] = {}
        self._lists = 0
        self._last_request = 0.0
        self.recoveries = Recoveries({key: one.platform.value for key, one in theatre.sources.items()})
        self._memory = Memory(replays={key: Replay(theatre.world, one) for key, one in theatre.sources.items()})
        self._read_to: dict[Path, int] = {}
        self._day = theatre.world.first_day
        self._running: list[Row] = []
        self._stuck: list[str] = []
        self._took = (0.0, 0.0)
        self._cutoff_troubled = False
        self._crossed_at: float | None = None
        self._before: dict[int, int] = {}
        self._after: dict[int, int] = {}

    # What the strikes and the sites call.

    def asked(self, request: LoggedRequest) -> None:
        """A request has arrived."""
        self._last_request = time.monotonic()
        self._outcome.requests += 1
        if request.surface is Surface.LIST:
            self._lists += 1
            self._asked_by[self._key_of[request.platform, request.board]] = request.user_agent

    async def killed(self, member: Member, at: datetime) -> None:
        """A member is dead: whose hosts it held is asked of the database, if that answers."""
        found = await self._cycles()
        if found is not None:
            self.recoveries.killed(member.name, at, found, self._asked_by)

    # A day.

    async def live_through(self, plan: DayPlan) -> None:
        """From midnight to the last job, and then the judgement."""
        world = self._theatre.world
        self._day = day = world.day_number(plan.number)
        await write_postings(world, day, self._theatre.sources.values())
        self._lists, self._last_request = 0, time.monotonic()
        self._stuck, self._before, self._after = [], {}, {}
        self._cutoff_troubled, self._crossed_at = False, None
        self._discord.faults.extend(DiscordFault[name] if name else None for name in plan.discord)
        requests_before, struck_before = len(self._discord.requests), len(self.strikes.done)
        recoveries_before = len(self.recoveries.all)
        self._moments.leap(kst(day, 0), self._speed)
        began = time.monotonic()
        await self._collect(plan)
        collected = time.monotonic()
        await self._work_off(plan)
        self._theatre.replica.switch_off()
        await self._come_to_rest()
        self._took = (collected - began, time.monotonic() - collected)
        evidence = Evidence(
            day=day,
            number=plan.number,
            tables=await self._reader.tables(TABLES),
            requests=list(self._theatre.log.requests),
            moments=self._moments,
            delay=DELAY,
            channel=self._discord.messages,
            unanswered=sum(request.status == 0 for request in self._discord.requests[requests_before:]),
            struck=self.strikes.done[struck_before:],
            cutoff_troubled=self._cutoff_troubled,
            at_cutoff={key: (value, self._after.get(key, sys.maxsize)) for key, value in self._before.items()},
            sources=self._theatre.sources,
            world=world,
            logs=self._new_lines(),
            surprises=self._crew.surprises[:],
            recoveries=self.recoveries.all[recoveries_before:],
            stuck=self._stuck,
        )
        self._theatre.log.clear()
        self._crew.surprises.clear()
        self._judge(evidence)

    def _judge(self, evidence: Evidence) -> None:
        outcome = self._outcome
        found = judge(evidence, self._memory)
        outcome.violations += found
        outcome.days, outcome.kills, outcome.starts = evidence.number, self._crew.kills, self._crew.starts
        outcome.struck, outcome.recoveries = self.strikes.done, self.recoveries.all
        outcome.repeats += repeats(evidence)
        outcome.messages, outcome.postings = len(evidence.channel), len(evidence.tables["job_postings"])
        for row in evidence.of_day(CYCLES):
            end = row["failure_reason"] or row["cycle_status"]
            outcome.cycles[end] = outcome.cycles.get(end, 0) + 1
        headers = evidence.tables["job_posting_collection_sla_snapshots"]
        outcome.missed_cutoffs = sum(row["capture_status"] == "MISSED" for row in headers)
        outcome.evidence, outcome.memory = evidence, self._memory

    def line(self, plan: DayPlan) -> str:
        """The day in one line."""
        outcome = self._outcome
        today = [each for each in outcome.violations if each.day == plan.number]
        cycles = sorted(outcome.cycles.items(), key=lambda each: -each[1])
        ends = ", ".join(f"{number} {name}" for name, number in cycles)
        took = "{:.0f} + {:.0f}".format(*self._took)
        return f"day {plan.number} at {outcome.seconds:.0f} s ({took}): {len(today)} violations; cycles so far: {ends}"

    def finish(self) -> None:
        """After the last SIGTERM."""
        number = self._outcome.days
        for name, line in self._new_lines():
            if "Traceback" in line or not line.startswith("{"):
                self._outcome.violations.append(Violation(check="logs are clean", day=number, what=f"{name}: {line}"))
        for surprise in self._crew.surprises:
            self._outcome.violations.append(Violation(check="no process ends by itself", day=number, what=surprise))

    # Collecting.

    async def _collect(self, plan: DayPlan) -> None:
        """Until every cycle of the day is over and every fault has struck."""
        expected = self._pages_of_day()

        def due(fault: Fault) -> bool:
            return self._lists >= fault.after * expected

        striking = asyncio.ensure_future(self.strikes.all_of(plan.collecting, due, lambda: self._lists))
        late = plan.late_after
        look = Patience()
        while True:
            cycles = await self._cycles()
            if late is not None and self._lists >= late * expected:
                late = None
                self.recoveries.disturb()
                self._moments.leap(kst(self._day, 8, 59, 48), _CUTOFF_SPEED)
            if cycles is not None:
                if striking.done() and cycles and all(row["cycle_status"] not in OPEN for row in cycles):
                    break
                if look.lost((self._lists, [(row["cycle_status"], row["updated_at"]) for row in cycles])):
                    left = [(row["id"], row["cycle_status"]) for row in cycles if row["cycle_status"] in OPEN]
                    self._stuck.append(f"cycles {left} at {self._moments.now().isoformat()}")
                    break
                self._pace(cycles, hurried=striking.done())
            await asyncio.sleep(_LOOK_SECONDS)
        await striking

    def _pages_of_day(self) -> int:
        pages = 0
        for source in self._theatre.sources.values():
            listed = self._theatre.world.on(self._day).listed(source.platform, source.board) or ()
            pages += max(1, math.ceil(len(listed) / PAGE_SIZES.get(source.platform, max(1, len(listed)))))
        return pages

    def _pace(self, cycles: list[Row], *, hurried: bool) -> None:
        """As fast as the sites' delays let us; faster while all that is left is the end of dead holders' leases."""
        now, cutoff = self._moments.now(), kst(self._day, 9)
        self._mind_the_cutoff(now)
        if cutoff - timedelta(seconds=15) <= now < cutoff + timedelta(seconds=4):
            self._moments.run_at(_CUTOFF_SPEED)
            return
        quiet = time.monotonic() - self._last_request > _QUIET_SECONDS
        waiting = [row for row in cycles if row["cycle_status"] in ("NOT_STARTED", "PENDING")]
        self._moments.run_at(_IDLE_SPEED if quiet and hurried and not waiting else self._speed)

    def _mind_the_cutoff(self, now: datetime) -> None:
        """Whether 09:00 is passed in good order."""
        cutoff = kst(self._day, 9)
        if self._crossed_at is None and now >= cutoff:
            self._crossed_at = time.time()
        near = cutoff - timedelta(seconds=2) <= now < cutoff + timedelta(seconds=4)
        if near and not any(member.healthy for member in self._crew.members):
            self._cutoff_troubled = True

    async def _cycles(self) -> list[Row] | None:
        found = await self._reader.rows(
            "SELECT id, job_source_id, cycle_status, fetched_count, updated_at, next_eligible_at, lease_until"
            f" FROM job_posting_collection_cycles WHERE run_date = '{self._day.isoformat()}'"
        )
        if found is not None:
            self.recoveries.look(found)
            cutoff = kst(self._day, 9)
            for row in found:
                if row["updated_at"] < cutoff:
                    self._before[row["id"]] = row["fetched_count"]
                else:
                    self._after.setdefault(row["id"], row["fetched_count"])
        return found

    # The day's jobs.

    async def _work_off(self, plan: DayPlan) -> None:
        """The timetable, with faults around 09:00."""
        for name, (hour, minute) in _JOBS:
            at = kst(self._day, hour, minute)
            if name != "sla":
                self._moments.leap(at - timedelta(seconds=2), _IDLE_SPEED)
                if name != "notification":
                    await self._job_over(name)
                continue
            told = len(self._discord.messages)
            self._moments.leap(at - timedelta(seconds=4), _CUTOFF_SPEED)
            striking = asyncio.ensure_future(self._strike_at_nine(plan, at, told))
            await self._job_over("sla")
            await self._job_over("notification")
            await striking
        if self._crossed_at is not None:
            for one in self.strikes.done:
                if one.kind in ON_DATABASE and one.began < self._crossed_at + 3 and one.ended > self._crossed_at - 8:
                    self._cutoff_troubled = True

    async def _strike_at_nine(self, plan: DayPlan, at: datetime, told: int) -> None:
        def due(fault: Fault) -> bool:
            sent = len(self._discord.messages) - told
            return self._moments.now() >= at - timedelta(seconds=1) and sent >= fault.after

        def activity() -> int:
            now = self._moments.now()
            return len(self._discord.messages) if now >= at else -int(now.timestamp())

        await self.strikes.all_of(plan.nine, due, activity)

    async def _job_over(self, name: str) -> None:
        look = Patience()
        query = (
            "SELECT job_status, updated_at FROM scheduled_job_executions"
            f" WHERE run_date = '{self._day.isoformat()}' AND job_name = '{name}'"
        )
        while True:
            found = await self._reader.rows(query)
            now = self._moments.now()
            self._mind_the_cutoff(now)
            await self._cycles()
            if found and found[0]["job_status"] != "RUNNING":
                return
            if look.lost((found, len(self._discord.messages))):
                self._stuck.append(f"job {name}: {found}")
                return
            past = now >= kst(self._day, 9) + timedelta(seconds=4) or now < kst(self._day, 8, 59, 30)
            self._moments.run_at(_IDLE_SPEED if past else _CUTOFF_SPEED)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _come_to_rest(self) -> None:
        """Everyone works, nothing is open, every posting was judged; then time stands almost still."""
        look = Patience()
        unjudged = (
            "SELECT COUNT(*) AS number FROM job_postings p LEFT JOIN job_posting_match_results r"
            " ON r.job_posting_id = p.id WHERE p.posting_status = 'OPEN' AND p.access_restricted = 0"
            " AND (r.id IS NULL OR r.posting_version <> p.version)"
        )
        while True:
            cycles, left = await self._cycles(), await self._reader.rows(unjudged)
            over = cycles is not None and all(row["cycle_status"] not in OPEN for row in cycles)
            waiting = any(not each.over for each in self.recoveries.all)
            if over and left and not left[0]["number"] and self._crew.all_healthy() and not waiting:
                break
            if look.lost((cycles, left)):
                self._stuck.append(f"rest: cycles over {over}, unjudged {left}, healthy {self._crew.all_healthy()}")
                break
            self._moments.run_at(_IDLE_SPEED)
            await asyncio.sleep(_LOOK_SECONDS)
        self._moments.run_at(1.0)
        await asyncio.sleep(0.3)

    def _new_lines(self) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = []
        for member in self._crew.members:
            for daemon in member.logs:
                with daemon.log.open("rb") as file:
                    file.seek(self._read_to.get(daemon.log, 0))
                    data = file.read()
                whole = data[: data.rfind(b"\n") + 1]
                self._read_to[daemon.log] = self._read_to.get(daemon.log, 0) + len(whole)
                lines += [(daemon.log.name, line) for line in whole.decode("utf-8", "replace").splitlines()]
        return lines


class Patience:
    """Notices that nothing changes any more."""

    def __init__(self) -> None:
        self._state: object = None
        self._since = time.monotonic()

    def lost(self, state: object) -> bool:
        """Whether the state has been this one for too long."""
        if state != self._state:
            self._state, self._since = state, time.monotonic()
        return time.monotonic() - self._since > _STUCK_SECONDS
