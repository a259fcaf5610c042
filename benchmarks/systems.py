"""Mnemic and its peers behind one small interface; each runs in an environment that has it."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Protocol
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

DIMENSION = 384

OFFLINE = {
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "MEM0_TELEMETRY": "False",
    "OPENAI_API_KEY": "never-used",
}
"""The environment that turns off the telemetry and the downloads of the peers."""


class System(Protocol):
    """A memory that stores texts of users and searches them."""

    def add(self, text: str, user: str) -> object:
        """Add one text."""

    def add_many(self, texts: Sequence[str], users: Sequence[str]) -> object:
        """Add many texts in the fastest way the system offers."""

    def search(self, question: str, user: str) -> list[Any]:
        """Return the ten best texts of a user."""

    def close(self) -> None:
        """Close the store."""


class Mnemic:
    """Mnemic, by words and meaning, with its own embedder."""

    def __init__(self, folder: Path) -> None:
        from mnemic import Mind

        self._mind = Mind(folder)

    def add(self, text: str, user: str) -> object:
        """Add one text."""
        return self._mind.remember(text, user=user)

    def add_many(self, texts: Sequence[str], users: Sequence[str]) -> object:
        """Add many texts in one batch."""
        return self._mind.remember_many({"text": text, "user": user} for text, user in zip(texts, users, strict=True))

    def search(self, question: str, user: str) -> list[Any]:
        """Return the ten best texts of a user."""
        return self._mind.recall(question, user=user, limit=10)

    def close(self) -> None:
        """Close the mind."""
        self._mind.close()


class Chroma:
    """chromadb on a folder, with vectors computed outside."""

    def __init__(self, folder: Path) -> None:
        import chromadb

        client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
        self._collection = client.get_or_create_collection("memories", embedding_function=None)
        self._next_id = self._collection.count()

    def add(self, text: str, user: str) -> object:
        """Add one text."""
        return self.add_many([text], [user])

    def add_many(self, texts: Sequence[str], users: Sequence[str]) -> object:
        """Add many texts in one call."""
        ids = [str(self._next_id + index) for index in range(len(texts))]
        self._next_id += len(texts)
        return self._collection.add(
            ids=ids,
            documents=list(texts),
            embeddings=[vector(text) for text in texts],
            metadatas=[{"user": user} for user in users],
        )

    def search(self, question: str, user: str) -> list[Any]:
        """Return the ten best texts of a user."""
        hits = self._collection.query(query_embeddings=[vector(question)], n_results=10, where={"user": user})
        return list(hits["documents"][0])

    def close(self) -> None:
        """Do nothing: the client cannot be closed."""


class Mem0:
    """mem0 on a local Qdrant folder, storing texts as they are."""

    def __init__(self, folder: Path) -> None:
        os.environ["MEM0_DIR"] = str(folder / "home")
        from mem0 import Memory

        logging.getLogger("mem0").setLevel(logging.ERROR)
        store = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": DIMENSION}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = StubEmbedder()

    def add(self, text: str, user: str) -> object:
        """Add one text."""
        return self._memory.add(text, user_id=user, infer=False)

    def add_many(self, texts: Sequence[str], users: Sequence[str]) -> object:
        """Add many texts with one call per user: a call takes the messages of one user."""
        messages_of: dict[str, list[dict[str, str]]] = {}
        for text, user in zip(texts, users, strict=True):
            messages_of.setdefault(user, []).append({"role": "user", "content": text})
        return [self._memory.add(messages, user_id=user, infer=False) for user, messages in messages_of.items()]

    def search(self, question: str, user: str) -> list[Any]:
        """Return the ten best texts of a user."""
        hits = self._memory.search(question, filters={"user_id": user}, top_k=10)
        return list(hits["results"])

    def close(self) -> None:
        """Close the memory and its store, which would refuse the next process."""
        self._memory.close()
        self._memory.vector_store.client.close()


class StubEmbedder:
    """An embedder for mem0 without a model."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        """Return the vector of one text."""
        return vector(text)

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002
        """Return the vectors of many texts."""
        return [vector(text) for text in texts]


def vector(text: str) -> list[float]:
    """Return a unit vector made of the hashes of the words."""
    values = [0.0] * DIMENSION
    for word in text.split():
        digest = crc32(word.encode())
        values[digest % DIMENSION] += 1.0 if digest & 0x8000_0000 else -1.0
    length = sum(value * value for value in values) ** 0.5 or 1.0
    return [value / length for value in values]


SYSTEMS: dict[str, Callable[[Path], System]] = {"mnemic": Mnemic, "chromadb": Chroma, "mem0ai": Mem0}
"""By the name of their distribution."""
