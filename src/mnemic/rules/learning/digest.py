"""Digests: a few sentences that summarise many."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mnemic.rules.language.sentences import sentences
from mnemic.rules.language.terms import STOP_WORDS, terms
from mnemic.rules.learning.categories import states_something
from mnemic.rules.learning.statements import overrides

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPEAKER = re.compile(r"^([^\s:][^:\n]{0,40}:) ")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_NAME_WEIGHT = 3
_NOT_TOPICS = STOP_WORDS | set(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday""".split()
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, its content terms, the number of its text, and the speaker that the text names."""

    number: int
    words: str
    speaker: str
    content: frozenset[str]


def digest(texts: Sequence[str], *, length: int) -> str:
    """Return the sentences that cover the most frequent terms, in order, within a length in characters."""
    candidates = _statements(texts)
    counts = Counter(term for sentence in candidates for term in sentence.content)
    chosen: set[int] = set()
    covered: set[str] = set()
    left = length
    while fitting := [
        index
        for index, sentence in enumerate(candidates)
        if index not in chosen and len(sentence.words) + len(sentence.speaker) + 2 <= left
    ]:
        best = max(fitting, key=lambda index: _gain(candidates[index], counts, covered))
        if _gain(candidates[best], counts, covered) <= 0:
            break
        chosen.add(best)
        covered |= candidates[best].content
        left -= len(candidates[best].words) + len(candidates[best].speaker) + 2
    if not chosen and candidates:
        return _cut(max(candidates, key=lambda sentence: _gain(sentence, counts, set())).words, length)
    return _joined([candidates[index] for index in sorted(chosen)])


def topic(texts: Sequence[str], *, words: int = 3) -> str:
    """Return the most frequent words of texts as their topic; names weigh more."""
    counts: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for sentence in _statements(texts):
        for index, word in enumerate(_WORD.findall(sentence.words)):
            if word.lower() not in _NOT_TOPICS and len(word) > 2 and "'" not in word and "’" not in word:
                [term] = terms(word)[:1] or [word]
                counts[term] += _NAME_WEIGHT if word[0].isupper() and index else 1
                forms.setdefault(term, word)
    return ", ".join(forms[term] for term, _ in counts.most_common(words))


def _statements(texts: Sequence[str]) -> list[_Sentence]:
    """Return the statements in texts, each once, or all sentences if none is a statement."""
    every = _sentences(texts)
    return [sentence for sentence in every if states_something(sentence.words)] or every


def _sentences(texts: Sequence[str]) -> list[_Sentence]:
    """Return the sentences of texts, each once, without orders to the reader."""
    unique: dict[str, _Sentence] = {}
    for number, text in enumerate(texts):
        speaker = label[1] if (label := _SPEAKER.match(text)) else ""
        for words in sentences(text.removeprefix(speaker).strip()):
            if not overrides(words):
                content = frozenset(term for term in terms(words) if term not in STOP_WORDS)
                unique.setdefault(words, _Sentence(number, words, speaker, content))
    return list(unique.values())


def _gain(sentence: _Sentence, counts: Counter[str], covered: set[str]) -> float:
    """Return how much a sentence adds, relative to its length."""
    uncovered = sentence.content - covered
    return sum(counts[term] for term in uncovered) / math.sqrt(4 + len(sentence.words.split()))


def _joined(chosen: Sequence[_Sentence]) -> str:
    """Return sentences as one text, with the speaker before the first sentence of each text."""
    parts = []
    for _, group in groupby(chosen, key=lambda sentence: sentence.number):
        of_text = list(group)
        parts.append(f"{of_text[0].speaker} {' '.join(sentence.words for sentence in of_text)}".strip())
    return " ".join(parts)


def _cut(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1].rsplit(" ", 1)[0] + "…"
