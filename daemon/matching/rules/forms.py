"""The forms of a text in which keywords are looked for (seed 001, NormalizedKeyword; DESIGN 1.6)."""

from __future__ import annotations

import unicodedata

SEPARATORS = " -\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u200b\u200c\u200d\u2060\ufeff"
"""Blanks, hyphens and dashes, characters without width: `back-end`, `Back End` and `Backend` are one word."""


def normalized(text: str) -> str:
    """`text` in NFKC: no line of it depends on another."""
    return unicodedata.normalize("NFKC", text)


def collapsed(text: str) -> str:
    """`text` in NFKC with every run of white space as one blank, trimmed; its letters keep their case."""
    plain = normalized(text)
    if plain.isprintable() and "  " not in plain:
        # Stored texts are in order; to split and join them again takes longer than all the rest.
        return plain.strip()
    return " ".join(plain.split())


def lowered(text: str) -> str:
    """`text` in lower case, character for character, so that a place in one is the same place in the other."""
    lower = text.lower()
    return (
        lower if len(lower) == len(text) else "".join(low if len(low := each.lower()) == 1 else each for each in text)
    )


def squeezed(text: str) -> str:
    """`text` without separators."""
    for separator in SEPARATORS:
        # Most of them are in no text at all, and then this costs next to nothing.
        text = text.replace(separator, "")
    return text


def keyword_form(text: str) -> str:
    """The normal form of a keyword: NFKC, lower case, without blanks and hyphens. Equal forms are one keyword."""
    return squeezed(lowered(collapsed(text)))


def is_ascii_word(character: str) -> bool:
    """Whether a character is an ASCII letter or digit: what a word like `java` must not continue into."""
    return character.isascii() and character.isalnum()
