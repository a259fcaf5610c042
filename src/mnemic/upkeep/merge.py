"""Merging: memories that say the same become one, which keeps their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.core.vectors import vectors_of
from mnemic.errors import Conflict, NotFound
from mnemic.rules.claims.compare import compare
from mnemic.rules.claims.paraphrase import disagreement, unshared_words
from mnemic.rules.claims.reader import facts_of
from mnemic.rules.claims.values import content_of
from mnemic.rules.language.words import words_of
from mnemic.upkeep.report import Action

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.ports import Embedder
    from mnemic.upkeep.options import Options

SYNONYM = 0.6
"""The least cosine of two words that count as synonyms."""

LONGEST = 600
"""The most characters of a text that may be merged; longer texts are hardly ever repeated."""

_CANDIDATES = 8


def merge(
    mind: Mind,
    memory: Memory,
    similar: Sequence[Memory],
    *,
    options: Options,
    closed: Collection[str],
    dry_run: bool,
) -> Action | None:
    """Merge a memory with a similar one that says the same; messages of a session are never merged."""
    if not options.merge or memory.scope.session is not None or len(memory.text) > LONGEST:
        return None
    for other in similar[:_CANDIDATES]:
        if other.id in closed or not _may_merge(memory, other):
            continue
        cosine = says_the_same(mind.embedder, memory.text, other.text, similar=options.similar)
        if cosine is None or _was_unmerged(mind, memory, other):
            continue
        kept, merged = _kept_and_merged(memory, other)
        if not dry_run:
            try:
                mind.merge(merged.id, into=kept.id)
            except (Conflict, NotFound):
                continue
        return Action("merged", merged.id, merged.text, f"says the same, cosine {cosine:.2f}", kept.id)
    return None


def says_the_same(embedder: Embedder, text: str, other: str, *, similar: float) -> float | None:
    """Return the cosine of two texts that say the same, else None.

    Their cosine must be at least `similar`, nothing that matters may differ (numbers, names, negation, persons, times),
    and each word of one that the other lacks must have a synonym there.
    """
    vectors = vectors_of(embedder, [text, other])
    cosine = float(vectors[0] @ vectors[1])
    if (
        cosine < similar
        or disagreement(text, other)
        or compare(text, other, later=True)
        or compare(other, text, later=True)
    ):
        return None
    return cosine if _are_synonyms(embedder, *unshared_words(text, other)) else None


def _are_synonyms(embedder: Embedder, words: Sequence[str], others: Sequence[str]) -> bool:
    if not words and not others:
        return True
    if not words or not others or abs(len(words) - len(others)) > 1 or not all(map(str.isalpha, (*words, *others))):
        return False
    vectors = vectors_of(embedder, [*words, *others])
    cosines = vectors[: len(words)] @ vectors[len(words) :].T
    return bool((cosines.max(axis=1) >= SYNONYM).all() and (cosines.max(axis=0) >= SYNONYM).all())


def _may_merge(memory: Memory, other: Memory) -> bool:
    """Return whether two memories are of one kind, short and, if of different days, both about something lasting."""
    if (memory.scope, memory.tier, memory.category) != (other.scope, other.tier, other.category) or len(
        other.text
    ) > LONGEST:
        return False
    if memory.occurred_at is None or other.occurred_at is None or memory.began_at.date() == other.began_at.date():
        return True
    facts = facts_of(memory.text) + facts_of(other.text)
    return bool(facts) and all(fact.tense == "now" and not fact.changed for fact in facts)


def _was_unmerged(mind: Mind, memory: Memory, other: Memory) -> bool:
    """Return whether the two were merged before and a user undid that."""
    changes = mind.history(memory.id) + mind.history(other.id)
    pair = {memory.id, other.id}
    return any(
        change.kind == "unlinked" and {change.memory_id, str(change.before.get("to_id"))} == pair for change in changes
    )


def _kept_and_merged(newer: Memory, older: Memory) -> tuple[Memory, Memory]:
    """Return the memory that stays and the other: the one with more content stays, else the earlier one."""

    def order(memory: Memory) -> tuple[int, float]:
        return -len(set(content_of(words_of(memory.text)))), memory.began_at.timestamp()

    first, second = sorted((older, newer), key=order)
    return first, second
