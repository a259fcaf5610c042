"""Grounding: whether what a language model says stands in what it was given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mnemic.rules.language.patterns import phrase, plain, words
from mnemic.rules.language.sentences import sentences
from mnemic.rules.language.terms import STOP_WORDS, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHARE = 0.6
"""The least share of a sentence's content words that its sources must hold."""

_ASIDE = 3
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SPELT = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w'’-]*[a-z]\b")
_NEGATION = phrase(
    rf"\b{words('not never no none nothing without cannot avoid* stop* quit* refus* dislik* hate[sd]? unable')}\b",
    rf"\b{words('neither nor fail* lack* postpon* cancel*')}\b|\w+n't\b",
)


def ungrounded(text: str, sources: Iterable[str]) -> str | None:
    """Return what is wrong with a text that its sources do not bear out, or None if they do.

    Every name and number must stand in the sources, most of the other words too, and a sentence may not say the
    opposite of the one it was made from.
    """
    source = "\n".join(sources)
    held, numbers = set(terms(source)), _numbers(source)
    for number in _NUMBER.findall(text):
        if not _numbers(number) <= numbers:
            return f"the number {number} is not in the source"
    for name in _NAME.findall(text.strip()):
        if not set(terms(name)) <= held:
            return f"the name {name} is not in the source"
    content = _content(text)
    if not content:
        return "it has no words"
    missing = content - held
    if len(missing) > (1 - SHARE) * len(content):
        return f"{', '.join(sorted(missing)[:5])}: not in the source"
    told = [(sentence, _content(sentence)) for sentence in sentences(source)]
    return next((wrong for sentence in sentences(text) if (wrong := _turned(sentence, told))), None)


def _turned(sentence: str, told: Sequence[tuple[str, set[str]]]) -> str | None:
    """Return what is wrong when a sentence turns the one that it was made from, if it is about as long, around."""
    content = _content(sentence)
    nearest, held = max(told, key=lambda one: len(content & one[1]), default=("", set()))
    if len(content & held) < SHARE * len(content) or len(held) > len(content) + _ASIDE:
        return None
    same = bool(_NEGATION.search(plain(sentence))) == bool(_NEGATION.search(plain(nearest)))
    return None if same else f"it turns around what was said: {nearest[:80]}"


def _content(text: str) -> set[str]:
    return {term for term in terms(text) if term not in STOP_WORDS and not term.isdecimal()}


def _numbers(text: str) -> set[str]:
    """Return the whole numbers that a text holds, in digits or spelt, whatever stands between their parts."""
    digits = {part for number in _NUMBER.findall(text) for part in re.split(r"[.:]", number.replace(",", ""))}
    return {number.lstrip("0") or "0" for number in digits} | {
        str(value) for value, word in enumerate(_SPELT) if re.search(rf"\b{word}\b", text, re.IGNORECASE)
    }
