"""What a question gets that nothing in a conversation answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.rules.recall.calibration import POOR_MEAN, THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Iterator

TURNS = """
Ana: I planted tomatoes on the balcony today
Ben: Nice, mine died last summer
Ana: You have to water them every evening
Ben: I always forget, I was at the gym until nine
Ana: How is the knee?
Ben: Much better, the physio is great
Ana: We should cook together on Sunday
Ben: I can bring the pasta machine
Ana: Perfect, my sister Clara will come too
Ben: Does she still work at the library?
Ana: Yes, she runs the children's corner
Ben: My nephew loves that place
Ana: I finished the blue blanket for the baby
Ben: Already? You are fast
Ana: I knit on the train every morning
Ben: I only read the news there
""".strip().splitlines()
UNANSWERED = "Which server runs the database?"


@pytest.fixture
def mind() -> Iterator[Mind]:
    with Mind(":memory:") as mind:
        mind.remember_many(
            {"text": text, "user": "ana", "session": "chat", "occurred_at": f"2026-01-01T10:{minute:02}:00Z"}
            for minute, text in enumerate(TURNS)
        )
        yield mind


def test_where_all_turns_are_poor_answers_the_best_of_them_is_none(mind: Mind) -> None:
    best = mind.recall(UNANSWERED, user="ana", min_score=0)[0]
    assert best.score > THRESHOLD
    assert mind.recall(UNANSWERED, user="ana") == []
    assert mind.recall(UNANSWERED, user="ana", limit=1) == []
    assert mind.context(UNANSWERED, user="ana", budget=200) == ""


def test_explain_says_that_nothing_was_recalled(mind: Mind) -> None:
    best = mind.recall(UNANSWERED, user="ana", min_score=0)[0]
    told = mind.explain(UNANSWERED, best.memory.id, user="ana")
    assert not told.recalled
    assert f"no turn is recalled: the best ones score under {POOR_MEAN:.3f} on average" in told.reasons


def test_whoever_gives_a_score_gets_what_has_it(mind: Mind) -> None:
    best = mind.recall(UNANSWERED, user="ana", min_score=0)[0]
    assert [hit.memory.id for hit in mind.recall(UNANSWERED, user="ana", min_score=best.score)] == [best.memory.id]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What does Clara do for work?", "library"), ("What vegetables does Ana grow?", "tomatoes")],
)
def test_one_good_answer_is_enough(mind: Mind, question: str, answer: str) -> None:
    assert any(answer in hit.memory.text for hit in mind.recall(question, user="ana"))


@pytest.mark.parametrize("limit", [1, 10, 20, 100])
def test_the_limit_decides_nothing(mind: Mind, limit: int) -> None:
    assert mind.recall(UNANSWERED, user="ana", limit=limit) == []


def test_a_memory_outside_of_sessions_stands_for_itself(mind: Mind) -> None:
    seat = mind.remember("Ana prefers window seats on flights", user="ana").memory
    assert [hit.memory.id for hit in mind.recall("Which seat should I book?", user="ana")][:1] == [seat.id]


def test_what_lies_behind_the_limit_is_explained_by_what_decided(mind: Mind) -> None:
    last = mind.recall(UNANSWERED, user="ana", limit=100, min_score=0)[-1].memory
    told = mind.explain(UNANSWERED, last.id, user="ana", limit=1)
    assert any(reason.startswith("no turn is recalled") for reason in told.reasons)
    told = mind.explain("What vegetables does Ana grow?", last.id, user="ana", limit=1)
    assert not any(reason.startswith("no turn is recalled") for reason in told.reasons)
