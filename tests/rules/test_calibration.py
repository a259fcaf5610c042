from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.recall.calibration import CUT, chance, falling, odds, prior, rarity, reranked, sigmoid

UNIT = st.floats(0, 1)


@given(st.lists(UNIT, max_size=20))
def test_pooled_chances_never_rise_and_keep_their_sum(chances: list[float]) -> None:
    pooled = falling(chances)
    assert all(above >= below - 1e-12 for above, below in pairwise(pooled))
    assert abs(sum(pooled) - sum(chances)) < 1e-9


@given(st.lists(UNIT, max_size=20))
def test_chances_that_fall_already_stay_as_they_are(chances: list[float]) -> None:
    ordered = sorted(chances, reverse=True)
    assert falling(ordered) == ordered


@given(st.floats(-1, 1), UNIT, st.none() | st.floats(-1, 1), st.booleans())
def test_a_chance_lies_between_0_and_1(cosine: float, share: float, beside: float | None, spoken: bool) -> None:
    assert 0 < chance((cosine, share, beside, spoken)) < 1


@given(UNIT, st.floats(-10, 10), st.integers(0, 10**6), UNIT)
def test_a_chance_after_a_verdict_does_too(plain: float, first: float, length: int, verdict: float) -> None:
    assert 0 < reranked(prior(plain, first, length), verdict) < 1


def alone(cosine: float, share: float) -> float:
    return chance((cosine, share, None, False))


def test_a_turn_beside_a_near_one_or_by_whom_the_question_names_is_likelier() -> None:
    turn = chance((0.2, 0.0, 0.0, False))
    assert chance((0.2, 0.0, 0.4, False)) > turn
    assert chance((0.2, 0.0, 0.0, True)) > turn


def test_nearer_and_fuller_is_likelier() -> None:
    assert alone(0.6, 0.5) > alone(0.2, 0.5)
    assert alone(0.4, 1.0) > alone(0.4, 0.0)


def test_a_verdict_decides_and_a_long_text_needs_a_better_one() -> None:
    short, long, better = prior(0.1, 1.0, 100), prior(0.1, 1.0, 4_000), prior(0.1, 2.0, 100)
    assert reranked(short, 0.9) > reranked(short, 0.5) > reranked(short, 0.01)
    assert reranked(better, 0.5) > reranked(short, 0.5) > reranked(long, 0.5)


@given(st.floats(0.001, 0.999))
def test_a_chance_has_odds(chance: float) -> None:
    assert abs(sigmoid(odds(chance)) - chance) < 1e-9


def test_every_word_of_a_question_is_enough_and_nothing_at_all_is_not() -> None:
    assert alone(0.0, 1.0) > CUT > alone(0.0, 0.0)


def test_a_rare_word_tells_more() -> None:
    assert rarity(1_000, 0) > rarity(1_000, 10) > rarity(1_000, 1_000) > 0
