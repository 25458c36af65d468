"""Which keywords a title holds (seed 001, JobKeywordMatcher; DESIGN 1.6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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
        return needle in self.squeezed and (_is_free(needle) or _as_written(needle).search(self.folded) is not None)


def _is_free(needle: str) -> bool:
    """Whether a keyword may continue into whatever stands beside it."""
    return not is_ascii_word(needle[0]) and not is_ascii_word(needle[-1])


@lru_cache(maxsize=4096)
def _as_written(needle: str) -> re.Pattern[str]:
    """A keyword with blanks and hyphens anywhere in it, no ASCII letter or digit beside one of its own."""
    before, after = ("" if not is_ascii_word(end) else "[0-9A-Za-z]" for end in (needle[0], needle[-1]))
    written = f"[{re.escape(SEPARATORS)}]*".join(map(re.escape, needle))
    return re.compile(f"{f'(?<!{before})' if before else ''}{written}{f'(?!{after})' if after else ''}")


@dataclass(frozen=True, slots=True)
class TitleLot:
    """Many titles, read at once: one after the other, they take five times as long. Six bytes a character, mostly."""

    lines: str
    """As they are stored, each on a line of its own; so are the others."""
    folded: str
    """As those of a `Title`, but for blanks at their ends and several in a row."""
    squeezed: str
    """Those of each `Title`."""

    @classmethod
    def of(cls, lines: str) -> TitleLot:
        """The titles on these lines, none of which has a line break in it."""
        folded = normalized(lines)
        if not folded.replace("\n", "").isprintable():
            folded = _OTHER_SPACE.sub(" ", folded)
        lower = folded.lower()
        # A letter that becomes two is left as it is, and all others of its title are lowered by themselves.
        folded = lower if len(lower) == len(folded) else "\n".join(map(lowered, folded.split("\n")))
        return cls(lines, folded, squeezed(folded))

    @property
    def texts(self) -> list[str]:
        """The titles as they are stored."""
        return self.lines.split("\n")

    def holding(self, needle: str) -> frozenset[int]:
        """Which titles, counted from 0, hold a keyword that is given in its normal form."""
        if needle not in self.squeezed:
            return frozenset()
        found = [number for number, title in enumerate(self.squeezed.split("\n")) if needle in title]
        if _is_free(needle):
            return frozenset(found)
        folded, written = self.folded.split("\n"), _as_written(needle)
        return frozenset(number for number in found if written.search(folded[number]) is not None)
