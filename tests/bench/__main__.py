"""`python -m tests.bench [NAME…]`: the measurements; all of them when none is named."""

from __future__ import annotations

import asyncio
import sys

import structlog

from tests.bench import dedup, footprint, growth, page, polite
from tests.bench.end_to_end import measure as end_to_end
from tests.bench.report import Row, show


async def _parsing() -> list[Row]:
    from tests.bench import parsing  # needs what only `make bench` installs

    return await parsing.main()


async def _queue() -> list[Row]:
    from tests.bench import queue

    return await queue.main()


BENCHES = {
    "dedup": dedup.main,
    "end_to_end": end_to_end.main,
    "footprint": footprint.main,
    "growth": growth.main,
    "page": page.main,
    "parsing": _parsing,
    "polite": polite.main,
    "queue": _queue,
}


def main(names: list[str]) -> int:
    """Run the named measurements one after the other; print one table; 1 when a goal is missed."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    rows: list[Row] = []
    for name in names or BENCHES:
        print(f"{name}: measuring", file=sys.stderr, flush=True)
        rows += asyncio.run(BENCHES[name]())
    show(rows)
    return 0 if rows and all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
