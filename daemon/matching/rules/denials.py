"""What denies a work arrangement where it stands (seed 001, 부정어 판정; DESIGN 1.6). Extended together with its tests.

In the word lists blanks and hyphens stand for any or none of them; `*` lets an English word go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.matching.rules.forms import SEPARATORS, squeezed


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for line in text.splitlines() for each in line.split(",") if (word := each.strip()))


OF_THE_SEEDS = _words("""
    불가, 불가능, 미지원, 없음, 아님, 않습니다, 종료, 제외, 전면 출근, 상시 출근, 출근 전환, 사무실 출근
""")

DENIALS = OF_THE_SEEDS + _words("""
    없습니다, 없어요, 없고, 없으며, 없으나, 없지만, 할 수 없, 될 수 없, 쓸 수 없, 不可
    아닙니다, 아니며, 아니에요, 아니지만, 재택이 아닌, 재택근무가 아닌, 원격이 아닌, 원격근무가 아닌
    하지 않, 되지 않, 있지 않, 않음, 않아요, 허용 안, 지원 안, 운영 안
    안 됩니다, 안 됨, 안 돼, 안 되며, 안 함, 안 합니다, 못 합니다
    불허, 금지, 폐지, 중단, 지양, 제한됩니다, 제한합니다, 어렵습니다, 어려움, 어려운 점, 힘듭니다
    미운영, 미시행, 미적용, 미제공, 미해당, 미실시, 미사용, 비대상
    전원 출근, 매일 출근, 주 5일 출근, 주 5회 출근, 풀 출근, 전일 출근, 100% 출근
    no remote*, no hybrid*, no work from home, no wfh, no telework*, no longer, no option, non remote
    not remote*, not a remote*, not fully remote, not hybrid, not a hybrid, not wfh
    remote not, hybrid not, home not, wfh not, currently not, currently no*
    remote is not, work is not, working is not, hybrid is not, home is not, role is not, position is not
    not avail*, not support*, not possib*, not offer*, not allow*, not permit*, not accept*, not provide*
    not eligible, not consider*, not open to, not require, not be, won't be, isn't, aren't, cannot, can't, unable to
    don't offer, don't support, don't allow, don't do, don't have, don't believe
    doesn't offer, doesn't support, doesn't allow, unavailable, unsupported, prohibited, out of the q*
    on-site only, office only, in-person only, office based only, on-site required, strictly on-site
    fully on-site, 100% on-site, fully in office, 100% in office, instead of remote, rather than remote
""")
"""Words that void a keyword near them."""

LOOKALIKES = (
    *(
        f"{matter}{particle} 없*"
        for matter in _words("""
            제한, 제약, 구분, 상관, 야근, 잔업, 회식, 출장, 당직, 주말 근무, 부담, 눈치, 문제, 강요
        """)
        for particle in ("", "이", "은", "도")
    ),
    *_words("""
        불가피*, 불가사의, 접수 종료, 채용 종료, 모집 종료, 조기 종료, 주말 제외, 공휴일 제외, 휴게시간 제외
        지 않아도, 매일 출근하지 않*, 출근하지 않*
        not only, not just, not limited, not required, not mandatory, not necessarily, cannot wait, can't wait
        remote not only, remote not just, remote is not only, remote is not just, remote is not limited
        work is not only, work is not just, work is not limited, work is not required
    """),
)
"""Fixed phrases in which one of these words denies another matter: `재택근무 횟수 제한 없음`."""

_GAP = f"[{re.escape(SEPARATORS)}]*"

_LOOK_BACK = 8
"""How far before a window a look-alike that reaches into it may begin, in characters."""

_LOOK_AHEAD = 24
"""How far beyond a window a look-alike that begins in it may end."""


def _searched(words: Iterable[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each word without separators, by which most windows are told not to have it, and its pattern."""
    return tuple((squeezed(word.removesuffix("*")), re.compile(_pattern(word))) for word in words)


def _pattern(word: str) -> str:
    """`word` with any or no separators where it has one; an English word begins, and without `*` ends, as a word."""
    plain = word.removesuffix("*")
    joined = _GAP.join(map(re.escape, re.split("[ -]", plain)))
    begins = "(?<![a-z0-9])" if plain[0].isascii() else ""
    ends = "(?![a-z0-9])" if plain[-1].isascii() and plain == word else ""
    return begins + joined + ends


_DENIALS = _searched(DENIALS)
_LOOKALIKES = _searched(LOOKALIKES)

_NO_AS_ANSWER = re.compile(
    r"(?: ?(?:근무|제도|가능|여부|work|working|option|policy|status|allowed|eligible|available|possible))*"
    r"(?: ?[:=?] ?(?:no|none|false|n/a|n|x)(?![a-z0-9])| ?[:=(\[]? ?(?:x(?![a-z0-9])|[×✕✖✗✘❌]|0[일회]))"
)
"""A form's answer right after the keyword: `Remote: No`, `재택근무 X`."""


def is_denied(text: str, begin: int, start: int, end: int) -> bool:
    """Whether something between `begin` and `end` denies what stands before or after it.

    `text` is in lower case with its white space collapsed; `start` is where the keyword itself ends. A denial counts
    when it stands wholly between the two and does not begin within a look-alike.
    """
    answer = _NO_AS_ANSWER.match(text, start)
    if answer is not None and answer.end() <= end:
        return True
    first, last = max(0, begin - _LOOK_BACK), min(len(text), end + _LOOK_AHEAD)
    around = text[first:last].replace("’", "'")
    plain = squeezed(around)
    denials = [
        place.start()
        for word, pattern in _DENIALS
        if word in plain
        for place in pattern.finditer(around)
        if begin <= first + place.start() and first + place.end() <= end
    ]
    if not denials:
        return False
    others = [place.span() for word, pattern in _LOOKALIKES if word in plain for place in pattern.finditer(around)]
    return any(not any(low <= denial < high for low, high in others) for denial in denials)
