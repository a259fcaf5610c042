"""Remembering: drafts become new memories or evidence for old ones; records of another mind are adopted."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mnemic.core.vectors import vectors_of_memories
from mnemic.errors import Conflict, InvalidInput
from mnemic.model import checks
from mnemic.model.change import Change, Record
from mnemic.model.draft import DRAFT_FIELDS, Draft, memory_from_dict
from mnemic.model.memory import Memory, Remembered
from mnemic.model.scope import KEYS
from mnemic.rules import history, repeats

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mnemic.ports import Embedder, Store, Transaction, Vectors


def remember(store: Store, embedder: Embedder, drafts: Sequence[Draft], now: datetime) -> list[Remembered]:
    """Store drafts: all, or none if one is invalid."""
    memories = [draft.memory(created_at=now) for draft in drafts]
    vectors = vectors_of_memories(embedder, memories)
    with store.transaction() as transaction:
        intake = Intake(transaction, now)
        remembered = [
            intake.add(memory, has_own_id=draft.id is not None) for draft, memory in zip(drafts, memories, strict=True)
        ]
        intake.write(vectors)
    return remembered


def checked_drafts(values: object) -> list[Draft]:
    """Return drafts from drafts or dicts; an error names the one that is wrong."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InvalidInput("drafts", f"must be a list of dicts or Draft values, not {type(values).__name__}")
    return [_checked_draft(index, value) for index, value in enumerate(values)]


def _checked_draft(index: int, value: Draft | Mapping[str, Any]) -> Draft:
    if isinstance(value, Draft):
        return value
    try:
        if not isinstance(value, Mapping):
            raise InvalidInput("draft", f"must be a dict or a Draft, not {type(value).__name__}")
        checks.fields("a draft", value, DRAFT_FIELDS)
        if "text" not in value:
            raise InvalidInput("text", "is missing")
        return Draft(**value)
    except InvalidInput as error:
        raise InvalidInput(f"drafts[{index}].{error.field}", error.problem) from None


def record_of(store: Store, id: str) -> Record | None:
    """Return a memory with its history and its outgoing links; None if it has been forgotten meanwhile."""
    changes, last_states = store.changes(id)
    if not changes or changes[-1].kind in ("forgotten", "purged"):
        return None
    created = max(last_states)
    recent = tuple(change for change in history.full_changes(changes, last_states) if change.seq >= created)
    return Record(last_states[created], recent, tuple(link for link in store.links(id) if link.from_id == id))


def adopt(store: Store, embedder: Embedder, records: Iterable[Record], *, durable: bool = True) -> list[bool]:
    """Store records exactly as they are, all or none; return for each whether its memory is new."""
    checked = _checked_records(records)
    unknown = [record.memory for record in checked if store.get(record.memory.id) is None]
    vectors = vectors_of_memories(embedder, unknown)
    with store.transaction(durable=checks.flag("durable", durable)) as transaction:
        return _adopt(transaction, checked, vectors)


def _checked_records(records: Iterable[Record]) -> list[Record]:
    if not isinstance(records, Iterable):
        raise InvalidInput("records", f"must be a list of Record values, not {checks.shown(records)}")
    checked = list(records)
    for index, record in enumerate(checked):
        if not isinstance(record, Record):
            raise InvalidInput(f"records[{index}]", f"must be a Record, not {checks.shown(record)}")
        _check_names(f"records[{index}]", record.memory)
    return checked


def _check_names(record: str, memory: Memory) -> None:
    names = {key: getattr(memory.scope, key) for key in KEYS}
    names |= {name: getattr(memory, name) for name in ("category", "source", "superseded_by")}
    for field, value in names.items():
        if value is not None:
            checks.name(f"{record}.{field}", value)


def _adopt(transaction: Transaction, records: Sequence[Record], vectors: Vectors) -> list[bool]:
    known = transaction.get([record.memory.id for record in records])
    new: list[Record] = []
    created = []
    for record in records:
        stored = known.setdefault(record.memory.id, record.memory)
        if stored is not record.memory and any(history.difference(stored, record.memory)):
            raise Conflict(f"memory {stored.id} is stored already with other content; nothing was adopted")
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
    """A batch of memories, sorted into new ones and repeats, and written together."""

    def __init__(self, transaction: Transaction, now: datetime) -> None:
        self._transaction = transaction
        self._now = now
        self._twins: dict[bytes, list[Memory]] = {}
        self._digests: dict[str, bytes] = {}
        self._new: dict[str, Memory] = {}
        self._repeated: dict[str, Memory] = {}
        self._changes: list[Change] = []

    def add(self, memory: Memory, *, has_own_id: bool) -> Remembered:
        """Add a memory to the batch; return it, or the stored memory that it repeats."""
        known = self._known(memory.id) if has_own_id else None
        if known is not None:
            if not self._is_same_draft(known, memory):
                raise Conflict(
                    f"id {memory.id} is taken by a memory with other content; leave the id out for a new one"
                )
            return Remembered(known, created=False)
        if memory.scope.session is None:
            digest = self._digests[memory.id] = repeats.digest_of(memory)
            twins = self._twins.get(digest)
            if twins is None:
                twins = self._twins[digest] = self._transaction.twins(digest)
            for index, twin in enumerate(twins):
                if not twin.is_superseded(self._now) and not twin.is_expired(self._now):
                    twins[index] = strengthened = self._strengthen(twin)
                    return Remembered(strengthened, created=False)
            twins.append(memory)
        self._new[memory.id] = memory
        return Remembered(memory, created=True)

    def _known(self, id: str) -> Memory | None:
        """Return the memory with an id, with the changes of this batch so far."""
        return self._new.get(id) or self._repeated.get(id) or self._transaction.get([id]).get(id)

    def write(self, vectors: Vectors) -> None:
        """Write the batch, with the vectors of the new memories."""
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

    def _is_same_draft(self, known: Memory, memory: Memory) -> bool:
        """Return whether a stored memory is, or was when it was created, the same as this one."""
        if repeats.has_same_draft(known, memory):
            return True
        created = [
            change.after
            for change in history.full_changes(*self._transaction.changes(known.id))
            if change.kind == "created" and known.id not in self._new
        ]
        return bool(created) and repeats.has_same_draft(memory_from_dict(created[-1]), memory)
