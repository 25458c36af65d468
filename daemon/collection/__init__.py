"""The daily collection: cycles, leases, budgets, host permits, the 09:00 SLA, run history and source health."""
