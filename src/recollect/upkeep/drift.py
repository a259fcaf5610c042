"""Drift: what a newer memory does to older ones of the same person, where no rule knows their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.rules.contradiction import Finding
from recollect.rules.frames import LONGEST, frames
from recollect.upkeep.sense import chances, pair_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from recollect.model.memory import Memory
    from recollect.ports import Embedder

_REPLACED, _ENDED = 0.3, 0.35
"""How likely a sentence must close the memory that it fits best, when it names another value, and when it names none:
much is told of a thing that leaves it as it is."""

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
        if len(told) != 1 or len(told[0].words) > LONGEST:
            continue
        for number, frame in enumerate(frames(newer.text, newer.scope.user)):
            pair = pair_of(told[0], frame)
            if pair is not None:
                places.append((place, (newer.id, number)))
                compared.append(pair)
    likely = chances(embedder, compared)
    best: dict[tuple[str, int], float] = {}
    for (_, sentence), chance in zip(places, likely, strict=True):
        best[sentence] = max(chance, best.get(sentence, 0))
    found: list[Finding | None] = [None] * len(pairs)
    for (place, sentence), pair, chance in zip(places, compared, likely, strict=True):
        fits = chance == best[sentence] and chance >= (_REPLACED if pair.names_another else _ENDED)
        if chance >= _SURE or (fits and sentence[0] not in settled):
            older, newer = pairs[place]
            found[place] = Finding("updates", f"no longer so, {chance:.0%} likely: {older.text} / {newer.text}")
    return found
