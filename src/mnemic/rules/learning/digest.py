"""Digest: a few sentences that stand for many."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mnemic.rules.language.sentences import sentences
from mnemic.rules.language.terms import STOP_WORDS, terms
from mnemic.rules.learning.categories import says_something
from mnemic.rules.learning.statements import overrides

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPEAKER = re.compile(r"^([^\s:][^:\n]{0,40}:) ")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_NAME_COUNTS = 3
_NO_TOPIC = STOP_WORDS | set(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday""".split()
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Hold a sentence, the terms that say something, the number of its text, and the speaker that the text names."""

    number: int
    words: str
    speaker: str
    content: frozenset[str]


def digest(texts: Sequence[str], *, length: int) -> str:
    """Return the sentences that say most of what comes up often, in their order, within a length in characters."""
    told = _telling(texts)
    counts = Counter(term for sentence in told for term in sentence.content)
    chosen: set[int] = set()
    covered: set[str] = set()
    left = length
    while fitting := [
        place for place, one in enumerate(told) if place not in chosen and len(one.words) + len(one.speaker) + 2 <= left
    ]:
        best = max(fitting, key=lambda place: _gain(told[place], counts, covered))
        if _gain(told[best], counts, covered) <= 0:
            break
        chosen.add(best)
        covered |= told[best].content
        left -= len(told[best].words) + len(told[best].speaker) + 2
    if not chosen and told:
        return _cut(max(told, key=lambda one: _gain(one, counts, set())).words, length)
    return _joined([told[place] for place in sorted(chosen)])


def topic(texts: Sequence[str], *, words: int = 3) -> str:
    """Return the words that come up most, names before others, to name what the texts are about."""
    counts: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for sentence in _telling(texts):
        for place, word in enumerate(_WORD.findall(sentence.words)):
            if word.lower() not in _NO_TOPIC and len(word) > 2 and "'" not in word and "’" not in word:
                [term] = terms(word)[:1] or [word]
                counts[term] += _NAME_COUNTS if word[0].isupper() and place else 1
                forms.setdefault(term, word)
    return ", ".join(forms[term] for term, _ in counts.most_common(words))


def _telling(texts: Sequence[str]) -> list[_Sentence]:
    """Return the sentences of texts that say something, each once, or all of them if none does."""
    every = _sentences(texts)
    return [one for one in every if says_something(one.words)] or every


def _sentences(texts: Sequence[str]) -> list[_Sentence]:
    """Return the sentences of texts, each once, without those that give orders to the reader."""
    found: dict[str, _Sentence] = {}
    for number, text in enumerate(texts):
        speaker = label[1] if (label := _SPEAKER.match(text)) else ""
        for words in sentences(text.removeprefix(speaker).strip()):
            if not overrides(words):
                content = frozenset(term for term in terms(words) if term not in STOP_WORDS)
                found.setdefault(words, _Sentence(number, words, speaker, content))
    return list(found.values())


def _gain(sentence: _Sentence, counts: Counter[str], covered: set[str]) -> float:
    """Return how much a sentence adds, for its length."""
    fresh = sentence.content - covered
    return sum(counts[term] for term in fresh) / math.sqrt(4 + len(sentence.words.split()))


def _joined(chosen: Sequence[_Sentence]) -> str:
    """Return sentences as one text, the speaker before the first of each."""
    parts = []
    for _, group in groupby(chosen, key=lambda one: one.number):
        of_text = list(group)
        parts.append(f"{of_text[0].speaker} {' '.join(one.words for one in of_text)}".strip())
    return " ".join(parts)


def _cut(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1].rsplit(" ", 1)[0] + "…"
