"""The story: vacancies that stand on several sites, odd postings, and which site has which trouble on which day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from daemon.demo.world.generate import STORY_SERIAL, closing_time, edited_at, site_id
from daemon.demo.world.model import (
    Arrangement,
    Body,
    Listing,
    Span,
    Surface,
    Trait,
    Trouble,
    TroubleKind,
    Vacancy,
    Version,
)
from daemon.demo.world.plans import BoardPlan
from daemon.sources.model import Platform

_DAY = timedelta(days=1)
PERIOD = 10
"""After this many days the troubles come round again."""

TROUBLES: dict[tuple[int, Platform], tuple[Trouble, ...]] = {
    (2, Platform.WANTED): (Trouble(kind=TroubleKind.SLOW, value=40),),
    (3, Platform.GREENHOUSE): (Trouble(kind=TroubleKind.EMPTY, board="krafton"),),
    (3, Platform.WANTED): (Trouble(kind=TroubleKind.STATUS, value=503, surface=Surface.LIST, from_page=2),),
    (4, Platform.JOBKOREA): (Trouble(kind=TroubleKind.BLOCK_PAGE),),
    (4, Platform.REMEMBER): (
        Trouble(
            kind=TroubleKind.STATUS,
            value=429,
            surface=Surface.LIST,
            from_page=2,
            retry_after=timedelta(minutes=30),
        ),
    ),
    (5, Platform.SARAMIN): (Trouble(kind=TroubleKind.LAYOUT_CHANGED, board="92", surface=Surface.LIST),),
    (5, Platform.WOOWAHAN): (Trouble(kind=TroubleKind.TOTAL_LIE, value=7),),
    (6, Platform.INCRUIT): (Trouble(kind=TroubleKind.REDIRECT_LOGIN, board="khmc", surface=Surface.LIST),),
    (6, Platform.JUMPIT): (Trouble(kind=TroubleKind.TOTAL_LIE, value=1, board="1"),),
    (7, Platform.SURFIT): (Trouble(kind=TroubleKind.DROP),),
    (8, Platform.GREENHOUSE): (Trouble(kind=TroubleKind.STATUS, value=500, board="daangn"),),
    (9, Platform.JUMPIT): (Trouble(kind=TroubleKind.TRUNCATED, board="2", surface=Surface.LIST),),
}


def scripted_troubles(day_number: int, platform: Platform) -> tuple[Trouble, ...]:
    """The story's troubles of a site on the day with this number (the first day is 1)."""
    return TROUBLES.get(((day_number - 1) % PERIOD + 1, platform), ())


@dataclass(frozen=True, slots=True)
class _On:
    """Where a scripted vacancy is shown. Days are numbers, 1 is the first."""

    platform: Platform
    board: str
    company_name: str = ""
    """As the site writes it; empty on a company's own board."""
    also: tuple[str, ...] = ()
    """Further categories of the same site."""
    first: int | None = None
    """First day in the list; None is long ago."""
    gone: int | None = None
    title: str | None = None
    """When this site words the title in its own way."""
    last_day: int | None = None
    """Day of the deadline; None is always open."""
    traits: frozenset[Trait] = frozenset()
    untitled_on: int | None = None
    """Day on which the item first appears, without a title; it is mended the day after."""


