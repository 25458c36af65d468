"""What a troubled site does to an answer: the kinds of trouble that look alike on every site."""

from __future__ import annotations

from dataclasses import dataclass, replace

from daemon.demo.exchange import HTML, Answer, Ask, Site
from daemon.demo.world import Day, Place, Surface, Trouble, TroubleKind

_BLOCK_PAGE = """<html><head><title>접근 제한</title></head><body>
<h1>비정상적인 접근이 감지되었습니다.</h1>
<p>자동화된 요청으로 판단되어 일시적으로 차단되었습니다. 아래 자동입력 방지 문자(보안문자)를 입력해 주세요.</p>
</body></html>
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Served:
    """What happens to a request: an answer after a delay, or none at all."""

    answer: Answer | None
    """None: the connection is dropped."""
    delay_seconds: float = 0.0
    """Real seconds."""


def answer(site: Site, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Served:
    """The outcome of a request on a day, with the troubles that strike its place. Pure."""
    by_kind = {trouble.kind: trouble for trouble in troubles}
    delay = by_kind[TroubleKind.SLOW].value / 1000 if TroubleKind.SLOW in by_kind else 0.0
    if TroubleKind.DROP in by_kind:
        return Served(answer=None, delay_seconds=delay)
    if TroubleKind.STATUS in by_kind:
        return Served(answer=_refused(by_kind[TroubleKind.STATUS]), delay_seconds=delay)
    if TroubleKind.BLOCK_PAGE in by_kind:
        # Without a charset, as such pages come.
        blocked = Answer(body=_BLOCK_PAGE.encode(), content_type="text/html")
        return Served(answer=blocked, delay_seconds=delay)
    if TroubleKind.REDIRECT_LOGIN in by_kind:
        away = Answer(status=302, headers=(("Location", site.login_url),), content_type=HTML)
        return Served(answer=away, delay_seconds=delay)
    healthy = site.render(ask, place, day, troubles)
    return Served(answer=_damaged(site, place, healthy, by_kind), delay_seconds=delay)


def _refused(trouble: Trouble) -> Answer:
    headers: tuple[tuple[str, str], ...] = ()
    if trouble.retry_after is not None:
        headers = (("Retry-After", str(int(trouble.retry_after.total_seconds()))),)
    body = f"<html><body><h1>{trouble.value}</h1></body></html>".encode()
    return Answer(status=trouble.value, body=body, headers=headers)


def _damaged(site: Site, place: Place, healthy: Answer, by_kind: dict[TroubleKind, Trouble]) -> Answer:
    body = healthy.body
    if TroubleKind.LAYOUT_CHANGED in by_kind and place.surface is not Surface.OTHER:
        for old, new in site.renames:
            body = body.replace(old, new)
    if TroubleKind.TRUNCATED in by_kind:
        body = body[: len(body) // 2]
    if TroubleKind.PADDED in by_kind:
        body += b" " * by_kind[TroubleKind.PADDED].value
    return healthy if body is healthy.body else replace(healthy, body=body)
