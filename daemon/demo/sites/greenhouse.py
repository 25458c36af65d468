"""Greenhouse job boards (boards-api.greenhouse.io): one answer holds a whole board.

`content` is HTML escaped once as a whole, dates are US Eastern, metadata values vary in type with `value_type`,
titles carry stray white space, `application_deadline` is nearly always null.
"""

from __future__ import annotations

import html
from typing import Any
from zoneinfo import ZoneInfo

from daemon.demo.exchange import Answer, Ask, Shelf, json_answer, paragraphs, shelf
from daemon.demo.world import Day, Place, Posting, Surface, Trouble
from daemon.sources.model import Platform

_EASTERN = ZoneInfo("America/New_York")
_INTRO = (
    '<div class="content-intro"><h3>{company} 팀 합류 여정에 오르신 것을 환영해요</h3>\n'
    "<p>{company}은(는) 함께 성장할 동료를 기다려요.&nbsp;</p>\n<hr></div>"
)
_CONCLUSION = (
    '<div class="content-conclusion"><p>보훈대상자 및 장애인은 관련 법령에 따라 우대해요.</p>\n'
    "<p>문의: 채용 홈페이지&nbsp;</p></div>"
)


class Greenhouse:
    """`/v1/boards/{slug}/jobs`, with `content=true` for the texts, and `/v1/boards/{slug}/jobs/{id}`."""

    platform = Platform.GREENHOUSE
    login_url = "https://app.greenhouse.io/users/sign_in"
    renames = ((b'"jobs":', b'"job_posts":'), (b'"absolute_url":', b'"public_url":'))

    def locate(self, ask: Ask) -> Place:
        match ask.path.strip("/").split("/"):
            case ["v1", "boards", slug, "jobs"]:
                return Place(surface=Surface.LIST, board=slug, part=ask.get("content"))
            case ["v1", "boards", slug, "jobs", item]:
                return Place(surface=Surface.DETAIL, board=slug, item=item)
        return Place(surface=Surface.OTHER)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        if place.surface is Surface.DETAIL:
            posting = day.posting(self.platform, place.item, (place.board,))
            if posting is None:
                return json_answer({"status": 404, "error": "Job not found"}, status=404)
            return json_answer({**_job(posting), **_texts(posting), "questions": []})
        board = shelf(day, self.platform, place, troubles) if place.surface is Surface.LIST else None
        if board is None:
            return json_answer({"status": 404, "error": "Board not found"}, status=404)
        return json_answer(_list(board, with_content=place.part == "true"))


def _list(board: Shelf, *, with_content: bool) -> dict[str, Any]:
    jobs = [{**_job(one), **(_texts(one) if with_content else {})} for one in board.postings]
    return {"jobs": jobs, "meta": {"total": board.total}}


def _job(posting: Posting) -> dict[str, Any]:
    number = int(posting.site_id)
    stray = ("", " ", "  ", "\n")[posting.serial % 4] if posting.serial % 7 == 0 else ""
    return {
        "absolute_url": f"https://boards.greenhouse.io/{posting.listing.boards[0]}/jobs/{number}?gh_jid={number}",
        "data_compliance": [
            {
                "type": "gdpr",
                "requires_consent": False,
                "requires_processing_consent": False,
                "requires_retention_consent": False,
                "retention_period": None,
                "demographic_data_consent_applies": False,
            }
        ],
        "internal_job_id": None if posting.serial % 23 == 5 else number - 1_965_564_000,
        "location": {"name": ("SEOUL", "Seoul, Korea", "Seoul; Pangyo")[posting.serial % 3]},
        "metadata": _metadata(posting),
        "id": number,
        "updated_at": posting.version.touched.astimezone(_EASTERN).isoformat(),
        "requisition_id": None if posting.serial % 3 == 0 else str(1000 + posting.serial),
        "title": f"{stray}{posting.title}{stray}",
        "company_name": posting.vacancy.company,
        "first_published": posting.vacancy.versions[0].touched.astimezone(_EASTERN).isoformat(),
        "language": "en" if posting.title.isascii() else "ko",
        "application_deadline": None if posting.deadline is None else posting.deadline.astimezone(_EASTERN).isoformat(),
    }


def _metadata(posting: Posting) -> list[dict[str, Any]] | None:
    if posting.listing.boards[0].startswith("s"):
        return None
    newcomer, low = posting.vacancy.years[1] == 0, posting.vacancy.years[0]
    values = (
        ("Corporate", posting.vacancy.company, "single_select"),
        ("Engineer", "개발" in posting.title, "yes_no"),
        ("Employment Type", posting.vacancy.employment, "single_select"),
        ("Alternative Civilian Service", None if low else False, "yes_no"),
        ("Prior Experience", "신입" if newcomer else "신입/경력" if low == 0 else "경력", "single_select"),
        ("Keywords", ", ".join(posting.vacancy.stack), "short_text"),
        ("Stack", list(posting.vacancy.stack), "multi_select"),
        ("Valid Through", ("", None, "2024-06-30")[posting.serial % 3], "date"),
        ("Order", "0.0", "number"),
        ("External Link", None, "url"),
    )
    return [
        {"id": 6_128_545_003 + index * 1000, "name": name, "value": value, "value_type": kind}
        for index, (name, value, kind) in enumerate(values)
    ]


def _texts(posting: Posting) -> dict[str, Any]:
    company = posting.vacancy.company
    text = f"{_INTRO.format(company=company)}{paragraphs(posting)}\n<p>&nbsp;</p>{_CONCLUSION}"
    number = 4_045_612_003 + posting.serial % 9 * 1000
    return {
        "content": html.escape(text, quote=True),
        "departments": [{"id": number, "name": "Engineering", "child_ids": [], "parent_id": None}],
        "offices": [{"id": 4_031_936_003, "name": company, "location": None, "child_ids": [], "parent_id": None}],
    }
