"""What makes one form of many: deadlines, keywords, work arrangement, markup, names, charsets, addresses, encodings.

Each takes a text (or bytes) and must end in a value or in the one exception that it documents; what must hold of the
value is asserted here, independent of the code: normal forms are stable, what is accepted fits its column.
"""

from __future__ import annotations

import random
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice

import brotli  # type: ignore[import-untyped]  # it ships no types

from daemon.clock import business_date, kst
from daemon.company.model import InvalidValue
from daemon.company.rules import checked_name, name_key, names_another_host, row_id, slug_guesses
from daemon.matching.model import EvaluationTarget, InvalidCriterion, Keyword, KeywordGroup, MatchCriteria
from daemon.matching.rules.criteria import checked_word
from daemon.matching.rules.evaluation import Judge
from daemon.matching.rules.forms import keyword_form
from daemon.matching.rules.titles import Title
from daemon.posting.model import InvalidPosting
from daemon.posting.rules import checked_address, checked_title, dedup_key, normalized_tags
from daemon.sources.compression import PIECE, Undecodable, decoder_for
from daemon.sources.discovery import board_named, boards_in
from daemon.sources.model import Platform, Request
from daemon.sources.registry import adapter_of
from daemon.sources.rules import (
    ComplianceViolation,
    SiteAddress,
    block_page,
    is_json,
    is_markup,
    leads_to_login,
    may_follow,
    permitted_target,
    redirect_target,
    retry_after,
    site_address,
)
from daemon.sources.text import (
    DeadlineNotUnderstood,
    body_hash,
    clean_reason,
    collapse,
    deadline_of,
    field_hash,
    html_to_text,
    korean_instant,
    shown,
)
from daemon.sources.text.charset import decode
from tests.fuzz import nasty, octets, words
from tests.rules.phrases import KEYWORDS

_ANSWERED_AT = kst(business_date(datetime(2026, 9, 17, tzinfo=UTC)), 9)


class Normaliser:
    """A function from text or bytes under fuzz, with the words that its inputs are made of."""

    def __init__(self, name: str, check: Callable[[bytes], str], vocabulary: Callable[[], tuple[str, ...]]) -> None:
        self.name = name
        self._check = check
        self._vocabulary = vocabulary

    def make(self, draw: random.Random) -> tuple[bytes, int]:
        known = self._vocabulary()
        text = draw.choice(("", " ", "~", "-", "/", "\n")).join(
            draw.choice(known) if draw.random() < 0.9 else draw.choice(nasty.TEXTS)
            for _ in range(draw.choice((1, 1, 1, 2, 3, 8)))
        )
        for _ in range(draw.choice((0, 1, 1, 2))):
            text = nasty.text(draw, text)
        data = octets.encoded(draw, text) if draw.random() < 0.1 else text.encode("utf-8", "surrogatepass")
        if draw.random() < 0.1:
            data = octets.mutant(draw, data)
        if draw.random() < 0.002:
            data = octets.stretched(draw, data, draw.choice((10**5, 10**6)))
        return data, 0

    def check(self, data: bytes, circumstances: int) -> str:
        return self._check(data)

    def every_way(self) -> Iterator[int]:
        return iter((0,))


def text_of(data: bytes) -> str:
    """The text that an input stands for; what is no UTF-8 becomes lone surrogates, which JSON can spell too."""
    return data.decode("utf-8", "surrogatepass") if _is_text(data) else data.decode("utf-8", "surrogateescape")


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


# --- deadlines


def _deadline(data: bytes) -> str:
    text = text_of(data)
    written = korean_instant(text)
    if written is not None:
        assert written.utcoffset() == timedelta(0)
    try:
        end = deadline_of(text, _ANSWERED_AT)
    except DeadlineNotUnderstood:
        return "not understood"
    assert deadline_of(text, _ANSWERED_AT + timedelta(hours=14)) == end, "the hour at which a page was read moved it"
    if end is None:
        return "no day"
    assert end.utcoffset() == timedelta(0)
    return "an instant"


# --- matching


@cache
def _judge() -> Judge:
    words = (*KEYWORDS, "백엔드", "back-end", "java", "c++", ".net")
    forms = {keyword_form(word): word for word in words}
    keywords = tuple(Keyword(id=number, keyword=word) for number, word in enumerate(forms.values()))
    group = KeywordGroup(id=1, display_name="all", synonyms=tuple(forms.values()))
    return Judge.of(
        MatchCriteria(
            criteria_revision=1,
            keyword_groups=(group,),
            exclusion_keywords=keywords,
            work_arrangement_keywords=keywords,
        )
    )


def _arrangement(data: bytes) -> str:
    text = text_of(data)
    target = EvaluationTarget(job_posting_id=1, title=text[:500], structured_tags=(text[:200],), description_body=text)
    found = _judge().evaluate(target).evidence
    assert len({each.keyword.id for each in found}) == len(found)
    assert all(0 < len(each.snippet) <= 500 for each in found)
    return "evidence" if found else "none"


