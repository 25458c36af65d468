"""Saramin (www.saramin.co.kr): the category list as HTML, advertisements before it, and the pages of a posting.

On page 1 cards of advertisements stand before the result list, with ids of the list and other wording. The title
attribute is escaped twice. A deadline within a week reads `D-3`, a later one `~12.24(목)`; ages and badges differ every
day. Past the end the list repeats page 1.
"""

from __future__ import annotations

import base64
from datetime import timedelta
from urllib.parse import quote

from daemon.demo.exchange import Answer, Ask, Shelf, escape, html_answer, paragraphs, shelf, weekday
from daemon.demo.sites import saramin_markup as markup
from daemon.demo.world import Day, Place, Posting, Surface, Trait, Trouble
from daemon.sources.model import Platform

_LIST = "/zf_user/jobs/list/job-category"
_SIZES = (20, 30, 50, 100)
_SECTORS = {"84": "백엔드/서버개발", "92": "프론트엔드", "87": "웹개발", "136": "클라우드", "235": "Java"}
_BADGES = ("IT개발·데이터 지원 TOP100", "인기있는", "", "연봉상승률 10% 이상")
_ADVERTISED = 5


class Saramin:
    """`jobs/list/job-category`, `jobs/view`, `jobs/relay/view`, `jobs/relay/view-detail`."""

    platform = Platform.SARAMIN
    login_url = "https://www.saramin.co.kr/zf_user/auth"
    renames = (
        (b'class="list_recruiting"', b'class="recruit_board_v2"'),
        (b'class="list_item', b'class="board_row'),
        (b'id="rec-', b'data-recruit="'),
    )

    def locate(self, ask: Ask) -> Place:
        path = ask.path.rstrip("/")
        if path == _LIST:
            size = ask.number("page_count", 50)
            return Place(
                surface=Surface.LIST,
                board=ask.get("cat_kewd") or ",".join(_SECTORS),
                keyword=ask.get("searchword"),
                page=max(1, ask.number("page", 1)),
                size=size if size in _SIZES else 50,
            )
        for part in ("jobs/view", "jobs/relay/view", "jobs/relay/view-detail", "jobs/relay/view-ajax"):
            if path == f"/zf_user/{part}":
                return Place(surface=Surface.DETAIL, item=ask.get("rec_idx"), part=part)
        return Place(surface=Surface.OTHER)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        session = (("Set-Cookie", "PHPSESSID=demo0000000000000000000000; path=/"),)
        match place.surface:
            case Surface.LIST:
                board = shelf(day, self.platform, place, troubles) or Shelf(postings=(), total=0)
                return html_answer(_list(board, place), headers=(("Cache-Control", "no-store"), *session))
            case Surface.DETAIL:
                posting = day.posting(self.platform, place.item)
                if posting is None:
                    return html_answer(markup.GONE, status=404)
                text = _detail_text(posting) if place.part.endswith("view-detail") else _shell(posting)
                return html_answer(text, headers=session)
            case Surface.OTHER:
                return html_answer(markup.GONE, status=404)


def _list(board: Shelf, place: Place) -> str:
    page = place.page
    if page > board.last_page(place.size) and not board.endless:
        page = 1
    postings = board.page(page, place.size)
    ads = "".join(_ad(one, index) for index, one in enumerate(postings[: _ADVERTISED * 3 : 3])) if page == 1 else ""
    return markup.PAGE.format(
        ads=markup.ADS.format(cards=ads) if ads else "",
        total=f"{board.total:,}",
        sizes="".join(_size_option(size, place.size) for size in _SIZES),
        rows="".join(_row(one) for one in postings),
        pager=_pager(board, place, page),
    )


def _size_option(size: int, chosen: int) -> str:
    return f'<option value="{size}" {"selected" if size == chosen else ""}>{size}개씩</option>'


def _pager(board: Shelf, place: Place, page: int) -> str:
    def address(number: int) -> str:
        return (
            f"{_LIST}?page={number}&cat_kewd={quote(place.board)}&search_done=y&panel_count=y&isAjaxRequest=0"
            f"&page_count={place.size}&sort=RL&type=job-category&is_param=1&isSearchResultEmpty=1&isSectionHome=0"
            "&searchParamCount=2#searchTitle"
        )

    first = (page - 1) // 10 * 10 + 1
    last = board.last_page(place.size) + (1_000 if board.endless else 0)
    buttons = []
    for number in range(first, min(first + 9, last) + 1):
        if number == page:
            buttons.append(f'<span class="BtnType SizeS active">{number}</span>')
        else:
            buttons.append(
                f'<button class="BtnType SizeS" page="{number}" onclick="location.href=\'{address(number)}\'">'
                f"{number}</button>"
            )
    if last > first + 9:
        buttons.append(
            f'<button class="BtnType SizeS BtnNext" onclick="location.href=\'{address(first + 10)}\'">다음</button>'
        )
    return "\n".join(buttons)


