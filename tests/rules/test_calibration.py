from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.recall.calibration import (
    THRESHOLD,
    log_odds,
    non_increasing,
    prior,
    probability,
    reranked,
    sigmoid,
    term_weight,
)

UNIT = st.floats(0, 1)


@given(st.lists(UNIT, max_size=20))
def test_pooled_probabilities_never_rise_and_keep_their_sum(probabilities: list[float]) -> None:
    pooled = non_increasing(probabilities)
    assert all(above >= below - 1e-12 for above, below in pairwise(pooled))
    assert abs(sum(pooled) - sum(probabilities)) < 1e-9


@given(st.lists(UNIT, max_size=20))
def test_probabilities_that_fall_already_stay_as_they_are(probabilities: list[float]) -> None:
    ordered = sorted(probabilities, reverse=True)
    assert non_increasing(ordered) == ordered


@given(st.floats(-1, 1), UNIT, st.none() | st.floats(-1, 1), st.booleans())
def test_a_probability_lies_between_0_and_1(
    cosine: float, coverage: float, neighbours: float | None, speaker: bool
) -> None:
    assert 0 < probability((cosine, coverage, neighbours, speaker)) < 1


@given(UNIT, st.floats(-10, 10), st.integers(0, 10**6), UNIT)
def test_a_probability_after_reranking_does_too(
    probability: float, ranking_score: float, length: int, score: float
) -> None:
    assert 0 < reranked(prior(probability, ranking_score, length), score) < 1


def alone(cosine: float, coverage: float) -> float:
    return probability((cosine, coverage, None, False))


def test_a_turn_next_to_a_near_one_or_by_a_named_speaker_is_more_probable() -> None:
    turn = probability((0.2, 0.0, 0.0, False))
    assert probability((0.2, 0.0, 0.4, False)) > turn
    assert probability((0.2, 0.0, 0.0, True)) > turn


def test_a_higher_cosine_and_coverage_are_more_probable() -> None:
    assert alone(0.6, 0.5) > alone(0.2, 0.5)
    assert alone(0.4, 1.0) > alone(0.4, 0.0)


def test_a_rerank_score_decides_and_a_long_text_needs_a_higher_one() -> None:
    short, long, better = prior(0.1, 1.0, 100), prior(0.1, 1.0, 4_000), prior(0.1, 2.0, 100)
    assert reranked(short, 0.9) > reranked(short, 0.5) > reranked(short, 0.01)
    assert reranked(better, 0.5) > reranked(short, 0.5) > reranked(long, 0.5)


@given(st.floats(0.001, 0.999))
def test_log_odds_are_the_inverse_of_the_sigmoid(value: float) -> None:
    assert abs(sigmoid(log_odds(value)) - value) < 1e-9


def test_every_word_of_a_question_is_enough_and_nothing_at_all_is_not() -> None:
    assert alone(0.0, 1.0) > THRESHOLD > alone(0.0, 0.0)


def test_a_rare_term_weighs_more() -> None:
    assert term_weight(1_000, 0) > term_weight(1_000, 10) > term_weight(1_000, 1_000) > 0
