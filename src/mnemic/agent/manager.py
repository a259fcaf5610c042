"""MemoryManager: memories of four types for an application, with upkeep."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from mnemic.agent.config import MemoryConfig
from mnemic.agent.entry import MemoryEntry, MemoryTypes
from mnemic.core.scoped import ScopedMind
from mnemic.errors import InvalidInput, WrongType
from mnemic.model import checks
from mnemic.model.draft import checked_tier
from mnemic.model.message import Message
from mnemic.model.scope import Scope
from mnemic.model.time import start_of
from mnemic.upkeep.background import BackgroundUpkeep
from mnemic.upkeep.expiry import is_protected
from mnemic.upkeep.importance import importance as score_importance
from mnemic.upkeep.learn import SOURCE, learn
from mnemic.upkeep.report import Report
from mnemic.upkeep.run import upkeep
from mnemic.upkeep.window import has_left, slide
from mnemic.wiring import chosen_llm, load_settings, open_mind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory, Tier

_OF_A_CONVERSATION = (MemoryTypes.SHORT_TERM, MemoryTypes.WORKING, MemoryTypes.EPISODIC)
_ACROSS = [MemoryTypes.LONG_TERM, MemoryTypes.EPISODIC]
MOST = 1000
MOST_PROBLEMS = 100
_AT_ONCE = 100


class MemoryManager:
    """Memories of four types, of one agent and user.

    Short-term and working memories belong to the session, if there is one; long-term memories and the episodes of past
    sessions are known in all of them.
    """

    def __init__(
        self, config: MemoryConfig | None = None, *, session: str | None = None, mind: Mind | None = None
    ) -> None:
        """Open the memory that a configuration describes, for one session if named, or in the `mind` passed in."""
        if config is not None and not isinstance(config, MemoryConfig):
            raise WrongType("config", f"must be a MemoryConfig, not {checks.shown(config)}")
        self.config = config or MemoryConfig()
        self.session = None if session is None else checks.name("session", session)
        settings = load_settings() if mind is None else None
        self.llm = chosen_llm(self.config.llm, settings=settings)
        self.mind = mind or open_mind(self.config.path, embedder=self.config.embedder, settings=settings)
        self._owns_mind = mind is None
        agent, user = self.config.agent, self.config.user
        self._own = ScopedMind(self.mind, Scope(agent, user), without=["user"] if user is None else [])
        self._conversation = ScopedMind(self.mind, Scope(agent, user, self.session))
        self.problems: deque[str] = deque(maxlen=MOST_PROBLEMS)
        """The latest failures of the language model; rules answered instead."""

    async def __aenter__(self) -> MemoryManager:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the mind, unless the caller passed it in."""
        if self._owns_mind:
            await asyncio.to_thread(self.mind.close)

    async def add_memory(
        self,
        content: str,
        memory_type: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        importance: float | None = None,
    ) -> MemoryEntry:
        """Store a memory; without an importance, it is scored. `metadata["source"]` says where it comes from."""
        tier = _tier(memory_type)
        extra = checks.metadata(metadata)
        if importance is not None:
            checks.importance(importance)
        if "source" in extra:
            checks.name("metadata.source", extra["source"])
        checks.text("content", content)
        return await asyncio.to_thread(self._add, content, tier, extra, importance)

    async def search_memory(
        self,
        query: str,
        memory_type: str | None = None,
        limit: int = 5,
        filters: Mapping[str, Any] | None = None,
    ) -> list[MemoryEntry]:
        """Return the memories that answer a question, best first, of one type or of all.

        `filters` is the filter of a mind: {"metadata.role": "user", "importance": {"gte": 7}}.
        """
        checks.integer("limit", limit, minimum=1, maximum=MOST)
        where = self._where(memory_type, filters)
        return await asyncio.to_thread(self._search, query, where, limit)

    async def get_memories(
        self, memory_type: str | None = None, filters: Mapping[str, Any] | None = None
    ) -> list[MemoryEntry]:
        """Return the memories of one type or of all, in the order in which they were stored."""
        where = self._where(memory_type, filters)
        return await asyncio.to_thread(lambda: self._entries(self._memories(where)))

    async def forget_memory(
        self,
        id: str | MemoryEntry | None = None,
        *,
        memory_type: str | None = None,
        filters: Mapping[str, Any] | None = None,
    ) -> int:
        """Forget a memory, or those of a type, a filter or both; return how many."""
        if id is None and memory_type is None and filters is None:
            raise InvalidInput("id", "is missing; give an id, a memory_type or filters")
        chosen = id.id if isinstance(id, MemoryEntry) else id
        if chosen == "":
            raise InvalidInput("id", "is not set on this entry; it was never stored")
        where = self._where(memory_type, filters)
        return await asyncio.to_thread(lambda: self._own.forget(chosen, where=where))

    async def learn(self, messages: Sequence[Message | Mapping[str, Any]]) -> list[MemoryEntry]:
        """Store what is worth remembering of a conversation as long-term memories."""
        return await asyncio.to_thread(self._learn, messages)

    async def use(self, entries: Sequence[MemoryEntry]) -> None:
        """Note that memories went into a prompt, which makes them stronger."""
        await asyncio.to_thread(self.mind.use, [entry.id for entry in entries])

    async def upkeep(self, *, dry_run: bool = False) -> Report:
        """Update, merge, summarise and prune the memories of this agent and user now; return what was done."""
        return await asyncio.to_thread(
            lambda: upkeep(self.mind, dry_run=dry_run, llm=self.llm, options=self.config.options(), **self._own.keys)
        )

    def background_upkeep(
        self, *, every: float = 3600.0, on_report: Callable[[Report], None] | None = None
    ) -> BackgroundUpkeep:
        """Return a context manager that runs upkeep every so many seconds."""
        return BackgroundUpkeep(
            self.mind,
            every=every,
            on_report=on_report,
            llm=self.llm,
            options=self.config.options(),
            **self._own.keys,
        )

    def turns(self) -> list[Message]:
        """Return the latest messages of this session, also those that a newer fact has superseded since."""
        where = self._where(MemoryTypes.SHORT_TERM, {"metadata.role": {"exists": True}})
        said: list[Memory] = []
        for page in self._own.pages(where=where, include_superseded=True):
            for memory in page:
                if not memory.is_expired(self.mind.clock()):
                    said.append(memory)
                elif has_left(memory):
                    said = [earlier for earlier in said if earlier.superseded_at is None]
        return [turn for memory in said if (turn := _turn(memory)) is not None]

    def _add(self, content: str, tier: Tier, metadata: Mapping[str, Any], importance: float | None) -> MemoryEntry:
        if importance is None:
            judge = self.llm if tier == MemoryTypes.LONG_TERM else None
            scored = score_importance(content, llm=judge)
            self._note(scored.problem)
            importance = scored.score
        owner = self._conversation if tier in _OF_A_CONVERSATION else self._own
        remembered = owner.remember(
            content, tier=tier, importance=importance, metadata=metadata, source=metadata.get("source")
        )
        if tier == MemoryTypes.SHORT_TERM:
            self._keep_window(remembered.memory.scope)
        return self._entries([remembered.memory])[0]

    def _keep_window(self, scope: Scope) -> None:
        options = self.config.options()
        window = ScopedMind.exactly(self.mind, scope)
        excess = window.count(tier="short_term") - self.config.window
        if excess <= 0:
            return
        if self.config.summarise:
            report = Report()
            deque(slide(self.mind, [scope], report, options=options, llm=self.llm, now=self.mind.clock()), 0)
            self._note(*report.problems)
        else:
            held = (memory for page in window.pages(tier="short_term") for memory in page)
            oldest = islice((memory.id for memory in held if not is_protected(memory, options)), min(excess, _AT_ONCE))
            window.forget(where={"id": {"in": list(oldest)}})

    def _note(self, *problems: str | None) -> None:
        self.problems.extend(problem for problem in problems if problem is not None)

    def _search(self, query: str, where: Mapping[str, Any] | None, limit: int) -> list[MemoryEntry]:
        hits = self._own.recall(query, where=where, limit=limit)
        return self._entries([hit.memory for hit in hits], [hit.score for hit in hits])

    def _learn(self, messages: Sequence[Message | Mapping[str, Any]]) -> list[MemoryEntry]:
        learned = learn(self._own, messages, llm=self.llm, source=self.session or SOURCE)
        self._note(learned.problem)
        return self._entries(learned.memories)

    def _memories(self, where: Mapping[str, Any] | None) -> list[Memory]:
        return [memory for page in self._own.pages(where=where) for memory in page]

    def _where(self, memory_type: str | None, filters: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return the filter for a type in this session, without the messages and tasks of other sessions."""
        parts: list[Mapping[str, Any]] = [] if filters is None else [_filter(filters)]
        if memory_type is not None:
            parts.append({"tier": _tier(memory_type)})
        if self.session is not None:
            parts.append({"or": [{"tier": {"in": _ACROSS}}, {"session": self.session}]})
        return {"and": parts} if parts else None

    def _entries(self, memories: Sequence[Memory], scores: Sequence[float] | None = None) -> list[MemoryEntry]:
        vectors = self.mind.embedder.embed([memory.text for memory in memories]).tolist() if memories else []
        return [
            MemoryEntry(
                content=memory.text,
                embedding=vector,
                metadata=memory.metadata,
                timestamp=memory.created_at if memory.occurred_at is None else start_of(memory.occurred_at),
                source=memory.source or "unknown",
                importance_score=memory.importance,
                id=memory.id,
                memory_type=memory.tier,
                score=None if scores is None else scores[index],
            )
            for index, (memory, vector) in enumerate(zip(memories, vectors, strict=True))
        ]


def _tier(memory_type: object) -> Tier:
    try:
        return checked_tier(memory_type)
    except InvalidInput as error:
        raise InvalidInput("memory_type", error.problem) from None


def _turn(memory: Memory) -> Message | None:
    """Return a memory as a message, None if its role is not a valid one."""
    try:
        return Message(checks.name("role", memory.metadata["role"]), memory.text)
    except InvalidInput:
        return None


def _filter(filters: object) -> Mapping[str, Any]:
    if not isinstance(filters, dict) or not filters:
        raise InvalidInput(
            "filters", f"must be a filter such as {{'metadata.role': 'user'}}, not {checks.shown(filters)}"
        )
    return filters
