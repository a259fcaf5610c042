"""Changes to stored memories: revise, supersede, merge, link, forget."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from mnemic.core.remember import adopt
from mnemic.core.vectors import vectors_of_memories
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.model import checks
from mnemic.model.change import Change, Link, Record
from mnemic.model.draft import REVISABLE, Draft
from mnemic.model.memory import DEFAULT_IMPORTANCE
from mnemic.ports import Maintenance
from mnemic.rules import history, supersession

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from mnemic.model.change import ChangeKind
    from mnemic.model.checks import Json
    from mnemic.model.filter import Selection
    from mnemic.model.memory import Memory
    from mnemic.model.time import When
    from mnemic.ports import Embedder, Store, Transaction, Vectors

MERGED = "merged"
"""The relation from a merged memory to the one that replaces it."""


class Changer:
    """The methods that change stored memories, each in one transaction with its history."""

    def __init__(self, store: Store, embedder: Embedder, now: Callable[[], datetime]) -> None:
        self._store = store
        self._embedder = embedder
        self._now = now

    def revise(self, id: str, expect: int | None, changes: dict[str, Any]) -> Memory:
        """Change fields of a memory; with `expect`, only if its revision is still that."""
        id = checks.identifier("id", id)
        checks.fields("a revision", changes, REVISABLE)
        if not changes:
            raise InvalidInput("changes", f"are missing; give at least one of {', '.join(sorted(REVISABLE))}")
        if changes.get("importance", DEFAULT_IMPORTANCE) is None:
            changes["importance"] = DEFAULT_IMPORTANCE
        vectors: Vectors = {}
        if "text" in changes:
            text = checks.text("text", changes["text"])
            memory = self._store.get(id)
            if memory is None:
                raise missing(id)
            vectors = vectors_of_memories(self._embedder, [dataclasses.replace(memory, text=text)])
        with self._store.transaction() as transaction:
            before = _stored(transaction, id)
            if expect is not None and before.revision != checks.integer("expect", expect, minimum=1, maximum=2**53):
                cause = ", because it was changed meanwhile" if expect < before.revision else ""
                raise Conflict(
                    f"memory {id} is at revision {before.revision}, not {expect}{cause}; read it again before you "
                    "change it"
                )
            draft = Draft(**{"text": before.text, "tier": before.tier} | changes)
            after = dataclasses.replace(before, **{name: getattr(draft, name) for name in changes})
            return self._change(transaction, "revised", before, after, vectors)

    def supersede(self, old_id: str, new_id: str, at: When | str | None) -> Memory:
        """Close an older memory with a newer one."""
        old_id, new_id = checks.identifier("old_id", old_id), checks.identifier("new_id", new_id)
        if old_id == new_id:
            raise InvalidInput("new_id", "is the memory to close; a memory cannot supersede itself")
        with self._store.transaction() as transaction:
            old, new = _stored(transaction, old_id), _stored(transaction, new_id)
            closed_at = supersession.closing_time(old, new, at)
            if old.superseded_at is not None:
                if (old.superseded_by, old.superseded_at) == (new_id, closed_at):
                    return old
                raise Conflict(f"memory {old_id} is superseded already by {old.superseded_by}; unsupersede it first")
            _refuse_cycle(transaction, old, new)
            after = dataclasses.replace(old, superseded_by=new_id, superseded_at=closed_at)
            return self._change(transaction, "superseded", old, after)

    def unsupersede(self, id: str) -> Memory:
        """Open a superseded memory again."""
        id = checks.identifier("id", id)
        with self._store.transaction() as transaction:
            before = _stored(transaction, id)
            if before.superseded_at is None:
                return before
            after = dataclasses.replace(before, superseded_by=None, superseded_at=None)
            return self._change(transaction, "unsuperseded", before, after)

    def merge(self, id: str, into: str) -> Memory:
        """Merge a memory into another that says the same."""
        id, into = checks.identifier("id", id), checks.identifier("into", into)
        if id == into:
            raise InvalidInput("into", "is the same memory; a merge needs two")
        with self._store.transaction() as transaction:
            merged, target = _stored(transaction, id), _stored(transaction, into)
            if merged.superseded_at is not None or target.superseded_at is not None:
                raise Conflict(f"memory {id} or {into} is superseded already; only current memories are merged")
            closed_at = supersession.closing_time(merged, target, None)
            closed = dataclasses.replace(merged, superseded_by=into, superseded_at=closed_at)
            self._change(transaction, "superseded", merged, closed)
            link, is_new = transaction.link(Link(id, into, MERGED, self._now()))
            if is_new:
                transaction.log([_link_change("linked", link)])
            stronger = dataclasses.replace(target, evidence=target.evidence + merged.evidence)
            return self._change(transaction, "repeated", target, stronger)

    def unmerge(self, id: str) -> Memory:
        """Undo a merge."""
        id = checks.identifier("id", id)
        with self._store.transaction() as transaction:
            merged = _stored(transaction, id)
            if merged.superseded_by is None or not transaction.unlink(id, merged.superseded_by, MERGED):
                raise NotFound(f"memory {id} was not merged into another")
            transaction.log([_link_change("unlinked", Link(id, merged.superseded_by, MERGED, self._now()))])
            target = transaction.get([merged.superseded_by]).get(merged.superseded_by)
            if target is not None:
                weaker = dataclasses.replace(target, evidence=max(1, target.evidence - merged.evidence))
                self._change(transaction, "repeated", target, weaker)
            opened = dataclasses.replace(merged, superseded_by=None, superseded_at=None)
            return self._change(transaction, "unsuperseded", merged, opened)

    def link(self, from_id: str, to_id: str, relation: str) -> Link:
        """Link one memory to another."""
        link = self._checked_link(from_id, to_id, relation)
        with self._store.transaction() as transaction:
            _stored(transaction, link.from_id)
            _stored(transaction, link.to_id)
            stored, is_new = transaction.link(link)
            if is_new:
                transaction.log([_link_change("linked", link)])
        return stored

    def unlink(self, from_id: str, to_id: str, relation: str) -> None:
        """Remove a link between two memories."""
        link = self._checked_link(from_id, to_id, relation)
        with self._store.transaction() as transaction:
            if not transaction.unlink(link.from_id, link.to_id, link.relation):
                raise NotFound(f"no link {relation!r} from {from_id} to {to_id}")
            transaction.log([_link_change("unlinked", link)])

    def forget(self, selection: Selection) -> int:
        """Remove the selected memories from every search, keeping their history; return how many."""
        with self._store.transaction() as transaction:
            ids = transaction.select(selection)
            transaction.forget(ids)
            now = self._now()
            transaction.log([Change(0, id, "forgotten", now, {}, {}) for id in ids])
        return len(ids)

    def purge(self, selection: Selection) -> int:
        """Erase the selected memories with their history; return how many."""
        with self._store.transaction() as transaction:
            purged = transaction.purge(selection, at=self._now())
        if purged and isinstance(self._store, Maintenance):
            self._store.scrub()
        return purged

    def unforget(self, id: str) -> Memory:
        """Bring a forgotten memory back as it was."""
        id = checks.identifier("id", id)
        _, last_states = self._store.changes(id)
        if not last_states:
            raise NotFound(f"no memory {id} to bring back; it was never stored, or it is purged")
        memory = last_states[max(last_states)]
        adopt(self._store, self._embedder, [Record(memory)])
        return memory

    def _change(
        self,
        transaction: Transaction,
        kind: ChangeKind,
        before: Memory,
        after: Memory,
        vectors: Vectors | None = None,
    ) -> Memory:
        """Store a changed memory and log the difference; do nothing if there is none."""
        if not any(history.difference(before, after)):
            return before
        after = dataclasses.replace(after, revision=before.revision + 1)
        transaction.update([after], vectors or {})
        transaction.log([Change(0, after.id, kind, self._now(), *history.difference(before, after))])
        return after

    def _checked_link(self, from_id: str, to_id: str, relation: str) -> Link:
        link = Link(
            checks.identifier("from_id", from_id),
            checks.identifier("to_id", to_id),
            checks.name("relation", relation),
            self._now(),
        )
        if link.from_id == link.to_id:
            raise InvalidInput("to_id", "is the same memory; a link needs two")
        return link


def missing(id: str) -> NotFound:
    """Return the error for an id that no memory has."""
    return NotFound(f"no memory {id}; it was never stored, or it is forgotten")


def _stored(transaction: Transaction, id: str) -> Memory:
    memory = transaction.get([id]).get(id)
    if memory is None:
        raise missing(id)
    return memory


def _refuse_cycle(transaction: Transaction, old: Memory, new: Memory) -> None:
    newest: Memory | None = new
    while newest is not None and newest.superseded_by is not None:
        if newest.superseded_by == old.id:
            raise Conflict(f"memory {old.id} has itself superseded {new.id}; unsupersede that one first")
        newest = transaction.get([newest.superseded_by]).get(newest.superseded_by)


def _link_change(kind: ChangeKind, link: Link) -> Change:
    values: dict[str, Json] = {"to_id": link.to_id, "relation": link.relation}
    before, after = ({}, values) if kind == "linked" else (values, {})
    return Change(0, link.from_id, kind, link.created_at, before, after)
