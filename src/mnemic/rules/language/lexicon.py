"""The lexicon: the kinds of words, from WordNet; `training/lexicon.py` makes it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mnemic.rules.language.words import lemma

_ALSO_NOUNS = ("work", "live", "move", "switch", "start", "stop", "drop", "change", "look", "plan", "study", "play")
_FILE = Path(__file__).parent / "data" / "lexicon.txt"


def is_a(kind: str, word: str) -> bool:
    """Return whether a lower-case word is of a kind: trade, field, language, place, colour, noun, verb or adjective."""
    return word in _words()[kind]


def is_verb(word: str) -> bool:
    """Return whether a word is a form of a verb; a word in -ing counts as a noun."""
    return lemma(word) in _verbs() and not word.endswith("ing")


@cache
def _verbs() -> frozenset[str]:
    return frozenset(map(lemma, (*_words()["verb"], *_ALSO_NOUNS)))


@cache
def _words() -> dict[str, frozenset[str]]:
    lines = (line.split() for line in _FILE.read_text().splitlines())
    return {kind: frozenset(words) for kind, *words in lines}
