"""`gonggo`: commands that parse their arguments, call the same actions as the API, and print."""

from __future__ import annotations

from daemon.cli.interrupt import leave_at_interrupt


def main() -> None:
    """Run `gonggo` with the process's arguments and exit."""
    leave_at_interrupt()
    # Takes a second, in which people change their minds.
    from daemon.cli.entry import main as run

    run()
