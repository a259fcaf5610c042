"""The variety of texts, without regard to numbers, names in code and quoted words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mnemic.model.checks import Json

_MASKS = (
    (re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)"), "QUOTED"),
    (re.compile(r"\b\w*[a-z][A-Z]\w*\b|\b\w+(?:[._/]\w+)+\b(?:\(\))?|\b\w+\(\)|\b\w*_\w*\b"), "NAME"),
    (re.compile(r"\d+"), "0"),
)


@dataclass(frozen=True, slots=True)
class Distinct:
    """The share of distinct texts, and of distinct runs of three words."""

    count: int
    texts: float
    runs_of_3: float

    def to_dict(self) -> dict[str, Json]:
        """Return the shares as JSON-able values."""
        return {"count": self.count, "distinct": round(self.texts, 4), "distinct_3": round(self.runs_of_3, 4)}


def masked(text: str) -> str:
    """Return a text with numbers, names in code and quoted words masked."""
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return " ".join(text.lower().split())


def distinct(texts: Iterable[str]) -> Distinct:
    """Measure the variety of texts."""
    count, runs = 0, 0
    seen, seen_runs = set(), set()
    for text in map(masked, texts):
        count += 1
        seen.add(hash(text))
        words = text.split()
        for run in zip(words, words[1:], words[2:], strict=False):
            runs += 1
            seen_runs.add(hash(run))
    return Distinct(count, len(seen) / count if count else 0.0, len(seen_runs) / runs if runs else 0.0)
