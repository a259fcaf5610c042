"""Drift: what a newer memory does to older ones of the same person, where no rule knows their words."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from recollect.rules.attributes import ATTRIBUTES
from recollect.rules.contradiction import Finding, claims
from recollect.rules.frames import LONGEST, frames
from recollect.upkeep.sense import chances, pair_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from recollect.model.memory import Memory
    from recollect.ports import Embedder

_REPLACED, _ENDED = 0.3, 0.35
"""How likely a sentence must close the memory that it fits best, when it names another value, and when it names none:
much is told of a thing that leaves it as it is. Chosen so that at most 4 % of what is said in chats is closed."""

_NAMES = frozenset(attribute.name for attribute in ATTRIBUTES)
_SURE = 0.95
"""How likely it must close any other."""


def drifted(
    embedder: Embedder, pairs: Sequence[tuple[Memory, Memory]], settled: Collection[str]
) -> list[Finding | None]:
    """Say for each older and newer memory whether the newer one ends or replaces what the older one says.

    Only an older memory of one sentence is closed; one about a thing that nobody owns only where another value or a
    word of change is named. The newer memories in `settled` are known to close another one.
    """
    places, compared = [], []
    for place, (older, newer) in enumerate(pairs):
        told = frames(older.text, older.scope.user)
        if len(told) != 1 or len(told[0].words) > LONGEST:
            continue
        for number, frame in enumerate(frames(newer.text, newer.scope.user)):
            pair = pair_of(told[0], frame)
            if pair is not None and (pair.owner or pair.names_another or pair.speaks_of_change):
                places.append((place, (newer.id, number)))
                compared.append(pair)
    likely = chances(embedder, compared)
    ranked: defaultdict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for (place, sentence), chance in zip(places, likely, strict=True):
        ranked[sentence][pairs[place][0].text] = chance
    found: list[Finding | None] = [None] * len(pairs)
    for (place, sentence), pair, chance in zip(places, compared, likely, strict=True):
        older, newer = pairs[place]
        alone = all(chance > other for text, other in ranked[sentence].items() if text != older.text)
        fits = alone and chance >= (_REPLACED if pair.names_another else _ENDED)
        if chance >= _SURE or (fits and sentence[0] not in settled and not _differ(older, newer)):
            found[place] = Finding("updates", f"no longer so, {chance:.0%} likely: {older.text} / {newer.text}")
    return found


def _differ(older: Memory, newer: Memory) -> bool:
    """Tell whether the rules read in both memories of something that has one value, and never of the same."""
    was, now = (
        {fact.attribute for fact in claims(one.text, one.scope.user) if fact.one} & _NAMES for one in (older, newer)
    )
    return bool(was and now) and was.isdisjoint(now)
