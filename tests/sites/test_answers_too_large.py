"""Answers within the body cap that would nevertheless fill the memory: few bytes make many objects."""

from __future__ import annotations

import pytest

from daemon.sources import json_answer
from daemon.sources.answer import MOST_ITEMS, list_page
from daemon.sources.model import Outcome, SourceAdapter, Unreadable
from daemon.sources.sites import greenhouse, jumpit, remember, surfit, wanted, woowahan
from tests.sites.answers import page, refusal_of_list

SITES = (greenhouse, woowahan, jumpit, wanted, remember, surfit)


@pytest.mark.parametrize(
    "filling",
    [
        pytest.param(b"{}," * (json_answer.MOST_OBJECTS + 1), id="objects"),
        pytest.param(b"[]," * (json_answer.MOST_OBJECTS + 1), id="lists"),
        pytest.param(b"1," * (json_answer.MOST_COMMAS + 1), id="numbers"),
    ],
)
@pytest.mark.parametrize("adapter", [pytest.param(site.ADAPTER, id=site.__name__.rpartition(".")[2]) for site in SITES])
def test_an_answer_with_more_in_it_than_memory_should_hold_is_too_large(adapter: SourceAdapter, filling: bytes) -> None:
    refused = refusal_of_list(adapter, page(b'{"jobs": [' + filling + b"1]}"))
    assert refused.outcome is Outcome.TOO_LARGE


def test_a_page_of_more_items_than_any_list_has_is_too_large() -> None:
    with pytest.raises(Unreadable) as caught:
        list_page(range(MOST_ITEMS + 1), str, lambda _id, _item: None, next_cursor=None, declared_total=None)
    assert caught.value.outcome is Outcome.TOO_LARGE
    listed = list_page(range(MOST_ITEMS), str, lambda _id, _item: None, next_cursor=None, declared_total=None)
    assert len(listed.withdrawn_ids) == MOST_ITEMS
