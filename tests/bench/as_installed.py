"""`python -m tests.bench.as_installed run`: the daemon as it is where only `make install` was run.

Libraries of ours (structlog, prometheus_client) take Twisted in where it is there, and `make bench` brings it for a
peer: two megabytes that no user has.
"""

from __future__ import annotations

import runpy
import sys

if __name__ == "__main__":
    sys.modules["twisted"] = None  # type: ignore[assignment]  # how an import is made to fail
    runpy.run_module("daemon", run_name="__main__", alter_sys=True)
