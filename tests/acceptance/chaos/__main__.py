"""`python -m tests.acceptance.chaos [--days N] [--seed S] [--instances 3] [--engine NAME] [--keep DIR]`.

Exit code 1 when anything was violated; the folder, with every log and the database, then stays. The same seed plays
the same schedule.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import shutil
import sys
import tempfile
from pathlib import Path

import structlog

from tests.acceptance.chaos.disk import NoDisk
from tests.acceptance.chaos.play import play
from tests.acceptance.chaos.report import lines, schedule_lines
from tests.acceptance.chaos.schedule import Options, schedule
from tests.servers import RunFolder, ServerMissing


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.chaos", description=__doc__)
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--instances", type=int, default=None, help="3; on sqlite 1")
    parser.add_argument("--engine", choices=("mysql", "mariadb", "sqlite"), default="mysql")
    parser.add_argument("--keep", type=Path, default=None, help="where the run's folder is made, and stays")
    return parser


def main() -> int:
    """Plays, and says what came of it."""
    given = _arguments().parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    instances = given.instances or (1 if given.engine == "sqlite" else 3)
    options = Options(days=given.days, seed=given.seed, instances=instances, engine=given.engine)
    print(f"seed {options.seed}, {options.days} days, {options.instances} instances on {options.engine}", flush=True)
    for line in schedule_lines(schedule(options)):
        print(line, flush=True)
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"chaos-{options.seed}-", dir=given.keep))
    else:
        folder = RunFolder.create().path
    kept = True
    try:
        outcome = asyncio.run(play(options, folder, lambda line: print(line, flush=True)))
        for line in lines(outcome):
            print(line, flush=True)
        kept = given.keep is not None or bool(outcome.violations)
        return 1 if outcome.violations else 0
    except (NoDisk, ServerMissing) as error:
        print(f"can't be played here: {error}", file=sys.stderr)
        kept = False
        return 2
    finally:
        if kept:
            print(f"logs and database: {folder}", flush=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
