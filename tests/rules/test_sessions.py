from __future__ import annotations

import tracemalloc

import numpy as np

from mnemic.model.session_rows import SessionRows
from mnemic.rules.recall.sessions import session_boosts

SAME, OTHER = (1.0, 0.0), (0.0, 1.0)


def turns(*rows: tuple[int, int, int, tuple[float, float]]) -> SessionRows:
    """Return turns from rows of number, session, time and vector."""
    numbers, sessions, times, vectors = zip(*rows, strict=True)
    lengths = np.full(len(rows), 20, np.int32)
    return SessionRows(np.array(numbers), np.array(sessions), np.array(times), lengths, np.array(vectors, np.float32))


def test_a_session_with_more_evidence_boosts_its_turns_more() -> None:
    rows = turns((1, 7, 1, SAME), (2, 8, 1, SAME), (3, 8, 2, SAME))
    for is_message in (False, True):
        boosts, _ = session_boosts({1: 0.5, 2: 0.5, 3: 0.4}, rows, is_message=is_message)
        assert boosts[2] == boosts[3] > boosts[1]


def test_a_turn_that_says_next_to_nothing_gains_less_unless_it_is_literal() -> None:
    lengths = np.array([20, 3, 3, 3], np.int32)
    numbers, sessions = np.array([1, 2, 3, 4]), np.array([7, 7, 7, 0])
    rows = SessionRows(numbers, sessions, numbers, lengths, np.zeros((4, 0), np.float32))
    boosts, _ = session_boosts(dict.fromkeys((1, 2, 3, 4), 0.5), rows, is_message=False, literal={3})
    assert boosts[1] == boosts[3] > boosts[2]
    assert boosts[4] > 0


def test_a_memory_outside_of_sessions_stands_for_itself() -> None:
    rows = turns((1, 0, 1, SAME), (2, 0, 1, SAME), (3, 7, 1, SAME), (4, 7, 2, SAME), (5, 7, 3, SAME))
    boosts, _ = session_boosts({1: 0.6, 2: 0.3, 3: 0.6, 4: 0.6, 5: 0.6}, rows, is_message=False)
    assert boosts[1] == boosts[3]
    assert boosts[2] < boosts[1]


def test_a_message_prefers_the_latest_session_and_a_lone_question_does_not() -> None:
    rows = turns((1, 7, 2, SAME), (2, 8, 1, SAME))
    boosts, recent = session_boosts({1: 0.5, 2: 0.5}, rows, is_message=True)
    assert boosts[1] > boosts[2]
    assert recent == {1}
    boosts, recent = session_boosts({1: 0.5, 2: 0.5}, rows, is_message=False)
    assert boosts[1] == boosts[2]
    assert not recent


def test_later_sessions_about_something_else_make_nothing_older() -> None:
    others = [(number, number, number, SAME) for number in range(2, 40)]
    boosts, recent = session_boosts(
        {1: 0.8} | dict.fromkeys(range(2, 40), 0.1), turns((1, 1, 1, SAME), *others), is_message=True
    )
    assert boosts[1] == max(boosts.values())
    assert 1 in recent


def test_a_message_finds_sessions_like_those_that_answer() -> None:
    answering = [(number, number, number, SAME) for number in range(3, 8)]
    rows = turns((1, 1, 1, SAME), (2, 2, 2, OTHER), *answering)
    scores = dict.fromkeys(range(3, 8), 0.6)
    boosts, _ = session_boosts({1: 0.2, 2: 0.2} | scores, rows, is_message=True)
    assert boosts[1] > boosts[2]


def test_a_message_finds_an_exact_answer_wherever_it_stands() -> None:
    later = [(number, number, number, OTHER) for number in range(2, 40)]
    boosts, _ = session_boosts(
        {1: 0.95} | dict.fromkeys(range(2, 40), 0.6), turns((1, 1, 1, SAME), *later), is_message=True
    )
    assert boosts[1] == max(boosts.values())


def test_without_vectors_and_without_scores_nothing_fails() -> None:
    rows = SessionRows(
        np.array([1, 2]), np.array([7, 8]), np.array([1, 2]), np.array([3, 3]), np.zeros((2, 0), np.float32)
    )
    assert session_boosts({1: 0.0, 2: 0.0}, rows, is_message=True)[0].keys() == {1, 2}


def test_a_message_among_thousands_of_sessions_takes_little_memory_and_still_finds_those_alike() -> None:
    answering = [(number, number, number, SAME) for number in range(1, 1_500)]
    rows = turns(*answering, (1_500, 1_500, 0, SAME), *((n, n, 0, OTHER) for n in range(1_501, 6_000)))
    tracemalloc.start()
    try:
        boosts, _ = session_boosts({n: 0.6 if n < 1_500 else 0.1 for n in range(1, 6_000)}, rows, is_message=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert boosts[1_500] > boosts[1_501]
    assert peak < 64_000_000
