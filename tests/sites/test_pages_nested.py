"""HTML whose rows, items and sections stand in one another, by a tag left open or by ill will: each is read once."""

from __future__ import annotations

import re

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources import html_answer
from daemon.sources.html_answer import MOST_TEXTS, texts_of
from daemon.sources.html_items import beside, items_round
from daemon.sources.html_nesting import DEEPEST, holders, outermost
from daemon.sources.model import ListPage, Outcome, SourceAdapter
from daemon.sources.reading import read_list
from daemon.sources.sites import incruit, jobkorea, saramin
from daemon.sources.text import collapse
from tests.sites.answers import at, own_html, page, refusal_of_list

SEEN = at(2026, 9, 28)
HTML_SITES = (saramin.ADAPTER, jobkorea.ADAPTER, incruit.ADAPTER)


def read(adapter: SourceAdapter, html: str) -> ListPage:
    return adapter.parse_list(None, page(html, SEEN), None)


def ids(listed: ListPage) -> list[str]:
    return [posting.source_job_id for posting in listed.postings]


# --- which stands in which


NESTED = """<div id=a><i></i><div id=b><p><div id=c></div></p></div><div id=d></div></div><div id=e></div>"""


def named(elements: list[LexborNode]) -> list[str]:
    return [element.attrs.get("id") or "" for element in elements]


def test_the_outermost_stand_in_no_other_and_the_holders_hold_one() -> None:
    found = LexborHTMLParser(NESTED).css("div")
    holding = holders(found)
    assert named(outermost(found)) == ["a", "e"]
    assert named([each for each in found if each.mem_id in holding]) == ["a", "b"]
    assert named(outermost([*found[1:], found[3]])) == ["b", "d", "e"]
    assert outermost([]) == []
    assert holders([]) == frozenset()


@pytest.mark.parametrize("adapter", HTML_SITES, ids=lambda adapter: adapter.capabilities.platform)
@pytest.mark.parametrize("added", [0, 1])
def test_a_page_deeper_than_any_sites_is_not_read(adapter: SourceAdapter, added: int) -> None:
    round_it = DEEPEST - len(("html", "body", "p")) - 1 + added
    refused = refusal_of_list(adapter, page(f"<body>{'<div>' * round_it}<p>x", SEEN))
    assert refused.outcome is (Outcome.TOO_LARGE if added else Outcome.LAYOUT_CHANGED)


# --- rows


def test_a_row_left_open_costs_itself_and_not_the_rows_that_follow() -> None:
    whole = own_html("saramin_list")
    first, second = whole.index('<div id="rec-90000001"'), whole.index('<div id="rec-90000002"')
    left_open = whole[first:second].rstrip().removesuffix("</div>")
    listed = read(saramin.ADAPTER, whole[:first] + left_open + whole[second:])
    assert listed.skipped_ids == ("90000001",)
    assert listed.postings == read(saramin.ADAPTER, whole).postings[1:]


def test_a_row_left_open_without_a_number_of_its_own_is_not_given_that_of_the_next() -> None:
    whole = own_html("saramin_list")
    first, second = whole.index('<div id="rec-90000001"'), whole.index('<div id="rec-90000002"')
    left_open = re.sub(r'(id="rec-|rec_idx=)\d+', r"\1", whole[first:second]).rstrip().removesuffix("</div>")
    listed = read(saramin.ADAPTER, whole[:first] + left_open + whole[second:])
    assert (listed.unidentified, listed.skipped_ids) == (1, ())
    assert ids(listed) == [f"9000000{number}" for number in range(2, 6)]


@pytest.mark.parametrize("numbered", [True, False])
def test_a_row_with_a_table_of_rows_in_it_is_none(numbered: bool) -> None:
    row = "<tr" + own_html("jobkorea_list").split("<tr")[1]
    numbers = range(70000001, 70000006)
    inner = "".join(row.replace("70000001", str(number)) for number in numbers)
    outer = row.replace("70000001", "70000009") if numbered else row.replace("70000001", "")
    html = own_html("jobkorea_list").split("<tr")[0] + outer.replace("</tr>", f"<td><table>{inner}</table></td></tr>")
    listed = read(jobkorea.ADAPTER, html)
    assert ids(listed) == [str(number) for number in numbers]
    assert (listed.skipped_ids, listed.unidentified) == ((("70000009",), 0) if numbered else ((), 1))


@pytest.mark.parametrize("added", [0, 1])
def test_more_conditions_than_a_row_can_have_are_no_conditions(added: int) -> None:
    root = LexborHTMLParser("<p>" + "<b> x\ny</b>" * (MOST_TEXTS + added)).body
    assert root is not None
    if added:
        with pytest.raises(ValueError, match=f"{MOST_TEXTS + 1} of b"):
            texts_of(root, "b")
    else:
        assert texts_of(root, "b") == ["x y"] * MOST_TEXTS


