"""Evidence as hits: the chance of relevance, and the reasons in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from recollect.model.hit import Hit
from recollect.rules.calibration import chance, falling, rarity, share
from recollect.rules.text import stem, terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.rules.question import Question
    from recollect.rules.rank import Evidence


def hits(question: Question, ranked: Sequence[Evidence], total: int, counts: Mapping[str, int]) -> list[Hit]:
    """Return ranked evidence as hits; `total` and `counts` tell how rare the question's terms are."""
    rows = features(question, ranked, total, counts)
    scores = falling([chance(row) for row in rows])
    return [
        Hit(one.memory, score, reasons(question, one)) for one, score in zip(ranked, scores, strict=True)
    ]


def features(
    question: Question, ranked: Sequence[Evidence], total: int, counts: Mapping[str, int]
) -> list[tuple[float, ...]]:
    """Return what the chance of relevance of each candidate is judged by, in the order of `calibration.FEATURES`."""
    if not ranked:
        return []
    rarities = {term: rarity(total, counts.get(term, 0)) for term in question.terms}
    asked = set(rarities)
    shares = [share(asked.intersection(terms(one.memory.text)), rarities) for one in ranked]
    cosines = [one.cosine or 0.0 for one in ranked]
    best_cosine, best_share, best_total = max(cosines), max(shares), ranked[0].total
    words = math.log1p(len(rarities))
    return [
        (cosine, held, one.total - best_total, best_cosine, best_share, words)
        for one, cosine, held in zip(ranked, cosines, shares, strict=True)
    ]


def reasons(question: Question, one: Evidence) -> tuple[str, ...]:
    """Tell in words why a memory was recalled."""
    told = []
    held = set(terms(one.memory.text))
    if words := [word for word in question.words if stem(word) in held]:
        told.append("words: " + ", ".join(words))
    if one.cosine is not None:
        told.append(f"meaning: {one.cosine:.2f}")
    if one.span is not None:
        told.append(f"time: {one.span.words}")
    if one.lender is not None:
        told.append("neighbour: the turn beside it answers too")
    if one.is_standing:
        told.append("standing wish")
    if one.is_recent:
        told.append("recent: from the latest session that answers")
    return tuple(told)
