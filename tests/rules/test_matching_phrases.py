"""The dictionaries against what job advertisements really say (tests/rules/phrases.py, tests/rules/titles.py)."""

from __future__ import annotations

import pytest

from daemon.matching.model import Keyword
from daemon.matching.rules.forms import keyword_form
from daemon.matching.rules.titles import Title
from daemon.matching.rules.work_arrangement import ArrangementKeyword, detect_work_arrangement
from tests.rules import phrases, titles

KEYWORDS = tuple(
    ArrangementKeyword.of(Keyword(id=number, keyword=word)) for number, word in enumerate(phrases.KEYWORDS)
)


def body_offers(phrase: str) -> bool:
    return bool(detect_work_arrangement((), phrase, KEYWORDS))


def tag_offers(phrase: str) -> bool:
    return bool(detect_work_arrangement((phrase,), None, KEYWORDS))


def title_holds(title: str, keyword: str) -> bool:
    return Title.of(title).holds(keyword_form(keyword))


def scores(answers: list[tuple[bool, bool]]) -> tuple[float, float]:
    """Precision and recall of (right answer, given answer)."""
    true = sum(right and given for right, given in answers)
    return true / sum(given for _, given in answers), true / sum(right for right, _ in answers)


def test_every_phrase_of_the_table_gets_the_right_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Known misses of the seeds' rule are listed with their reasons and count against the scores."""
    answers = {phrase: (True, body_offers(phrase)) for phrase in phrases.OFFERED}
    answers |= {phrase: (False, body_offers(phrase)) for phrase in (*phrases.DENIED, *phrases.SILENT)}
    answers |= {f"[{phrase}]": (True, tag_offers(phrase)) for phrase in phrases.TAGS_OFFERED}
    answers |= {f"[{phrase}]": (False, tag_offers(phrase)) for phrase in phrases.TAGS_DENIED}
    assert [phrase for phrase, (right, given) in answers.items() if right is not given] == []
    assert not answers.keys() & phrases.KNOWN_MISSES.keys()
    answers |= {phrase: (right, body_offers(phrase)) for phrase, (right, _) in phrases.KNOWN_MISSES.items()}
    precision, recall = scores(list(answers.values()))
    with capsys.disabled():
        print(
            f"\nwork arrangement: {len(answers)} phrases, precision {precision:.3f}, recall {recall:.3f}, "
            f"{len(phrases.KNOWN_MISSES)} known misses of the rule:"
        )
        for phrase, (_, reason) in phrases.KNOWN_MISSES.items():
            print(f"    {phrase}: {reason}")
    assert len(answers) >= 150
    assert precision > 0.85
    assert recall > 0.95


def test_every_title_of_the_table_gets_the_right_answer(capsys: pytest.CaptureFixture[str]) -> None:
    answers = {pair: (True, title_holds(*pair)) for pair in titles.TITLES_HOLDING}
    answers |= {pair: (False, title_holds(*pair)) for pair in titles.TITLES_NOT_HOLDING}
    assert [pair for pair, (right, given) in answers.items() if right is not given] == []
    precision, recall = scores(list(answers.values()))
    with capsys.disabled():
        print(f"\nkeywords in titles: {len(answers)} pairs, precision {precision:.3f}, recall {recall:.3f}")
    assert (precision, recall) == (1, 1)


def test_a_known_miss_that_the_rule_now_gets_right_leaves_the_list() -> None:
    assert [phrase for phrase, (right, _) in phrases.KNOWN_MISSES.items() if body_offers(phrase) is right] == []
