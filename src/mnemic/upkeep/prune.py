"""Pruning: end memories that are too weak, and the weakest ones where there are too many."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from mnemic.core.scoped import keys_of
from mnemic.rules.strength import strength
from mnemic.upkeep.expiry import end, is_protected
from mnemic.upkeep.report import Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.model.scope import Scope
    from mnemic.upkeep.options import Options


def prune_weak(mind: Mind, scope: Scope | None, *, options: Options, now: datetime, dry_run: bool) -> Iterator[Action]:
    """End memories whose strength is under the least allowed."""
    if not options.weakest:
        return
    least = options.weakest
    floor = options.decay.floor
    where = {"importance": {"lt": least / floor}} if floor and least / floor < 10 else None
    for value, memory in _strengths(mind, keys_of(scope), where=where, options=options, now=now):
        if value < least:
            reason = f"pruned: strength {value:.2f} is under {least:g}"
            yield Action("pruned", memory.id, memory.text, reason)
            if not dry_run:
                end(mind, memory, reason=reason, now=now)


def prune_many(
    mind: Mind, scopes: Iterable[Scope], *, options: Options, now: datetime, dry_run: bool
) -> Iterator[Action]:
    """End the weakest memories of each agent and user with too many."""
    if options.most is None:
        return
    for scope in scopes:
        keys = keys_of(scope)
        excess = mind.count(**keys) - options.most
        if excess <= 0:
            continue
        strengths = _strengths(mind, keys, where=None, options=options, now=now)
        weakest = heapq.nsmallest(excess, strengths, key=lambda pair: (pair[0], pair[1].created_at))
        for value, memory in weakest:
            reason = f"pruned: strength {value:.2f}, among the weakest of more than {options.most:,}"
            yield Action("pruned", memory.id, memory.text, reason)
            if not dry_run:
                end(mind, memory, reason=reason, now=now)


def _strengths(
    mind: Mind, keys: dict[str, Any], *, where: dict[str, Any] | None, options: Options, now: datetime
) -> Iterator[tuple[float, Memory]]:
    for page in mind.pages(**keys, where=where, size=1_000):
        uses = mind.uses([memory.id for memory in page])
        for memory in page:
            if not is_protected(memory, options):
                yield strength(memory, now=now, use=uses.get(memory.id), decay=options.decay), memory
