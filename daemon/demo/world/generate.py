"""Makes the postings of one board, the same ones every time: titles, texts, dates and what becomes of them.

Everything is drawn from a generator seeded by world seed, board and position, so no posting depends on how many there
are besides it, or on the order in which boards are looked at.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from datetime import time as time_of_day

from daemon.clock import KST, kst
from daemon.demo.world import words
from daemon.demo.world.fates import Fate, draw_fate, scripted_fate
from daemon.demo.world.model import Arrangement, Body, Listing, Trait, Vacancy, Version
from daemon.demo.world.plans import BoardPlan
from daemon.sources.model import Platform

STORY_SERIAL = 99_900
"""Serials from here on belong to the story's own postings."""

_DAY = timedelta(days=1)
_NEW_SHARE = 0.015
_EDIT_MARKS = ("(인원 확대)", "(재공고)", "(급구)", "(접수 연장)")
_LEGAL_FORMS: dict[Platform, tuple[str, ...]] = {
    Platform.SARAMIN: ("(주){}", "(주){}", "{}(주)", "{}"),
    Platform.JOBKOREA: ("㈜{}", "{}㈜", "{}"),
    Platform.REMEMBER: ("(주){}", "(주){} ", "{}"),
    Platform.WANTED: ("{}", "{} ({english})"),
}
_ARRANGEMENT_WEIGHTS = (
    (Arrangement.REMOTE, 6),
    (Arrangement.HYBRID, 16),
    (Arrangement.DENIED, 14),
    (Arrangement.LOOKALIKE, 8),
    (Arrangement.SILENT, 56),
)


def listings(plan: BoardPlan, *, seed: int, first_day: date, days: int) -> tuple[Listing, ...]:
    """Every posting that stands on the board on some day from long before `first_day` to `days` days after."""
    made: list[Listing] = []
    titles: set[tuple[str, str]] = set()
    for serial, posted, position in _registrations(plan, first_day, days):
        rng = random.Random(f"{seed}/{plan.platform}/{plan.code}/{serial}")
        fate = scripted_fate(plan, position, first_day) or draw_fate(rng, plan, posted, first_day, days)
        made.append(_listing(rng, plan, serial, posted, fate, titles))
    return tuple(made)


def _registrations(plan: BoardPlan, first_day: date, days: int) -> Iterator[tuple[int, date, int | None]]:
    """(serial, day of registration, position from the newest at the start, None for later ones), oldest first."""
    for index in range(plan.size):
        age = 1 + (plan.size - 1 - index) * 60 // plan.size
        yield index, first_day - age * _DAY, plan.size - 1 - index
    if not plan.lively:
        return
    serial = plan.size
    for offset in range(1, days):
        for _ in range(max(1, round(plan.size * _NEW_SHARE))):
            yield serial, first_day + (offset - 1) * _DAY, None
            serial += 1


def site_id(platform: Platform, number: int, serial: int, posted: date) -> str:
    """The id by which the site knows a listing, in the form that the real site uses.

    Distinct within a platform as long as a board has fewer than `STORY_SERIAL` postings (900 on a dated-id board).
    """
    match platform:
        case Platform.GREENHOUSE:
            return f"{1_000_000 + number * 100_000 + serial}003"
        case Platform.WOOWAHAN:
            return f"R{posted:%y%m}{serial % 1_000:03d}"
        case Platform.INCRUIT:
            return f"{posted:%y%m%d}{serial % 10_000:04d}"
        case Platform.SARAMIN | Platform.JUMPIT:
            return str(54_000_000 + number * 100_000 + serial)
        case Platform.JOBKOREA:
            return str(49_000_000 + number * 100_000 + serial)
        case Platform.WANTED | Platform.REMEMBER:
            return str(200_000 + number * 100_000 + serial)
        case Platform.SURFIT:
            return str(100_000 + serial)


def edited_at(since: date, serial: int) -> datetime:
    """The evening before the list first shows it."""
    at = time_of_day(10 + serial % 12, serial * 7 % 60, serial * 13 % 60)
    return datetime.combine(since - _DAY, at, KST)


def closing_time(platform: Platform, last_day: date, serial: int) -> datetime:
    """The deadline on `last_day`, only as exact as the site can say it; Incruit alone closes in the afternoon, too."""
    if platform is Platform.INCRUIT:
        hour = (23, 18, 16, 17, 15)[serial % 5]
        return kst(last_day, 23, 59, 59) if hour == 23 else kst(last_day, hour)
    return kst(last_day, 23, 59, 59)


