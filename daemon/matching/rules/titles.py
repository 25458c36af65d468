"""Which keywords a title holds (seed 001, JobKeywordMatcher; DESIGN 1.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from daemon.matching.rules.forms import SEPARATORS, collapsed, is_ascii_word, lowered, squeezed


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

    def may_hold(self, needles: Iterable[str]) -> bool:
        """Whether any of these keywords is among its letters; when not, it holds none of them."""
        squeezed = self.squeezed
        return any(needle in squeezed for needle in needles)

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
