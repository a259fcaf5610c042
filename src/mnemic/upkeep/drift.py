"""Drift: what a newer memory does to older ones of the same person, where no rule knows their words."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mnemic.rules.claims.attributes import ATTRIBUTES
from mnemic.rules.claims.compare import Finding, claims
from mnemic.rules.claims.facts import count_different_things
from mnemic.rules.claims.frames import LONGEST, frames
from mnemic.rules.language.words import words_of
from mnemic.upkeep.sense import chances, pair_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mnemic.model.memory import Memory
    from mnemic.ports import Embedder

_LIKELY = 0.5
"""How likely a sentence must close the memory that it fits best."""

_ALIKE = 1e-5
"""Chances no further apart are the same: the last digits depend on the processor, and on what else is judged."""

_SHORTEST = 3
"""The fewest words by which a memory says something that can end."""

_DEEDS = frozenset(
    "went flew drove travelled traveled visited met saw watched ate drank bought purchased paid called phoned ran swam "
    "won cooked baked wrote sent attended".split()
)
"""What is done once, and then was done whatever else is."""

_NOT_DONE = frozenset("be been being is are was were am get gets got must not never nobody".split())
"""Words before which it tells of a habit or a state, or that it was not done."""

_NAMES = frozenset(attribute.name for attribute in ATTRIBUTES)
_SURE = 0.95
"""How likely it must close any other."""


def drifted(
    embedder: Embedder, pairs: Sequence[tuple[Memory, Memory]], settled: Collection[str]
) -> list[Finding | None]:
    """Say for each older and newer memory whether the newer one ends or replaces what the older one says.

    Only an older memory of one sentence is closed. The newer memories in `settled` are known to close another one.
    """
    places, compared = [], []
    for place, (older, newer) in enumerate(pairs):
        told = frames(older.text, older.scope.user)
        if len(told) != 1 or not _SHORTEST <= len(told[0].words) <= LONGEST or _asks(older) or _asks(newer):
            continue
        for number, frame in enumerate(frames(newer.text, newer.scope.user)):
            pair = pair_of(told[0], frame)
            if pair is not None and not pair.is_with_others:
                places.append((place, (newer.id, number)))
                compared.append(pair)
    likely = chances(embedder, compared)
    ranked: defaultdict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for (place, sentence), chance in zip(places, likely, strict=True):
        ranked[sentence][pairs[place][0].text] = chance
    found: list[Finding | None] = [None] * len(pairs)
    for (place, sentence), chance in zip(places, likely, strict=True):
        older, newer = pairs[place]
        alone = all(chance > other + _ALIKE for text, other in ranked[sentence].items() if text != older.text)
        fits = alone and chance >= _LIKELY and sentence[0] not in settled
        if (fits or chance >= _SURE) and not _can_both_be_true(older, newer):
            found[place] = Finding("updates", f"no longer so, {chance:.0%} likely: {older.text} / {newer.text}")
    return found


def _asks(memory: Memory) -> bool:
    return memory.text.rstrip().endswith("?")


def _is_deed(memory: Memory) -> bool:
    words = [word.lower() for word in words_of(memory.text)]
    return any(
        word in _DEEDS and _NOT_DONE.isdisjoint(words[max(0, place - 2) : place]) for place, word in enumerate(words)
    )


def _can_both_be_true(older: Memory, newer: Memory) -> bool:
    """Tell whether both say what happened once, or the rules read of different things, or of values side by side."""
    if all(_is_deed(one) for one in (older, newer)):
        return True
    told, retold = (claims(one.text, one.scope.user) for one in (older, newer))
    if any(was.attribute == now.attribute and count_different_things(was, now) for was in told for now in retold):
        return True
    known, others = ([fact for fact in facts if fact.attribute in _NAMES] for facts in (told, retold))
    was, now = ({fact.attribute for fact in facts if fact.one} for facts in (known, others))
    if was and now and was.isdisjoint(now):
        return True
    held = {fact.attribute for fact in known if fact.holds and not fact.one}
    return any(fact.attribute in held and fact.holds and not fact.changed for fact in others)