def _listing(
    rng: random.Random, plan: BoardPlan, serial: int, posted: date, fate: Fate, titles: set[tuple[str, str]]
) -> Listing:
    company = plan.company or _company(rng, plan)
    words_of_it = _Words(rng, plan, company, fate.last_day, posted)
    title = words_of_it.title
    if (company, title) in titles:
        title = f"{title} | {rng.choice(words.TEAMS)}"
    while (company, title) in titles:
        title = f"{words_of_it.title} | {rng.choice(words.TEAMS)} {rng.randint(1, 99)}파트"
    titles.add((company, title))
    vacancy = Vacancy(
        key=f"{plan.platform}/{plan.code}/{serial}",
        company=company,
        versions=_versions(plan, serial, posted, title, words_of_it.body, fate),
        stack=words_of_it.stack,
        city=words_of_it.place[0],
        district=words_of_it.place[1],
        years=words_of_it.years,
        employment=words_of_it.employment,
        arrangement=words_of_it.arrangement,
    )
    traits = set()
    if plan.platform is Platform.SARAMIN and rng.random() < 0.05:
        traits.add(Trait.NO_COMPANY_PAGE)
    if plan.platform is Platform.SARAMIN and rng.random() < 0.3:
        traits.add(Trait.IMAGE_ONLY)
    return Listing(
        platform=plan.platform,
        boards=(plan.code,),
        serial=serial,
        site_id=site_id(plan.platform, plan.number, serial, posted),
        vacancy=vacancy,
        company_name=shown_company(plan.platform, company, rng.randint(0, 1000)),
        posted=posted,
        spans=fate.spans(posted),
        traits=frozenset(traits),
    )


def shown_company(platform: Platform, company: str, draw: int) -> str:
    """A company's name as the site writes it; `draw` picks among the site's habits."""
    forms = _LEGAL_FORMS.get(platform, ("{}",))
    english = words.ENGLISH_NAMES[draw % len(words.ENGLISH_NAMES)]
    return forms[draw % len(forms)].format(company, english=english)


def _company(rng: random.Random, plan: BoardPlan) -> str:
    """A company of the board's own share, so that only scripted vacancies are on two boards."""
    heads, tails = words.COMPANY_HEADS, words.COMPANY_TAILS
    names = len(heads) * len(tails)
    if plan.size > 1000:
        index = rng.randrange(names // 2) * 2
    else:
        index = (rng.randrange(names // 40) * 20 + plan.number % 20) * 2 + 1
    index %= names
    return f"{heads[index % len(heads)]}{tails[index // len(heads) % len(tails)]}"


def _versions(plan: BoardPlan, serial: int, posted: date, title: str, body: Body, fate: Fate) -> tuple[Version, ...]:
    first = posted + _DAY
    closing = None if fate.last_day is None else closing_time(plan.platform, fate.last_day, serial)
    versions = [
        Version(since=first, number=1, title=title, deadline=closing, body=body, touched=edited_at(first, serial))
    ]
    for edit in fate.edits:
        current = versions[-1]
        line = words.EDITED_LINES[(serial + current.number) % len(words.EDITED_LINES)]
        marked = f"{title} {_EDIT_MARKS[(serial + current.number) % len(_EDIT_MARKS)]}"
        versions.append(
            replace(
                current,
                since=edit.day,
                number=current.number + 1,
                title=current.title if edit.new_last_day is not None or edit.text_only else marked,
                deadline=current.deadline
                if edit.new_last_day is None
                else closing_time(plan.platform, edit.new_last_day, serial),
                body=replace(body, conditions=(*body.conditions, f"{line} ({current.number}차 수정)")),
                touched=edited_at(edit.day, serial),
            )
        )
    return tuple(versions)


class _Words:
    """What one vacancy says, drawn word by word."""

    def __init__(self, rng: random.Random, plan: BoardPlan, company: str, last_day: date | None, posted: date) -> None:
        family = rng.choice(plan.families)
        low = rng.choice((0, 0, 1, 2, 3, 5, 7))
        self.years = (0, 0) if low == 0 and rng.random() < 0.5 else (low, rng.choice((low + 4, low + 7, 100)))
        self.stack = tuple(rng.sample(family.stack, k=min(3, len(family.stack))))
        self.place = rng.choice(words.PLACES)
        self.employment = rng.choice(words.EMPLOYMENTS)
        self.arrangement = rng.choices(
            [kind for kind, _ in _ARRANGEMENT_WEIGHTS], [weight for _, weight in _ARRANGEMENT_WEIGHTS]
        )[0]
        career = "신입" if self.years[1] == 0 else "신입/경력" if low == 0 else f"경력 {low}년 이상"
        self._slots = {
            "domain": rng.choice(words.DOMAINS),
            "stack": "/".join(self.stack[:2]),
            "team": rng.choice(words.TEAMS),
            "ward": rng.choice(words.WARDS),
            "bank": rng.choice(words.BANK_FIELDS),
            "career": career,
            "years": "경력 무관" if low == 0 else f"{low}년 이상",
            "company": company,
            "employment": self.employment,
            "city": self.place[0],
            "district": self.place[1],
        }
        self.title = rng.choice(family.titles).format(**self._slots)
        self.body = self._body(rng, family)

    def _body(self, rng: random.Random, family: words.Family) -> Body:
        conditions = [self._fill(line) for line in words.CONDITIONS]
        sentences = words.ARRANGEMENTS[self.arrangement]
        if sentences:
            conditions.insert(rng.randrange(len(conditions)), rng.choice(sentences))
        return Body(
            intro=self._fill(rng.choice(words.INTROS)),
            tasks=tuple(self._fill(line) for line in rng.sample(family.tasks, k=min(3, len(family.tasks)))),
            requirements=tuple(self._fill(line) for line in rng.sample(words.REQUIREMENTS, k=3)),
            preferred=tuple(self._fill(line) for line in rng.sample(words.PREFERRED, k=2)),
            conditions=tuple(conditions),
            process=rng.choice(words.PROCESSES),
        )

    def _fill(self, text: str) -> str:
        return text.format(**self._slots)
