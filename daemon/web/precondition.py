"""Preconditions of a write: whoever changes what they have read says which version they read (RFC 9110, 13.1.1)."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field, field_validator

from daemon.web.route import Format, Input

_TAG = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS = re.compile(rf"{_TAG}(?:\s*,\s*{_TAG})*")


class IfMatch(Input):
    """The precondition of a write (RFC 9110, 13.1.1)."""

    if_match: Annotated[str | None, Field(alias="If-Match"), Format("entity-tags")] = None
    """Change it only if this is still its `ETag`; else the answer is 412."""

    @field_validator("if_match")
    @classmethod
    def _is_list_of_tags(cls, value: str | None) -> str | None:
        if value is not None and value.strip() != "*" and not _TAGS.fullmatch(value.strip()):
            raise ValueError('write the ETag as it was told, in quotes: "3"')
        return value

    @property
    def versions(self) -> frozenset[int] | None:
        """The versions that will do; None when any will. A weak tag, or one that is not ours, matches nothing."""
        if self.if_match is None or self.if_match.strip() == "*":
            return None
        tags = re.findall(_TAG, self.if_match)
        return frozenset(int(tag[1:-1]) for tag in tags if re.fullmatch('"[0-9]{1,18}"', tag))
