"""Greenhouse: a company's whole board in one JSON answer of the public boards API.

Robots and terms: boards-api.greenhouse.io forbids only `/embed/` (measured June 2026 by the public collector JC;
research, payloads-json §1); the API is public, without key or login. The user approved this source for personal use,
one polite run a day (DESIGN 1.11). A slug is the board's name, e.g. `daangn`; a wrong slug that exists serves another
company's board, which no answer tells.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import SplitResult, parse_qs, quote

from pydantic import AfterValidator

from daemon.sources.answer import list_page, require_same, require_success, tags
from daemon.sources.json_answer import (
    Count,
    Deadline,
    Label,
    NumberId,
    Said,
    Shape,
    Text,
    WebAddress,
    checked,
    item_id,
    read_object,
)
from daemon.sources.model import (
    AggregatorCategory,
    ChangeSignalKind,
    ChangeSignature,
    CollectionTarget,
    DetailUse,
    ListPage,
    Outcome,
    Page,
    Platform,
    RawJobPosting,
    Request,
    SourceAdapter,
    SourceCapabilities,
    SourceCompliancePolicy,
    SourceType,
    Unreadable,
)
from daemon.sources.text import html_to_text, shown

_HOST = "boards-api.greenhouse.io"

_PUBLIC_HOST = re.compile(r"(?:job-boards|boards|boards-api|api)(?:\.eu)?\.greenhouse\.io")
_SLUG = re.compile("[A-Za-z0-9_-]{1,100}")
_PUBLIC_PATH = re.compile(rf"/(?:v1/boards/)?({_SLUG.pattern})(?:/|$)")
_NO_BOARDS = frozenset({"embed", "v1"})
"""First parts of paths on the same hosts that are no company's name."""

_TAGGED_TYPES = ("single_select", "multi_select", "short_text", "yes_no")
"""Long texts, links, numbers and dates of `metadata` are the board's housekeeping (sort order, cover images, a
`Valid Through` long past on a posting still listed): no tags."""

_NO = frozenset({"no", "none", "n/a", "false", "x", "아니오", "아니요", "없음", "해당없음", "불가", "불가능", "미해당"})
"""Values by which a field says that its name does not apply: `Remote: No` must not read as evidence of remote work."""

_ESCAPES = (
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&amp;", "&"),
)


class _Meta(Shape):
    total: Count | None = None


class _Board(Shape):
    jobs: list[Any]
    meta: _Meta | None = None


class _Place(Shape):
    name: Label = ""


def _utc(text: str) -> str:
    """An instant as UTC in ISO 8601: one answer mixes -04:00 and -05:00. Raises ValueError when it has no offset."""
    try:
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is None:
            raise ValueError("no offset")
        return instant.astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r:.40} is not an instant") from error


class _Job(Shape):
    id: NumberId
    title: Said
    absolute_url: WebAddress
    updated_at: Annotated[str, AfterValidator(_utc)]
    application_deadline: Deadline = None
    """Present and null on all captured postings; the only field that is a deadline (research, §1)."""
    company_name: Label = ""
    location: _Place | None = None
    metadata: Any = None
    """A list, or null as a whole; the type of a value varies with its `value_type` and from board to board."""
    content: Text = ""

    def to_posting(self) -> RawJobPosting:
        place = self.location.name if self.location else ""
        return RawJobPosting(
            source_job_id=str(self.id),
            title=self.title,
            posting_url=self.absolute_url,
            deadline_at=self.application_deadline,
            signature=ChangeSignature(kind=ChangeSignalKind.UPDATED_AT, value=self.updated_at),
            structured_tags=tags(
                (tag for field in _entries(self.metadata) for tag in _metadata_tags(field)),
                (f"Location: {place}",) if place else (),
            ),
            description_body=_body(self.content),
            company_name=self.company_name or None,
        )


class _Greenhouse:
    """Requests to and answers of the boards API."""

    capabilities = SourceCapabilities(
        platform=Platform.GREENHOUSE,
        source_type=SourceType.COMPANY_BOUND,
        change_signal_kind=ChangeSignalKind.UPDATED_AT,
        provides_deadline=True,
        provides_structured_work_arrangement=True,
        detail_use=DetailUse.NONE,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=("/v1/boards",),
            # The whole board comes at once: there is no page size to ask for.
            page_size_cap=1000,
            headers=(("Accept", "application/json"),),
            known_terms=(
                "Greenhouse가 공개한 채용 게시판 API이며 robots.txt는 /embed/만 막습니다(2026년 6월 확인)."
                " 개인 용도로 하루 한 번만 요청합니다."
            ),
            known_terms_in_english=(
                "Greenhouse publishes this API of job boards itself; its robots.txt shuts out /embed/ alone"
                " (seen in June 2026)."
                " Asked once a day for personal use."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return ()

    def board_in(self, address: SplitResult) -> str | None:
        if address.hostname is None or not _PUBLIC_HOST.fullmatch(address.hostname):
            return None
        found = _PUBLIC_PATH.match(address.path)
        if found is not None and found[1] not in _NO_BOARDS:
            return found[1]
        # The widget that companies put on their own pages: `/embed/job_board/js?for=daangn`.
        named = parse_qs(address.query).get("for", [""])[0]
        return named if address.path.startswith("/embed/") and _SLUG.fullmatch(named) else None

    def board_guesses(self, company_key: str, guesses: tuple[str, ...]) -> tuple[str, ...]:
        return guesses

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        return Request(url=f"https://{_HOST}/v1/boards/{quote(target.slug, safe='')}/jobs?content=true")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        board = checked(_Board, _answer(page), "board")
        total = board.meta.total if board.meta else None
        return list_page(board.jobs, item_id, _posting, next_cursor=None, declared_total=total)

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return ()

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        job = checked(_Job, _answer(page), "job")
        require_same(listed, str(job.id))
        return job.to_posting()


def _answer(page: Page) -> dict[str, Any]:
    answer = read_object(page)
    if answer.get("status") == 404:
        raise Unreadable(Outcome.NOT_FOUND, f"no such board: {answer.get('error')}")
    require_success(page)
    return answer


def _posting(source_job_id: str, item: object) -> RawJobPosting:
    return _Job.model_validate(item).to_posting()


def _entries(metadata: object) -> list[dict[str, Any]]:
    return [field for field in metadata if isinstance(field, dict)] if isinstance(metadata, list) else []


def _metadata_tags(field: dict[str, Any]) -> list[str]:
    """The readable tags of one `metadata` entry: `Employment Type: 정규직`, one for each value of a list."""
    name, value = field.get("name"), field.get("value")
    if not isinstance(name, str) or field.get("value_type") not in _TAGGED_TYPES:
        return []
    if value is True:
        return [f"{shown(name)}: Yes"]
    values = value if isinstance(value, list) else [value]
    said = (shown(each) for each in values if isinstance(each, str))
    return [f"{shown(name)}: {each}" for each in said if each and each.replace(" ", "").lower() not in _NO]


def _body(content: str) -> str | None:
    """`content` is HTML that was escaped once as a whole, so it has no bare `<` (research, §1)."""
    markup = content
    if "<" not in content:
        # Only the marks of markup, `&amp;` last: what entities are left then, the HTML parser decodes. `html.unescape`
        # would take as long again as reading the text, a second and more on the largest boards.
        for escape, mark in _ESCAPES:
            markup = markup.replace(escape, mark)
    return html_to_text(markup) or None


ADAPTER: SourceAdapter = _Greenhouse()
