"""The cross-encoder as the reranker"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.errors import ModelMissing
from mnemic.rerankers.lazy import LazyReranker
from mnemic.rerankers.onnx import OnnxReranker
from tests.fetching import fetched

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

QUESTION = "Which city does Ana live in?"
TEXTS = ["The soup needs salt", "Ana lives in the city of Lisbon", "Porto won the match"]


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> OnnxReranker:
    return OnnxReranker(fetched("ms-marco-minilm", tmp_path_factory.mktemp("models")))


def test_missing_weights_name_the_command_that_fetches_them(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="`mnemic models fetch ms-marco-minilm`"):
        OnnxReranker(tmp_path)


@pytest.mark.slow
def test_the_answer_scores_high_and_the_rest_low(reranker: OnnxReranker) -> None:
    soup, lisbon, match = reranker.score(QUESTION, TEXTS)
    assert 0 <= soup < 0.1 < 0.9 < lisbon <= 1
    assert 0 <= match < 0.1


@pytest.mark.slow
def test_a_text_scores_the_same_alone_and_in_company(reranker: OnnxReranker) -> None:
    assert reranker.score(QUESTION, TEXTS) == [reranker.score(QUESTION, [text])[0] for text in TEXTS]


@pytest.mark.slow
def test_an_answer_at_the_end_of_a_long_text_counts(reranker: OnnxReranker) -> None:
    filler = "The committee met again and nothing was decided. " * 200
    without, with_answer = reranker.score(QUESTION, [filler, filler + (TEXTS[1] + ". ") * 20])
    assert with_answer > 10 * without


@pytest.mark.slow
def test_nothing_to_compare_scores_zero(reranker: OnnxReranker) -> None:
    assert reranker.score(QUESTION, ["", " "]) == [0, 0]
    assert reranker.score("", TEXTS) == [0, 0, 0]
    assert reranker.score(QUESTION, []) == []


@pytest.mark.slow
def test_a_query_longer_than_the_network_is_answered(reranker: OnnxReranker) -> None:
    [score] = reranker.score(QUESTION + " please" * 1000, TEXTS[1:2])
    assert 0 <= score <= 1


@pytest.mark.slow
def test_a_mind_recalls_with_it(tmp_path: Path, reranker: OnnxReranker) -> None:
    with Mind(tmp_path, reranker=reranker) as mind:
        mind.remember_many({"text": text} for text in TEXTS)
        best, *_ = mind.recall(QUESTION, rerank=True)
    assert best.memory.text == TEXTS[1]
    assert float(best.reasons[-1].removeprefix("reranked: ")) > 0.9


def test_one_that_is_named_is_loaded_when_it_is_first_asked() -> None:
    loaded = []

    class Fixed:
        name = "fixed"

        def score(self, query: str, texts: Sequence[str]) -> list[float]:
            return [len(query) / 10] * len(texts)

    def load() -> Fixed:
        loaded.append(True)
        return Fixed()

    lazy = LazyReranker("fixed", load)
    assert loaded == []
    assert lazy.score("five!", ["a", "b"]) + lazy.score("x", []) == [0.5, 0.5]
    assert loaded == [True]
