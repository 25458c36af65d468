"""SQL of the operations views; reads only."""

from daemon.operations.store.cycles import count_cycles, count_lease_expiries, count_old_seen, load_cycles
from daemon.operations.store.machine import load_broken, load_host_waits, load_jobs
from daemon.operations.store.runs import count_days, load_outcomes, load_runs
from daemon.operations.store.snapshots import load_slas

__all__ = [
    "count_cycles",
    "count_days",
    "count_lease_expiries",
    "count_old_seen",
    "load_broken",
    "load_cycles",
    "load_host_waits",
    "load_jobs",
    "load_outcomes",
    "load_runs",
    "load_slas",
]
