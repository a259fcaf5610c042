from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recollect import Mind
from recollect.errors import InvalidInput
from recollect.reranking import RERANKED, judged
from recollect.rules.rank import Evidence

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
    for part in ("recollect[onnx]", "recollect models fetch", "RECOLLECT_RERANKER"):
        assert part in str(caught.value)


def evidence(mind: Mind, count: int) -> list[Evidence]:
    kept = mind.remember_many({"text": "x" * (count - place)} for place in range(count))
    return [Evidence(one.memory, None, 0.0, None, False, False, False) for one in kept]


def test_when_the_time_is_spent_the_rest_keep_their_places(mind: Mind) -> None:
    ranked = evidence(mind, 20)
    reranker = Shortest()
    order, verdicts = judged(reranker, "x", ranked, seconds=0)
    assert 0 < len(reranker.read) == len(verdicts) < 20
    assert order[len(verdicts) :] == ranked[len(verdicts) :]
    assert reranker.read == [one.memory.text for one in ranked[: len(verdicts)]]
    assert verdicts == reranker.score("x", [one.memory.text for one in order[: len(verdicts)]])


def test_no_more_than_the_best_are_read(mind: Mind) -> None:
    reranker = Shortest()
    order, verdicts = judged(reranker, "x", evidence(mind, RERANKED + 7), seconds=60)
    assert len(reranker.read) == len(verdicts) == RERANKED
    assert len(order) == RERANKED + 7


def test_a_long_text_is_read_in_part() -> None:
    reranker = Shortest()
    with Mind(":memory:", reranker=reranker) as mind:
        mind.remember("cat " * 10_000)
        mind.recall("cat", rerank=True)
    assert len(reranker.read[0]) < 2_000
