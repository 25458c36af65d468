"""Jumpit (jumpit-api.saramin.co.kr): list and detail name the same things alike and shape them differently.

`closedAt` has a T in the list and a blank in the detail, `techStacks` are strings here and objects there; counters
change every day. A posting that is gone answers 400 with `C003`.
"""

from __future__ import annotations

import base64
import zlib
from datetime import datetime
from typing import Any

from daemon.clock import KST
from daemon.demo.exchange import Answer, Ask, Shelf, bullets, json_answer, shelf
from daemon.demo.world import Day, Place, Posting, Surface, Trouble
from daemon.sources.model import Platform

CATEGORIES = {
    "1": "서버/백엔드 개발자",
    "2": "프론트엔드 개발자",
    "3": "웹 풀스택 개발자",
    "8": "인공지능/머신러닝",
    "9": "devops/시스템 엔지니어",
    "15": "SW/솔루션",
    "19": "빅데이터 엔지니어",
}
_DEFAULT_SIZE = 16


class Jumpit:
    """`/api/positions` and `/api/position/{id}` (the plural with an id is 404)."""

    platform = Platform.JUMPIT
    login_url = "https://jumpit.saramin.co.kr/login"
    renames = ((b'"positions":', b'"positionList":'), (b'"companyName":', b'"corpName":'))

    def locate(self, ask: Ask) -> Place:
        match ask.path.strip("/").split("/"):
            case ["api", "positions"]:
                codes = ",".join(ask.all("jobCategory")) or ",".join(CATEGORIES)
                return Place(
                    surface=Surface.LIST,
                    board=codes,
                    keyword=ask.get("keyword"),
                    page=max(1, ask.number("page", 1)),
                    size=max(1, ask.number("size", _DEFAULT_SIZE)),
                )
            case ["api", "position", item]:
                return Place(surface=Surface.DETAIL, item=item)
        return Place(surface=Surface.OTHER)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        match place.surface:
            case Surface.LIST:
                board = shelf(day, self.platform, place, troubles) or Shelf(postings=(), total=0)
                return json_answer(_page(board, place, marked=ask.get("highlight") != "false"))
            case Surface.DETAIL:
                posting = day.posting(self.platform, place.item)
                if posting is None:
                    gone = {"message": "존재하지 않는 포지션입니다.", "status": 400, "code": "C003", "result": None}
                    return json_answer(gone, status=400)
                return json_answer(
                    {"message": "조회에 성공하셨습니다.", "status": 200, "code": "C001", "result": _detail(posting)}
                )
            case Surface.OTHER:
                return json_answer({"status": 404, "error": "Not Found", "path": ask.path}, status=404)


def _page(board: Shelf, place: Place, *, marked: bool) -> dict[str, Any]:
    return {
        "message": "포지션 리스트가 조회되었습니다.",
        "status": 200,
        "code": "P004",
        "result": {
            "totalCount": board.total,
            "page": place.page,
            "keyword": place.keyword,
            "keywordType": "etc",
            "positions": [
                _position(one, place.keyword if marked else "") for one in board.page(place.page, place.size)
            ],
            "emptyPosition": not board.postings,
        },
    }


def _registration(company: str) -> str:
    return f"{1_000_000_000 + zlib.crc32(company.encode()) % 9_000_000_000:010d}"


def _closed_at(posting: Posting, separator: str) -> str | None:
    if posting.deadline is None:
        return None
    local: datetime = posting.deadline.astimezone(KST)
    return local.strftime(f"%Y-%m-%d{separator}%H:%M:%S")


def _labels(posting: Posting) -> list[str]:
    return [CATEGORIES.get(code, "기타") for code in posting.listing.boards]


def _position(posting: Posting, marked_word: str) -> dict[str, Any]:
    low, high = posting.vacancy.years
    title: str | None = posting.title or None
    if title and marked_word:
        title = title.replace(marked_word, f"<span>{marked_word}</span>")
    number = _registration(posting.vacancy.company)
    logo = f"https://cdn.jumpit.co.kr/images/company/{number}/logo.png"
    position = {
        "id": int(posting.site_id),
        "jobCategory": "" if posting.serial % 17 == 3 else ",".join(_labels(posting)),
        "logo": logo,
        "imagePath": logo,
        "title": title,
        "companyName": posting.company_name,
        "techStacks": list(posting.vacancy.stack),
        "scrapCount": 1 + posting.serial % 30 + posting.day.day,
        "viewCount": 80 + posting.serial % 500 + 13 * posting.day.day,
        "newcomer": high == 0,
        "minCareer": low,
        "maxCareer": 20 if high == 100 else high,
        "locations": [f"{posting.vacancy.city} {posting.vacancy.district.split()[0]}"],
        "alwaysOpen": posting.deadline is None,
        "closedAt": _closed_at(posting, "T"),
        "serialNumber": number,
        "encodedSerialNumber": base64.b64encode(number.encode()).decode(),
        "celebration": 50,
        "scraped": False,
        "applied": False,
    }
    if posting.serial % 3:
        del position["scrapCount"]
    if posting.deadline is None and posting.serial % 5 == 0:
        # A date may be left over from before the posting became always open; the flag counts.
        position["closedAt"] = "2026-10-31T23:59:59"
    return position


def _detail(posting: Posting) -> dict[str, Any]:
    low, high = posting.vacancy.years
    number = _registration(posting.vacancy.company)
    address = f"{posting.vacancy.city} {posting.vacancy.district} 테헤란로 {1 + posting.serial % 300}"
    return {
        "id": int(posting.site_id),
        "title": posting.title,
        "companyName": posting.company_name,
        "logo": f"https://cdn.jumpit.co.kr/images/company/{number}/logo.png",
        "cacheCompanyImages": [],
        "techStacks": [
            {"stack": name, "imagePath": "https://cdn.jumpit.co.kr/images/stacks/noStack.png"}
            for name in posting.vacancy.stack
        ],
        "serviceInfo": posting.body.intro,
        "responsibility": bullets(posting.body.tasks, end="\r\n"),
        "qualifications": bullets(posting.body.requirements),
        "preferredRequirements": bullets(posting.body.preferred),
        "welfares": bullets(posting.body.conditions, end="\r\n"),
        "recruitProcess": "\n".join(posting.body.process),
        "newcomer": high == 0,
        "minCareer": low,
        "maxCareer": 20 if high == 100 else high,
        "developerInterviews": [],
        "developerInterviewsCount": 0,
        "itCompanyStory": [],
        "publishedAt": f"{posting.listing.posted} 00:00:00",
        "closedAt": _closed_at(posting, " "),
        "location": address,
        "tags": [{"id": "285", "name": "휴가비 지원", "emoticon": "welfare"}],
        "serialNumber": number,
        "encodedSerialNumber": base64.b64encode(number.encode()).decode(),
        "companyUrl": "https://example.com",
        "alwaysOpen": posting.deadline is None,
        "celebration": 50,
        "education": 0,
        "educationName": "무관",
        "graduate": False,
        "establishPeriod": 5,
        "establishDate": "2021년 3월 설립",
        "workingPlaces": [{"address": address, "domestic": False}],
        "jobCategories": [{"id": int(code), "name": CATEGORIES.get(code, "기타")} for code in posting.listing.boards],
        "invisible": False,
        "manDbMcomIdx": 5_599_241,
        "status": 0,
        "applied": False,
        "scrap": False,
        "positionStatus": "CHECKED",
        "follow": False,
        "hiddenPosition": False,
        "saraminCompanyTags": [],
    }
