"""`python -m tests.fuzz`: a campaign. `make fuzz ARGS="--inputs 200000 [--parser NAME…] [--seed N] [--processes N]"`.

A line for each parser and normaliser on standard output; a failed input is printed with its traceback and kept in
`tests/fuzz/corpus`. `--only INDEX` reads one input again and lets its exception through. Ends with 1 when any failed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from tests.fuzz import campaign, processes
from tests.fuzz.processes import FUZZED


def main(arguments: Sequence[str]) -> int:
    """Run the campaign."""
    given = _arguments(arguments)
    unknown = sorted(set(given.parser) - set(FUZZED))
    if unknown:
        print(f"no {', '.join(unknown)}; there are {', '.join(FUZZED)}", file=sys.stderr)
        return 2
    processes.quiet()
    names = given.parser or list(FUZZED)
    if given.only is not None:
        for name in names:
            print(name, FUZZED[name].check(*campaign.input_of(FUZZED[name], given.seed, given.only)))
        return 0
    failed = 0
    for name in names:
        began = time.monotonic()
        account = processes.run(name, given.seed, given.inputs, given.processes)
        print(campaign.shown(account), f"; {time.monotonic() - began:.0f} s", flush=True)
        failed += len(account.failures)
        for failure in account.failures[:5]:
            print(f"--- {name} input {failure.index} of seed {given.seed}: {failure.what}", flush=True)
            if failure.data:
                print(f"kept as {campaign.keep(name, failure)}", flush=True)
    return 1 if failed else 0


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="of each parser and normaliser")
    parser.add_argument("--parser", action="append", default=[], metavar="NAME", help=f"of {', '.join(FUZZED)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", type=int, metavar="INDEX", help="read this one input, with its traceback")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
