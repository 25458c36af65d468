"""A run's inputs dealt out to processes of its own, so that what one parser leaves in memory is not another's."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context

import structlog

from tests.fuzz import campaign
from tests.fuzz.fuzzed import Fuzzed
from tests.fuzz.normalisers import NORMALISERS
from tests.fuzz.parsers import PARSERS

_ALL: tuple[Fuzzed, ...] = (*PARSERS, *NORMALISERS)
FUZZED = {each.name: each for each in _ALL}


def run(name: str, seed: int, inputs: int, processes: int) -> campaign.Account:
    """Read inputs 0 to `inputs` of the run `seed`."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        shares = [range(first, inputs, processes) for first in range(processes)]
        accounts = list(pool.map(_share, repeat(name), repeat(seed), shares))
    total = campaign.Account(name=name)
    for account in accounts:
        total.add(account)
    return total


def _share(name: str, seed: int, indexes: range) -> campaign.Account:
    quiet()
    return campaign.run(FUZZED[name], seed, indexes)


def quiet() -> None:
    """The product logs each parser that fails; here the report does."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
