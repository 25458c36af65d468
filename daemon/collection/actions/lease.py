"""Keeping and giving back the right to work on a cycle."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from daemon.collection.actions.finish import Ended, finish_cycle, has_ended, log_ended
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import Claim, CycleStatus, End, LeaseLost
from daemon.collection.store import cycles, snapshots
from daemon.db import Tx, proven_by, repeatable


@dataclass(slots=True)
class Lease:
    """A claim's lease as its holder sees it: renewed at a third of its time.

    Measured on the holder's own scale that never goes backwards, so that a database that can't be reached stops the
    work before anyone else may take the cycle (research, pitfalls row 8): nothing is asked of a site meanwhile.
    """

    engine: Engine
    """Its database is waited for as long as the lease lasts, with what was read kept in memory; no longer."""
    claim: Claim
    renewed_at: float = field(init=False)
    """Ticks at which the last renewing transaction began: its own time is read later, so this errs to the safe side."""

    def __post_init__(self) -> None:
        self.renewed_at = self.engine.clock.ticks()
        self.engine = replace(self.engine, db=self.engine.db.patient(self._lasts))

    def _lasts(self, waited: float) -> bool:
        # Simulated time may stand still; real time does not.
        lease = self.engine.settings.lease_seconds
        return self.engine.clock.ticks() - self.renewed_at < lease and waited < lease

    async def keep(self) -> None:
        """Renew when a third of the lease has passed; to be called before every request.

        Raises LeaseLost when someone else ended the cycle, and the database's error when it was away until the lease
        was over: the cycle may soon be someone else's.
        """
        begun = self.engine.clock.ticks()
        if begun - self.renewed_at <= self.engine.settings.lease_seconds / 3:
            return
        await gated(self.engine, _renew, self.claim, self.engine.settings.lease)
        self.renewed_at = begun


async def release_slice(engine: Engine, claim: Claim, next_eligible_at: datetime | None = None) -> None:
    """End the slice where the last commit left it: `PENDING` with its cursor, claimable from `next_eligible_at` on.

    Raises LeaseLost when the claim no longer holds the cycle.
    """
    await gated(engine, _release, claim, next_eligible_at)


async def end_cycle(engine: Engine, claim: Claim, end: End) -> None:
    """End the claimed cycle without a further page. Raises LeaseLost when the claim no longer holds it."""
    log_ended(await gated(engine, _end, claim, end))


@repeatable
async def _renew(tx: Tx, claim: Claim, lease: timedelta) -> None:
    await snapshots.pass_gate(tx, claim.run_date)
    now = await tx.now()
    if not await cycles.save_held(tx, claim, now, {"lease_until": now + lease}):
        raise LeaseLost(claim, "renewing")


async def _has_released(tx: Tx, _released: None, claim: Claim, _next_eligible_at: datetime | None) -> bool:
    """Given back, by whomever it was taken up since. Recovery ends the cycles of those who did not give theirs back."""
    standing = await cycles.lock_standing(tx, claim.cycle_id)
    return standing.token != claim.token and standing.status is not CycleStatus.FAILED


@proven_by(_has_released)
async def _release(tx: Tx, claim: Claim, next_eligible_at: datetime | None) -> None:
    await snapshots.pass_gate(tx, claim.run_date)
    now = await tx.now()
    values = {**release_columns(now), "next_eligible_at": next_eligible_at or now}
    if not await cycles.save_held(tx, claim, now, values):
        raise LeaseLost(claim, "releasing")


async def _has_ended(tx: Tx, ended: Ended, claim: Claim, _end: End) -> bool:
    return await has_ended(tx, ended, claim.cycle_id, claim.run_date)


@proven_by(_has_ended)
async def _end(tx: Tx, claim: Claim, end: End) -> Ended:
    await snapshots.pass_gate(tx, claim.run_date)
    cycle = await cycles.lock_held(tx, claim)
    if cycle is None:
        raise LeaseLost(claim, "ending")
    return await finish_cycle(tx, cycle, cycle.counters, end)


def release_columns(now: datetime) -> dict[str, object]:
    """What a slice leaves behind when the cycle goes on later."""
    return {
        "cycle_status": CycleStatus.PENDING.value,
        "lease_token": None,
        "lease_until": None,
        "next_eligible_at": now,
    }
