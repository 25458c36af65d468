"""Answers to begin from: the repository's own, the demo's, and real captures where they are kept beside it. Small.

Captures and the demo's pages have dozens of postings; all but a few rows of each list are cut, so that an input is
read in a millisecond and most mutations strike something. The whole answers are kept too, for the share of big ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.clock import kst
from daemon.demo.exchange import Ask
from daemon.demo.sites import SITES
from daemon.demo.sources import demo_sources, many_sources
from daemon.demo.world import World
from daemon.sources.model import CollectionTarget, Page, Platform, Request
from daemon.sources.reading import read_list
from daemon.sources.registry import adapter_of
from daemon.sources.text.charset import decode

_OWN = Path(__file__).parents[1] / "sites"
_CAPTURED = Path(__file__).parents[2].parent / "shared" / "fixtures"
_ROWS = 3
"""Siblings that look alike, and items of a JSON list, that a trimmed answer keeps."""

_SMALL = 45_000
"""Bytes; what is longer after the cut is used among the whole answers only."""


@dataclass(frozen=True, slots=True)
class Seed:
    """An answer as a site gave it, or a cut of one."""

    name: str
    body: bytes
    is_json: bool


@dataclass(frozen=True, slots=True)
class Seeds:
    """What one platform's inputs are made from."""

    small: tuple[Seed, ...]
    whole: tuple[Seed, ...]


@cache
def seeds_of(platform: Platform) -> Seeds:
    """All that is at hand of a platform; the repository alone has some of each."""
    whole = [*_saved(platform), *_rendered(platform)]
    if platform is Platform.GREENHOUSE:
        whole += [job for board in whole for job in _jobs(board)]
    whole += [_gist(page) for page in whole if not page.is_json and len(page.body) > _SMALL // 2]
    small = dict.fromkeys(cut for seed in whole if len((cut := _trimmed(seed)).body) <= _SMALL)
    return Seeds(small=tuple(small), whole=tuple(whole))


def target_of(platform: Platform) -> CollectionTarget:
    """A source of the demo's, which its pages answer."""
    source = next(each for each in demo_sources() if each.platform is platform)
    return CollectionTarget(
        job_source_id=1, platform=platform, slug=source.slug, category_code=source.category_code, keyword=source.keyword
    )


def _saved(platform: Platform) -> Iterator[Seed]:
    name = platform.lower()
    for path in sorted([*_OWN.rglob("*"), *(_CAPTURED / name).glob("*")]):
        if path.suffix in (".json", ".html") and (path.name.startswith(name) or path.parent.name == name):
            yield Seed(path.name, path.read_bytes(), path.suffix == ".json")


def _jobs(board: Seed) -> Iterator[Seed]:
    """Two items of a Greenhouse board, each alone: no answer of one posting was captured, but an item is one."""
    value = json.loads(board.body)
    for number, job in enumerate(value.get("jobs", ())[:2] if isinstance(value, dict) else ()):
        yield Seed(f"{board.name}-job{number}", json.dumps(job).encode(), True)


def _rendered(platform: Platform) -> Iterator[Seed]:
    """A list of the demo's first day and the page of its first posting, for each of its sources and a small board."""
    world = World(calm=True)
    day = world.on(world.first_day)
    adapter = adapter_of(platform)
    for source in (*demo_sources(), *many_sources(2)):
        if source.platform is not platform:
            continue
        target = CollectionTarget(
            job_source_id=1, platform=platform, slug=source.slug, category_code=source.category_code
        )
        ask = _ask(adapter.list_request(target, None), dict(adapter.capabilities.compliance.headers))
        answer = SITES[platform].render(ask, SITES[platform].locate(ask), day, ())
        yield Seed(f"demo-{source.board}-list", answer.body, "json" in answer.content_type)
        page = Page(body=answer.body, answered_at=kst(world.first_day, 12), content_type=answer.content_type)
        listed = read_list(adapter, target, page, None)
        for posting in getattr(listed, "postings", ())[:1]:
            for number, request in enumerate(adapter.detail_requests(target, posting)):
                ask = _ask(request, dict(adapter.capabilities.compliance.headers))
                answer = SITES[platform].render(ask, SITES[platform].locate(ask), day, ())
                yield Seed(f"demo-{source.board}-detail{number}", answer.body, "json" in answer.content_type)


def _ask(request: Request, headers: dict[str, str]) -> Ask:
    parts = urlsplit(request.url)
    return Ask(
        method=request.method,
        path=unquote(parts.path),
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        body=request.json_body or b"",
        content_type="application/json" if request.json_body else "",
        origin=headers.get("Origin", ""),
        referer=headers.get("Referer", ""),
    )


def _trimmed(seed: Seed) -> Seed:
    if seed.is_json:
        return Seed(seed.name, json.dumps(_shorter(json.loads(seed.body)), ensure_ascii=False).encode(), True)
    return Seed(seed.name, _fewer_rows(seed.body), False)


def _shorter(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shorter(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shorter(each) for each in (value if len(value) <= 2 * _ROWS else value[:_ROWS])]
    return value[:1500] if isinstance(value, str) else value


def _gist(page: Seed) -> Seed:
    """A long page's head, and of its body the first lists of terms: some parsers want no more of a posting's page."""
    tree = LexborHTMLParser(decode(page.body).text)
    parts = [tree.head, *tree.css("dl")[:3]]
    text = "".join(part.html or "" for part in parts if part is not None)
    return Seed(f"{page.name}-gist", _fewer_rows(text.encode("utf-8", "replace")), False)


def _fewer_rows(body: bytes) -> bytes:
    """The page without styles, plain scripts and most of its rows, in its own charset."""
    found = decode(body)
    if len(body) < 4_000:
        return body
    tree = LexborHTMLParser(found.text)
    for node in tree.css("style, svg, script, link[rel=stylesheet], link[rel=preload]"):
        if (node.attributes.get("type") or "") != "application/ld+json":
            node.decompose()
    for parent in tree.css("ul, ol, tbody, table, dl, div, section, select, nav"):
        for row in _rows_too_many(parent):
            row.decompose()
    text = tree.html or ""
    return text.encode("cp949" if found.charset == "cp949" else "utf-8", "replace")


def _rows_too_many(parent: LexborNode) -> list[LexborNode]:
    alike: dict[str, int] = {}
    extra = []
    for child in parent.iter():
        kind = f"{child.tag} {child.attributes.get('class')}"
        alike[kind] = alike.get(kind, 0) + 1
        if alike[kind] > _ROWS:
            extra.append(child)
    return extra
