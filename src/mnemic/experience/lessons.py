"""Learnings matched with failures, and learnings that contradict each other, both by the words they share."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from mnemic.experience.branches import FAILURE, SUCCESS, Rate
from mnemic.rules.language.terms import STOP_WORDS, stem, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mnemic.experience.experience import Experience
    from mnemic.model.checks import Json

LEARNED_FROM = "learned_from"
"""The metadata key in which a learning may name its failure, by summary or path."""

_WITHIN = timedelta(days=14)
_ALIKE, _SAME = 0.3, 0.7
_DIFFERENT = 5
"""The most words by which two learnings about the same thing may differ."""

_RAREST, _LATEST = 5, 10
"""How many of the rarest words are looked up, and how many of the latest experiences are compared for each."""

_STOPS = frozenset(map(stem, STOP_WORDS))
_NEGATIONS = frozenset(map(stem, "not never no avoid don isn doesn shouldn cannot".split()))
_WORD = re.compile("[a-z]{3,}")
_COMPARING = frozenset({"over", "than", "instead", "rather"})


@dataclass(frozen=True, slots=True)
class ExperiencePair:
    """Two related experiences, the earlier first, and their similarity."""

    first: str
    second: str
    first_content: str
    second_content: str
    alike: float

    def to_dict(self) -> dict[str, Json]:
        """Return the pair as JSON-able values."""
        return {
            "first": self.first,
            "second": self.second,
            "first_content": self.first_content,
            "second_content": self.second_content,
            "alike": round(self.alike, 3),
        }


class _WordBag:
    """The words of an experience."""

    def __init__(self, experience: Experience) -> None:
        self.experience = experience
        self.order = [term for term in terms(experience.content) if len(term) > 1]
        self.words = set(self.order) - _STOPS - _NEGATIONS
        self.weight = 0.0
        self.denied = _denied(self.order)


class _RecentExperiences:
    """The experiences so far, by their words."""

    def __init__(self, word_weights: dict[str, float]) -> None:
        self._word_weights = word_weights
        self._added: list[_WordBag] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)

    def add(self, bag: _WordBag) -> None:
        for word in bag.words:
            self._by_word[word].append(len(self._added))
        self._added.append(bag)

    def similar(self, bag: _WordBag) -> list[tuple[float, _WordBag]]:
        """Return the latest experiences that share rare words, the most similar first."""
        rarest = heapq.nlargest(_RAREST, bag.words, key=lambda word: (self._word_weights[word], word))
        indexes = {index for word in rarest for index in self._by_word.get(word, [])[-_LATEST:]}
        scored = ((self._similarity(bag, self._added[index]), index) for index in indexes)
        return [(score, self._added[index]) for score, index in sorted(scored, reverse=True)]

    def _similarity(self, first: _WordBag, second: _WordBag) -> float:
        shared = sum(map(self._word_weights.__getitem__, first.words & second.words))
        whole = self._weight(first) * self._weight(second)
        return shared / math.sqrt(whole) if whole else 0.0

    def _weight(self, bag: _WordBag) -> float:
        bag.weight = bag.weight or sum(map(self._word_weights.__getitem__, bag.words))
        return bag.weight


def lessons(failures: Sequence[Experience], learnings: Sequence[Experience]) -> list[ExperiencePair]:
    """Return each learning with the failure it came from: the one it names, else the most similar one before it."""
    named = {name: failure for failure in failures for name in (failure.summary, failure.path)}
    bags = [_WordBag(experience) for experience in (*failures, *learnings)]
    recent = _RecentExperiences(_word_weights(bags))
    is_failure = {id(bag) for bag in bags[: len(failures)]}
    pairs = []
    for bag in sorted(bags, key=lambda bag: bag.experience.began_at):
        if id(bag) in is_failure:
            recent.add(bag)
            continue
        learning = bag.experience
        cause = named.get(str(learning.metadata.get(LEARNED_FROM)))
        if cause is not None:
            pairs.append(_pair(cause, learning, 1.0))
            continue
        for score, failure in recent.similar(bag):
            if score < _ALIKE:
                break
            if learning.began_at - failure.experience.began_at <= _WITHIN:
                pairs.append(_pair(failure.experience, learning, score))
                break
    return pairs


def contradictions(learnings: Sequence[Experience]) -> list[ExperiencePair]:
    """Return pairs of learnings about the same thing of which one denies the other."""
    bags = sorted(map(_WordBag, learnings), key=lambda bag: bag.experience.began_at)
    recent = _RecentExperiences(_word_weights(bags))
    pairs = []
    for bag in bags:
        for score, earlier in recent.similar(bag):
            if score < _SAME:
                break
            if _is_opposed(earlier, bag):
                pairs.append(_pair(earlier.experience, bag.experience, score))
                break
        recent.add(bag)
    return pairs


def _is_opposed(first: _WordBag, second: _WordBag) -> bool:
    """Return whether one denies a word that the other affirms, or makes the opposite choice."""
    if len(first.words ^ second.words) > _DIFFERENT:
        return False
    if (first.denied - second.denied) & second.words or (second.denied - first.denied) & first.words:
        return True
    choice, reverse = _choice(first.order), _choice(second.order)
    if choice is None or reverse is None:
        return False
    return bool(choice[0]) and choice[0][-1] in reverse[1] and bool(choice[1]) and choice[1][0] in reverse[0]


def _denied(order: Sequence[str]) -> set[str]:
    """Return the words just after a negation."""
    denied: set[str] = set()
    for index, word in enumerate(order):
        if word in _NEGATIONS:
            denied |= {following for following in order[index + 1 : index + 4] if following not in _STOPS}
    return denied


def _choice(order: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """Return the words before and after a comparison such as "over", or None without one."""
    index = next((index for index, word in enumerate(order) if word in _COMPARING), None)
    if index is None:
        return None
    before, after = order[:index], order[index + 1 :]
    return [word for word in before if word not in _STOPS], [word for word in after if word not in _STOPS]


def topics(summaries: Iterable[tuple[str, str]], *, least: int = 3) -> list[Rate]:
    """Return the words with most failures, the worst first, from the outcome and summary of every experience.

    A word counts when it occurs in at least `least` failures, in some success, and fails more often than the average.
    """
    counts = {outcome: Counter[str]() for outcome in (FAILURE, SUCCESS)}
    totals = Counter[str]()
    for outcome, summary in summaries:
        if outcome in counts:
            totals[outcome] += 1
            counts[outcome].update({word for word in _WORD.findall(summary) if word not in STOP_WORDS})
    average = totals[FAILURE] / max(1, totals.total())
    failing = []
    for word, failed in counts[FAILURE].items():
        rate = Rate(word, counts[SUCCESS][word], failed)
        if failed >= least and rate.successes and failed / rate.tries > average:
            failing.append((failed * math.log(failed / rate.tries / average), word, rate))
    return [rate for _, _, rate in sorted(failing, key=lambda topic: topic[:2], reverse=True)]


def _word_weights(bags: Sequence[_WordBag]) -> dict[str, float]:
    """Return a weight for each word: the rarer, the more."""
    counts = Counter(word for bag in bags for word in bag.words)
    return {word: math.log(1 + len(bags) / count) for word, count in counts.items()}


def _pair(first: Experience, second: Experience, alike: float) -> ExperiencePair:
    return ExperiencePair(first.path, second.path, first.content, second.content, alike)
