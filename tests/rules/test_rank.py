from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.model.session_rows import SessionRows
from mnemic.rules.recall import rank
from mnemic.rules.recall.question import read

if TYPE_CHECKING:
    from collections.abc import Mapping

TODAY = date(2026, 5, 20)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def memory(text: str = "x", *, session: str | None = None, days: float = 0, **fields: Any) -> Memory:
    at = NOON + timedelta(days=days)
    return Memory(id="id", text=text, scope=Scope(session=session), created_at=at, occurred_at=at, **fields)


def order(
    question: str,
    scores: Mapping[int, float],
    memories: Mapping[int, Memory],
    neighbours: Mapping[int, float] = MappingProxyType({}),
) -> list[int]:
    candidates = rank.Candidates(frozenset(), {}, scores, scores, neighbours)
    ranked = rank.ranked(read(question, TODAY), candidates, memories, 10, NOON)
    return [next(number for number, memory in memories.items() if memory is evidence.memory) for evidence in ranked]


def test_words_and_meaning_count_alike() -> None:
    fused = rank.fuse([(1, 8.0), (2, 4.0)], {1: 0.2, 2: 0.2, 3: 0.8})
    assert fused == pytest.approx({1: 0.5, 2: 0.25, 3: 0.5})


def test_cosines_that_hardly_differ_are_not_blown_up() -> None:
    fused = rank.fuse([(1, 1.0)], {1: 0.50, 2: 0.52})
    assert fused[1] > fused[2] > 0


def test_a_best_that_holds_too_little_of_the_question_counts_in_part() -> None:
    assert rank.fuse([(1, 8.0), (2, 2.0)], {}, full_score=16.0) == pytest.approx({1: 0.25, 2: 0.0625})
    assert rank.fuse([(1, 8.0)], {}, full_score=4.0) == pytest.approx({1: 0.5})


def test_nothing_found_is_nothing_fused() -> None:
    assert rank.fuse([], {}) == {}
    assert rank.fuse([(1, 0.0)], {}) == {1: 0.0}


def turns(lengths: Mapping[int, int]) -> SessionRows:
    same = np.ones(len(lengths), np.int64)
    counted = np.array(list(lengths.values()), np.int32)
    return SessionRows(np.array(list(lengths), np.int64), same, same, counted, np.empty((len(lengths), 0), np.float32))


def combined(lengths: Mapping[int, int], full_score: float = 0.0) -> Mapping[int, float]:
    """Return the scores of turns of some lengths, each the only one of its session."""
    question = read("when did he go?", TODAY)
    lexical, cosines = [(1, 1.0)], {1: 0.1, 2: 0.25}
    fused = rank.fuse(lexical, cosines, full_score)
    alone = dict.fromkeys(lengths, (None, None))
    return rank.combine(question, lexical, cosines, fused, alone, turns(lengths)).scores


def test_a_turn_that_holds_little_of_the_question_gives_way_to_one_that_means_it() -> None:
    scores = combined({1: 30, 2: 30}, full_score=1.0)
    assert scores[1] > scores[2]
    scores = combined({1: 30, 2: 30}, full_score=6.0)
    assert scores[2] > scores[1]


def test_a_turn_leans_on_the_turns_around_it_most_on_the_one_before() -> None:
    gains = rank.neighbour_scores({1: 1.0, 2: 0.0, 5: 0.1}, {1: (None, 2), 2: (1, 3)}, turns({1: 0, 2: 0, 5: 0}))
    assert gains == pytest.approx({1: 0.0, 2: rank.BEFORE})
    assert rank.neighbour_scores({2: 1.0}, {1: (None, 2)}, turns({1: 0})) == pytest.approx({1: rank.AFTER})
    assert rank.BEFORE > rank.AFTER


def test_a_longer_turn_leans_less() -> None:
    gains = rank.neighbour_scores({1: 1.0}, {2: (1, None), 3: (1, None)}, turns({2: 5, 3: 500}))
    assert gains[2] > 5 * gains[3] > 0


def test_of_two_turns_the_one_by_whom_the_question_names_wins() -> None:
    memories = {1: memory("Ana: I went on Sunday", session="s"), 2: memory("Ben: I went on Sunday", session="s")}
    assert order("When did Ana go?", {1: 0.4, 2: 0.5}, memories, {1: 0.0, 2: 0.0}) == [1, 2]
    assert order("When did Ana go?", {1: 0.4, 2: 0.5}, memories) == [2, 1], "outside of sessions nobody speaks"


def test_a_turn_that_asks_gives_way_to_one_that_tells() -> None:
    memories = {1: memory("Ana: What did it cost?", session="s"), 2: memory("Ben: Fifteen euros.", session="s")}
    assert order("what was the price?", {1: 0.5, 2: 0.4}, memories, {1: 0.0, 2: 0.0}) == [2, 1]


def test_of_equals_the_newest_comes_first() -> None:
    assert rank.top({1: 0.5, 3: 0.5, 2: 0.7}, 2) == [2, 3]
    assert order("what?", {1: 0.5, 2: 0.5}, {1: memory(), 2: memory()}) == [2, 1]


def test_what_happened_at_the_time_of_the_question_wins() -> None:
    memories = {1: memory(days=0), 2: memory(days=18)}
    assert order("what happened yesterday?", {1: 0.5, 2: 0.4}, memories) == [2, 1]


def test_what_came_before_an_event_wins_when_the_question_says_before() -> None:
    memories = {1: memory("a lamp", days=9), 2: memory("a chair", days=1), 3: memory("we moved house", days=5)}
    scores = {1: 0.40, 2: 0.38, 3: 0.2}
    assert order("what did we buy before the move?", scores, memories)[0] == 2
    assert order("what did we buy after we moved?", {**scores, 1: 0.35}, memories)[0] == 1
    assert order("what did we buy before the wedding?", scores, memories)[0] == 1


def test_a_standing_wish_wins_when_help_is_asked_for() -> None:
    memories = {1: memory("a recipe"), 2: memory("I prefer short answers")}
    assert order("how should I cook it?", {1: 0.5, 2: 0.4}, memories) == [2, 1]
    assert order("who cooked it?", {1: 0.5, 2: 0.4}, memories) == [1, 2]


def test_importance_decides_between_equals_and_never_buries_an_exact_answer() -> None:
    memories = {1: memory(importance=1.0), 2: memory(importance=10.0)}
    assert order("x?", {1: 0.5, 2: 0.5}, memories) == [2, 1]
    assert order("x?", {1: 1.0, 2: 0.6}, memories) == [1, 2]


def test_strength_decides_between_equals_and_an_exact_answer_stays_first_however_old_and_weak() -> None:
    old, new = memory(days=-3_000, importance=1.0), memory(importance=10.0, evidence=50)
    assert order("x?", {1: 0.5, 2: 0.5}, {1: old, 2: new}) == [2, 1]
    assert order("x?", {1: 1.0, 2: 0.75}, {1: old, 2: new}) == [1, 2]


def test_a_long_text_gives_way_to_a_short_one_of_the_same_score() -> None:
    memories = {1: memory("short"), 2: memory("long " * 1_000)}
    assert order("x?", {1: 0.5, 2: 0.5}, memories) == [1, 2]
