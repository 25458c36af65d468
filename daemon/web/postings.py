"""Postings over HTTP: lists, details, those entered by hand, exports, the feed (seed 001, API 계약)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict

from daemon.company.model import CompanyOrigin, UnknownCompany
from daemon.operations.postings import actions as views
from daemon.operations.postings import feed
from daemon.operations.postings.export import postings_csv
from daemon.operations.postings.model import PostingDetail, PostingFilter, PostingPage, PostingRecord, PostingSort
from daemon.operations.spreadsheet import CONTENT_TYPE as CSV
from daemon.posting import actions, rules
from daemon.posting.model import (
    EditRefused,
    InvalidPosting,
    PostingEdit,
    PostingExists,
    PostingOvertaken,
    PostingStatus,
    UnknownPosting,
)
from daemon.web.precondition import IfMatch
from daemon.web.problem import Fault, Problem, refused
from daemon.web.route import (
    Format,
    Input,
    Instant,
    Raw,
    Route,
    RowId,
    Stream,
    Tagged,
    Web,
    Whole,
    entity_tag,
    in_json,
    route,
)

Title = Annotated[str, Field(min_length=1, max_length=rules.TITLE_CHARACTERS), Format("line")]
Address = Annotated[str, Field(min_length=1, max_length=rules.ADDRESS_CHARACTERS), Format("web-address")]
Page = Annotated[int, Field(ge=0, le=1_000_000)]
Size = Annotated[int, Field(ge=1, le=200)]


class CompanyPath(Input):
    """Which company."""

    company_id: RowId


class PostingPath(Input):
    """Which posting."""

    id: RowId


class CompanyPostingsQuery(Input):
    """Which of the company's postings, in which order."""

    posting_status: PostingStatus | None = None
    """Only in this state."""
    sort: PostingSort = PostingSort.DISCOVERED
    page: Page = 0
    """Counted from 0."""
    size: Size = 50


class PostingsQuery(CompanyPostingsQuery):
    """Which postings, in which order."""

    company_id: RowId | None = None
    """Only of this company."""
    company_origin: CompanyOrigin | None = None
    """Only of companies that the person watches, or of those merely discovered."""
    matched: bool | None = None
    """Only those that match the person's keywords, or only the others."""
    title: Annotated[str | None, Field(max_length=rules.TITLE_CHARACTERS)] = None
    """Only with this in the title, whatever its case."""


class NewPosting(Input):
    """A posting that the person has found."""

    company_id: Annotated[RowId, Whole]
    title: Title
    posting_url: Address
    """http or https."""
    deadline_at: Instant | None = None
    """Null when it is always open."""


def _without_default(schema: JsonDict) -> None:
    schema.pop("default", None)


class PostingChanges(Input):
    """What changes of a posting: what is left out stays as it is."""

    title: Annotated[Title, Field(json_schema_extra=_without_default)] = ""
    posting_url: Annotated[Address, Field(json_schema_extra=_without_default)] = ""
    deadline_at: Instant | None = None
    """Null makes it always open."""
    posting_status: Annotated[PostingStatus, Field(json_schema_extra=_without_default)] = PostingStatus.OPEN

    def edit(self) -> PostingEdit:
        """Only what was given."""
        edit = PostingEdit()
        if "title" in self.model_fields_set:
            edit["title"] = self.title
        if "posting_url" in self.model_fields_set:
            edit["posting_url"] = self.posting_url
        if "deadline_at" in self.model_fields_set:
            edit["deadline_at"] = self.deadline_at
        if "posting_status" in self.model_fields_set:
            edit["posting_status"] = self.posting_status
        return edit


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingKept:
    """The posting that was entered or changed."""

    job_posting_id: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingExport:
    """Every posting, copies too, by id."""

    job_postings: tuple[PostingRecord, ...]


async def list_company_postings(web: Web, path: CompanyPath, query: CompanyPostingsQuery) -> PostingPage:
    """A company's postings, several copies of one as one; nothing is left out for not matching."""
    with _refusals_told():
        return await views.list_postings_of(
            web.db, path.company_id, query.posting_status, query.sort, query.page, query.size
        )


async def list_postings(web: Web, query: PostingsQuery) -> PostingPage:
    """The postings of all companies, several copies of one as one."""
    wanted = PostingFilter(
        company_id=query.company_id,
        company_origin=query.company_origin,
        posting_status=query.posting_status,
        matched=query.matched,
        title=query.title,
    )
    return await views.list_postings(web.db, wanted, query.sort, query.page, query.size)


