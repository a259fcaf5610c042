"""The memories of a mind that are derived from files."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from mnemic.errors import Conflict, NotFound
from mnemic.model.batches import batches
from mnemic.model.change import Record
from mnemic.model.draft import REVISABLE
from mnemic.model.filter import MAX_TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.model.scope import Scope


class FileMemories:
    """The part of a mind that follows files."""

    def __init__(self, mind: Mind, where: Mapping[str, Any] | None) -> None:
        self._mind = mind
        self._where = where

    def adopt(self, memories: Sequence[Memory], *, durable: bool = True) -> None:
        """Take in new memories: all of them, or none."""
        if memories:
            self._mind.adopt([Record(memory) for memory in memories], durable=durable)

    def update(self, memories: Sequence[Memory]) -> set[str]:
        """Bring the mind up to date with memories; return the ids of those it held in another version."""
        stored = {memory.id: self._stored(memory.id) for memory in memories}
        changed = [memory for memory in memories if (old := stored[memory.id]) and not _is_same(old, memory)]
        new = [memory for memory in memories if stored[memory.id] is None]
        try:
            self.adopt(new)
        except Conflict:  # another program added some of them meanwhile
            for memory in new:
                try:
                    self.adopt([memory])
                except Conflict:
                    changed.append(memory)
        for memory in changed:
            self._revise(memory)
        return {memory.id for memory in changed}

    def _revise(self, memory: Memory) -> None:
        if self._mind.get(memory.id).scope != memory.scope:
            self._mind.forget(memory.id)
            self.adopt([memory])
        else:
            self._mind.revise(memory.id, **{name: getattr(memory, name) for name in REVISABLE})

    def forget(self, ids: Sequence[str], scope: Scope, *, purge: bool = False) -> None:
        """Forget memories of a scope, known or not."""
        for batch in batches(ids, MAX_TESTS):
            self._mind.forget(where={"id": {"in": batch}}, purge=purge, **_keys(scope))

    def count(self) -> int:
        """Count the memories that come from files."""
        return self._mind.count(everywhere=True, include_superseded=True, where=self._where)

    def holds_all(self, ids: Sequence[str]) -> bool:
        """Return whether the mind holds memories with these ids."""
        where = {"id": {"in": ids}}
        return not ids or self._mind.count(everywhere=True, include_superseded=True, where=where) == len(ids)

    def holds(self, memory: Memory) -> bool:
        """Return whether the mind holds a memory exactly as its file has it."""
        stored = self._stored(memory.id)
        return stored is not None and _is_same(stored, memory)

    def pages(self) -> Iterator[Sequence[Memory]]:
        """Walk through all memories that come from files, some at a time."""
        yield from self._mind.pages(everywhere=True, include_superseded=True, where=self._where, size=MAX_TESTS)

    def _stored(self, id: str) -> Memory | None:
        try:
            return self._mind.get(id)
        except NotFound:
            return None


def _keys(scope: Scope) -> dict[str, Any]:
    return {key: name for key, name in dataclasses.asdict(scope).items() if name is not None}


def _is_same(stored: Memory, memory: Memory) -> bool:
    return all(getattr(stored, name) == getattr(memory, name) for name in (*REVISABLE, "scope"))
