"""What was learned after which failure, and which learnings contradict one another: told by the words they share."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.rules.text import STOP_WORDS, stem, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recollect.experience.experience import Experience
    from recollect.model.checks import Json

LEARNED_FROM = "learned_from"
"""The metadata in which a learning may name its failure, by summary or path."""

_WITHIN = timedelta(days=14)
_ALIKE, _SAME = 0.3, 0.6
_LOOKED_AT = 20
"""How many of the latest candidates are compared for each word."""

_STOPS = frozenset(map(stem, STOP_WORDS))
_NEGATIONS = frozenset(
    map(stem, "not never no avoid without don isn doesn shouldn cannot nothing none against".split())
)
_COMPARING = frozenset({"over", "than", "instead", "rather", "before", "befor"})


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
        self.negative = len(_NEGATIONS.intersection(self.order)) % 2 == 1


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

    def alike(self, told: _Told) -> Iterator[tuple[float, _Told]]:
        """Return the candidates, the likest first."""
        places = {place for word in told.words for place in self._holding.get(word, [])[-_LOOKED_AT:]}
        scored = [(self._likeness(told, self._told[place]), place) for place in places]
        for score, place in sorted(scored, reverse=True):
            yield score, self._told[place]

    def _likeness(self, one: _Told, other: _Told) -> float:
        shared = sum(self._worth[word] for word in one.words & other.words)
        whole = sum(self._worth[word] for word in one.words) * sum(self._worth[word] for word in other.words)
        return shared / math.sqrt(whole) if whole else 0.0


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
    """Tell whether one denies what the other says: a negation more, or the same choice the other way round."""
    if one.negative != other.negative:
        return True
    sides = [_sides(told.order) for told in (one, other)]
    if not all(sides):
        return False
    (better, worse), (preferred, rejected) = sides  # type: ignore[misc]
    straight = len(better & preferred) + len(worse & rejected)
    crossed = len((better - worse) & rejected) + len((worse - better) & preferred)
    return crossed > straight


def _sides(order: Sequence[str]) -> tuple[set[str], set[str]] | None:
    place = next((place for place, word in enumerate(order) if word in _COMPARING), None)
    if place is None:
        return None
    return set(order[:place]) - _STOPS, set(order[place + 1 :]) - _STOPS


def topics(texts: Callable[[str], Iterable[str]], *, least: int = 3) -> list[tuple[str, int, int]]:
    """Return the words about which most fails, each with its failures and successes, the worst first.

    `texts` returns the contents of an outcome. A word counts when it stands in enough failures, in some successes too,
    and fails more often than things do on the whole.
    """
    from recollect.experience.branches import FAILURE, SUCCESS

    counts = {outcome: Counter[str]() for outcome in (FAILURE, SUCCESS)}
    totals = dict.fromkeys(counts, 0)
    shown: dict[str, str] = {}
    for outcome, counter in counts.items():
        for text in texts(outcome):
            totals[outcome] += 1
            words = {word for word in text.lower().replace(",", " ").replace(".", " ").split() if word.isalpha()}
            for word in words - STOP_WORDS:
                shown.setdefault(stem(word), word)
            counter.update({stem(word) for word in words - STOP_WORDS if len(word) > 2})
    usual = totals[FAILURE] / max(1, sum(totals.values()))
    hot = []
    for word, failed in counts[FAILURE].items():
        tries = failed + counts[SUCCESS][word]
        if failed >= least and counts[SUCCESS][word] and failed / tries > usual:
            hot.append((failed * math.log(failed / tries / usual), word))
    return [(shown[word], counts[FAILURE][word], counts[SUCCESS][word]) for _, word in sorted(hot, reverse=True)]


def _worth(told: Sequence[_Told]) -> dict[str, float]:
    holding = Counter(word for one in told for word in one.words)
    return {word: math.log(1 + len(told) / count) for word, count in holding.items()}


def _pair(first: Experience, second: Experience, alike: float) -> Pair:
    return Pair(first.path, second.path, first.content, second.content, alike)