def _keyword(data: bytes) -> str:
    try:
        word = checked_word("keyword", text_of(data))
    except InvalidCriterion:
        return "refused"
    assert checked_word("keyword", word) == word
    assert Title.of(word).holds(keyword_form(word)), "a title that is the keyword does not hold it"
    keyword = Keyword(id=1, keyword=word)
    criteria = MatchCriteria(
        criteria_revision=1,
        keyword_groups=(KeywordGroup(id=1, display_name=word, synonyms=(word,)),),
        exclusion_keywords=(keyword,),
        work_arrangement_keywords=(keyword,),
    )
    target = EvaluationTarget(job_posting_id=1, title=f"[{word}] 채용", structured_tags=(word,), description_body=word)
    judged = Judge.of(criteria).evaluate(target)
    assert judged.title.groups, "a title with the keyword in brackets does not hold it"
    assert judged.title.excluded_by == keyword
    return "kept"


# --- names and titles


def _company(data: bytes) -> str:
    text = text_of(data)
    assert len(slug_guesses(text, text)) <= 3
    row_id(text)
    try:
        name = checked_name("name", text)
    except InvalidValue:
        return "refused"
    assert checked_name("name", name) == name
    assert 0 < len(name_key(name)) <= 255
    assert name_key(name) == name_key(unicodedata.normalize("NFD", name))
    name_key(name).encode()
    return "kept"


def _dedup(data: bytes) -> str:
    text = text_of(data)
    try:
        title = checked_title(text)
    except InvalidPosting:
        return "refused"
    assert checked_title(title) == title
    key = dedup_key(title, title)
    assert 0 < len(key) <= 255
    key.encode()
    for tag, normal in normalized_tags([title[:200], title[:200], "재택 근무"]):
        assert len(normal) <= 200
        tag.encode()
    return "kept"


def _plain(data: bytes) -> str:
    text = text_of(data)
    line = collapse(text)
    assert collapse(line) == line
    assert "\0" not in line
    line.encode()
    shown(text).encode()
    reason = clean_reason(text)
    assert len(reason) <= 200
    assert "\n" not in reason
    reason.encode()
    assert len(field_hash(text, None)) == len(body_hash(text)) == 64
    return "a line" if line else "nothing"


# --- markup and charsets


def _markup(data: bytes) -> str:
    text = html_to_text(text_of(data))
    assert text == text.strip()
    assert "\n\n" not in text
    assert "\0" not in text
    return "text" if text else "nothing"


def _charset(data: bytes) -> str:
    found = decode(data, octets.LABELS[len(data) % len(octets.LABELS)])
    assert found.replacements <= found.text.count("\ufffd")
    found.text.encode("utf-8", "surrogatepass")
    is_json(data[:2_000])
    assert not (block_page(data) and not is_markup(data))
    return found.charset


# --- addresses


def _addresses(data: bytes) -> str:
    text = text_of(data)
    policy = adapter_of(Platform.SARAMIN).capabilities.compliance
    with suppress(ComplianceViolation):
        permitted_target(policy, Request(url=text))
    target = redirect_target(policy, f"https://{policy.host}/a/b?c", text, "http://127.0.0.1:1")
    leads_to_login(target)
    if may_follow(policy, target):
        assert target is not None
        assert target.startswith(f"https://{policy.host}")
    names_another_host(text, policy.host)
    wait = retry_after(text, _ANSWERED_AT)
    assert wait is None or timedelta(seconds=1) <= wait <= timedelta(hours=24)
    board_named(text)
    for board in boards_in(data):
        host = adapter_of(board.platform).capabilities.compliance
        permitted_target(host, adapter_of(board.platform).list_request(board.target, None))
    try:
        kept = checked_address(text)
    except InvalidPosting:
        pass
    else:
        assert checked_address(kept) == kept
    site = site_address(text)
    if not isinstance(site, SiteAddress):
        return site
    again = site_address(site.url)
    assert isinstance(again, SiteAddress)
    assert again.host == site.host
    return "an address"


# --- content encodings


def _compression(data: bytes) -> str:
    coding = ("gzip", "deflate", "br", "identity", "x-gzip")[len(data) % 5]
    body = _COMPRESSING.get(coding, bytes)(data)
    draw = random.Random(data)
    whole = draw.random() < 0.2
    if not whole:
        body = octets.mutant(draw, body)
    decoder = decoder_for(coding)
    read = b""
    try:
        for start in range(0, len(body), 997):
            for piece in islice(decoder.feed(body[start : start + 997]), 100):
                assert 0 < len(piece) <= 2 * PIECE or coding == "identity"
                read += piece[: 10**6 - len(read)]
        decoder.finish()
    except Undecodable:
        assert not whole, "what was compressed right can't be read"
        return "undecodable"
    assert not whole or len(data) > 10**6 or read == data
    return "whole" if whole else "read"


def _gzipped(data: bytes) -> bytes:
    deflate = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return deflate.compress(data) + deflate.flush()


def _brotlied(data: bytes) -> bytes:
    return bytes(brotli.compress(data, quality=1))


_COMPRESSING: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzipped,
    "x-gzip": _gzipped,
    "deflate": zlib.compress,
    "br": _brotlied,
}


NORMALISERS: tuple[Normaliser, ...] = (
    Normaliser("deadlines", _deadline, words.of_deadlines),
    Normaliser("arrangement", _arrangement, words.of_postings),
    Normaliser("keywords", _keyword, words.of_keywords),
    Normaliser("companies", _company, words.of_companies),
    Normaliser("dedup", _dedup, words.of_postings),
    Normaliser("plain", _plain, words.of_postings),
    Normaliser("markup", _markup, words.of_markup),
    Normaliser("charset", _charset, words.of_markup),
    Normaliser("addresses", _addresses, words.of_addresses),
    Normaliser("compression", _compression, words.of_markup),
)
