"""What the product says to a person, by key, in Korean and in English.

Values go in as with `str.format`; `{count:posting/postings}` is a number and its word. Each module here holds the texts
of one part as `TEXTS`: key -> (Korean, English). A new text is one line there; a test holds that both languages name
the same values and that every command and option has its help.
"""

from __future__ import annotations

from functools import cache
from string import Formatter
from typing import Literal

from daemon.messages import (
    applications,
    commands,
    companies,
    demo,
    matching,
    notifications,
    page,
    postings,
    shell,
    states,
)

Language = Literal["ko", "en"]

_TEXTS: dict[str, tuple[str, str]] = {
    **commands.TEXTS,
    **applications.TEXTS,
    **demo.TEXTS,
    **companies.TEXTS,
    **matching.TEXTS,
    **notifications.TEXTS,
    **page.TEXTS,
    **postings.TEXTS,
    **shell.TEXTS,
    **states.TEXTS,
}


class _Counting(Formatter):
    """`{count:posting/postings}` is the number and the word that goes with it."""

    def format_field(self, value: object, format_spec: str) -> str:
        one, of_two, many = format_spec.partition("/")
        if of_two:
            return f"{value} {one if str(value) == '1' else many}"
        return str(super().format_field(value, format_spec))


_FORMATTER = _Counting()


@cache
def _counts(template: str) -> bool:
    """Whether a number's word is in it, which `str.format` can't choose."""
    return any("/" in (spec or "") for _, _, spec, _ in _FORMATTER.parse(template))


def text(language: Language, key: str, /, **values: object) -> str:
    """The text of `key` with its values. Raises KeyError for a key that is not in the catalogue."""
    template = _TEXTS[key][0 if language == "ko" else 1]
    return _FORMATTER.format(template, **values) if _counts(template) else template.format(**values)


def has_text(key: str) -> bool:
    """Whether the catalogue has this key."""
    return key in _TEXTS
