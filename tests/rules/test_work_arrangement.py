"""Work arrangement: what speaks for it, what denies it, and what a posting without a text says."""

from __future__ import annotations

import pytest

from daemon.matching.model import Confidence, EvaluationTarget, EvidenceStage
from daemon.matching.rules import detect_work_arrangement, top_confidence

KEYWORDS = ("재택근무", "원격", "remote")


def target(*tags: str, body: str | None = None) -> EvaluationTarget:
    return EvaluationTarget(job_posting_id=1, title="백엔드 개발자", structured_tags=tags, description_body=body)


def test_a_posting_whose_text_could_not_be_read_is_unknown_and_raises_nothing() -> None:
    """Seed 001, failure path 18: without a text there is no second kind of evidence."""
    evidence = detect_work_arrangement(target(body=None), KEYWORDS)
    assert evidence == []
    assert top_confidence(evidence) is Confidence.UNKNOWN
    assert top_confidence(evidence).sort_rank == 99


def test_a_tag_still_confirms_what_a_missing_text_can_not_say() -> None:
    """Seed 001, failure path 18, the other half: the first kind of evidence needs no text."""
    evidence = detect_work_arrangement(target("근무 형태: 재택근무", body=None), KEYWORDS)
    assert [(each.keyword, each.stage) for each in evidence] == [("재택근무", EvidenceStage.STRUCTURED_FIELD)]
    assert top_confidence(evidence) is Confidence.CONFIRMED


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("주 2회 재택근무 가능합니다", Confidence.LIKELY),
        ("재택근무 불가", Confidence.UNKNOWN),
        ("재택근무는  지원하지   않습니다", Confidence.UNKNOWN),
        ("재택근무 종료, 전면 출근", Confidence.UNKNOWN),
        ("Remote OK", Confidence.LIKELY),
        ("This position is not remote.", Confidence.UNKNOWN),
        ("", Confidence.UNKNOWN),
    ],
)
def test_a_denial_near_the_word_voids_it(body: str, found: Confidence) -> None:
    assert top_confidence(detect_work_arrangement(target(body=body), KEYWORDS)) is found


def test_each_place_is_judged_on_its_own() -> None:
    body = "재택근무 불가." + "가" * 40 + " 다른 팀은 재택근무 가능"
    evidence = detect_work_arrangement(target(body=body), KEYWORDS)
    assert len(evidence) == 1
    assert "가능" in evidence[0].snippet