@pytest.mark.parametrize(
    ("adapter", "name", "old", "one"),
    [
        (saramin.ADAPTER, "saramin_list", '<p class="work_place">서울 마포구</p>', "<p>서울</p>"),
        (saramin.ADAPTER, "saramin_list", "<span>Java</span>", "<span>Java</span>"),
        (jobkorea.ADAPTER, "jobkorea_list", '<span class="cell">경력무관</span>', '<span class="cell">x</span>'),
    ],
)
def test_a_row_with_a_flood_of_conditions_is_seen_but_malformed(
    adapter: SourceAdapter, name: str, old: str, one: str
) -> None:
    whole = own_html(name)
    more = "<tr" + whole.split("<tr")[1] if "<tr" in whole else ""
    rows = "".join(more.replace("70000001", f"7000001{number}") for number in range(9))
    flooded = whole.replace("</tbody>", f"{rows}</tbody>").replace(old, one * (MOST_TEXTS + 1), 1)
    listed = read(adapter, flooded)
    assert listed.skipped_ids == (ids(read(adapter, whole))[0],)


# --- items and sections


def test_of_a_postings_items_none_stands_in_another() -> None:
    tree = LexborHTMLParser(
        "<ul><li id=a><a></a><ul><li id=b><a></a></li></ul></li><li id=c><a></a></li><li id=d>2026</li></ul>"
    )
    items = items_round({"1": tree.css("a")}, lambda _: True)
    assert named(items["1"]) == ["a", "c"]
    assert named(list(beside(items))) == ["d"]


def test_what_holds_another_postings_item_does_not_stand_beside_it() -> None:
    tree = LexborHTMLParser("<ul><li id=a><a></a></li><li id=b><ul><li id=c><a></a></li><li id=d></li></ul></li></ul>")
    first, second = tree.css("a")
    items = items_round({"1": [first], "2": [second]}, lambda _: True)
    assert [named(items[number]) for number in ("1", "2")] == [["a"], ["c"]]
    assert named(list(beside(items))) == ["d"]


def test_a_section_in_a_section_is_read_once() -> None:
    inner = '<div data-sentry-component="RecruitmentItem"><b>지역</b><i>서울</i></div>'
    outer = f'<div data-sentry-component="RecruitmentField"><b>모집</b>{inner}</div>'
    html = own_html("jobkorea_detail").split('<div data-sentry-component="')[0] + outer
    assert jobkorea.ADAPTER.parse_detail(page(html, SEEN), None).description_body == "모집 지역서울"

    body = '<div class="working_area">담당 업무: 서버 개발<div class="reception">접수 방법</div></div>'
    canonical = '<link rel="canonical" href="https://recruit.incruit.com/ddom/job/1"><h1>서버 개발자</h1>'
    assert incruit.ADAPTER.parse_detail(page(canonical + body, SEEN), None).description_body == (
        "담당 업무: 서버 개발\n접수 방법"
    )


@pytest.mark.parametrize(("length", "unidentified"), [(49_900, 1), (50_000, 0)])
def test_what_is_longer_than_any_item_is_no_item_without_a_link(length: int, unidentified: int) -> None:
    items = "".join(f'<li><a href="/ddom/job/{number}">서버 개발자</a></li>' for number in range(5))
    listed = read(incruit.ADAPTER, f"<ul>{items}<li>2026.09.01 ~ 2026.12.31 {'가' * length}</li></ul>")
    assert (len(listed.postings), listed.unidentified) == (5, unidentified)


@pytest.mark.parametrize(("labels", "skipped"), [(18, ()), (19, ("1",))])
def test_a_title_is_among_the_first_twenty_elements_that_may_be_one(labels: int, skipped: tuple[str, ...]) -> None:
    other = "".join(f'<li><a href="/ddom/job/{number}">QA 엔지니어</a></li>' for number in range(2, 7))
    named_late = (
        f'<li><a href="/ddom/job/1">더보기</a>{"<b></b><strong>new</strong>" * labels}<strong>서버</strong></li>'
    )
    listed = read(incruit.ADAPTER, f"<ul>{named_late}{other}</ul>")
    assert listed.skipped_ids == skipped
    assert [posting.title for posting in listed.postings if posting.source_job_id == "1"] == ["서버"] * (not skipped)


@pytest.mark.parametrize(("states", "closed"), [(19, True), (20, False)])
def test_a_state_is_among_the_first_twenty_elements_that_may_be_one(states: int, closed: bool) -> None:
    state = '<i class="state">모집</i>' * states + '<i class="state">마감</i>'
    listed = read(incruit.ADAPTER, f'<ul><li><a href="/ddom/job/1">서버 개발자</a>{state}</li></ul>')
    assert (listed.withdrawn_ids == ("1",)) is closed


@pytest.mark.parametrize(
    ("round_it", "link"),
    [
        pytest.param("<article>", "서버 개발자", id="items"),
        pytest.param("<div class='title'>", "더보기", id="titles"),
        pytest.param("<div class='state'>", "서버 개발자", id="states"),
        pytest.param("<div>", "더보기", id="elements"),
    ],
)
def test_no_text_is_read_as_many_times_as_the_page_is_deep(
    round_it: str, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_of_it: list[int] = []

    def counted(text: str) -> str:
        read_of_it.append(len(text))
        return collapse(text)

    for module in (incruit, html_answer):
        monkeypatch.setattr(module, "collapse", counted)
    nested = f'{round_it}<a href="/ddom/job/1">{link}</a>' * 90
    html = f"<body>{nested}<p>2026.09.01 ~ 2026.12.31 마감 {'가나 ' * 20_000}"
    read_list(incruit.ADAPTER, None, page(html, SEEN), None)
    assert 0 < sum(read_of_it) < 30 * len(html)
