"""Passages: the part of a long text that best matches a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.rules.language.terms import distinct_terms

if TYPE_CHECKING:
    from collections.abc import Set

PASSAGE = 300
"""The maximum length in characters; with longer passages a reranker gets through fewer candidates."""
_SEARCHED = 20_000


def passage(text: str, terms: Set[str]) -> str:
    """Return the part of a text that contains most of the query terms; of equals, the first."""
    if len(text) <= PASSAGE:
        return text
    starts = range(0, min(len(text), _SEARCHED) - PASSAGE // 2, PASSAGE // 2)
    parts = (text[start : start + PASSAGE] for start in starts)
    return max(parts, key=lambda part: len(terms & distinct_terms(part)))
