"""What the API, the page and the shell do with companies and sources (seed 001, FR-1 to FR-5, FR-60, FR-61)."""

from daemon.company.actions.companies import (
    add_alias,
    find_company,
    promote_company,
    register_company,
    remove_alias,
)
from daemon.company.actions.discover import Visits, address_of_board, discover_boards, look_at_board
from daemon.company.actions.sources import (
    disable_source,
    enable_source,
    find_boards,
    follow_board,
    list_sources,
    register_aggregator_source,
)

__all__ = [
    "Visits",
    "add_alias",
    "address_of_board",
    "disable_source",
    "discover_boards",
    "enable_source",
    "find_boards",
    "find_company",
    "follow_board",
    "list_sources",
    "look_at_board",
    "promote_company",
    "register_aggregator_source",
    "register_company",
    "remove_alias",
]
