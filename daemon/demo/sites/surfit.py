"""Surfit (api.surfit.io): `POST /v1/jobs/all` with `{page}`. No real answer is known; the fields are the seeds'.

`is_closed`, `close` ("상시채용") and `ads_end_at` come from seed 001; the envelope is a guess of ours. Without Origin
and Referer of the job site the answer is 403. Past the end the page is empty.
"""

from __future__ import annotations

import json
from typing import Any

from daemon.clock import KST
from daemon.demo.exchange import Answer, Ask, Shelf, json_answer, shelf
from daemon.demo.world import Day, Place, Posting, Surface, Trouble
from daemon.sources.model import Platform

_BOARD = "all"
_SIZE = 30
_JOB_SITE = "https://jobs.surfit.io"


class Surfit:
    """`POST /v1/jobs/all`."""

    platform = Platform.SURFIT
    login_url = "https://www.surfit.io/login"
    renames = ((b'"data":', b'"rows":'), (b'"ads_end_at":', b'"until":'))

    def locate(self, ask: Ask) -> Place:
        if ask.path.rstrip("/") != "/v1/jobs/all" or ask.method != "POST":
            return Place(surface=Surface.OTHER)
        return Place(surface=Surface.LIST, board=_BOARD, page=_page_number(ask), size=_SIZE)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        if place.surface is not Surface.LIST:
            return json_answer({"message": "Not Found"}, status=404)
        if ask.origin != _JOB_SITE or not ask.referer.startswith(_JOB_SITE):
            return json_answer({"message": "Forbidden"}, status=403)
        board = shelf(day, self.platform, place, troubles) or Shelf(postings=(), total=0)
        return json_answer(
            {
                "data": [_job(one) for one in board.page(place.page, place.size)],
                "page": place.page,
                "last_page": -(-board.total // place.size) + (1 if board.endless else 0) * 1_000,
                "total": board.total,
            }
        )


def _page_number(ask: Ask) -> int:
    try:
        page = json.loads(ask.body or b"{}").get("page")
    except (ValueError, AttributeError):
        return 1
    return max(1, page) if isinstance(page, int) else 1


def _job(posting: Posting) -> dict[str, Any]:
    low, high = posting.vacancy.years
    ends_at = None
    if posting.deadline is not None:
        ends_at = posting.deadline.astimezone(KST).strftime("%Y-%m-%d %H:%M:%S")
    return {
        "id": int(posting.site_id),
        "title": posting.title,
        "company": {"id": 500 + posting.serial % 300, "name": posting.company_name},
        "is_closed": posting.withdrawn,
        "close": "상시채용" if posting.deadline is None else None,
        "ads_end_at": ends_at,
        "region": f"{posting.vacancy.city} {posting.vacancy.district}",
        "career": "경력 무관" if low == 0 else f"{low}년 이상",
        "newcomer": high == 0,
        "skills": list(posting.vacancy.stack),
        "view_count": 10 + posting.serial % 90 + posting.day.day,
        "url": f"{_JOB_SITE}/post/{posting.site_id}",
    }
