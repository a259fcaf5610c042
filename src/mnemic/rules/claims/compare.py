"""What two texts mean for one another: a newer one may update an older one, or contradict it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from mnemic.rules.claims.facts import OUTDATED, Fact, Relation, judge, outdated_by
from mnemic.rules.claims.opposites import opposed
from mnemic.rules.claims.reader import facts
from mnemic.rules.claims.values import content_of
from mnemic.rules.language.words import sentences, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNTOLD = 8
"""How many words of a text may lie outside of the claims that a newer text closes, for all of it to be closed."""

_CHUNK = 4_000
"""Claims are read from the beginning of a text; a longer one is not a note of a fact."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a newer text does to an older one, why, and whether to all of it."""

    relation: Relation
    reason: str
    whole: bool = True


@lru_cache(maxsize=5_000)
def claims(text: str, speaker: str | None = None) -> tuple[Fact, ...]:
    """Return the claims of a text."""
    return tuple(facts(text[:_CHUNK], speaker=speaker))


def compare(
    older: str, newer: str, *, later: bool, speaker: str | None = None, newer_speaker: str | None = None
) -> Comparison | None:
    """Say what a newer text means for an older one; `later` tells that time enough passed for things to change.

    The speakers are the names of whoever says "I" in each.
    """
    told, retold = claims(older, speaker), claims(newer, newer_speaker)
    gone = outdated_by(told, retold, words_of(newer))
    if gone:
        return Comparison("updates", gone)
    closed: list[Fact] = []
    contradiction: str | None = None
    reason = ""
    for old in told:
        for new in retold:
            judgement = judge(old, new, later=later)
            if judgement is None:
                continue
            if judgement.relation == "updates":
                closed.append(old)
                reason = reason or judgement.reason
            else:
                contradiction = contradiction or judgement.reason
    if closed:
        return Comparison("updates", reason, _is_whole(older, told, closed))
    return Comparison("contradicts", contradiction) if contradiction else None


def contradiction(one: str, other: str) -> str | None:
    """Return why two texts about the same thing, told at the same time, cannot both be true."""
    for first, second in ((one, other), (other, one)):
        found = compare(first, second, later=False)
        if found is not None and found.relation == "contradicts":
            return found.reason
    return opposed(one, other)


def _is_whole(text: str, told: Iterable[Fact], closed: list[Fact]) -> bool:
    """Tell whether nothing of a text remains when some of its claims are closed."""
    rest = [fact for fact in told if fact not in closed and fact.attribute != OUTDATED]
    if any(fact.sentence not in {gone.sentence for gone in closed} for fact in rest):
        return False
    if len({fact.sentence for fact in closed}) < len(sentences(text)):
        return False
    spoken = {word for fact in closed for word in content_of(fact.words)}
    return len([word for word in content_of(words_of(text)) if word not in spoken]) <= _UNTOLD
