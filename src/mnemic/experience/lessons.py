"""What was learned after which failure, and which learnings contradict one another: told by the words they share."""

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
"""The metadata in which a learning may name its failure, by summary or path."""

_WITHIN = timedelta(days=14)
_ALIKE, _SAME = 0.3, 0.7
_DIFFERENT = 5
"""How many words two learnings about the same thing may have apart from one another."""

_RAREST, _LATEST = 5, 10
"""By how many of its rarest words others are looked for, and how many of the latest are compared for each."""

_STOPS = frozenset(map(stem, STOP_WORDS))
_NEGATIONS = frozenset(map(stem, "not never no avoid don isn doesn shouldn cannot".split()))
_WORD = re.compile("[a-z]{3,}")
_COMPARING = frozenset({"over", "than", "instead", "rather"})


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold two experiences that belong together, the earlier first, and how alike they are."""

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


class _Told:
    """Hold an experience with its words, each worth the more the rarer it is."""

    def __init__(self, experience: Experience) -> None:
        self.experience = experience
        self.order = [term for term in terms(experience.content) if len(term) > 1]
        self.words = set(self.order) - _STOPS - _NEGATIONS
        self.weight = 0.0
        self.denied = _denied(self.order)


class _Recent:
    """Find the latest experiences that share words with another."""

    def __init__(self, worth: dict[str, float]) -> None:
        self._worth = worth
        self._told: list[_Told] = []
        self._holding: dict[str, list[int]] = defaultdict(list)

    def add(self, told: _Told) -> None:
        for word in told.words:
            self._holding[word].append(len(self._told))
        self._told.append(told)

    def alike(self, told: _Told) -> list[tuple[float, _Told]]:
        """Return the candidates, the likest first."""
        rarest = heapq.nlargest(_RAREST, told.words, key=lambda word: (self._worth[word], word))
        places = {place for word in rarest for place in self._holding.get(word, [])[-_LATEST:]}
        scored = ((self._likeness(told, self._told[place]), place) for place in places)
        return [(score, self._told[place]) for score, place in sorted(scored, reverse=True)]

    def _likeness(self, one: _Told, other: _Told) -> float:
        shared = sum(map(self._worth.__getitem__, one.words & other.words))
        whole = self._weight(one) * self._weight(other)
        return shared / math.sqrt(whole) if whole else 0.0

    def _weight(self, told: _Told) -> float:
        told.weight = told.weight or sum(map(self._worth.__getitem__, told.words))
        return told.weight


def lessons(failures: Sequence[Experience], learnings: Sequence[Experience]) -> list[Pair]:
    """Return each learning that came from a failure with that failure: the one it names, else the likest before it."""
    named = {name: failure for failure in failures for name in (failure.summary, failure.path)}
    told = [_Told(one) for one in (*failures, *learnings)]
    recent = _Recent(_worth(told))
    is_failure = {id(one) for one in told[: len(failures)]}
    found = []
    for one in sorted(told, key=lambda one: one.experience.began_at):
        if id(one) in is_failure:
            recent.add(one)
            continue
        cause = named.get(str(one.experience.metadata.get(LEARNED_FROM)))
        if cause is not None:
            found.append(_pair(cause, one.experience, 1.0))
            continue
        for score, failure in recent.alike(one):
            if score < _ALIKE:
                break
            if one.experience.began_at - failure.experience.began_at <= _WITHIN:
                found.append(_pair(failure.experience, one.experience, score))
                break
    return found


def contradictions(learnings: Sequence[Experience]) -> list[Pair]:
    """Return pairs of learnings about the same thing of which one says what the other denies."""
    told = sorted(map(_Told, learnings), key=lambda one: one.experience.began_at)
    recent = _Recent(_worth(told))
    found = []
    for one in told:
        for score, other in recent.alike(one):
            if score < _SAME:
                break
            if _opposed(other, one):
                found.append(_pair(other.experience, one.experience, score))
                break
        recent.add(one)
    return found


def _opposed(one: _Told, other: _Told) -> bool:
    """Tell whether one denies a word that the other holds to, or makes the same choice the other way round."""
    if len(one.words ^ other.words) > _DIFFERENT:
        return False
    if (one.denied - other.denied) & other.words or (other.denied - one.denied) & one.words:
        return True
    choice, reverse = _choice(one.order), _choice(other.order)
    if choice is None or reverse is None:
        return False
    return bool(choice[0]) and choice[0][-1] in reverse[1] and bool(choice[1]) and choice[1][0] in reverse[0]


def _denied(order: Sequence[str]) -> set[str]:
    """Return the words that a negation stands before."""
    found = set()
    for place, word in enumerate(order):
        if word in _NEGATIONS:
            found |= {following for following in order[place + 1 : place + 4] if following not in _STOPS}
    return found


def _choice(order: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """Return the words before and after a comparison, such as "over", when there is one."""
    place = next((place for place, word in enumerate(order) if word in _COMPARING), None)
    if place is None:
        return None
    before, after = order[:place], order[place + 1 :]
    return [word for word in before if word not in _STOPS], [word for word in after if word not in _STOPS]


def topics(named: Iterable[tuple[str, str]], *, least: int = 3) -> list[Rate]:
    """Return the words about which most fails, the worst first, from outcome and summary of every experience.

    A word counts when it stands in enough failures, in some successes too, and fails more often than things do on the
    whole.
    """
    counts = {outcome: Counter[str]() for outcome in (FAILURE, SUCCESS)}
    totals = Counter[str]()
    for outcome, summary in named:
        if outcome in counts:
            totals[outcome] += 1
            counts[outcome].update({word for word in _WORD.findall(summary) if word not in STOP_WORDS})
    usual = totals[FAILURE] / max(1, totals.total())
    hot = []
    for word, failed in counts[FAILURE].items():
        rate = Rate(word, counts[SUCCESS][word], failed)
        if failed >= least and rate.successes and failed / rate.tries > usual:
            hot.append((failed * math.log(failed / rate.tries / usual), word, rate))
    return [rate for _, _, rate in sorted(hot, key=lambda one: one[:2], reverse=True)]


def _worth(told: Sequence[_Told]) -> dict[str, float]:
    holding = Counter(word for one in told for word in one.words)
    return {word: math.log(1 + len(told) / count) for word, count in holding.items()}


def _pair(first: Experience, second: Experience, alike: float) -> Pair:
    return Pair(first.path, second.path, first.content, second.content, alike)
