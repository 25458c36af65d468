"""Remember (career-api.rememberapp.co.kr): a POST search whose `meta` echoes what the server understood.

Filter keys are snake_case; camelCase is not refused but ignored, and everything comes back with an echo of nulls.
More than 50 a page is 400. `ends_at` null is always open. `recruiter.name` is a (made up) person.
"""

from __future__ import annotations

import json
import zlib
from datetime import datetime
from typing import Any

from daemon.clock import KST
from daemon.demo.exchange import Answer, Ask, Shelf, bullets, json_answer, shelf
from daemon.demo.world import Day, Place, Posting, Surface, Trouble
from daemon.sources.model import Platform

CATEGORIES = {
    "310": ("SW개발", "백엔드"),
    "311": ("SW개발", "프론트엔드"),
    "312": ("SW개발", "풀스택"),
    "323": ("SW개발", "DevOps"),
    "340": ("AI·데이터", "MLOps"),
}
_LARGEST_PAGE = 50
_SAME_EVERYWHERE: dict[str, Any] = {
    "application_type": "apply",
    "job_posting_type": "general",
    "status": "published",
    "job_rank_category": "",
    "job_role": "",
    "min_salary": None,
    "max_salary": None,
    "total_compensation": None,
    "education_requirement": "bachelor",
    "link": "",
    "highend": False,
    "leader_position": False,
    "company_description": "",
    "matching_reward": 500_000,
    "image_url": None,
    "thumbnail_url": None,
    "recruiter": {"name": "담당자"},
    "industries": [],
    "application_requirements": dict.fromkeys(("language", "certificate", "portfolio", "birth_year"), False),
    "job_rank": None,
    "matching_reward_request": None,
    "starred_job_posting": None,
    "application": None,
    "matching_gift": {"type": "cash", "amount": 500_000},
    "viewed_at": None,
    "chips": [],
    "company": None,
    "applicant_manager": None,
    "ad_types": None,
    "lead_times": [
        {
            "id": None,
            "from": "applied",
            "to": "resume_accepted",
            "lead_time_type": "default",
            "period": None,
            "ends_at": None,
        }
    ],
}
_ECHO_KEYS = (
    *("job_category_ids", "job_category_names", "industry_ids", "industry_names", "industry_v2_ids"),
    *("industry_v2_names", "keywords", "skills", "organization_type", "career_year", "min_experience"),
    *("max_experience", "application_type", "addresses", "company_sizes", "company_id", "min_updated_at", "tags"),
    *("fresh_only", "min_salary", "max_salary"),
)


class Remember:
    """`POST /job_postings/search` and `/job_postings/{id}`."""

    platform = Platform.REMEMBER
    login_url = "https://career.rememberapp.co.kr/login"
    renames = ((b'"data":', b'"job_postings":'), (b'"organization":', b'"employer":'))

    def locate(self, ask: Ask) -> Place:
        match ask.path.strip("/").split("/"):
            case ["job_postings", "search"] if ask.method == "POST":
                body = _body(ask)
                search = body.get("search") or {}
                keywords = search.get("keywords") or []
                return Place(
                    surface=Surface.LIST,
                    board=",".join(map(str, _category_ids(search) or CATEGORIES)),
                    keyword=str(keywords[0]) if keywords else "",
                    page=max(1, int(body.get("page") or 1)),
                    size=max(1, int(body.get("per") or 20)),
                )
            case ["job_postings", item]:
                return Place(surface=Surface.DETAIL, item=item)
        return Place(surface=Surface.OTHER)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        match place.surface:
            case Surface.LIST:
                if place.size > _LARGEST_PAGE:
                    return json_answer({"error": {"message": "per is invalid"}}, status=400)
                body = _body(ask)
                board = shelf(day, self.platform, place, troubles) or Shelf(postings=(), total=0)
                return json_answer(_page(board, place, body))
            case Surface.DETAIL:
                posting = day.posting(self.platform, place.item)
                if posting is None:
                    return json_answer({"error": {"message": "Not Found"}}, status=404)
                return json_answer({"data": _detail(posting), "meta": {"logger_info": _log(None, None, None)}})
            case Surface.OTHER:
                return json_answer({"error": {"message": "Not Found"}}, status=404)


def _body(ask: Ask) -> dict[str, Any]:
    try:
        body = json.loads(ask.body or b"{}")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _category_ids(search: dict[str, Any]) -> list[int]:
    """The ids that the server makes of the names asked for; `job_category_ids` is understood as it is."""
    by_name = {names: int(code) for code, names in CATEGORIES.items()}
    named = search.get("job_category_names") or []
    pairs = [(pair.get("level1"), pair.get("level2")) for pair in named if isinstance(pair, dict)]
    found = [by_name[pair] for pair in pairs if pair in by_name]
    return found or [int(code) for code in search.get("job_category_ids") or []]


