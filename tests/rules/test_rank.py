from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from recollect.model.memory import Memory
from recollect.model.scope import Scope
from recollect.rules import rank
from recollect.rules.question import read

if TYPE_CHECKING:
    from collections.abc import Mapping

TODAY = date(2026, 5, 20)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def memory(text: str = "x", *, session: str | None = None, days: float = 0, **fields: Any) -> Memory:
    at = NOON + timedelta(days=days)
    return Memory(id="id", text=text, scope=Scope(session=session), created_at=at, occurred_at=at, **fields)


def order(question: str, scores: Mapping[int, float], memories: Mapping[int, Memory]) -> list[int]:
    found = rank.Candidates(frozenset(), {}, {}, scores, scores)
    settled = rank.settle(read(question, TODAY), found, memories, 10, NOON)
    return [next(number for number, kept in memories.items() if kept is one.memory) for one in settled]


def test_words_and_meaning_count_alike() -> None:
    fused = rank.fuse([(1, 8.0), (2, 4.0)], {1: 0.2, 2: 0.2, 3: 0.8})
    assert fused == pytest.approx({1: 0.5, 2: 0.25, 3: 0.5})


def test_cosines_that_hardly_differ_are_not_blown_up() -> None:
    fused = rank.fuse([(1, 1.0)], {1: 0.50, 2: 0.52})
    assert fused[1] > fused[2] > 0


def test_nothing_found_is_nothing_fused() -> None:
    assert rank.fuse([], {}) == {}
    assert rank.fuse([(1, 0.0)], {}) == {1: 0.0}


def test_neighbours_lend_to_each_other() -> None:
    lent = rank.lend({1: 1.0, 2: 0.1, 5: 0.1}, {1: (None, 2), 2: (1, 3)})
    assert lent[2] == pytest.approx(0.1 + rank.LEND)
    assert lent[1] == pytest.approx(1.0 + rank.LEND * 0.1)
    assert lent[5] == 0.1


def test_of_equals_the_newest_comes_first() -> None:
    assert rank.best({1: 0.5, 3: 0.5, 2: 0.7}, 2) == [2, 3]


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
