"""SQL of companies, aliases and sources; what the engine calls inside its own transactions is named here."""

from daemon.company.store.names import load_namesakes, lock_company, resolve_companies
from daemon.company.store.sources import load_active_targets, load_sources, save_seeded, source_of, with_company

__all__ = [
    "load_active_targets",
    "load_namesakes",
    "load_sources",
    "lock_company",
    "resolve_companies",
    "save_seeded",
    "source_of",
    "with_company",
]
