"""How well a memory answers a question, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.hit import Hit
from recollect.rules.text import stem, terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.model.memory import Memory

NEAR = 0.3
"""The cosine from which a memory without a word in common is worth returning."""


def hits(
    words: Sequence[str],
    lexical: Sequence[tuple[Memory, float]],
    dense: Sequence[tuple[Memory, float]],
    limit: int,
) -> list[Hit]:
    """Return what was found by words and by meaning as hits, best first.

    Both scores are stretched to [0, 1] over what was found, and averaged. The best hit scores the share of the
    question's words that it holds, or its cosine if that is more; the others less, in proportion.
    """
    memories = {memory.id: memory for memory, _ in (*lexical, *dense)}
    bm25 = {memory.id: score for memory, score in lexical}
    cosine = {memory.id: score for memory, score in dense}
    by_words, by_meaning = _stretched(bm25), _stretched(cosine)
    fused = {id: (by_words.get(id, 0.0) + by_meaning.get(id, 0.0)) / 2 for id in memories}
    worth = (id for id in memories if id in bm25 or cosine[id] >= NEAR)
    order = sorted(worth, key=lambda id: -fused[id])[:limit]
    if not order:
        return []
    shared = {id: shared_words(words, memories[id].text) if id in bm25 else [] for id in order}
    best = order[0]
    most = max(len(shared[best]) / max(1, len(words)), min(1.0, cosine.get(best, 0.0)))
    return [
        Hit(
            memories[id],
            most * (fused[id] / fused[best] if fused[best] else 1.0),
            _reasons(shared[id], cosine.get(id)),
        )
        for id in order
    ]


def shared_words(words: Sequence[str], text: str) -> list[str]:
    """Return the words of a question that a text holds, in any of their forms."""
    held = set(terms(text))
    return [word for word in words if stem(word) in held]


def _stretched(scores: Mapping[str, float]) -> dict[str, float]:
    """Stretch scores to [0, 1]; the lowest keeps a little, for it was found and others were not."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    span = high - low
    return {id: 0.05 + 0.95 * (score - low) / span if span > 0 else 1.0 for id, score in scores.items()}


def _reasons(shared: Sequence[str], cosine: float | None) -> tuple[str, ...]:
    reasons = []
    if shared:
        reasons.append("words: " + ", ".join(shared))
    if cosine is not None:
        reasons.append(f"meaning: {cosine:.2f}")
    return tuple(reasons)