_P = Platform
_REMOTE, _HYBRID = Arrangement.REMOTE, Arrangement.HYBRID
_DENIED, _SILENT = Arrangement.DENIED, Arrangement.SILENT
_WITHDRAWN = frozenset({Trait.WITHDRAWN})
_STORY: tuple[tuple[str, str, Arrangement, tuple[_On, ...]], ...] = (
    (
        "당근마켓",
        "백엔드 개발자 (Kotlin/Spring)",
        _HYBRID,
        (
            _On(_P.GREENHOUSE, "daangn"),
            _On(_P.SARAMIN, "84", "(주)당근마켓"),
            _On(_P.WANTED, "518", "당근마켓", first=2),
        ),
    ),
    (
        "당근마켓",
        "데이터 엔지니어 | 광고",
        _SILENT,
        (
            _On(_P.GREENHOUSE, "daangn", first=2),
            _On(_P.SARAMIN, "84", "(주)당근마켓", first=3, title="데이터 엔지니어 - 광고"),
        ),
    ),
    # The other name of the same company: only an alias tells.
    (
        "당근마켓",
        "Frontend Engineer, 로컬 커뮤니티",
        _REMOTE,
        (_On(_P.GREENHOUSE, "daangn"), _On(_P.WANTED, "518", "당근", first=2)),
    ),
    (
        "우아한형제들",
        "배민 주문시스템 서버 개발자 (Java/Kotlin)",
        _REMOTE,
        (
            _On(_P.WOOWAHAN, "woowahan", first=2),
            _On(_P.SARAMIN, "84", "㈜우아한형제들", first=2, last_day=30),
            _On(_P.JOBKOREA, "10031", "㈜우아한형제들", first=2, last_day=30),
        ),
    ),
    (
        "늘찬소프트",
        "정산 백엔드 개발자 (Java)",
        _DENIED,
        (
            _On(_P.SARAMIN, "84", "(주)늘찬소프트", last_day=15),
            _On(_P.JUMPIT, "1", "늘찬소프트", last_day=25),
        ),
    ),
    # Deadlines more than 30 days apart: two vacancies of one name.
    ("갈매소프트", "검색 서버 개발자", _SILENT, (_On(_P.SARAMIN, "84", "갈매소프트", last_day=6),)),
    ("갈매소프트", "검색 서버 개발자", _SILENT, (_On(_P.JUMPIT, "1", "갈매소프트", last_day=48),)),
    (
        "한빛융합기술",
        'R&D  백엔드 개발자 (C++ & <임베디드>) "신입/경력"',
        _SILENT,
        (_On(_P.SARAMIN, "84", "한빛융합기술(주)", last_day=12, traits=frozenset({Trait.NO_COMPANY_PAGE})),),
    ),
    (
        "한빛융합기술",
        "펌웨어|백엔드 개발 (R&D)",
        _DENIED,
        (_On(_P.JOBKOREA, "10031", "㈜한빛융합기술", last_day=9),),
    ),
    (
        "두레테크",
        "풀스택 개발자 (React/Node.js)",
        _REMOTE,
        (_On(_P.SARAMIN, "84", "(주)두레테크", also=("92",), last_day=21),),
    ),
    (
        "뭇별로보틱스",
        "로봇 서버 개발자",
        _SILENT,
        (_On(_P.JUMPIT, "1", "뭇별로보틱스", first=3, untitled_on=3),),
    ),
    # Syllables that CP949 has and EUC-KR has not.
    ("경희의료원", "임상시험 연구간호사 채용 (뷁·똠·펲시드 과제)", _SILENT, (_On(_P.INCRUIT, "khmc", last_day=14),)),
    (
        "경희의료원",
        "의료정보팀 전산직 채용 (내부 직원 추천)",
        _SILENT,
        (_On(_P.INCRUIT, "khmc", last_day=14, traits=frozenset({Trait.LOGIN_REDIRECT})),),
    ),
    (
        "경희의료원",
        "계약직 약사 채용 (접수 종료)",
        _SILENT,
        (_On(_P.INCRUIT, "khmc", gone=3, last_day=0, traits=_WITHDRAWN),),
    ),
    (
        "우리은행",
        "디지털 부문 경력행원 채용 (사전 등록자)",
        _SILENT,
        (_On(_P.INCRUIT, "wooribank", last_day=18, traits=frozenset({Trait.LOGIN_FORM})),),
    ),
    ("우아한형제들", "비공개 포지션 서버 개발자", _SILENT, (_On(_P.WOOWAHAN, "woowahan", traits=_WITHDRAWN),)),
    ("마감소프트", "마감된 백엔드 개발자", _SILENT, (_On(_P.WANTED, "518", "마감소프트", traits=_WITHDRAWN),)),
    ("마감소프트", "마감된 웹 개발자", _SILENT, (_On(_P.SURFIT, "all", "마감소프트", traits=_WITHDRAWN),)),
    (
        "크래프톤",
        "Backend Engineer (PUBG Live Service)",
        _DENIED,
        (_On(_P.GREENHOUSE, "krafton", last_day=17),),
    ),
    # News on the later days: of companies that nobody follows, each on two sites at once.
    (
        "뭇별데이터",
        "데이터 엔지니어 (Kafka/Spark)",
        _REMOTE,
        (
            _On(_P.WANTED, "518", "뭇별데이터", first=3, last_day=24),
            _On(_P.REMEMBER, "310", "(주)뭇별데이터", first=3, last_day=24),
        ),
    ),
    (
        "새벽물류",
        "배차 백엔드 개발자 (Kotlin)",
        _HYBRID,
        (
            _On(_P.WANTED, "518", "새벽물류", first=4, last_day=30),
            _On(_P.REMEMBER, "310", "(주)새벽물류", first=4, last_day=30),
        ),
    ),
)


