"""Pairs of sentences as the networks read them, and the probability that the newer one closes the older one."""

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

_CHANGE_VERBS = REPLACING | CANCELLING | RESET


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences about the same person or thing; `owner` is the person, empty for a thing."""

    older: Frame
    newer: Frame
    owner: str

    @property
    def shared(self) -> frozenset[str]:
        """Return the stems in both sentences, without the owner and the speaker."""
        return (self.older.content & self.newer.content) - {self.owner}

    @property
    def mentions_change(self) -> bool:
        """Return whether the newer sentence has a word such as "now" or "instead"."""
        return not CHANGE_WORDS.isdisjoint(word.lower() for word in self.newer.words)

    @property
    def is_meeting_with_others(self) -> bool:
        """Return whether both sentences are about meetings of one kind with different people, and mention no change."""
        before, after = self.older.meetings, self.newer.meetings
        if not any(meeting in after and not any(map(self.newer.names, names)) for meeting, names in before.items()):
            return False
        return not self.mentions_change and _CHANGE_VERBS.isdisjoint(map(lemma, self.newer.words))

    def features(self) -> list[float]:
        """Return the features that are counted over both sentences."""
        older, newer, owner, shared = self.older, self.newer, self.owner, self.shared
        older_stems, newer_stems = older.content - {owner}, newer.content - {owner}
        plain = len(shared - older.people)
        features: list[float] = [
            min(plain, 3) / 3,
            plain > 0,
            len(shared) / max(1, len(older_stems)),
            shared >= older_stems,
            len(shared) / max(1, len(newer_stems)),
            min(len(older_stems - shared), 6) / 6,
            min(len(newer_stems - shared), 6) / 6,
            not shared.isdisjoint(older.people),
        ]
        for kind in KINDS:
            before, after = older.values(kind) - {owner}, newer.values(kind) - {owner}
            features += [
                bool(before - after and after - before),
                bool(before and after and after <= before),
                bool(before & after and after - before),
            ]
        features += [newer.owners[:1] == (owner,), owner in newer.owners, bool(newer.people - older.people - {owner})]
        features.append(self.mentions_change)
        return [*map(float, features), len(older.words) / 20, len(newer.words) / 20]


def sentence_pair(older: Frame, newer: Frame) -> SentencePair | None:
    """Return two sentences as a pair if the newer one names the owner of the older one, else None.

    If one of them names nobody, they must share a word, or two words if the owner is neither the speaker nor a thing.
    """
    owner = next(iter(older.owners), "")
    pair = SentencePair(older, newer, owner)
    if newer.names(owner):
        return pair
    if owner and newer.owners:
        return None
    return pair if len(pair.shared) > (owner not in ("", SPEAKER)) else None


def probabilities(embedder: Embedder, pairs: Sequence[SentencePair]) -> list[float]:
    """Return for each pair the probability that the newer sentence ends or replaces what the older one says.

    It is 0 for every embedder but the one that the networks were trained with.
    """
    from mnemic.upkeep.change_model import network  # loads numpy

    if not pairs or embedder.name != network.embedder_name():
        return [0.0] * len(pairs)
    return network.probabilities(embedder, pairs)
