"""Merge: memories that say the same become one, which keeps their evidence."""

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
"""The cosine from which two words are taken for the same."""

LONGEST = 600
"""The characters up to which two texts are compared word by word; longer ones are hardly ever told twice."""

_CANDIDATES = 8


def merge(
    mind: Mind,
    memory: Memory,
    near: Sequence[Memory],
    *,
    options: Options,
    closed: Collection[str],
    dry_run: bool,
) -> Action | None:
    """Merge a memory with a near one that says the same, and tell which was closed; turns of a session stay apart."""
    if not options.merge or memory.scope.session is not None or len(memory.text) > LONGEST:
        return None
    for other in near[:_CANDIDATES]:
        if other.id in closed or not _comparable(memory, other):
            continue
        cosine = says_the_same(mind.embedder, memory.text, other.text, similar=options.similar)
        if cosine is None or _undecided(mind, memory, other):
            continue
        kept, merged = _keeper(memory, other)
        if not dry_run:
            try:
                mind.merge(merged.id, into=kept.id)
            except (Conflict, NotFound):
                continue
        return Action("merged", merged.id, merged.text, f"says the same, cosine {cosine:.2f}", kept.id)
    return None


def says_the_same(embedder: Embedder, one: str, other: str, *, similar: float) -> float | None:
    """Return the cosine of two texts that say the same, else None.

    Their meanings must be near, nothing that matters may differ (numbers, names, denial, persons, times), and each word
    of one that the other lacks must have a synonym there.
    """
    texts = vectors_of(embedder, [one, other])
    cosine = float(texts[0] @ texts[1])
    if (
        cosine < similar
        or disagreement(one, other)
        or compare(one, other, later=True)
        or compare(other, one, later=True)
    ):
        return None
    return cosine if _are_synonyms(embedder, *unshared_words(one, other)) else None


def _are_synonyms(embedder: Embedder, words: Sequence[str], others: Sequence[str]) -> bool:
    if not words and not others:
        return True
    if not words or not others or abs(len(words) - len(others)) > 1 or not all(map(str.isalpha, (*words, *others))):
        return False
    vectors = vectors_of(embedder, [*words, *others])
    near = vectors[: len(words)] @ vectors[len(words) :].T
    return bool((near.max(axis=1) >= SYNONYM).all() and (near.max(axis=0) >= SYNONYM).all())


def _comparable(one: Memory, other: Memory) -> bool:
    """Tell whether two memories may be one: of one kind, short, and, if told of different days, of a lasting state."""
    if (one.scope, one.tier, one.category) != (other.scope, other.tier, other.category) or len(other.text) > LONGEST:
        return False
    if one.occurred_at is None or other.occurred_at is None or one.began_at.date() == other.began_at.date():
        return True
    told = facts_of(one.text) + facts_of(other.text)
    return bool(told) and all(fact.tense == "now" and not fact.changed for fact in told)


def _undecided(mind: Mind, memory: Memory, other: Memory) -> bool:
    """Tell whether the two were parted before: an undone merger is not repeated."""
    changes = mind.history(memory.id) + mind.history(other.id)
    pair = {memory.id, other.id}
    return any(
        change.kind == "unlinked" and {change.memory_id, str(change.before.get("to_id"))} == pair for change in changes
    )


def _keeper(newer: Memory, older: Memory) -> tuple[Memory, Memory]:
    """Return which of two stays: the one that says more, else the one that began first, else the one that was there."""

    def order(memory: Memory) -> tuple[int, float]:
        return -len(set(content_of(words_of(memory.text)))), memory.began_at.timestamp()

    first, second = sorted((older, newer), key=order)
    return first, second
