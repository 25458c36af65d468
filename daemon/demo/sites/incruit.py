"""Incruit company pages (recruit.incruit.com): every company has a template of its own, bytes are CP949 said euc-kr.

The list is `/{slug}/job/`, a posting `/{slug}/job/{10 digits}`; `/{slug}/` is a landing page. Links are
protocol-relative and read only `자세히 보기`. Every page links to the login page; a restricted posting redirects there
or answers with its form. The markup of a posting's page was never captured: ours is plain.
"""

from __future__ import annotations

from daemon.clock import KST
from daemon.demo.exchange import Answer, Ask, Shelf, escape, paragraphs, shelf, weekday
from daemon.demo.sites import incruit_markup as markup
from daemon.demo.world import Day, Place, Posting, Surface, Trait, Trouble
from daemon.sources.model import Platform

_HTML = "text/html; charset=euc-kr"


class Incruit:
    """`/{slug}/job/` and `/{slug}/job/{id}`, in two templates."""

    platform = Platform.INCRUIT
    login_url = "https://edit.incruit.com/login/login.asp?gotoURL=https%3A%2F%2Frecruit%2Eincruit%2Ecom%2F"
    renames = ((b"/job/", b"/recruitment/"), (b'class="inner-box"', b'class="card"'))

    def locate(self, ask: Ask) -> Place:
        match ask.path.strip("/").split("/"):
            case [slug, "job"]:
                return Place(surface=Surface.LIST, board=slug)
            case [slug, "job", item]:
                return Place(surface=Surface.DETAIL, board=slug, item=item)
            case [slug] if slug:
                return Place(surface=Surface.OTHER, board=slug, part="landing")
        return Place(surface=Surface.OTHER)

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        board = shelf(day, self.platform, place, troubles) if place.board else None
        if board is None:
            return _answer(markup.NOT_FOUND, status=404)
        plan = day.world.plans.get((self.platform, place.board))
        company = plan.company if plan and plan.company else f"소규모회사{place.board[1:]}"
        match place.surface:
            case Surface.LIST:
                return _answer(_list(board, place.board, company))
            case Surface.OTHER:
                return _answer(markup.LANDING.format(slug=place.board, company=escape(company)))
            case Surface.DETAIL:
                posting = day.posting(self.platform, place.item, (place.board,))
                if posting is None:
                    return _answer(markup.NOT_FOUND, status=404)
                return self._detail(posting, company)

    def _detail(self, posting: Posting, company: str) -> Answer:
        if posting.has(Trait.LOGIN_REDIRECT):
            return Answer(status=302, headers=(("Location", self.login_url),), content_type=_HTML)
        if posting.has(Trait.LOGIN_FORM):
            return _answer(markup.LOGIN)
        return _answer(_page(posting, company))


def _answer(text: str, *, status: int = 200) -> Answer:
    """`text` in CP949; what that does not know as a character reference."""
    return Answer(status=status, body=text.encode("cp949", "xmlcharrefreplace"), content_type=_HTML)


def _period(posting: Posting) -> str:
    """`2026.10.08 00:00~2026.10.18 23:59`, no blank round the tilde; always open in words."""
    if posting.deadline is None:
        return "상시채용"
    end = posting.deadline.astimezone(KST)
    return f"{posting.listing.posted:%Y.%m.%d} 00:00~{end:%Y.%m.%d %H:%M}"


def _list(board: Shelf, slug: str, company: str) -> str:
    item, page = (markup.BANK_ITEM, markup.BANK_LIST) if slug == "wooribank" else (markup.CARD, markup.CARD_LIST)
    items = "".join(
        item.format(
            slug=slug,
            id=one.site_id,
            title=escape(one.title),
            period=_period(one),
            state="마감" if one.withdrawn else "모집중",
        )
        for one in board.postings
    )
    return page.format(slug=slug, company=escape(company), items=items or markup.NOTHING)


def _page(posting: Posting, company: str) -> str:
    left = posting.days_left
    end = posting.deadline.astimezone(KST) if posting.deadline else None
    seconds = 0 if left is None else left * 86_400
    return markup.DETAIL.format(
        slug=posting.listing.boards[0],
        id=posting.site_id,
        company=escape(company),
        title=escape(posting.title),
        dday="" if left is None else f"D-{left}" if left else "오늘마감",
        seconds=seconds,
        opened=f"{posting.listing.posted:%Y.%m.%d} ({weekday(posting.listing.posted)}) 00:00",
        closes="채용시까지" if end is None else f"{end:%Y.%m.%d} ({weekday(end)}) {end:%H:%M}",
        text=paragraphs(posting),
    )
