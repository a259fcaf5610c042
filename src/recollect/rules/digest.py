"""Digest: a few sentences that stand for many."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from recollect.rules.sentences import sentences
from recollect.rules.statements import overrides
from recollect.rules.text import STOP_WORDS, query_words, terms

if TYPE_CHECKING:
    from collections.abc import Sequence


def digest(texts: Sequence[str], *, length: int) -> str:
    """Return the sentences that say most, in their order, within a length in characters."""
    told = list(dict.fromkeys(s for text in texts for s in sentences(text) if not overrides(s)))
    counts = Counter(term for sentence in told for term in set(terms(sentence)) if term not in STOP_WORDS)
    chosen: dict[int, str] = {}
    covered: set[str] = set()
    left = length
    while True:
        best = max(
            (place for place in range(len(told)) if place not in chosen and len(told[place]) < left),
            key=lambda place: _gain(told[place], counts, covered),
            default=None,
        )
        if best is None or _gain(told[best], counts, covered) <= 0:
            break
        chosen[best] = told[best]
        covered |= set(terms(told[best]))
        left -= len(told[best]) + 1
    return " ".join(chosen[place] for place in sorted(chosen))


def topic(texts: Sequence[str], *, words: int = 3) -> str:
    """Return the words that come up most, as a name for what the texts are about."""
    counts = Counter(word for text in texts for word in dict.fromkeys(query_words(text)) if len(word) > 2)
    return ", ".join(word for word, _ in counts.most_common(words) if word not in STOP_WORDS)


def _gain(sentence: str, counts: Counter[str], covered: set[str]) -> float:
    fresh = {term for term in terms(sentence) if term not in STOP_WORDS} - covered
    return sum(counts[term] for term in fresh) / math.sqrt(4 + len(sentence.split()))
