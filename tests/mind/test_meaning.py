"""Recall by meaning, and what happens when the embedder changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mnemic import Mind
from mnemic.core.reindex import fill
from mnemic.errors import ModelError, OtherEmbedder
from mnemic.model.embedding import EmbeddingModel
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

TOPICS = ({"cat", "kitten", "purrs"}, {"car", "engine", "drives"}, {"tea", "coffee", "drinks"})


class TopicEmbedder:
    """Know three topics, and nothing else."""

    dimension = len(TOPICS)

    def __init__(self, name: str = "topics") -> None:
        self.name = name
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        rows = np.array([[len(topic & set(text.lower().split())) for topic in TOPICS] for text in texts], np.float32)
        rows = rows.reshape(len(texts), self.dimension)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return unit


def reindex(folder: Path, embedder: TopicEmbedder) -> int:
    store = SqliteStore(folder, EmbeddingModel(embedder.name, embedder.dimension))
    try:
        return fill(store, embedder, progress=lambda *_: None)
    finally:
        store.close()


def test_a_memory_without_a_word_in_common_is_found_by_meaning(tmp_path: Path) -> None:
    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        mind.remember("the kitten sleeps", user="ana")
        mind.remember("the engine is loud", user="ana")
        hits = mind.recall("a cat", user="ana")
    assert [hit.memory.text for hit in hits] == ["the kitten sleeps"]
    assert hits[0].reasons == ("meaning: 1.00",)


def test_who_speaks_has_no_part_in_what_a_turn_means(tmp_path: Path) -> None:
    embedder = TopicEmbedder()
    with Mind(tmp_path, embedder=embedder) as mind:
        turn = mind.remember("Ana: the kitten sleeps", user="ana", session="monday").memory
        mind.remember("Ana: a label, not a speaker", user="ana")
        mind.remember_many(
            [{"text": "Ben: good night, all", "session": "monday"}, {"text": "Ben: yes", "session": "monday"}]
        )
        mind.revise(turn.id, text="Ana: the engine is loud")
    told = ["the kitten sleeps", "Ana: a label, not a speaker", "good night, all", "Ben: yes", "the engine is loud"]
    assert embedder.embedded == told
    other = TopicEmbedder("others")
    reindex(tmp_path, other)
    assert sorted(other.embedded) == sorted(told[1:])


def test_the_bundled_embedder_finds_by_meaning() -> None:
    with Mind(":memory:") as mind:
        mind.remember("My daughter plays the violin in an orchestra")
        mind.remember("The car needs new tyres before winter")
        assert mind.recall("a child who makes music")[0].memory.text.startswith("My daughter")


def test_a_revised_text_has_the_meaning_of_its_new_words(tmp_path: Path) -> None:
    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        id = mind.remember("the kitten sleeps").memory.id
        mind.revise(id, text="the engine is loud")
        assert mind.recall("a cat") == []
        assert [hit.memory.id for hit in mind.recall("a car")] == [id]


def test_another_embedder_is_refused_and_told_of_reindex(tmp_path: Path) -> None:
    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        mind.remember("the kitten sleeps")
    with pytest.raises(OtherEmbedder, match="mnemic reindex"):
        Mind(tmp_path, embedder=TopicEmbedder("others"))


def test_a_reindexed_mind_is_searched_by_the_new_embedder(tmp_path: Path) -> None:
    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        mind.remember_many({"text": f"the kitten sleeps {n}"} for n in range(1_200))
        reader = mind
        assert reindex(tmp_path, TopicEmbedder("others")) == 1_200
        with pytest.raises(OtherEmbedder, match="others"):
            reader.recall("a cat")
    with Mind(tmp_path, embedder=TopicEmbedder("others")) as mind:
        assert len(mind.recall("a cat", limit=50)) == 50
        assert all(finding.ok for finding in mind.doctor())


def test_what_arrives_during_a_reindex_is_embedded_too(tmp_path: Path) -> None:
    class Busy(TopicEmbedder):
        """Let another program remember, revise and forget while this one embeds."""

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.embedded) == 0:
                mind.remember("arrived a car")
                mind.revise(revised, text="revised tea")
                mind.forget(forgotten)
            return super().embed(texts)

    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        revised = mind.remember("the kitten sleeps").memory.id
        forgotten = mind.remember("the engine is loud").memory.id
        mind.remember_many({"text": f"nothing in particular {n}"} for n in range(30))
        reindex(tmp_path, Busy("others"))
    with Mind(tmp_path, embedder=TopicEmbedder("others")) as mind:
        assert [hit.memory.text for hit in mind.recall("drives")] == ["arrived a car"]
        assert [hit.memory.text for hit in mind.recall("coffee")] == ["revised tea"]
        assert all(finding.ok for finding in mind.doctor())


def test_an_interrupted_reindex_goes_on_where_it_stopped(tmp_path: Path) -> None:
    class Interrupted(TopicEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.embedded:
                raise KeyboardInterrupt
            return super().embed(texts)

    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        mind.remember_many({"text": f"the kitten sleeps {n}"} for n in range(1_200))
        with pytest.raises(KeyboardInterrupt):
            reindex(tmp_path, Interrupted("others"))
        assert len(mind.recall("a cat")) == 10
    resumed = TopicEmbedder("others")
    assert reindex(tmp_path, resumed) == 700
    assert "the kitten sleeps 0" not in resumed.embedded


def test_memories_of_a_mind_without_vectors_are_found_by_words_until_it_is_reindexed(tmp_path: Path) -> None:
    with Mind.over(SqliteStore(tmp_path), embedder=TopicEmbedder()) as mind:
        mind.remember("the kitten sleeps")
    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        mind.remember("the engine is loud")
        assert [hit.memory.text for hit in mind.recall("kitten")] == ["the kitten sleeps"]
        assert mind.recall("a cat") == []
        assert [finding.check for finding in mind.doctor() if not finding.ok] == ["vectors"]
    assert reindex(tmp_path, TopicEmbedder()) == 1
    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        assert [hit.memory.text for hit in mind.recall("a cat")] == ["the kitten sleeps"]


@pytest.mark.parametrize(
    "rows",
    [[[1.0, 2.0]], [[np.nan, 0.0, 0.0]], [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [["x", "y", "z"]]],
    ids=["another length", "not a number", "too many", "not numbers"],
)
def test_an_embedder_that_returns_rubbish_is_named_and_nothing_is_stored(rows: list[list[object]]) -> None:
    class Wrong(TopicEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:  # noqa: ARG002
            return np.array(rows)

    with Mind(":memory:", embedder=Wrong("wrong")) as mind:
        with pytest.raises(ModelError, match="wrong"):
            mind.remember("the kitten sleeps")
        assert mind.count() == 0


def test_explain_agrees_with_recall(tmp_path: Path) -> None:
    with Mind(tmp_path) as mind:
        mind.remember_many({"text": f"stone {n} lies in garden {n % 7} near lamp {n % 11}"} for n in range(400))
        recalled = [hit.memory.id for hit in mind.recall("stone garden 3 lamp 5")]
        asked = [memory.id for page in mind.pages() for memory in page[::9]]
        assert recalled
        assert len(asked) > 40
        for id in {*asked, *recalled}:
            assert mind.explain("stone garden 3 lamp 5", id).recalled == (id in recalled)


def test_a_reindex_of_a_mind_without_vectors_switches_only_at_its_end(tmp_path: Path) -> None:
    class Interrupted(TopicEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.embedded:
                raise KeyboardInterrupt
            return super().embed(texts)

    with Mind.over(SqliteStore(tmp_path), embedder=TopicEmbedder()) as mind:
        mind.remember_many({"text": f"the kitten sleeps {n}"} for n in range(1_200))
    with pytest.raises(KeyboardInterrupt):
        reindex(tmp_path, Interrupted("others"))
    with Mind(tmp_path, embedder=TopicEmbedder()) as mind:
        mind.remember("the engine is loud")
        assert mind.recall("a car")
