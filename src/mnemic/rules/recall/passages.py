"""Passages: the part of a long text that a question is likeliest about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.rules.language.terms import distinct_terms

if TYPE_CHECKING:
    from collections.abc import Set

PASSAGE = 300
"""How many characters a passage has at most: a longer one would spend a reader's time for many."""
_SEARCHED = 20_000


def passage(text: str, wanted: Set[str]) -> str:
    """Return the part of a text that holds most of the wanted terms, the first of equals."""
    if len(text) <= PASSAGE:
        return text
    starts = range(0, min(len(text), _SEARCHED) - PASSAGE // 2, PASSAGE // 2)
    parts = (text[start : start + PASSAGE] for start in starts)
    return max(parts, key=lambda part: len(wanted & distinct_terms(part)))
