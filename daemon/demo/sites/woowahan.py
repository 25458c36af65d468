"""Woowahan careers (career.woowahan.com): pages count from 0 in the request and from 1 in the answer.

Every edit makes a new row: `recruitSeq` and `recruitVersion` rise and `updateDate` moves the posting to the front,
while `recruitNumber` stays. Success is the *string* "2000" in `code`; an unknown number answers 200 with "9002".
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from daemon.clock import KST
from daemon.demo.exchange import Answer, Ask, Shelf, escape, json_answer, shelf
from daemon.demo.world import Day, Place, Posting, Surface, Trouble
from daemon.sources.model import Platform

_BOARD = "woowahan"
_SAME_EVERYWHERE = {
    "recruitCorporationNumber": "WOOWA_BROTHERS",
    "recruitHiddenUrl": "",
    "pluarApplicationCount": -1,
    "recruitmentCount": -1,
    "recruitmentRequestOrganizationSeq": 105_015,
    "recruitmentRequestOrganizationId": "3590",
    "recruitmentRequestOrganizationName": "",
    "recruitmentRequestOrganizations": None,
    "recruitmentRequestUser": 0,
    "recruitStatusCode": {"code": "CRBST002", "text": "등록"},
    "recruitDisplayCode": "BA004001",
    "recruitCampaignSeq": 0,
    "recruitDeleteYn": False,
    "createUser": 0,
    "updateUser": 0,
    "recruitContents": None,
    "jobs": None,
    "serviceSections": None,
    "jobClassifications": None,
    "recruitNameTag": None,
    "resumeEntryGroups": None,
    "supplyButtonDisplayYn": True,
    "displayTopYn": False,
    "managers": None,
    "permanentConversionYn": False,
    "specialRecruitmentYn": False,
    "directorRecruitmentYn": False,
    "selfIntroduceDisabledYn": False,
    "selfIntroduces": None,
    "judgmentProcedures": None,
    "recruitCampaignRequests": None,
    "qualificationRestriction": None,
    "applicationMobileYn": False,
    "isAfterOrEqualEndDay": False,
    "isPublicTypical": False,
    "isAfterOrEqualOpenDay": True,
    "isTemporaryStatus": False,
    "representativeRecruitmentRequestOrganization": 0,
    "recruitCloseDate": "2999-12-31 00:00:00",
}


class Woowahan:
    """`/w1/recruits?page=N&size=M` and `/w1/recruits/{recruitNumber}`."""

    platform = Platform.WOOWAHAN
    login_url = "https://career.woowahan.com/login"
    renames = ((b'"list":', b'"items":'), (b'"recruitNumber":', b'"number":'))

    def locate(self, ask: Ask) -> Place:
        match ask.path.strip("/").split("/"):
            case ["w1", "recruits"]:
                size = max(1, ask.number("size", 21))
                return Place(surface=Surface.LIST, board=_BOARD, page=max(0, ask.number("page", 0)) + 1, size=size)
            case ["w1", "recruits", item]:
                return Place(surface=Surface.DETAIL, board=_BOARD, item=item)
        return Place(surface=Surface.OTHER)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        if place.surface is Surface.DETAIL:
            posting = day.posting(self.platform, place.item, (_BOARD,))
            if posting is None:
                return json_answer({"code": "9002", "message": f"RecruitService::findTopBy:{place.item}", "data": None})
            return json_answer({"code": "2000", "message": "OK", "data": _detail(posting)})
        board = shelf(day, self.platform, place, troubles) if place.surface is Surface.LIST else None
        if board is None:
            return json_answer({"code": "4040", "message": "Not Found", "data": None}, status=404)
        return json_answer({"code": "2000", "message": "OK", "data": _page(board, place)})


def _page(board: Shelf, place: Place) -> dict[str, Any]:
    return {
        "list": [_recruit(one) for one in board.page(place.page, place.size)],
        "pageSize": place.size,
        "pageNumber": place.page,
        "totalPageNumber": -(-board.total // place.size),
        "totalSize": board.total,
    }


def _local(instant: datetime) -> str:
    return instant.astimezone(KST).strftime("%Y-%m-%d %H:%M:%S")


def _code(group: str, number: int) -> dict[str, Any]:
    return {"recruitItemGroupCode": group, "recruitItemCode": f"{group}{number:03d}", "primary": False}


def _recruit(posting: Posting) -> dict[str, Any]:
    version, low, high = posting.version, *posting.vacancy.years
    ends = "9999-12-31 00:00:00"
    if posting.deadline is not None:
        # Both spellings of "the whole last day" occur.
        ends = f"{posting.last_day} 00:00:00" if posting.serial % 2 else _local(posting.deadline)
    touched = _local(version.touched)
    keywords = [{**_code("BA008", 17), "primary": True}] if posting.serial % 3 == 0 else None
    return {
        **_SAME_EVERYWHERE,
        "recruitSeq": 20_000 + posting.serial % 1000 * 10 + version.number,
        "recruitNumber": posting.site_id,
        "recruitVersion": version.number,
        "recruitOpenDate": _local(posting.vacancy.versions[0].touched),
        "recruitEndDate": ends,
        "careerRestrictionMinYears": low or -1,
        "careerRestrictionMaxYears": -1 if high in (0, 100) else high,
        "recruitName": posting.title,
        "createDate": touched,
        "updateDate": touched,
        "careerType": _code("BA003", 2 if low else 1),
        "jobGroup": _code("BA005", 1),
        "employmentType": _code("BA002", {"정규직": 1, "계약직": 2, "인턴": 3}[posting.vacancy.employment]),
        "typicalClassification": _code("BA001", 1),
        "keywords": keywords,
        "pluarApplications": None if posting.serial % 10 == 0 else [],
        "isUnlimitedEndDate": posting.deadline is None,
        "isHidden": posting.withdrawn,
    }


def _detail(posting: Posting) -> dict[str, Any]:
    parts = [f'<div><span style="font-size: 14px;">{escape(posting.body.intro)}</span></div>']
    for heading, lines in posting.body.sections:
        text = "<br>".join(f"-&nbsp;{escape(line)}" for line in lines)
        parts.append(f'<div><span style="font-size: 14px;"><strong>[{heading}]</strong><br>{text}</span></div>')
    return {
        **_recruit(posting),
        "recruitContents": "".join(parts),
        "jobs": [{**_code("BA007", 8), "primary": True}],
        "serviceSections": [],
        "keywords": [],
        "resumeEntryGroups": [],
        "selfIntroduces": [],
        "qualificationRestriction": {"recruitItemCheckYn": False, "recruitItemNecessaryYn": True},
    }
