"""Wanted (www.wanted.co.kr): `/api/v4/jobs` with `links.next`, relative and without a total; details; navigation.

`due_time` is a bare Korean date or null (always open). An unknown tag gives an empty list; unknown *parameters* are
ignored. `years` above 10 is 422. A detail that is gone is 404.
"""

from __future__ import annotations

import zlib
from typing import Any
from urllib.parse import urlencode

from daemon.demo.exchange import Answer, Ask, Shelf, bullets, json_answer, shelf
from daemon.demo.world import Day, Place, Posting, Surface, Trouble
from daemon.sources.model import Platform

_LARGEST_PAGE = 100
_EVERYTHING = "518,872"


class Wanted:
    """`/api/v4/jobs`, `/api/v4/jobs/{id}` and `/api/chaos/navigation/v1/results`."""

    platform = Platform.WANTED
    login_url = "https://id.wanted.jobs/login"
    renames = ((b'"data":', b'"results":'), (b'"position":', b'"job_title":'))

    def locate(self, ask: Ask) -> Place:
        match ask.path.strip("/").split("/"):
            case ["api", "v4", "jobs"]:
                return self._list(ask, "v4", ",".join(ask.all("tag_type_ids")), ask.get("query"))
            case ["api", "chaos", "navigation", "v1", "results"]:
                # `query` is silently ignored here.
                return self._list(ask, "navigation", ask.get("job_ids") or ask.get("job_group_id"), "")
            case ["api", "v4", "jobs", item]:
                return Place(surface=Surface.DETAIL, item=item)
        return Place(surface=Surface.OTHER)

    def _list(self, ask: Ask, part: str, codes: str, keyword: str) -> Place:
        size = min(_LARGEST_PAGE, max(1, ask.number("limit", 20)))
        return Place(
            surface=Surface.LIST,
            board=codes or _EVERYTHING,
            keyword=keyword,
            page=max(0, ask.number("offset", 0)) // size + 1,
            size=size,
            part=part,
        )

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        if place.surface is Surface.OTHER:
            return json_answer({"error_code": 404, "message": "Not Found"}, status=404)
        if place.surface is Surface.DETAIL:
            posting = day.posting(self.platform, place.item)
            if posting is None:
                return json_answer({"error_code": 1302, "message": "Job not found"}, status=404)
            return json_answer({"application": None, "job": _detail(posting), "like_users": None})
        if any(int(years) > 10 for years in ask.all("years") if years.isdigit()):
            return json_answer({"error_code": 422, "message": "years"}, status=422)
        board = shelf(day, self.platform, place, troubles) or Shelf(postings=(), total=0)
        item = _navigation_item if place.part == "navigation" else _item
        rows = [item(one) for one in board.page(place.page, place.size)]
        links = {"prev": None, "next": _next(ask, place) if board.has_next(place.page, place.size) else None}
        if place.part == "navigation":
            return json_answer({"data": rows, "links": links})
        return json_answer(
            {
                "model_status": None,
                "links": links,
                "is_callable_external_job": False,
                "data_model": None,
                "data": rows,
                "is_score": True,
            }
        )


def _next(ask: Ask, place: Place) -> str:
    """The next page's address as the site gives it: relative, every filter repeated."""
    kept = [(name, value) for name, value in ask.query if name not in {"offset", "limit", "job_sort"}]
    rest = [("limit", str(place.size)), ("offset", str(place.page * place.size))]
    sort = [("job_sort", ask.get("job_sort", "job.latest_order"))]
    return f"{ask.path}?{urlencode(kept + rest + sort)}"


def _company(posting: Posting) -> dict[str, Any]:
    return {
        "id": 1000 + zlib.crc32(posting.vacancy.company.encode()) % 50_000,
        "industry_name": "IT, 컨텐츠",
        "application_response_stats": {
            "avg_rate": float(posting.serial % 101),
            "level": "very_low",
            "delayed_count": posting.day.day % 7,
            "avg_day": None,
            "remained_count": 0,
            "type": "applied_reply_done",
        },
        "name": posting.company_name,
    }


