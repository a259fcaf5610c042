"""What becomes of drafts: new memories, or evidence for old ones."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mnemic.errors import Conflict
from mnemic.model.change import Change
from mnemic.model.draft import memory_from_dict
from mnemic.model.memory import Memory, Remembered
from mnemic.rules import history, repeats

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mnemic.model.change import Record
    from mnemic.ports import Transaction, Vectors


def adopt(transaction: Transaction, records: Sequence[Record], vectors: Vectors) -> list[bool]:
    """Take in records exactly as they are, and tell for each whether its memory is new here."""
    known = transaction.get([record.memory.id for record in records])
    new: list[Record] = []
    created = []
    for record in records:
        stored = known.setdefault(record.memory.id, record.memory)
        if stored is not record.memory and any(history.difference(stored, record.memory)):
            raise Conflict(f"memory {stored.id} is stored already with other content; nothing was taken in")
        created.append(stored is record.memory)
        if stored is record.memory:
            new.append(record)
    transaction.insert([record.memory for record in new], vectors)
    transaction.log([change for record in new for change in record.history if change.kind != "created"])
    links = [link for record in records for link in record.links]
    present = transaction.get([link.to_id for link in links])
    for link in links:
        if link.to_id in present:
            transaction.link(link)
    return created


class Intake:
    """Decide for each memory of a batch whether it is new, and collect what is to be written."""

    def __init__(self, transaction: Transaction, now: datetime) -> None:
        self._transaction = transaction
        self._now = now
        self._twins: dict[bytes, list[Memory]] = {}
        self._digests: dict[str, bytes] = {}
        self._new: dict[str, Memory] = {}
        self._repeated: dict[str, Memory] = {}
        self._changes: list[Change] = []

    def take(self, memory: Memory, *, id_given: bool) -> Remembered:
        """Tell which memory holds this one from now on."""
        known = self._known(memory.id) if id_given else None
        if known is not None:
            if not self._was_told_as(known, memory):
                raise Conflict(
                    f"id {memory.id} is taken by a memory with other content; leave the id out for a new one"
                )
            return Remembered(known, created=False)
        if memory.scope.session is None:
            digest = self._digests[memory.id] = repeats.digest_of(memory)
            twins = self._twins.get(digest)
            if twins is None:
                twins = self._twins[digest] = self._transaction.twins(digest)
            for place, twin in enumerate(twins):
                if not twin.is_superseded(self._now) and not twin.is_expired(self._now):
                    twins[place] = strengthened = self._strengthen(twin)
                    return Remembered(strengthened, created=False)
            twins.append(memory)
        self._new[memory.id] = memory
        return Remembered(memory, created=True)

    def _known(self, id: str) -> Memory | None:
        """Return the memory with an id as it will stand after what was taken so far."""
        return self._new.get(id) or self._repeated.get(id) or self._transaction.get([id]).get(id)

    def write(self, vectors: Vectors) -> None:
        """Write what was collected, with the vectors of what is new."""
        self._transaction.insert(list(self._new.values()), vectors, self._digests)
        self._transaction.update(list(self._repeated.values()), {})
        self._transaction.log(self._changes)

    def _strengthen(self, twin: Memory) -> Memory:
        stronger = dataclasses.replace(twin, evidence=twin.evidence + 1)
        if twin.id in self._new:
            self._new[twin.id] = stronger
        else:
            self._repeated[twin.id] = stronger
            difference = history.difference(twin, stronger)
            self._changes.append(Change(0, twin.id, "repeated", self._now, *difference))
        return stronger

    def _was_told_as(self, known: Memory, memory: Memory) -> bool:
        if repeats.told_the_same(known, memory):
            return True
        lives = [
            change.after
            for change in history.tell(*self._transaction.changes(known.id))
            if change.kind == "created" and known.id not in self._new
        ]
        return bool(lives) and repeats.told_the_same(memory_from_dict(lives[-1]), memory)