async def show_posting(web: Web, path: PostingPath) -> Tagged[PostingDetail]:
    """A posting with its text, its work arrangement, the person's application, and where else it is published."""
    with _refusals_told():
        found = await views.show_posting(web.db, path.id)
    return Tagged(answer=found, version=found.version)


async def register_manual_posting(web: Web, body: NewPosting) -> Tagged[PostingKept]:
    """Enter a posting by hand, also of a company without a source; no collection ever closes it as missing."""
    with _refusals_told():
        posting_id = await actions.register_manual(
            web.db, body.company_id, body.title, body.posting_url, body.deadline_at
        )
    return Tagged(answer=PostingKept(job_posting_id=posting_id), version=0, location=f"/api/job-postings/{posting_id}")


async def edit_posting(web: Web, path: PostingPath, header: IfMatch, body: PostingChanges) -> Tagged[PostingKept]:
    """Correct a posting entered by hand, or open one again that was closed wrongly."""
    with _refusals_told():
        edited = await actions.edit_posting(web.db, path.id, body.edit(), expected=header.versions)
    return Tagged(answer=PostingKept(job_posting_id=edited.id), version=edited.version)


async def export_postings_csv(web: Web) -> Stream:
    """Every posting, copies too, as CSV for a spreadsheet."""
    return Stream(
        pieces=postings_csv(web.db, web.settings.language),
        headers={"Content-Disposition": 'attachment; filename="gonggo-postings.csv"'},
    )


async def export_postings_json(web: Web) -> Stream:
    """Every posting, copies too, as JSON: `jobPostings`, by id."""
    return Stream(
        pieces=_as_json(views.export_postings(web.db)),
        headers={"Content-Disposition": 'attachment; filename="gonggo-postings.json"'},
    )


async def _as_json(lots: AsyncGenerator[tuple[PostingRecord, ...], None]) -> AsyncGenerator[bytes, None]:
    separator = '{"jobPostings":['
    async with aclosing(lots):
        async for records in lots:
            lot = ",".join(in_json(PostingRecord, record) for record in records)
            yield f"{separator}{lot}".encode()
            separator = ","
    yield b"]}" if separator == "," else f"{separator}]}}".encode()


async def show_feed(web: Web) -> Raw:
    """The postings found last that match the person's keywords, as an Atom feed."""
    return Raw(body=feed.feed_document(await views.feed_entries(web.db), web.settings.language))


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Turn the refusals of the actions into problems."""
    try:
        yield
    except InvalidPosting as error:
        raise refused("body", [Fault(field=to_camel(error.field), code="invalid", message=error.message)]) from error
    except UnknownCompany as error:
        raise Problem(
            status=404, kind="unknown-company", detail=str(error), members={"companyId": error.company_id}
        ) from error
    except UnknownPosting as error:
        raise Problem(
            status=404, kind="unknown-posting", detail=str(error), members={"jobPostingId": error.posting_id}
        ) from error
    except PostingExists as error:
        raise Problem(
            status=409, kind="posting-exists", detail=str(error), members={"jobPostingId": error.posting_id}
        ) from error
    except EditRefused as error:
        raise Problem(
            status=409,
            kind="edit-refused",
            detail=str(error),
            members={"jobPostingId": error.posting.id, "reason": error.refusal},
        ) from error
    except PostingOvertaken as error:
        raise Problem(
            status=412,
            kind="posting-changed",
            detail=str(error),
            members={"jobPostingId": error.posting.id, "version": error.posting.version},
            headers={"ETag": entity_tag(error.posting.version)},
        ) from error


ROUTES: tuple[Route, ...] = (
    route(
        "GET",
        "/api/companies/{companyId}/job-postings",
        list_company_postings,
        refusals={404: "There is no such company"},
    ),
    route("GET", "/api/job-postings", list_postings),
    route("GET", "/api/job-postings/{id}", show_posting, refusals={404: "There is no such posting"}),
    route(
        "POST",
        "/api/job-postings/manual-registrations",
        register_manual_posting,
        status=201,
        refusals={404: "There is no such company", 409: "The company has a posting at this address: `jobPostingId`"},
        links={"show_posting": {"id": "jobPostingId"}, "edit_posting": {"id": "jobPostingId"}},
    ),
    route(
        "PATCH",
        "/api/job-postings/{id}",
        edit_posting,
        refusals={
            404: "There is no such posting",
            409: "It can't be changed so, `reason` says why; or another one has this address",
            412: "If-Match does not name its present version",
        },
    ),
    route("GET", "/api/export/postings.json", export_postings_json, shape=PostingExport),
    route("GET", "/api/export/postings.csv", export_postings_csv, content_type=CSV),
    route("GET", "/api/feed.atom", show_feed, content_type=feed.CONTENT_TYPE),
)
