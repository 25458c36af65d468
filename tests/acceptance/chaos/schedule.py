"""What is done to whom and when: drawn from a seed, so that a failure can be played again."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from enum import StrEnum

from daemon.sources.model import Platform


class Kind(StrEnum):
    """What may be done to the daemons' world."""

    KILL = "KILL"
    """SIGKILL, and a new process soon after."""
    KILL_TWICE = "KILL_TWICE"
    """SIGKILL, and once more while the new process is starting."""
    FREEZE = "FREEZE"
    """SIGSTOP for a while, then SIGCONT."""
    TERM = "TERM"
    """SIGTERM, and a new process when the old one is gone."""
    SERVER_KILLED = "SERVER_KILLED"
    SERVER_STOPPED = "SERVER_STOPPED"
    """The database server ends, by SIGKILL or in good order, and comes back."""
    RESET = "RESET"
    """Every connection of one daemon to the database ends with a TCP reset."""
    CUT = "CUT"
    """One daemon can't reach the database for a while."""
    HALF_OPEN = "HALF_OPEN"
    """Nothing passes between one daemon and the database for a while; then the connections break."""
    STALL = "STALL"
    """Nothing passes between any daemon and the database for a while; then everything does."""
    SLOW_DATABASE = "SLOW_DATABASE"
    DISK_FULL = "DISK_FULL"
    """Embedded database only: its file system takes no more for a while."""
    SITE_DOWN = "SITE_DOWN"
    """One site answers list pages with 503."""
    SITE_BLOCKS = "SITE_BLOCKS"
    SITE_DROPS = "SITE_DROPS"
    SITE_SLOW = "SITE_SLOW"
    LEAP = "LEAP"
    """The clock jumps ahead by more than a lease."""
    BACK = "BACK"
    """The clock goes back by seconds."""


KILLS = frozenset({Kind.KILL, Kind.KILL_TWICE})
ON_DATABASE = frozenset(
    {
        Kind.SERVER_KILLED,
        Kind.SERVER_STOPPED,
        Kind.RESET,
        Kind.CUT,
        Kind.HALF_OPEN,
        Kind.STALL,
        Kind.SLOW_DATABASE,
        Kind.DISK_FULL,
    }
)
ON_CLOCK = frozenset({Kind.LEAP, Kind.BACK})


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing done."""

    kind: Kind
    after: float
    """While lists are read: after this share of the day's list pages. At nine: after so many messages."""
    pause: float
    """Real seconds from that request on, so that it strikes at any point of the work and not just at requests."""
    victim: int = 0
    """The number of a daemon."""
    seconds: float = 0.0
    """How long it lasts, real (a lease of 90 s is 6 s at the speed of work); how far a clock goes, simulated."""
    platform: Platform | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DayPlan:
    """A day's faults."""

    number: int
    collecting: tuple[Fault, ...]
    nine: tuple[Fault, ...]
    """Around the cutoff and the messages."""
    late_after: float | None
    """After this share of the day's list pages the clock jumps to just before 09:00: the cutoff finds work in hand."""
    discord: tuple[str, ...]
    """Names of `tests.discord.Fault`, or "" for none, one per request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What a run is asked to be."""

    days: int = 3
    seed: int = 1
    instances: int = 3
    engine: str = "mysql"
    brief: bool = False
    """Fewer faults a day, for the short run among the tests."""

    @property
    def speed(self) -> float:
        """Simulated seconds per real one while sites are asked: tests share their machine."""
        return 10.0 if self.brief else 15.0

    @property
    def shared(self) -> bool:
        """Whether the database is a server."""
        return self.engine != "sqlite"


_DATABASE_WEIGHTS = {
    Kind.SERVER_KILLED: 3,
    Kind.SERVER_STOPPED: 2,
    Kind.RESET: 5,
    Kind.CUT: 4,
    Kind.HALF_OPEN: 4,
    Kind.STALL: 4,
    Kind.SLOW_DATABASE: 4,
}
_SITE_TROUBLES = (Kind.SITE_DOWN, Kind.SITE_BLOCKS, Kind.SITE_DROPS, Kind.SITE_SLOW)
_DISCORD_FAULTS = ("", "", "", "DROP_BEFORE", "DROP_AFTER", "SERVER_ERROR", "GARBAGE", "HIDDEN_LIMIT")
_LATE_CHANCE = 0.3
_PLATFORMS = tuple(sorted(Platform))


def schedule(options: Options) -> tuple[DayPlan, ...]:
    """The plans of all days; each day's depends on the seed and its number only."""
    return tuple(_day(options, number) for number in range(1, options.days + 1))


def _day(options: Options, number: int) -> DayPlan:
    dice = random.Random(f"chaos/{options.seed}/{number}/{options.engine}/{options.instances}")

    def fault(kind: Kind, low: float = 0.0, high: float = 0.0, latest: float = 0.9) -> Fault:
        return Fault(
            kind=kind,
            after=round(dice.uniform(0.03, latest), 3),
            pause=round(dice.uniform(0.0, 0.35), 3),
            victim=dice.randrange(options.instances),
            seconds=round(dice.uniform(low, high), 2),
            platform=dice.choice(_PLATFORMS),
        )

    most = 2 if options.brief else 6
    collecting = [fault(Kind.KILL) for _ in range(most)] + [fault(Kind.KILL_TWICE), fault(Kind.TERM)]
    collecting += [fault(Kind.FREEZE, 6.3, 7.7, latest=0.3), fault(dice.choice(_SITE_TROUBLES), 0.5, 2.0)]
    if not options.brief:
        collecting.append(fault(Kind.FREEZE, 0.5, 4.0))
    if options.shared:
        kinds, weights = tuple(_DATABASE_WEIGHTS), tuple(_DATABASE_WEIGHTS.values())
        collecting += [fault(kind, 0.5, 3.0) for kind in dice.choices(kinds, weights, k=2)]
    else:
        collecting += [fault(Kind.DISK_FULL, 0.5, 2.0) for _ in range(2)]
    late = round(dice.uniform(0.3, 0.8), 3) if dice.random() < _LATE_CHANCE else None
    if late is None and not options.brief:
        collecting.append(fault(Kind.LEAP, 95.0, 200.0) if dice.random() < 0.4 else fault(Kind.BACK, 1.0, 4.0))
    messages = (dice.randint(1, 3),) if options.brief else (0, dice.randint(1, 3), dice.randint(2, 6))
    nine = [replace(fault(Kind.KILL), after=after) for after in messages]
    if options.shared and dice.random() < 0.3:
        nine.append(fault(dice.choice((Kind.RESET, Kind.CUT, Kind.HALF_OPEN)), 0.5, 2.0))
    return DayPlan(
        number=number,
        collecting=tuple(sorted(collecting, key=lambda each: (each.after, each.pause))),
        nine=tuple(nine),
        late_after=late,
        discord=tuple(dice.choice(_DISCORD_FAULTS) for _ in range(6)),
    )
