from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.core.rerank import MAX_RERANKED, rerank_scores
from mnemic.errors import InvalidInput, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Shortest:
    """Judge that short texts answer best, and note what was read."""

    name = "shortest"

    def __init__(self) -> None:
        self.read: list[str] = []

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        assert query
        self.read += texts
        return [1 / (1 + len(text) ** 3) for text in texts]


def test_a_sure_reranker_changes_the_order() -> None:
    with Mind(":memory:", reranker=Shortest()) as mind:
        mind.remember("the cat of Ana is called Miso and sleeps")
        mind.remember("a cat")
        plain = mind.recall("the cat of Ana is called")
        reranked = mind.recall("the cat of Ana is called", rerank=True, min_score=0)
        assert plain[0].memory.text.startswith("the cat")
        assert reranked[0].memory.text == "a cat"
        assert reranked[0].reasons[-1] == "reranked: 0.01"
        assert [hit.score for hit in reranked] == sorted((hit.score for hit in reranked), reverse=True)
        assert "a cat" in mind.context("cat", budget=200, rerank=True)


def test_without_a_reranker_the_error_says_how_to_get_one(mind: Mind) -> None:
    mind.remember("a cat")
    with pytest.raises(InvalidInput, match="rerank") as caught:
        mind.recall("cat", rerank=True)
    for part in (".[onnx]", "mnemic models fetch", "MNEMIC_RERANKER"):
        assert part in str(caught.value)


PRIORS = [0.0] * 100


def passages(count: int) -> list[str]:
    return ["x" * (count - place) for place in range(count)]


def test_when_the_time_is_spent_the_rest_go_unread() -> None:
    reranker = Shortest()
    texts = passages(20)
    scores = rerank_scores(reranker, "x", texts, [None] * 20, PRIORS, seconds=0)
    assert 0 < len(scores) < 20
    assert reranker.read == texts[: len(scores)]


def test_what_was_not_read_stands_behind() -> None:
    facts = [f"the cat number {number} of Ana sleeps" for number in range(MAX_RERANKED + 5)]
    with Mind(":memory:", reranker=Shortest()) as mind:
        mind.remember_many({"text": text} for text in facts)
        hits = mind.recall("cat of Ana", limit=100, min_score=0, rerank=True)
    assert [hit.reasons[-1].startswith("reranked") for hit in hits] == [True] * MAX_RERANKED + [False] * 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_no_more_than_the_best_are_read() -> None:
    reranker = Shortest()
    scores = rerank_scores(reranker, "x", passages(MAX_RERANKED + 7), [None] * (MAX_RERANKED + 7), PRIORS, seconds=60)
    assert len(reranker.read) == len(scores) == MAX_RERANKED


class Confirming:
    """Judge that a text answers when it confirms something and says what."""

    name = "confirming"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        assert query
        return [0.9999 if "Yes" in text and "Lisbon" in text else 0.0001 for text in texts]


def test_a_turn_is_read_again_behind_the_one_before_it() -> None:
    with Mind(":memory:", reranker=Confirming()) as mind:
        for session, asked in (("first", "Did you move to Lisbon?"), ("second", "Did you move to Porto?")):
            mind.remember(f"Ben: {asked}", session=session)
            mind.remember("Ana: Yes, I did, in March", session=session)
        best = mind.recall("Who moved to Lisbon?", rerank=True, everywhere=True)[0]
        assert best.memory.text.startswith("Ana")
        assert best.memory.scope.session == "first"
        assert "reranked: 0.50" in best.reasons


def test_a_turn_before_that_is_not_asked_about_is_not_read() -> None:
    reranker = Shortest()
    with Mind(":memory:", reranker=reranker) as mind:
        mind.remember("Ben: Did you move to Lisbon?", session="chat")
        mind.remember("Ana: Yes, I did, in March", session="chat", tags=["told"])
        mind.recall("Who moved?", session="chat", where={"tags": {"contains": "told"}}, rerank=True, min_score=0)
    assert reranker.read
    assert not any("Lisbon" in text for text in reranker.read)


def test_a_message_of_a_conversation_is_not_reranked() -> None:
    reranker = Shortest()
    with Mind(":memory:", reranker=reranker) as mind:
        mind.remember("Ana: The garden needs water", session="chat")
        found = mind.recall("I am back. What does the garden need?", session="chat", rerank=True)
    assert len(found) == 1
    assert reranker.read == []


def test_a_long_text_is_read_where_it_holds_the_words_of_the_question() -> None:
    reranker = Shortest()
    with Mind(":memory:", reranker=reranker) as mind:
        mind.remember("nothing to see here. " * 100 + "The cat is called Miso. " + "and so on. " * 500)
        mind.recall("what is the cat called?", rerank=True, min_score=0)
    assert "Miso" in reranker.read[0]
    assert len(reranker.read[0]) < 500


class Answering:
    """Give the same answer whatever is asked."""

    name = "answering"

    def __init__(self, *scores: float) -> None:
        self.scores = scores

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        assert query
        return list(self.scores or [0.0001] * len(texts))


@pytest.mark.parametrize("scores", [(0.5, 0.5), (float("nan"),), (1.5,), (-0.1,)])
def test_a_reranker_that_gives_no_number_for_each_text_is_refused(scores: tuple[float, ...]) -> None:
    with Mind(":memory:", reranker=Answering(*scores)) as mind:
        mind.remember("a cat")
        with pytest.raises(ModelError, match="a number from 0 to 1 for each"):
            mind.recall("cat", rerank=True)


def test_a_message_that_is_not_reranked_is_cut_like_any_other() -> None:
    with Mind(":memory:", reranker=Answering()) as mind:
        for session in range(6):
            for turn in range(12):
                mind.remember(f"Ana: the tax form {session} of number {turn}", user="u", session=str(session))
        for turn in range(200):
            mind.remember(f"Bo: a boat was seen near isle {turn}", user="u", session="boats")
        message = "I am back. What is next about tax?"
        plain = mind.recall(message, user="u", limit=200)
        assert mind.recall(message, user="u", limit=200, rerank=True) == plain
        assert len(plain) < 200


def test_what_took_a_place_is_not_told_to_whoever_asks_for_something_else() -> None:
    with Mind(":memory:", reranker=Answering()) as mind:
        old = mind.remember("Ana lives in Porto", user="u").memory
        mind.supersede(old.id, mind.remember("Ana lives in Lisbon", user="u").memory.id)
        assert mind.recall("recipe for soup", user="u") == mind.recall("recipe for soup", user="u", rerank=True) == []
