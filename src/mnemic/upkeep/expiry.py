"""Memories that upkeep has ended: no longer recalled, and forgotten after a grace period."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from mnemic.core.scoped import keys_of
from mnemic.model.memory import ENDED_BECAUSE
from mnemic.upkeep.report import Action

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.model.scope import Scope
    from mnemic.upkeep.options import Options

_BATCH = 2_000


def is_protected(memory: Memory, options: Options) -> bool:
    """Return whether a memory is never ended: it is important, has the tag, or was ended before and brought back."""
    important = memory.importance >= options.protected_importance
    return important or options.protected_tag in memory.tags or ENDED_BECAUSE in memory.metadata


def end(mind: Mind, memory: Memory, *, reason: str, now: datetime) -> None:
    """Take a memory out of recall; its history says why, and `revise` can bring it back."""
    mind.revise(memory.id, expires_at=now, metadata={**memory.metadata, ENDED_BECAUSE: reason})


def forget_ended(
    mind: Mind, scope: Scope | None, *, options: Options, now: datetime, dry_run: bool
) -> Iterator[Action]:
    """Forget or purge what upkeep ended before the grace period, and what was superseded before the kept history."""
    ended = {
        f"metadata.{ENDED_BECAUSE}": {"exists": True},
        "expires_at": {"lte": (now - timedelta(days=options.grace)).isoformat()},
    }
    reason = f"ended more than {options.grace:g} days ago"
    yield from _forget_where(mind, scope, ended, reason, options, dry_run=dry_run)
    if options.history is not None:
        superseded = {"superseded_at": {"lte": (now - timedelta(days=options.history)).isoformat()}}
        reason = f"closed more than {options.history:g} days ago"
        yield from _forget_where(mind, scope, superseded, reason, options, dry_run=dry_run)


def _forget_where(
    mind: Mind, scope: Scope | None, where: dict[str, Any], reason: str, options: Options, *, dry_run: bool
) -> Iterator[Action]:
    pages = mind.pages(**keys_of(scope), where=where, include_superseded=True, size=_BATCH)
    memories = (memory for page in pages for memory in page if options.protected_tag not in memory.tags)
    while batch := list(islice(memories, _BATCH)):
        yield from (
            Action("purged" if options.purge else "forgotten", memory.id, memory.text, reason) for memory in batch
        )
        if not dry_run:
            _forget(mind, batch, purge=options.purge)


def _forget(mind: Mind, memories: list[Memory], *, purge: bool) -> None:
    by_scope: dict[Scope, list[str]] = defaultdict(list)
    for memory in memories:
        by_scope[memory.scope].append(memory.id)
    for scope, ids in by_scope.items():
        keys: dict[str, Any] = keys_of(scope)
        mind.forget(**keys, where={"id": {"in": ids}}, purge=purge)
