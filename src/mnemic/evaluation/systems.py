"""The systems to evaluate: Mnemic through its public API, and BM25 and vectors alone."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from mnemic.mind import Mind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mnemic.evaluation.dataset import GoldQuestion, Turn
    from mnemic.ports import Embedder, Reranker

USER = "asker"


class System(Protocol):
    """A memory that stores turns and searches them."""

    def remember(self, turns: Sequence[Turn]) -> None:
        """Store turns, in order of time."""

    def search(self, question: GoldQuestion, limit: int) -> list[str]:
        """Return the ids of the turns for a question, best first."""

    def close(self) -> None:
        """Close the system."""


class Mnemic:
    """A mind in memory, asked at the time of the question."""

    def __init__(
        self,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        min_score: float | None = None,
    ) -> None:
        self.now = datetime.now(UTC)
        self.mind = Mind(":memory:", embedder=embedder, reranker=reranker, clock=lambda: self.now)
        self._rerank = reranker is not None
        self._min_score = min_score
        self.turns: dict[str, str] = {}

    def remember(self, turns: Sequence[Turn]) -> None:
        """Store each turn in its session."""
        drafts = []
        for turn in turns:
            draft = {"text": turn.text, "user": USER, "occurred_at": turn.occurred_at, "session": turn.session}
            drafts.append({name: value for name, value in draft.items() if value is not None})
        if times := [turn.occurred_at for turn in turns if turn.occurred_at is not None]:
            self.now = max(times)
        for turn, remembered in zip(turns, self.mind.remember_many(drafts), strict=True):
            self.turns[remembered.memory.id] = turn.id

    def search(self, question: GoldQuestion, limit: int) -> list[str]:
        """Recall with the chosen `min_score`, by default the measured cut."""
        self.now = question.asked_at or self.now
        hits = self.mind.recall(question.text, user=USER, limit=limit, min_score=self._min_score, rerank=self._rerank)
        return [self.turns[hit.memory.id] for hit in hits]

    def close(self) -> None:
        """Close the mind."""
        self.mind.close()


class Bm25:
    """SQLite's full-text search with Porter stems, for any word of the question."""

    def __init__(self) -> None:
        self._base = sqlite3.connect(":memory:")
        self._base.execute("CREATE VIRTUAL TABLE turns USING fts5(id UNINDEXED, text, tokenize='porter unicode61')")

    def remember(self, turns: Sequence[Turn]) -> None:
        """Index each turn."""
        self._base.executemany("INSERT INTO turns VALUES (?, ?)", [(turn.id, turn.text) for turn in turns])

    def search(self, question: GoldQuestion, limit: int) -> list[str]:
        """Return the best turns by BM25."""
        words = dict.fromkeys(re.findall(r"\w+", question.text.lower()))
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._base.execute("SELECT id FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (match, limit))
        return [id for (id,) in rows]

    def close(self) -> None:
        """Close the index."""
        self._base.close()


class Dense:
    """Vector search alone, by cosine."""

    def __init__(self, embedder: Embedder) -> None:
        import numpy as np

        self._embedder = embedder
        self._ids: list[str] = []
        self._vectors = np.zeros((0, embedder.dimension), np.float32)

    def remember(self, turns: Sequence[Turn]) -> None:
        """Embed each turn."""
        import numpy as np

        self._ids += [turn.id for turn in turns]
        self._vectors = np.vstack([self._vectors, self._embedder.embed([turn.text for turn in turns])])

    def search(self, question: GoldQuestion, limit: int) -> list[str]:
        """Return the nearest turns."""
        import numpy as np

        cosines = self._vectors @ self._embedder.embed([question.text])[0]
        return [self._ids[index] for index in np.argsort(-cosines, kind="stable")[:limit]]

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def offline() -> dict[str, Callable[[], System]]:
    """Return the systems that need only this package, by name."""
    embedder = _embedder()
    return {
        "mnemic": lambda: Mnemic(embedder=embedder),
        "mnemic, no cut": lambda: Mnemic(embedder=embedder, min_score=0),
        "bm25": Bm25,
        "dense": lambda: Dense(embedder),
    }


def _embedder() -> Embedder:
    from mnemic.wiring import embedder_from

    return embedder_from("table")
