"""Many titles read at once hold what each of them holds by itself."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from daemon.matching.rules.forms import SEPARATORS, keyword_form
from daemon.matching.rules.titles import NO_TITLE, Title, TitleLot, numbers_of, one_title

ODD = "İẞΣσςAaé\u0301\u1100\u1161\u11a8ﬁ①　\u00a0\t\r\x0b\x1c\x85\u2028\u2029\u1680" + SEPARATORS
"""Letters that become two or depend on their neighbours, parts of letters, white space of all kinds."""

titles = st.text(alphabet=st.one_of(st.sampled_from(f"java go9 백엔드{ODD}"), st.characters()), max_size=12).map(
    lambda title: title.replace("\n", " ")
)
words = st.text(alphabet=f"javgo9 백엔드{ODD}", min_size=1, max_size=4).map(keyword_form).filter(bool)


@given(st.lists(titles, min_size=1, max_size=8), words)
@example(["go\tlang", "İ", "ΑΣ", "Σ"], "go")
@example(["ΑΣ", "İΑΣ", "Σ"], "ασ")
@example(["java", "script"], "java")
@example(["java", "İ go"], "java")
@example(["java go", "İ go"], "go")
@example(["e", "\u0301a"], "a")
@example(["go\tlang"], "golang")
@example(["백javascript"], "백java")
@example(["xjava백", "java백"], "java백")
def test_a_lot_holds_what_its_titles_hold(texts: list[str], needle: str) -> None:
    lot = TitleLot.of("\n".join(texts))
    assert set(numbers_of(lot.holding([needle])[needle])) == {
        number for number, text in enumerate(texts) if Title.of(text).holds(needle)
    }
    assert lot.texts == texts


@given(st.lists(titles, min_size=1, max_size=8), st.data())
def test_a_lot_holds_any_part_of_a_title_that_it_does(texts: list[str], data: st.DataObject) -> None:
    squeezed = Title.of(data.draw(st.sampled_from(texts))).squeezed
    first = data.draw(st.integers(0, len(squeezed)))
    needle = squeezed[first : first + data.draw(st.integers(1, 4))]
    if needle:
        lot = TitleLot.of("\n".join(texts))
        assert set(numbers_of(lot.holding([needle])[needle])) == {
            number for number, text in enumerate(texts) if Title.of(text).holds(needle)
        }


@given(st.sets(st.integers(0, 40)))
def test_a_set_of_titles_is_as_large_as_it_has_titles_and_tells_them_in_order(numbers: set[int]) -> None:
    titles = NO_TITLE
    for number in numbers:
        titles |= one_title(number)
    assert list(numbers_of(titles)) == sorted(numbers)
    assert titles.bit_count() == len(numbers)


def test_a_lot_of_which_no_title_holds_a_keyword_has_none() -> None:
    assert TitleLot.of("백엔드\n").holding(["java", "프론트"]) == {"java": NO_TITLE, "프론트": NO_TITLE}
    assert TitleLot.of("").holding([]) == {}
