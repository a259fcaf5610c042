"""Detect what the rules cannot read: whether a newer memory ends or replaces an older one of the same person."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mnemic.rules.claims.attributes import ATTRIBUTES
from mnemic.rules.claims.compare import Comparison, count_different_things
from mnemic.rules.claims.frames import LONGEST, frames
from mnemic.rules.claims.reader import facts_of
from mnemic.rules.language.words import words_of
from mnemic.upkeep.change_model.pair import probabilities, sentence_pair

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mnemic.model.memory import Memory
    from mnemic.ports import Embedder

_LIKELY = 0.5
"""The least probability for the older memory that a sentence fits best."""

_VERY_LIKELY = 0.95
"""The least probability for every other older memory."""

_TIE = 1e-5
"""Probabilities no further apart are equal: the last digits depend on the processor and on the rest of the batch."""

_SHORTEST = 3
"""The fewest words of an older memory that can be closed."""

_EVENT_VERBS = frozenset(
    "went flew drove travelled traveled visited met saw watched ate drank bought purchased paid called phoned ran swam "
    "won cooked baked wrote sent attended".split()
)
"""Verbs of events that happen once and stay true."""

_NO_EVENT_AFTER = frozenset("be been being is are was were am get gets got must not never nobody".split())
"""Words before an event verb that make it a habit, a state, or something that did not happen."""

_ATTRIBUTE_NAMES = frozenset(attribute.name for attribute in ATTRIBUTES)


def detect_changes(
    embedder: Embedder, pairs: Sequence[tuple[Memory, Memory]], settled: Collection[str]
) -> list[Comparison | None]:
    """Compare each older memory with its newer one by the networks.

    Only an older memory of one sentence is closed. `settled` are the ids of newer memories that already close another.
    """
    candidates, sentence_pairs = [], []
    for index, (older, newer) in enumerate(pairs):
        older_frames = frames(older.text, older.scope.user)
        if (
            len(older_frames) != 1
            or not _SHORTEST <= len(older_frames[0].words) <= LONGEST
            or _is_question(older)
            or _is_question(newer)
        ):
            continue
        for number, frame in enumerate(frames(newer.text, newer.scope.user)):
            pair = sentence_pair(older_frames[0], frame)
            if pair is not None and not pair.is_meeting_with_others:
                candidates.append((index, (newer.id, number)))
                sentence_pairs.append(pair)
    chances = probabilities(embedder, sentence_pairs)
    by_sentence: defaultdict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for (index, sentence), chance in zip(candidates, chances, strict=True):
        by_sentence[sentence][pairs[index][0].text] = chance
    comparisons: list[Comparison | None] = [None] * len(pairs)
    for (index, sentence), chance in zip(candidates, chances, strict=True):
        older, newer = pairs[index]
        is_best = all(chance > other + _TIE for text, other in by_sentence[sentence].items() if text != older.text)
        is_likely = is_best and chance >= _LIKELY and sentence[0] not in settled
        if (is_likely or chance >= _VERY_LIKELY) and not _can_both_be_true(older, newer):
            reason = f"no longer so, {chance:.0%} likely: {older.text} / {newer.text}"
            comparisons[index] = Comparison("updates", reason)
    return comparisons


def _is_question(memory: Memory) -> bool:
    return memory.text.rstrip().endswith("?")


def _is_event(memory: Memory) -> bool:
    words = [word.lower() for word in words_of(memory.text)]
    return any(
        word in _EVENT_VERBS and _NO_EVENT_AFTER.isdisjoint(words[max(0, index - 2) : index])
        for index, word in enumerate(words)
    )


def _can_both_be_true(older: Memory, newer: Memory) -> bool:
    """Return whether both are single events, or the rules read different attributes or values that may coexist."""
    if all(_is_event(memory) for memory in (older, newer)):
        return True
    older_facts, newer_facts = (facts_of(memory.text, memory.scope.user) for memory in (older, newer))
    if any(
        old.attribute == new.attribute and count_different_things(old, new)
        for old in older_facts
        for new in newer_facts
    ):
        return True
    older_known, newer_known = (
        [fact for fact in facts if fact.attribute in _ATTRIBUTE_NAMES] for facts in (older_facts, newer_facts)
    )
    older_single, newer_single = (
        {fact.attribute for fact in facts if fact.single} for facts in (older_known, newer_known)
    )
    if older_single and newer_single and older_single.isdisjoint(newer_single):
        return True
    coexisting = {fact.attribute for fact in older_known if fact.holds and not fact.single}
    return any(fact.attribute in coexisting and fact.holds and not fact.changed for fact in newer_known)
