"""Sense: how likely a newer sentence ends or replaces what an older one says, told by the bundled networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.rules.claims.attributes import CANCELLING, REPLACING, RESET
from mnemic.rules.claims.clauses import SPEAKER
from mnemic.rules.claims.frames import KINDS
from mnemic.rules.language.words import CHANGE_WORDS, lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.ports import Embedder
    from mnemic.rules.claims.frames import Frame

_CHANGING = REPLACING | CANCELLING | RESET


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold two sentences about the same person or thing; `owner` is who that is, empty for a thing."""

    older: Frame
    newer: Frame
    owner: str

    @property
    def shared(self) -> frozenset[str]:
        """Return the stems that both sentences have, besides whom they are about and who tells them."""
        return (self.older.content & self.newer.content) - {self.owner}

    @property
    def speaks_of_change(self) -> bool:
        """Tell whether the newer sentence has a word that says that things were otherwise before."""
        return not CHANGE_WORDS.isdisjoint(word.lower() for word in self.newer.words)

    @property
    def is_with_others(self) -> bool:
        """Tell whether both sentences tell of a meeting, each with somebody else, and of no change of it."""
        was, now = self.older.meetings, self.newer.meetings
        if not any(meeting in now and not any(map(self.newer.names, names)) for meeting, names in was.items()):
            return False
        return not self.speaks_of_change and _CHANGING.isdisjoint(map(lemma, self.newer.words))

    def facts(self) -> list[float]:
        """Return what can be counted of both sentences together."""
        older, newer, owner, shared = self.older, self.newer, self.owner, self.shared
        mine, other = older.content - {owner}, newer.content - {owner}
        plain = len(shared - older.people)
        found: list[float] = [min(plain, 3) / 3, plain > 0, len(shared) / max(1, len(mine)), shared >= mine]
        found += [len(shared) / max(1, len(other)), min(len(mine - shared), 6) / 6, min(len(other - shared), 6) / 6]
        found.append(not shared.isdisjoint(older.people))
        for kind in KINDS:
            was, now = older.values(kind) - {owner}, newer.values(kind) - {owner}
            found += [bool(was - now and now - was), bool(was and now and now <= was), bool(was & now and now - was)]
        found += [newer.owners[:1] == (owner,), owner in newer.owners, bool(newer.people - older.people - {owner})]
        found.append(self.speaks_of_change)
        return [*map(float, found), len(older.words) / 20, len(newer.words) / 20]


def pair_of(older: Frame, newer: Frame) -> Pair | None:
    """Return two sentences as a pair, when the newer one names whom the older one is about.

    Where one of them names nobody, they must have a word in common, and two where the older one is about somebody else
    than the speaker.
    """
    owner = next(iter(older.owners), "")
    pair = Pair(older, newer, owner)
    if newer.names(owner):
        return pair
    if owner and newer.owners:
        return None
    return pair if len(pair.shared) > (owner not in ("", SPEAKER)) else None


def chances(embedder: Embedder, pairs: Sequence[Pair]) -> list[float]:
    """Return for each pair how likely the newer sentence ends or replaces what the older one says.

    With another embedder than the one that it was learned with, nothing is likely.
    """
    from mnemic.upkeep import network  # loads numpy

    return (
        network.chances(embedder, pairs) if pairs and embedder.name == network.embedder_name() else [0.0] * len(pairs)
    )