def scripted_listings(plans: Sequence[BoardPlan], first_day: date) -> Iterator[Listing]:
    """The story's postings on the boards that this world has."""
    numbers = {(plan.platform, plan.code): plan.number for plan in plans}
    for position, (company, title, arrangement, appearances) in enumerate(_STORY):
        vacancy = _vacancy(f"story/{position}", company, title, arrangement, first_day)
        for appearance in appearances:
            number = numbers.get((appearance.platform, appearance.board))
            if number is not None:
                yield _listing(appearance, vacancy, position, number, first_day)


def _vacancy(key: str, company: str, title: str, arrangement: Arrangement, first_day: date) -> Vacancy:
    sentence = {
        Arrangement.REMOTE: "전면 원격근무로 일합니다",
        Arrangement.HYBRID: "주 2회 재택근무가 가능합니다",
        Arrangement.DENIED: "재택근무 불가 (사무실 상주)",
        Arrangement.LOOKALIKE: "고객사 원격 지원 업무가 있습니다",
        Arrangement.SILENT: "근무시간은 협의 후 정합니다",
    }[arrangement]
    body = Body(
        intro=f"{company}에서 함께 일할 동료를 찾습니다.",
        tasks=("서비스의 핵심 기능을 설계하고 개발합니다", "운영 중인 시스템을 개선합니다"),
        requirements=("관련 경력 3년 이상 또는 그에 준하는 실력", "협업과 문서화에 익숙하신 분"),
        preferred=("대용량 트래픽 처리 경험",),
        conditions=(sentence, "근무지: 서울 서초구"),
        process=("서류전형 > 면접 > 최종합격",),
    )
    version = Version(
        since=first_day - 30 * _DAY,
        number=1,
        title=title,
        deadline=None,
        body=body,
        touched=edited_at(first_day - 30 * _DAY, 0),
    )
    return Vacancy(
        key=key,
        company=company,
        versions=(version,),
        stack=("Kotlin", "Spring", "AWS"),
        city="서울",
        district="서초구",
        years=(3, 100),
        employment="정규직",
        arrangement=arrangement,
    )


def _listing(appearance: _On, vacancy: Vacancy, position: int, number: int, first_day: date) -> Listing:
    def on(day_number: int) -> date:
        return first_day + (day_number - 1) * _DAY

    serial = STORY_SERIAL + position
    start = on(appearance.first) if appearance.first is not None else first_day - (3 + position % 9) * _DAY
    deadline = None
    end = None if appearance.gone is None else on(appearance.gone)
    if appearance.last_day is not None:
        deadline = closing_time(appearance.platform, on(appearance.last_day), serial)
        end = end or on(appearance.last_day + 1)
    first = replace(
        vacancy.versions[0],
        since=start,
        title=appearance.title or vacancy.versions[0].title,
        deadline=deadline,
        touched=edited_at(start, serial),
    )
    versions: tuple[Version, ...] = (first,)
    if appearance.untitled_on is not None:
        mended = replace(first, number=2, since=on(appearance.untitled_on + 1))
        versions = (replace(first, title=""), mended)
    return Listing(
        platform=appearance.platform,
        boards=(appearance.board, *appearance.also),
        serial=serial,
        site_id=site_id(appearance.platform, number, serial, start - _DAY),
        vacancy=replace(vacancy, versions=versions),
        company_name=appearance.company_name or vacancy.company,
        posted=start - _DAY,
        spans=(Span(first=start, end=end),),
        traits=appearance.traits,
    )
