"""Runs a module in a process that ends with its starter: `python -m daemon.demo.tied MODULE [ARGUMENT …]`.

The starter holds the other end of this process's standard input and writes nothing. However the starter goes, SIGKILL
included, that input then ends, and this process gets SIGTERM.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading

_PATIENCE_SECONDS = 30.0
"""For a clean end after SIGTERM."""


def _end_with_starter() -> None:
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(_PATIENCE_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Run the module named by the first argument as a program."""
    module, *arguments = sys.argv[1:]
    threading.Thread(target=_end_with_starter, name="tied", daemon=True).start()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