def _log(search: dict[str, Any] | None, sort: str | None, results: dict[str, Any] | None) -> dict[str, Any]:
    empty = ("total_count", "sort", "recommendation_source", "page", "per", "job_posting_ids", "job_posting_scores")
    return {
        "user_meta_data": {"user_id": None, "open_profile_id": None},
        "query_meta_data": {"search": search, "sort": sort},
        "recommend_engine_meta_data": {"research_version": None, "tag": None},
        "results": {**dict.fromkeys(empty), **(results or {})},
    }


def _page(board: Shelf, place: Place, body: dict[str, Any]) -> dict[str, Any]:
    search = body.get("search") or {}
    rows = board.page(place.page, place.size)
    echo = {key: search.get(key) for key in _ECHO_KEYS}
    echo |= {"job_category_names": None, "job_category_ids": _category_ids(search) or None, "industry_v2_ids": []}
    ids = [int(one.site_id) for one in rows]
    pages = -(-board.total // place.size)
    results = {
        "total_count": board.total,
        "sort": '[{"_score":"desc"},{"starts_at":"desc"},{"id":"desc"}]',
        "page": place.page,
        "per": place.size,
        "job_posting_ids": ids,
        "job_posting_scores": [{"id": number, "score": 10_000 + number % 997 / 1000} for number in ids],
    }
    return {
        "data": [_item(one) for one in rows],
        "meta": {
            "total_count": board.total,
            "total_pages": pages,
            "per": place.size,
            "page": place.page,
            "total_page": pages,
            "logger_info": _log(echo, body.get("sort") or "starts_at_desc", results),
            "search": {"companies": []},
            "seed": 98_201_900,
            "job_posting_list_ab_test": "A",
            "job_seeking_activity_level": None,
        },
    }


def _at(instant: datetime) -> str:
    return instant.astimezone(KST).isoformat(timespec="milliseconds")


def _item(posting: Posting) -> dict[str, Any]:
    low, high = posting.vacancy.years
    body = posting.body
    number = zlib.crc32(posting.vacancy.company.encode())
    codes = [code for code in posting.listing.boards if code in CATEGORIES]
    short = posting.vacancy.city
    return {
        **_SAME_EVERYWHERE,
        "id": int(posting.site_id),
        "title": posting.title,
        "job_description": "| 주요업무\n" + bullets(body.tasks, "· "),
        "qualifications": "| 자격요건\n" + bullets(body.requirements, "· "),
        "introduction": body.intro,
        "min_experience": low or None,
        "max_experience": None if high == 100 else high,
        "recruiting_process": bullets(body.process, "• "),
        "additional_information": "| 근무 조건\n" + bullets(body.conditions, ""),
        "preferred_qualifications": bullets(body.preferred, "· "),
        "starts_at": _at(posting.vacancy.versions[0].touched),
        "ends_at": None if posting.deadline is None else _at(posting.deadline),
        "explicit_due": posting.deadline is not None,
        "organization": {
            "id": 10_000 + number % 90_000,
            "name": posting.company_name,
            "company_id": 1_000_000 + number % 9_000_000,
            "account_type": "team",
            "headhunter": False,
            "logo": "https://career-cdn.rememberapp.co.kr/upload/attachments/logo/demo",
            "url": "https://example.com/",
            "registration_no": f"{1_000_000_000 + number % 9_000_000_000}",
            "application_response_metrics": {
                "response_rate": 40 + posting.day.day,
                "response_duration_days": 1 + posting.day.day % 9,
            },
        },
        "job_category_ids": [int(code) for code in codes],
        "job_categories": [
            {"id": int(code), "level1": CATEGORIES[code][0], "level2": CATEGORIES[code][1]} for code in codes
        ],
        "addresses": [{"address_level1": f"{short}특별시", "address_level2": posting.vacancy.district.split()[0]}],
        "normalized_address": {"level1": short, "level2": posting.vacancy.district.split()[0]},
        "spotlight": posting.day.day % 2 == posting.serial % 2,
    }


def _detail(posting: Posting) -> dict[str, Any]:
    item = {key: value for key, value in _item(posting).items() if key != "spotlight"}
    item["organization"] = {**item["organization"], "descriptive_images": []}
    return {
        **item,
        "company": {"id": item["organization"]["company_id"], "investment": None},
        "chips": [{"category": "startup_info", "value": "1-50명"}],
        "matching_gift": {"type": "cash", "amount": 500_000, "request": None},
        "matching_gift_request": None,
        "classified_tags": [{"category": "WELFARE", "value": "식대 지원"}],
        "desired_profile_condition": {
            "skills": [{"name": name, "open_profile_matched": False} for name in posting.vacancy.stack]
        },
    }
