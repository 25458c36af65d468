"""Which keywords a title holds (seed 001, JobKeywordMatcher; DESIGN 1.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

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

    def holding(self, needles: Iterable[str]) -> dict[str, TitleSet]:
        """By keyword, given in its normal form, the titles that hold it."""
        held = dict.fromkeys(needles, NO_TITLE)
        present = [needle for needle in held if needle in self.squeezed]
        titles = self.squeezed.split("\n") if present else []
        written = [] if all(map(_is_free, present)) else self.folded.split("\n")
        for needle in present:
            signs = [needle in title for title in titles]
            if not _is_free(needle):
                search = _as_written(needle).search
                signs = [sign and search(each) is not None for sign, each in zip(signs, written, strict=True)]
            held[needle] = int.from_bytes(bytes(signs), "little")
        return held


TitleSet: TypeAlias = int
"""Some titles of a lot, as a number with a byte for each title, 1 or 0, that of the first title lowest: of seventy
thousand, `|` and `&` take as long as of seventy."""

NO_TITLE: TitleSet = 0


def one_title(number: int) -> TitleSet:
    """The title of this number, counted from 0."""
    return 1 << 8 * number


def numbers_of(titles: TitleSet) -> Iterator[int]:
    """The numbers of these titles, smallest first."""
    signs = titles.to_bytes((titles.bit_length() + 7) // 8, "little")
    number = signs.find(1)
    while number >= 0:
        yield number
        number = signs.find(1, number + 1)
