"""How well a memory answers a question, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.hit import Hit
from recollect.rules.text import stem, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.model.memory import Memory


def hits(words: Sequence[str], found: Sequence[tuple[Memory, float]]) -> list[Hit]:
    """Return what BM25 found as hits, best first.

    The best one scores the share of the question's words that it holds; the others less, in proportion to BM25.
    """
    if not found:
        return []
    best, best_bm25 = found[0]
    coverage = len(shared_words(words, best.text)) / len(words)
    return [
        Hit(
            memory,
            coverage * min(1.0, bm25 / best_bm25 if best_bm25 > 0 else 1.0),
            ("words: " + ", ".join(shared_words(words, memory.text)),),
        )
        for memory, bm25 in found
    ]


def shared_words(words: Sequence[str], text: str) -> list[str]:
    """Return the words of a question that a text holds, in any of their forms."""
    held = set(terms(text))
    return [word for word in words if stem(word) in held]
