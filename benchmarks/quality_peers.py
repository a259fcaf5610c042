"""Measure the quality of one peer on the same questions and print JSON; run it where the peer is installed.

The peers use our table as their embedder, so that the difference is the system and not the model.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.systems import OFFLINE
from mnemic.embedders.table import TableEmbedder
from mnemic.evaluation.beam import load as load_beam
from mnemic.evaluation.realmem import load as load_realmem
from mnemic.evaluation.report import to_json
from mnemic.evaluation.run import run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mnemic.evaluation.dataset import GoldQuestion, Turn
    from mnemic.evaluation.systems import System

EMBEDDER = TableEmbedder()


class Chroma:
    """chromadb in a folder, searched by cosine."""

    def __init__(self, folder: Path) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._turns = client.create_collection("turns", embedding_function=None, metadata={"hnsw:space": "cosine"})

    def remember(self, turns: Sequence[Turn]) -> None:
        """Add turns with their vectors."""
        texts = [turn.text for turn in turns]
        self._turns.add(ids=[turn.id for turn in turns], documents=texts, embeddings=EMBEDDER.embed(texts).tolist())

    def search(self, question: GoldQuestion, limit: int) -> list[str]:
        """Return the nearest turns."""
        vector = EMBEDDER.embed([question.text]).tolist()
        return list(self._turns.query(query_embeddings=vector, n_results=limit)["ids"][0])

    def close(self) -> None:
        """Do nothing: the client cannot be closed."""


class Mem0:
    """mem0 on a local Qdrant folder, storing turns as they are."""

    def __init__(self, folder: Path) -> None:
        os.environ["MEM0_DIR"] = str(folder / "home")
        from mem0 import Memory

        logging.getLogger("mem0").setLevel(logging.ERROR)
        store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": EMBEDDER.dimension}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Table()

    def remember(self, turns: Sequence[Turn]) -> None:
        """Add turns, each with its id."""
        for turn in turns:
            self._memory.add(turn.text, user_id="asker", infer=False, metadata={"turn": turn.id})

    def search(self, question: GoldQuestion, limit: int) -> list[str]:
        """Return the best turns, with mem0's threshold off."""
        hits = self._memory.search(question.text, filters={"user_id": "asker"}, top_k=limit, threshold=0.0)
        return [hit["metadata"]["turn"] for hit in hits["results"]]

    def close(self) -> None:
        """Close the memory and the store below it."""
        self._memory.close()
        self._memory.vector_store.client.close()


class _Table:
    """Our table behind mem0's interface."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        """Return the vector of one text."""
        vector: list[float] = EMBEDDER.embed([text])[0].tolist()
        return vector

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002
        """Return the vectors of many texts."""
        vectors: list[list[float]] = EMBEDDER.embed(list(texts)).tolist()
        return vectors


PEERS: dict[str, Callable[[Path], System]] = {"chromadb": Chroma, "mem0ai": Mem0}


def main() -> None:
    """Measure one peer and print its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=PEERS, help="the library to measure")
    parser.add_argument("--data", type=Path, required=True, help="the evaluation sets")
    options = parser.parse_args()
    os.environ.update(OFFLINE)
    results = []
    with tempfile.TemporaryDirectory() as folder:

        def make() -> System:
            return PEERS[options.peer](Path(tempfile.mkdtemp(dir=folder)))

        for dataset in (load_beam(options.data / "beam-100k"), load_realmem(options.data / "realmem")):
            results += run(dataset.half(1), options.peer, make)
    print(json.dumps(to_json(results)))


if __name__ == "__main__":
    main()