def _ad(posting: Posting, index: int) -> str:
    """The same posting as an advertisement words it: short title, bare company, another place."""
    kind = "grand" if index == 0 else "premium"
    short = posting.title.split("(")[0].strip() or posting.title
    return markup.AD.format(
        kind=kind,
        id=posting.site_id,
        title=escape(f"[채용] {short} 대규모 모집"),
        company=escape(posting.vacancy.company),
        place="서울 마포구 외",
        date=_deadline(posting),
    )


def _deadline(posting: Posting) -> str:
    left, last_day = posting.days_left, posting.last_day
    if left is None or last_day is None:
        return "채용시" if posting.serial % 3 else "상시채용"
    if left <= 0:
        return "오늘마감"
    if left == 1 and posting.serial % 2:
        return "내일마감"
    if left <= 7:
        return f"D-{left}"
    return f"~{last_day:%m.%d}({weekday(last_day)})"


def _age(posting: Posting) -> str:
    edited = posting.version.touched.date()
    if posting.version.number > 1:
        days = (posting.day - edited).days
        return f"{days}일 전 수정" if days > 1 else f"{1 + posting.serial % 20}시간 전 수정"
    days = (posting.day - posting.listing.posted).days
    return f"{days}일 전 등록" if days > 1 else f"{1 + posting.serial % 20}시간 전 등록"


def _career(posting: Posting) -> str:
    low, high = posting.vacancy.years
    years = "신입" if high == 0 else f"경력 {low}년↑" if high == 100 and low else "신입 · 경력" if not low else ""
    return f"{years or f'{low} ~ {high}년'} · {posting.vacancy.employment}"


def _row(posting: Posting) -> str:
    csn = base64.b64encode(f"csn{posting.vacancy.company}".encode()).decode()
    name = escape(posting.company_name)
    effect = posting.serial % 5 == 0
    sectors = [_SECTORS.get(code, "IT개발") for code in posting.listing.boards] + list(posting.vacancy.stack)
    badge = _BADGES[(posting.serial + posting.day.toordinal()) % len(_BADGES)]
    title = escape(posting.title)
    return markup.ROW.format(
        id=posting.site_id,
        effect=" effect" if effect else "",
        company=markup.COMPANY_SPAN.format(name=name)
        if posting.has(Trait.NO_COMPANY_PAGE)
        else markup.COMPANY_LINK.format(name=name, csn=csn),
        csn=csn,
        mark='<span class="info_stock" title="코스닥">코스닥</span>' if posting.serial % 6 == 0 else "",
        ads_item="&amp;adsCategoryItem=effect_bold&amp;" if effect else "",
        title=title,
        title_attribute=title.replace("&", "&amp;"),
        sectors="".join(f"<span>{escape(sector)}</span>" for sector in sectors[:5]),
        badge=markup.BADGE.format(text=badge) if badge else "",
        place=escape(f"{posting.vacancy.city} {posting.vacancy.district}"),
        career=escape(_career(posting)),
        education="학력무관" if posting.serial % 2 else "대학교(4년)↑",
        apply=(markup.APPLY_HOMEPAGE if effect else markup.APPLY_NOW).format(id=posting.site_id),
        date=_deadline(posting),
        age=_age(posting),
    )


def _shell(posting: Posting) -> str:
    """The posting's page: state and dates, without the text, which a second request brings."""
    last_day = posting.last_day
    opened = posting.listing.posted + timedelta(days=1)
    dday = "" if posting.days_left is None else f"(D-{posting.days_left})" if posting.days_left else "(오늘 마감)"
    period = f"<dt>시작일</dt><dd>{opened:%Y.%m.%d} 00:00</dd>"
    if last_day is not None:
        period += f"<dt class='end'>마감일</dt><dd>{last_day:%Y.%m.%d} 23:59</dd>"
    return markup.SHELL.format(
        id=posting.site_id,
        title=escape(posting.title),
        company=escape(posting.company_name),
        dday=dday,
        described="" if last_day is None else f", 마감일:{last_day}",
        period=period,
    )


def _detail_text(posting: Posting) -> str:
    if posting.has(Trait.IMAGE_ONLY):
        return markup.TEXT.format(text='<img src="https://www.saraminimage.co.kr/recruit/demo.png" alt="채용 공고">')
    return markup.TEXT.format(text=paragraphs(posting))
