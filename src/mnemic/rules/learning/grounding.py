"""Grounding: whether the sources of a language model's text support it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mnemic.rules.language.patterns import phrase, straight_quotes, words
from mnemic.rules.language.sentences import sentences
from mnemic.rules.language.terms import STOP_WORDS, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHARE = 0.6
"""The least share of a sentence's content words that must be in its sources."""

_EXTRA_WORDS = 3
"""How many more content words the source of a sentence may have."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SPELT = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w'’-]*[a-z]\b")
_NEGATION = phrase(
    rf"\b{words('not never no none nothing without cannot avoid* stop* quit* refus* dislik* hate[sd]? unable')}\b",
    rf"\b{words('neither nor fail* lack* postpon* cancel*')}\b|\w+n't\b",
)


def ungrounded(text: str, sources: Iterable[str]) -> str | None:
    """Return what is wrong with a text that its sources do not support, or None if they do.

    Every name and number must be in the sources, and most of the other words. A sentence may not negate the one that it
    was made from.
    """
    source = "\n".join(sources)
    source_terms, numbers = set(terms(source)), _numbers(source)
    for number in _NUMBER.findall(text):
        if not _numbers(number) <= numbers:
            return f"the number {number} is not in the source"
    for name in _NAME.findall(text.strip()):
        if not set(terms(name)) <= source_terms:
            return f"the name {name} is not in the source"
    content = _content(text)
    if not content:
        return "it has no words"
    missing = content - source_terms
    if len(missing) > (1 - SHARE) * len(content):
        return f"{', '.join(sorted(missing)[:5])}: not in the source"
    source_sentences = [(sentence, _content(sentence)) for sentence in sentences(source)]
    return next((problem for sentence in sentences(text) if (problem := _negation(sentence, source_sentences))), None)


def _negation(sentence: str, sources: Sequence[tuple[str, set[str]]]) -> str | None:
    """Return what is wrong if a sentence negates the one that it was made from; much longer ones are not compared."""
    content = _content(sentence)
    nearest, nearest_content = max(sources, key=lambda source: len(content & source[1]), default=("", set()))
    if len(content & nearest_content) < SHARE * len(content) or len(nearest_content) > len(content) + _EXTRA_WORDS:
        return None
    both_or_neither = bool(_NEGATION.search(straight_quotes(sentence))) == bool(
        _NEGATION.search(straight_quotes(nearest))
    )
    return None if both_or_neither else f"it says the opposite of the source: {nearest[:80]}"


def _content(text: str) -> set[str]:
    return {term for term in terms(text) if term not in STOP_WORDS and not term.isdecimal()}


def _numbers(text: str) -> set[str]:
    """Return the whole numbers in a text, in digits or spelt; a decimal point or colon separates two numbers."""
    digits = {part for number in _NUMBER.findall(text) for part in re.split(r"[.:]", number.replace(",", ""))}
    return {number.lstrip("0") or "0" for number in digits} | {
        str(value) for value, word in enumerate(_SPELT) if re.search(rf"\b{word}\b", text, re.IGNORECASE)
    }
