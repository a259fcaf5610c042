"""Keepers: what holds the memories of a PersistentMemory, and the mind as one of them."""

from __future__ import annotations

import dataclasses
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mnemic.core.scoped import ScopedMind
from mnemic.errors import NotFound
from mnemic.model.batches import batches
from mnemic.model.draft import Draft
from mnemic.model.memory import Remembered
from mnemic.upkeep.extract import extract
from mnemic.upkeep.importance import importance
from mnemic.upkeep.llm import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.model.message import Message
    from mnemic.model.scope import Scope
    from mnemic.model.time import When
    from mnemic.ports import Llm

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Found:
    """Hold a memory that answers a question."""

    id: str
    text: str
    score: float
    when: When | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """Tell what a conversation left behind: the memories, who picked them, and what went wrong with the model."""

    memory_ids: tuple[str, ...] = ()
    by: str = RULES
    problem: str | None = None


class Keeper(Protocol):
    """Hold memories of one scope; every call may take its time."""

    @property
    def threads(self) -> Executor | None:
        """Return where calls must run, None for anywhere."""

    def record(self, messages: Sequence[Message], *, infer: bool, metadata: Mapping[str, Any]) -> Recorded:
        """Keep what is worth keeping of messages, or each as it is."""

    def save(self, texts: Sequence[str], *, metadata: Mapping[str, Any]) -> list[str]:
        """Keep texts as they are, and return the id of each, also where it was known."""

    def find(self, query: str, *, limit: int, agent: str | None = None, turn: int | None = None) -> list[Found]:
        """Return what answers a question, best first; of another agent and one of its turns, if they are given."""

    def gone(self, ids: Sequence[str]) -> set[str]:
        """Return which of these memories no longer hold."""

    def use(self, ids: Sequence[str]) -> None:
        """Note that memories went into a prompt."""

    def close(self) -> None:
        """Let go of what is held."""


class MindKeeper:
    """Keep memories in a mind."""

    threads: Executor | None = None

    def __init__(self, mind: Mind, scope: Scope, *, llm: Llm | None, owns_mind: bool) -> None:
        self._mind = mind
        self._own = ScopedMind(mind, scope)
        self._llm = llm
        self._owns_mind = owns_mind
        self._one_at_a_time = threading.Lock()

    def record(self, messages: Sequence[Message], *, infer: bool, metadata: Mapping[str, Any]) -> Recorded:
        """Keep what is worth keeping of messages, or each as it is."""
        if not infer:
            drafts = [self._draft(message.content, metadata={**metadata, "role": message.role}) for message in messages]
            return Recorded(tuple(self._keep(drafts)))
        found = extract(messages, llm=self._llm, now=self._mind.clock())
        drafts = [
            self._draft(
                fact.text,
                category=fact.category,
                occurred_at=fact.occurred_at,
                metadata={**metadata, "role": messages[fact.place].role},
            )
            for fact in found.facts
        ]
        return Recorded(tuple(self._keep(drafts)), found.by, found.problem)

    def save(self, texts: Sequence[str], *, metadata: Mapping[str, Any]) -> list[str]:
        """Keep texts as they are, and return the id of each, also where it was known."""
        return self._keep([self._draft(text, metadata=metadata, source="agent") for text in texts])

    def find(self, query: str, *, limit: int, agent: str | None = None, turn: int | None = None) -> list[Found]:
        """Return what answers a question, best first; of another agent and one of its turns, if they are given."""
        scope = self._own.scope
        asked = self._own if agent is None else ScopedMind(self._mind, dataclasses.replace(scope, agent=agent))
        where = None if turn is None else {"metadata.turn": turn}
        hits = asked.recall(query, limit=limit, where=where)
        return [
            Found(hit.memory.id, hit.memory.text, hit.score, hit.memory.occurred_at or hit.memory.created_at)
            for hit in hits
        ]

    def gone(self, ids: Sequence[str]) -> set[str]:
        """Return which of these memories were closed, have ended or are forgotten."""
        return {id for id in ids if not self._holds(id)}

    def _holds(self, id: str) -> bool:
        try:
            memory = self._mind.get(id)
        except NotFound:
            return False
        return memory.superseded_at is None and not memory.is_expired(self._mind.clock())

    def use(self, ids: Sequence[str]) -> None:
        """Note that memories went into a prompt: they grow stronger."""
        self._mind.use(ids)

    def close(self) -> None:
        """Close the mind, unless it was lent."""
        if self._owns_mind:
            self._mind.close()

    def _draft(
        self,
        text: str,
        *,
        metadata: Mapping[str, Any],
        source: str = "conversation",
        category: str | None = None,
        occurred_at: When | None = None,
    ) -> Draft:
        return Draft(
            text=text,
            category=category,
            importance=importance(text).score,
            metadata=dict(metadata),
            source=source,
            occurred_at=occurred_at,
            **self._own.keys,
        )

    def _keep(self, drafts: Sequence[Draft]) -> list[str]:
        with self._one_at_a_time:
            return [told.memory.id for told in remember_once(self._mind, drafts)]


def remember_once(mind: Mind, drafts: Sequence[Draft]) -> list[Remembered]:
    """Remember drafts of one scope; also in a session, where a mind merges nothing, a known text stays one memory."""
    if not drafts or drafts[0].scope.session is None:
        return mind.remember_many(drafts)
    known = _known(mind, drafts[0].scope, {draft.text for draft in drafts})
    new = {draft.text: draft for draft in drafts if draft.text not in known}
    told = dict(zip(new, mind.remember_many(new.values()), strict=True))
    known |= {text: remembered.memory for text, remembered in told.items()}
    first = {id(draft) for draft in new.values()}
    return [Remembered(known[draft.text], created=id(draft) in first) for draft in drafts]


def _known(mind: Mind, scope: Scope, texts: Iterable[str]) -> dict[str, Memory]:
    ordered = sorted(texts)
    own = ScopedMind.exactly(mind, scope)
    return {
        memory.text: memory
        for batch in batches(ordered, _AT_ONCE)
        for page in own.pages(where={"text": {"in": batch}})
        for memory in page
    }
