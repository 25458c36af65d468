"""What every route that registers a source shares: its answers, its terms, its refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from pydantic.alias_generators import to_camel

from daemon.collection.actions import remove_source as collection
from daemon.collection.model import SourceKept
from daemon.company import actions
from daemon.company.model import (
    CompanyExists,
    InvalidValue,
    SourceFollowed,
    UnknownAlias,
    UnknownCategory,
    UnknownCompany,
    UnknownSource,
)
from daemon.sources.model import Platform
from daemon.sources.registry import adapter_of
from daemon.web.problem import Fault, Problem, refused
from daemon.web.route import Input, Route, RowId, Web, route


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceRegistered:
    """The source that is collected from its next day on."""

    job_source_id: int
    platform: Platform
    known_terms: str
    """What is known of the site's robots file and terms, in Korean."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceDisabled:
    """The source that is collected no more; what it brought stays."""

    job_source_id: int
    disabled_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceEnabled:
    """The source that is collected again from its next day on; it seeds anew."""

    job_source_id: int
    platform: Platform


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceRemoved:
    """The source that is forgotten, with its failed days."""

    job_source_id: int
    platform: Platform


def known_terms(platform: Platform) -> str:
    """What is known of a site's robots file and terms, which a person must see when registering (DESIGN 1.11)."""
    return adapter_of(platform).capabilities.compliance.known_terms


async def disable(web: Web, job_source_id: int, owner: int | None) -> SourceDisabled:
    """Switch a source off that belongs to `owner`, a company's id or None for an aggregator."""
    with refusals_told():
        source = (await actions.disable_source(web.db, job_source_id, owner)).source
    assert source.disabled_at is not None
    return SourceDisabled(job_source_id=source.id, disabled_at=source.disabled_at)


async def enable(web: Web, job_source_id: int, owner: int | None) -> SourceEnabled:
    """Switch a source on again that belongs to `owner`."""
    with refusals_told():
        source = (await actions.enable_source(web.db, job_source_id, owner)).source
    return SourceEnabled(job_source_id=source.id, platform=source.platform)


class AnySourcePath(Input):
    """Which source, whosever it is."""

    id: RowId


async def remove_source(web: Web, path: AnySourcePath) -> SourceRemoved:
    """Forget a source that was registered by mistake: one that never brought anything."""
    try:
        with refusals_told():
            source = await collection.remove_source(web.db, path.id)
    except SourceKept as error:
        raise Problem(
            status=409,
            kind="source-kept",
            detail=str(error),
            members={"jobSourceId": error.source.id, "kept": error.kept},
        ) from error
    return SourceRemoved(job_source_id=source.id, platform=source.platform)


@contextmanager
def refusals_told() -> Iterator[None]:
    """Turn the refusals of the actions into problems."""
    try:
        yield
    except InvalidValue as error:
        raise refused("body", [Fault(field=to_camel(error.field), code=error.unfit, message=error.message)]) from error
    except UnknownCategory as error:
        fault = Fault(field="searchCategoryCode", code="UNKNOWN_CATEGORY", message=str(error))
        raise refused("body", [fault]) from error
    except UnknownCompany as error:
        raise Problem(
            status=404, kind="unknown-company", detail=str(error), members={"companyId": error.company_id}
        ) from error
    except UnknownSource as error:
        raise Problem(
            status=404, kind="unknown-source", detail=str(error), members={"jobSourceId": error.job_source_id}
        ) from error
    except UnknownAlias as error:
        raise Problem(
            status=404, kind="unknown-alias", detail=str(error), members={"companyId": error.company_id}
        ) from error
    except CompanyExists as error:
        raise Problem(
            status=409,
            kind="company-exists",
            detail=str(error),
            members={"companyId": error.company_id, "companyName": error.name},
        ) from error
    except SourceFollowed as error:
        raise Problem(
            status=409,
            kind="source-followed",
            detail=str(error),
            members={
                "jobSourceId": error.job_source_id,
                "companyId": error.company_id,
                "disabled": error.disabled,
            },
        ) from error


ROUTES: tuple[Route, ...] = (
    route(
        "DELETE",
        "/api/sources/{id}",
        remove_source,
        refusals={
            404: "There is no such source",
            409: "It has brought something, stands in a 09:00 snapshot, or is at work: `kept` tells; switch it off",
        },
    ),
)
