"""Which keywords a title holds (seed 001, JobKeywordMatcher; DESIGN 1.6)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from daemon.matching.rules.forms import SEPARATORS, collapsed, is_ascii_word, lowered, normalized, squeezed

_OTHER_SPACE = re.compile(r"[^\S\n]")


@dataclass(frozen=True, slots=True)
class Title:
    """A title, read once, in which any number of keywords are looked for."""

    folded: str
    """In NFKC and lower case, blanks and hyphens in place."""
    squeezed: str
    """The same without them."""

    @classmethod
    def of(cls, text: str) -> Title:
        """The title as it is looked at."""
        folded = lowered(collapsed(text))
        return cls(folded, squeezed(folded))

    def holds(self, needle: str) -> bool:
        """Whether a keyword, given in its normal form, is in the title.

        One that starts or ends with an ASCII letter or digit must not continue into another one of the title as it is
        written: `java` is not in `JavaScript`, but it is in `Java Script`; `go` is not in `Django`.
        """
        start = self.squeezed.find(needle)
        if start < 0:
            return False
        open_left, open_right = not is_ascii_word(needle[0]), not is_ascii_word(needle[-1])
        if open_left and open_right:
            return True
        places = [place for place, character in enumerate(self.folded) if character not in SEPARATORS]
        while start >= 0:
            first, last = places[start], places[start + len(needle) - 1]
            if (open_left or not self._is_word(first - 1)) and (open_right or not self._is_word(last + 1)):
                return True
            start = self.squeezed.find(needle, start + 1)
        return False

    def _is_word(self, place: int) -> bool:
        return 0 <= place < len(self.folded) and is_ascii_word(self.folded[place])


@dataclass(frozen=True, slots=True)
class TitleLot:
    """Many titles, read at once: one after the other, they take five times as long."""

    texts: Sequence[str]
    """As they are stored."""
    folded: Sequence[str]
    """As those of a `Title`, but for blanks at their ends and several in a row."""
    squeezed: str
    """Those of each `Title`, each on a line of its own."""
    ends: Sequence[int]
    """Where each of these lines ends."""

    @classmethod
    def of(cls, lines: str) -> TitleLot:
        """The titles on these lines, none of which has a line break in it."""
        folded = normalized(lines)
        if not folded.replace("\n", "").isprintable():
            folded = _OTHER_SPACE.sub(" ", folded)
        lower = folded.lower()
        # A letter that becomes two is left as it is, and all others of its title are lowered by themselves.
        folded = lower if len(lower) == len(folded) else "\n".join(map(lowered, folded.split("\n")))
        plain = squeezed(folded)
        ends = [number + end for number, end in enumerate(accumulate(map(len, plain.split("\n"))))]
        return cls(lines.split("\n"), folded.split("\n"), plain, ends)

    def holding(self, needle: str) -> frozenset[int]:
        """Which titles, counted from 0, hold a keyword that is given in its normal form."""
        found: list[int] = []
        anywhere = not is_ascii_word(needle[0]) and not is_ascii_word(needle[-1])
        place = self.squeezed.find(needle)
        while place >= 0:
            number = bisect_left(self.ends, place)
            if anywhere or self._title(number).holds(needle):
                found.append(number)
            place = self.squeezed.find(needle, self.ends[number])
        return frozenset(found)

    def _title(self, number: int) -> Title:
        begin = self.ends[number - 1] + 1 if number else 0
        return Title(self.folded[number], self.squeezed[begin : self.ends[number]])