def _images(posting: Posting) -> dict[str, Any]:
    stem = f"https://static.wanted.co.kr/images/company/{posting.serial}/title"
    return {"origin": f"{stem}__1080_790.jpg", "thumb": f"{stem}__400_400.jpg"}


def _address(posting: Posting) -> dict[str, Any]:
    district = posting.vacancy.district.split()[0]
    return {
        "location_key": "seoul",
        "district": district,
        "country": "한국",
        "location": posting.vacancy.city,
        "full_location": f"{posting.vacancy.city} {district} 테헤란로 {1 + posting.serial % 300}",
        "district_key": "seoul.gangnam-gu",
    }


def _tags(posting: Posting) -> list[dict[str, int]]:
    wanted = [int(code) for code in posting.listing.boards if code != "518"] or [872 if posting.serial % 2 else 669]
    return [{"parent_id": 518, "id": number} for number in (*wanted, 10110)]


def _reward(style: str) -> dict[str, str]:
    total, half = ("100만원", "50만원") if style == "list" else ("1,000,000원", "500,000원")
    return {"formatted_total": total, "formatted_recommender": half, "formatted_recommendee": half}


def _item(posting: Posting) -> dict[str, Any]:
    low, high = posting.vacancy.years
    return {
        "status": "close" if posting.withdrawn else "active",
        "hidden": False,
        "is_like": False,
        "score": None,
        "is_bookmark": False,
        "company": _company(posting),
        "annual_to": high,
        "title_img": _images(posting),
        "compare_country": True,
        "due_time": None if posting.last_day is None else posting.last_day.isoformat(),
        "like_count": posting.serial % 20 + posting.day.day,
        "id": int(posting.site_id),
        "logo_img": _images(posting),
        "address": _address(posting),
        "matching_score": None,
        "position": posting.title,
        "is_recommended": False,
        "reward": _reward("list"),
        "category_tags": _tags(posting),
        "annual_from": low,
    }


def _navigation_item(posting: Posting) -> dict[str, Any]:
    low, high = posting.vacancy.years
    return {
        "id": int(posting.site_id),
        "reward_total": "100만원",
        "is_bookmark": False,
        "company": _company(posting),
        "title_img": {**_images(posting), "video": None},
        "address": {key: _address(posting)[key] for key in ("country", "location", "district")},
        "position": posting.title,
        "category_tag": _tags(posting)[0],
        "attraction_tags": [10402, 10436],
        "skill_tags": [],
        "user_oriented_tags": [10264],
        "annual_from": low,
        "annual_to": high,
        "is_newbie": low == 0,
        "reward": {"id": None, "wd_id": None, "country": "kr", "user_country": "KR", **_reward("list")},
        "employment_type": {"정규직": "regular", "계약직": "contract"}.get(posting.vacancy.employment, "intern"),
        "additional_apply_type": None,
        "preferred_languages": None,
        "visa_information": {"preferred_visas": None, "supported_visas": None},
        "is_outlink": False,
    }


def _detail(posting: Posting) -> dict[str, Any]:
    body = posting.body
    return {
        **{key: value for key, value in _item(posting).items() if key not in {"address", "reward"}},
        "company_tags": [{"title": "설립10년이상", "id": 10035, "kind_title": "COMPANY_MANAGEMENT"}],
        "is_crossboarder": False,
        "detail": {
            "requirements": bullets(body.requirements, end="\n\n"),
            "main_tasks": bullets(body.tasks, end="\n\n"),
            "intro": body.intro,
            "benefits": bullets((*body.conditions, *body.process)),
            "preferred_points": bullets(body.preferred, end="\n\n"),
        },
        "company_images": [],
        "skill_tags": [
            {"title": name, "id": 1469 + index, "kind_title": "SKILL"}
            for index, name in enumerate(posting.vacancy.stack)
        ],
        "has_analysis": False,
        "is_company_follow": False,
        "address": {
            "country": "한국",
            "full_location": _address(posting)["full_location"],
            "geo_location": None,
            "location": posting.vacancy.city,
            "country_code": "kr",
        },
        "short_link": None,
        "reward": _reward("detail"),
    }
