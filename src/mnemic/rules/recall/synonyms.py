"""Words that ask for the same: "Where do I live?" is answered by "I moved to Lisbon"."""

from __future__ import annotations

from mnemic.rules.language.terms import stem

_MATTERS = (
    "live home reside moved relocated settled address",
    "work job employer employed occupation profession career hired",
    "married wife husband spouse partner wedding engaged",
    "study school university college major degree enrolled",
    "born birthplace birthday",
    "allergic allergy intolerant",
    "favourite favorite like love prefer enjoy",
)


def _families() -> dict[str, frozenset[str]]:
    families: dict[str, frozenset[str]] = {}
    for matter in _MATTERS:
        family = frozenset(map(stem, matter.split()))
        families |= dict.fromkeys(family, family)
    return families


KINDRED = _families()
"""The terms that answer for each other."""
