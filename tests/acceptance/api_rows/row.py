"""One row of the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tests.acceptance.inhabited import Inhabited


@dataclass(kw_only=True)
class Facts:
    """Ids that one row made and a later one asks for, by what they are of."""

    ids: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> int:
        return self.ids[name]

    def __setitem__(self, name: str, value: int) -> None:
        self.ids[name] = value


Call = Callable[[Inhabited, Facts], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """An operation, as the description spells it, and the call that shows its meaning."""

    operation: str
    call: Call


class Rows(list[Row]):
    """The rows of one part of the API, in the order in which they are written."""

    def __call__(self, operation: str) -> Callable[[Call], Call]:
        """Declare the call of an operation: `@row("GET /api/flags")`."""

        def declare(call: Call) -> Call:
            self.append(Row(operation=operation, call=call))
            return call

        return declare
