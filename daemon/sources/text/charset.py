"""Bytes to text for pages whose labels lie about their charset. Pure.

Incruit declares euc-kr and sends CP949 (which has 8,822 syllables more, 똠 and 펲 among them); a saved copy of such a
page is UTF-8 that still says euc-kr. So valid UTF-8 is believed before any label, and the two Korean labels both mean
CP949. A decoder that is wrong here fails silently, hence the count of what could not be read.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass

_BOMS = ((BOM_UTF8, "utf-8-sig"), (BOM_UTF16_LE, "utf-16"), (BOM_UTF16_BE, "utf-16"))

_LABELS = """
    euc-kr euckr ks_c_5601-1987 ks_c_5601-1989 ks_c_5601 ksc5601 ksc_5601 korean iso-ir-149
    cp949 ms949 uhc windows-949 x-windows-949
"""
_KOREAN_LABELS = frozenset(_LABELS.split())

_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:+-]+)""", re.IGNORECASE | re.ASCII)
_META_WINDOW = 2048
"""Bytes in which a page declares its charset; browsers look at 1024, long comments before the tag were seen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decoded:
    """Text, and how sure it is."""

    text: str
    charset: str
    """`utf-8`, `utf-16` or `cp949`: what the bytes were read as, whatever they say they are."""
    replacements: int
    """Byte sequences that mean nothing in that charset, each now U+FFFD."""
    is_body: bool = False
    """Whether the bytes are exactly this text in UTF-8."""


def decode(body: bytes, content_type: str = "") -> Decoded:
    """The text of `body`; never fails.

    A byte-order mark decides; then UTF-8 if the bytes are valid UTF-8; else whichever of the declared charset (header
    before meta tag) and the other of UTF-8 and CP949 leaves fewer bytes unread. Without a usable declaration it is
    CP949: every site here is Korean (pitfalls row 26, payloads-html 3.5).
    """
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return _replacing(body, codec)
    try:
        return Decoded(text=body.decode("utf-8"), charset="utf-8", replacements=0, is_body=True)
    except UnicodeDecodeError:
        first, second = ("utf-8", "cp949") if _declares_utf8(body, content_type) else ("cp949", "utf-8")
    likely = _replacing(body, first)
    if likely.replacements == 0:
        return likely
    other = _replacing(body, second)
    return other if other.replacements < likely.replacements else likely


def _replacing(body: bytes, codec: str) -> Decoded:
    text = body.decode(codec, "replace")
    return Decoded(text=text, charset=codec.removesuffix("-sig"), replacements=text.count("\ufffd"))


def _declares_utf8(body: bytes, content_type: str) -> bool:
    """Whether the first label that names a charset the product knows says UTF-8."""
    for declaration in (content_type, body[:_META_WINDOW].decode("latin-1")):
        if found := _CHARSET.search(declaration):
            label = found[1].lower()
            if label in ("utf-8", "utf8"):
                return True
            if label in _KOREAN_LABELS:
                return False
    return False
