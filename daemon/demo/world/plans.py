"""Which boards the world has: their size and what they look for. Codes are those that the real sites use."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from daemon.demo.world.words import BACKEND, BANK, BUSINESS, DATA, FRONTEND, HOSPITAL, INFRA, Family
from daemon.sources.model import Platform

_TECH = (BACKEND, FRONTEND, DATA, INFRA)
_SMALL_BOARD = re.compile(r"s\d{3,}\Z")
_SMALL_PLATFORMS = frozenset({Platform.GREENHOUSE, Platform.INCRUIT})


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardPlan:
    """One list of a site: a company's board, or a category of an aggregator."""

    platform: Platform
    code: str
    size: int
    """Postings on the first day."""
    families: tuple[Family, ...]
    company: str | None = None
    """The one company of a company's board."""
    always_open_share: float = 0.35
    number: int = 0
    """Distinct over all boards; keeps their ids, and the companies of aggregators, apart."""
    lively: bool = True
    """Whether the scripted fates (edited, vanished, back again) are played; tiny boards stay as they are."""


def _plans() -> tuple[BoardPlan, ...]:
    everyone = (*_TECH, BUSINESS)
    companies = (
        (Platform.GREENHOUSE, "daangn", "당근마켓", 42, everyone, 1.0),
        (Platform.GREENHOUSE, "krafton", "크래프톤", 63, everyone, 1.0),
        (Platform.WOOWAHAN, "woowahan", "우아한형제들", 58, everyone, 0.85),
        (Platform.INCRUIT, "khmc", "경희의료원", 24, (HOSPITAL,), 0.0),
        (Platform.INCRUIT, "wooribank", "우리은행", 12, (BANK,), 0.0),
    )
    aggregators = (
        (Platform.SARAMIN, "84", 2640, (BACKEND,)),
        (Platform.SARAMIN, "92", 340, (FRONTEND,)),
        (Platform.JUMPIT, "1", 230, (BACKEND,)),
        (Platform.JUMPIT, "2", 64, (FRONTEND,)),
        (Platform.WANTED, "518", 118, _TECH),
        (Platform.WANTED, "872", 88, (BACKEND,)),
        (Platform.REMEMBER, "310", 84, (BACKEND,)),
        (Platform.REMEMBER, "311", 54, (FRONTEND,)),
        (Platform.JOBKOREA, "10031", 168, (BACKEND, DATA)),
        (Platform.JOBKOREA, "10026", 12, (BUSINESS,)),
        (Platform.SURFIT, "all", 96, (*_TECH, BUSINESS)),
    )
    boards = tuple(
        BoardPlan(
            platform=platform, code=code, company=company, size=size, families=families, always_open_share=always_open
        )
        for platform, code, company, size, families, always_open in companies
    ) + tuple(
        BoardPlan(platform=platform, code=code, size=size, families=families)
        for platform, code, size, families in aggregators
    )
    return tuple(replace(board, number=number) for number, board in enumerate(boards))


PLANS = _plans()


def small_board(platform: Platform, code: str) -> BoardPlan | None:
    """The plan of a board such as `s042`, of which there is any number; None for other codes."""
    if platform not in _SMALL_PLATFORMS or not _SMALL_BOARD.match(code):
        return None
    return BoardPlan(
        platform=platform,
        code=code,
        size=3 + int(code[1:]) % 5,
        families=(BACKEND, FRONTEND),
        company=f"소규모회사{code[1:]}",
        always_open_share=1.0 if platform is Platform.GREENHOUSE else 0.0,
        number=100 + int(code[1:]),
        lively=False,
    )
