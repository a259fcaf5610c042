"""Synonyms: words that match each other in a query, as "live" in "Where do I live?" matches "I moved to Lisbon"."""

from __future__ import annotations

from mnemic.rules.language.terms import stem

_GROUPS = (
    "live home reside moved relocated settled address",
    "work job employer employed occupation profession career hired",
    "married wife husband spouse partner wedding engaged",
    "study school university college major degree enrolled",
    "born birthplace birthday",
    "allergic allergy intolerant",
    "favourite favorite like love prefer enjoy",
)


def _synonyms() -> dict[str, frozenset[str]]:
    synonyms: dict[str, frozenset[str]] = {}
    for words in _GROUPS:
        group = frozenset(map(stem, words.split()))
        synonyms |= dict.fromkeys(group, group)
    return synonyms


SYNONYMS = _synonyms()
"""The synonyms of each term, itself included."""
