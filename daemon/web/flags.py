"""Feature flags over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from daemon.flags import actions
from daemon.flags.model import FlagKey, FlagState
from daemon.web.route import Input, Route, Web, route


@dataclass(frozen=True, kw_only=True, slots=True)
class Flags:
    """Every flag."""

    flags: tuple[FlagState, ...]


class FlagPath(Input):
    """Which flag."""

    flag_key: Annotated[str, Field(json_schema_extra={"enum": list(FlagKey)})]


class FlagSwitch(Input):
    """How the flag is to stand."""

    enabled: bool
    """True switches it on, for all instances, from now on."""


async def list_flags(web: Web) -> Flags:
    """Every feature flag as it stands now."""
    return Flags(flags=await actions.list_flags(web.db))


async def switch_flag(web: Web, path: FlagPath, body: FlagSwitch) -> FlagState:
    """Switch a feature flag, without a restart; repeating it changes nothing."""
    await actions.switch_flag(web.db, path.flag_key, body.enabled)
    return next(flag for flag in await actions.list_flags(web.db) if flag.flag_key == path.flag_key)


ROUTES: tuple[Route, ...] = (
    route("GET", "/api/flags", list_flags),
    route("PUT", "/api/flags/{flagKey}", switch_flag, refusals={404: "No flag has this name; `knownFlags` lists them"}),
)
