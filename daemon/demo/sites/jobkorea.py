"""JobKorea (www.jobkorea.co.kr): the first 40 rows of a category, a posting's page with JSON-LD, its text in a frame.

`Page` is ignored, the pager's own links are 404. `duty=` instead of `dutyCtgr=` is ignored and everything is listed. An
unknown number answers 200 with the home page. The legacy number beside the real one has eight digits, too.
"""

from __future__ import annotations

import json
import zlib

from daemon.demo.exchange import Answer, Ask, Shelf, escape, html_answer, paragraphs, shelf, weekday
from daemon.demo.sites import jobkorea_markup as markup
from daemon.demo.world import Day, Place, Posting, Surface, Trouble
from daemon.sources.model import Platform

_ROWS = 40
_EVERYTHING = "10026,10031"
_ENDLESS = "2070-01-01"


class JobKorea:
    """`/recruit/joblist`, `/Recruit/GI_Read/{gno}`, `/Recruit/GI_Read_Comt_Ifrm?Gno=`."""

    platform = Platform.JOBKOREA
    login_url = "https://www.jobkorea.co.kr/Login/Login_Tot.asp"
    renames = ((b'class="devloopArea"', b'class="rowArea"'), (b"data-gno=", b"data-number="))

    def locate(self, ask: Ask) -> Place:
        parts = ask.path.strip("/").split("/")
        match [part.lower() for part in parts]:
            case ["recruit", "joblist"]:
                return Place(surface=Surface.LIST, board=ask.get("dutyCtgr") or _EVERYTHING, size=_ROWS)
            case ["recruit", "gi_read", _]:
                return Place(surface=Surface.DETAIL, item=parts[2], part="page")
            case ["recruit", "gi_read_comt_ifrm"]:
                return Place(surface=Surface.DETAIL, item=ask.get("Gno") or ask.get("gno"), part="frame")
        return Place(surface=Surface.OTHER)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        match place.surface:
            case Surface.LIST:
                board = shelf(day, self.platform, place, troubles) or Shelf(postings=(), total=0)
                return html_answer(_list(board))
            case Surface.DETAIL:
                posting = day.posting(self.platform, place.item)
                if posting is None:
                    return html_answer(markup.HOME)
                return html_answer(_frame(posting) if place.part == "frame" else _page(posting))
            case Surface.OTHER:
                return html_answer(markup.NOT_FOUND, status=404)


def _list(board: Shelf) -> str:
    rows = "\n".join(_row(one, index) for index, one in enumerate(board.page(1, _ROWS)))
    last = board.last_page(_ROWS)
    pages = "".join(
        f'<li><a href="/recruit/_GI_List?Page={number}" data-page="{number}">{number}</a></li>'
        for number in range(2, min(last, 10) + 1)
    )
    following = markup.NEXT if last > 10 else ""
    return markup.PAGE.format(total=f"{board.total:,}", rows=rows, pages=pages, following=following)


def _member(posting: Posting) -> str:
    return str(10_000_000 + zlib.crc32(posting.vacancy.company.encode()) % 40_000_000)


def _deadline(posting: Posting) -> str:
    left, last_day = posting.days_left, posting.last_day
    if left is None or last_day is None:
        return '<span class="date dotum">상시채용</span>'
    if left <= 0:
        return '<span class="date dotum end">오늘마감</span>'
    return f'<span class="date dotum"><span class="tahoma">~{last_day:%m/%d}</span>({weekday(last_day)})</span>'


def _age(posting: Posting) -> str:
    days = (posting.day - posting.listing.posted).days
    if days <= 1:
        return f'<span class="tahoma">{1 + posting.serial % 59}</span>분 전 등록'
    if days < 10:
        return f'<span class="tahoma">{days}</span>일 전 등록'
    posted = posting.listing.posted
    return f'<span class="tahoma">{posted:%m/%d}</span>({weekday(posted)}) 등록'


def _cells(posting: Posting) -> str:
    low, high = posting.vacancy.years
    career = "신입" if high == 0 else "신입·경력" if low == 0 else f"경력{low}년↑"
    employment = posting.vacancy.employment + (" " * 17 + "외\n" if posting.serial % 4 == 0 else "")
    cells = [career, "학력무관", f"{posting.vacancy.city} {posting.vacancy.district}", employment]
    if posting.serial % 2:
        cells = [cells[0], cells[2], cells[1], cells[3], "사원급 외\n"]
    if posting.serial % 5 == 0:
        cells.append("")
    return "\n".join(f'<span class="cell">{escape(cell)}</span>' for cell in cells)


def _row(posting: Posting, index: int) -> str:
    last_day = posting.last_day.isoformat() if posting.last_day else _ENDLESS
    member, legacy = _member(posting), int(posting.site_id) + 1_619_000
    period = f"{posting.listing.posted}|{last_day}"
    return markup.ROW.format(
        id=posting.site_id,
        index=index,
        legacy=legacy,
        member=member,
        title=escape(posting.title),
        company=escape(posting.company_name),
        braze=escape(f"{posting.title}|{posting.site_id}|{legacy}|{period}|{posting.company_name}|{member}"),
        cells=_cells(posting),
        keywords=escape(", ".join(posting.vacancy.stack)),
        age=_age(posting),
        deadline=_deadline(posting),
    )


def _page(posting: Posting) -> str:
    valid_through = f"{posting.listing.posted.replace(year=posting.listing.posted.year + 1)}T23:59"
    described = ", 마감일 : 상시채용"
    if posting.last_day is not None:
        valid_through = f"{posting.last_day}T23:59"
        described = f", 마감일 : {posting.last_day:%Y.%m.%d}"
    place = f"{posting.vacancy.city} {posting.vacancy.district}"
    number = posting.site_id
    data = {
        "@context": "https://schema.org",
        "@type": "JobPosting",
        "title": posting.title,
        # The same for every posting but for three words: hashing it detects no edit.
        "description": f"{posting.company_name}에서 {posting.vacancy.employment} 채용을 진행합니다. "
        f"근무지는 {place}이며, 자세한 조건은 공고를 통해 확인할 수 있습니다.",
        "datePosted": posting.listing.posted.isoformat(),
        "validThrough": valid_through,
        "employmentType": "FULL_TIME",
        "experienceRequirements": "경력",
        "educationRequirements": "학력무관",
        "directApply": True,
        "hiringOrganization": {"@type": "Organization", "name": posting.company_name},
        "jobLocation": {"@type": "Place", "address": {"@type": "PostalAddress", "streetAddress": place}},
        "identifier": {"@type": "PropertyValue", "name": "JobKorea", "value": number},
        "url": f"https://www.jobkorea.co.kr/Recruit/GI_Read/{number}",
    }
    return markup.DETAIL.format(
        id=number,
        title=escape(posting.title),
        company=escape(posting.company_name),
        member=_member(posting),
        described=described,
        json_ld=json.dumps(data, ensure_ascii=False, indent=2).replace("</", "<\\/"),
        employment=posting.vacancy.employment,
        place=escape(place),
    )


def _frame(posting: Posting) -> str:
    return markup.FRAME.format(text=paragraphs(posting))
