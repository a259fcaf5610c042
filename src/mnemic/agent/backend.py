"""Backends: what stores the memories of a PersistentMemory, and the mind as one of them."""

from __future__ import annotations

import dataclasses
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mnemic.core.scoped import ScopedMind
from mnemic.errors import NotFound
from mnemic.upkeep.learn import SOURCE, learn, remember_once, weighed_draft
from mnemic.upkeep.llm import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor

    from mnemic.mind import Mind
    from mnemic.model.draft import Draft
    from mnemic.model.message import Message
    from mnemic.model.scope import Scope
    from mnemic.model.time import When
    from mnemic.ports import Llm


@dataclass(frozen=True, slots=True)
class RecalledText:
    """A memory that answers a question, as a backend returns it."""

    id: str
    text: str
    score: float
    when: When | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The memories made from a conversation, who picked them, and what went wrong with the model."""

    memory_ids: tuple[str, ...] = ()
    by: str = RULES
    problem: str | None = None


class MemoryBackend(Protocol):
    """A store for the memories of one scope; every call may block."""

    @property
    def threads(self) -> Executor | None:
        """Return where calls must run, None for anywhere."""

    def record(self, messages: Sequence[Message], *, infer: bool, metadata: Mapping[str, Any]) -> Recorded:
        """Store what is worth remembering of messages, or without `infer` each message as it is."""

    def save(self, texts: Sequence[str], *, metadata: Mapping[str, Any]) -> list[str]:
        """Store texts as they are, and return the id of each, also of those that were known."""

    def find(self, query: str, *, limit: int, agent: str | None = None, turn: int | None = None) -> list[RecalledText]:
        """Return what answers a question, best first; with `agent` and `turn`, what that agent stored in that turn."""

    def gone(self, ids: Sequence[str]) -> set[str]:
        """Return which of these memories are no longer current."""

    def use(self, ids: Sequence[str]) -> None:
        """Note that memories went into a prompt."""

    def close(self) -> None:
        """Close the store."""


class MindBackend:
    """The memories of one scope in a mind."""

    threads: Executor | None = None

    def __init__(self, mind: Mind, scope: Scope, *, llm: Llm | None, owns_mind: bool) -> None:
        self._mind = mind
        self._own = ScopedMind(mind, scope)
        self._llm = llm
        self._owns_mind = owns_mind
        self._storing = threading.Lock()

    def record(self, messages: Sequence[Message], *, infer: bool, metadata: Mapping[str, Any]) -> Recorded:
        """Store what is worth remembering of messages, or without `infer` each message as it is."""
        if not infer:
            drafts = [self._draft(message.content, metadata={**metadata, "role": message.role}) for message in messages]
            return Recorded(tuple(self._store(drafts)))
        learned = learn(
            self._own,
            messages,
            llm=self._llm,
            metadata_of=lambda message: {**metadata, "role": message.role},
            lock=self._storing,
        )
        return Recorded(tuple(memory.id for memory in learned.memories), learned.by, learned.problem)

    def save(self, texts: Sequence[str], *, metadata: Mapping[str, Any]) -> list[str]:
        """Store texts as they are, and return the id of each, also of those that were known."""
        return self._store([self._draft(text, metadata=metadata, source="agent") for text in texts])

    def find(self, query: str, *, limit: int, agent: str | None = None, turn: int | None = None) -> list[RecalledText]:
        """Return what answers a question, best first; with `agent` and `turn`, what that agent stored in that turn."""
        owner = self._own
        if agent is not None:
            owner = ScopedMind(self._mind, dataclasses.replace(self._own.scope, agent=agent))
        hits = owner.recall(query, limit=limit, where=None if turn is None else {"metadata.turn": turn})
        return [
            RecalledText(hit.memory.id, hit.memory.text, hit.score, hit.memory.occurred_at or hit.memory.created_at)
            for hit in hits
        ]

    def gone(self, ids: Sequence[str]) -> set[str]:
        """Return which of these memories were superseded, have expired or are forgotten."""
        return {id for id in ids if not self._is_current(id)}

    def _is_current(self, id: str) -> bool:
        try:
            memory = self._mind.get(id)
        except NotFound:
            return False
        return memory.superseded_at is None and not memory.is_expired(self._mind.clock())

    def use(self, ids: Sequence[str]) -> None:
        """Note that memories went into a prompt, which makes them stronger."""
        self._mind.use(ids)

    def close(self) -> None:
        """Close the mind, unless the caller passed it in."""
        if self._owns_mind:
            self._mind.close()

    def _draft(self, text: str, *, metadata: Mapping[str, Any], source: str = SOURCE) -> Draft:
        return weighed_draft(self._own, text, metadata=dict(metadata), source=source)

    def _store(self, drafts: Sequence[Draft]) -> list[str]:
        with self._storing:
            return [remembered.memory.id for remembered in remember_once(self._own, drafts)]
