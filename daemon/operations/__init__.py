"""Read-only views of how collection goes: runs, cycles, the 09:00 snapshot, daily jobs, metrics."""
