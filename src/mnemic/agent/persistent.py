"""PersistentMemory: what an agent knows across conversations."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mnemic.agent.backend import MemoryBackend, MindBackend, RecalledText, Recorded
from mnemic.agent.bases import PersistentMemoryBase
from mnemic.errors import InvalidInput, MindClosed, MnemicError, WrongType
from mnemic.model import checks
from mnemic.model.message import Message
from mnemic.model.scope import UNSET, Scope
from mnemic.rules.learning.guard import RecallGuard
from mnemic.rules.prompt import quoted
from mnemic.wiring import chosen_embedder, chosen_llm, load_settings, open_mind

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from mnemic.mind import Mind
    from mnemic.ports import Embedder, Llm

R = TypeVar("R")
Query = str | Message | Mapping[str, Any] | Sequence["str | Message | Mapping[str, Any]"]

MOST_HITS = 1000
WINNERS = '[{"agent_id": "b", "turn": 1}]'
MOST_RECORDED = 10_000


class PersistentMemory(PersistentMemoryBase):
    """Long-term memory of an agent, a user, a session or any combination of them."""

    def __init__(
        self,
        agent_name: str | None = None,
        user_name: str | None = None,
        session_name: str | None = None,
        *,
        llm_backend: str | Llm | None = None,
        embedding_backend: str | Embedder | None = None,
        vector_store_config: object = None,
        mem0_config: object = None,
        on_disk: bool = True,
        mind: Mind | None = None,
    ) -> None:
        """Open the memory of one scope; at least one name is needed, and names must match exactly.

        `llm_backend` and `embedding_backend` are an object, a name such as "openai:gpt-5", or None for those of the
        settings. The memories are stored in the mind of the settings, in RAM when `on_disk` is False, or in the
        `mind` passed in. With `mem0_config` or `vector_store_config` (mem0's own values, or dicts), mem0 stores them.
        """
        scope = _scope(agent_name, user_name, session_name)
        self.agent_id, self.user_id, self.session_id = scope.agent, scope.user, scope.session
        checks.flag("on_disk", on_disk)
        self._closed = False
        self._guard = RecallGuard()
        self._recorded: dict[str, None] = {}
        if mind is not None and embedding_backend is not None:
            raise InvalidInput("embedding_backend", "cannot be combined with mind, which has its own embedder")
        settings = load_settings() if mind is None else None
        llm = chosen_llm(llm_backend, field="llm_backend", settings=settings)
        if mem0_config is None and vector_store_config is None:
            own_mind = mind or open_mind(
                None if on_disk else ":memory:",
                embedder=chosen_embedder(embedding_backend, field="embedding_backend", settings=settings),
                settings=settings,
            )
            self._backend: MemoryBackend = MindBackend(own_mind, scope, llm=llm, owns_mind=mind is None)
            return
        if mind is not None:
            raise InvalidInput("mind", "cannot be combined with mem0_config or vector_store_config; leave one out")
        from mnemic.agent.mem0_backend import Mem0Backend  # only loaded when it is chosen

        self._backend = Mem0Backend(
            scope,
            mem0_config=mem0_config,
            vector_store_config=vector_store_config,
            llm=llm,
            embedder=chosen_embedder(embedding_backend, field="embedding_backend", settings=settings),
            replace={
                *({"llm"} if llm_backend is not None else ()),
                *({"embedder"} if embedding_backend is not None else ()),
            },
        )

    async def __aenter__(self) -> PersistentMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the memory; the memories stay stored. Closing twice is allowed."""
        if not self._closed:
            await self._run(self._backend.close)
            self._closed = True

    # For the framework

    async def record(
        self,
        messages: Sequence[Message | Mapping[str, Any] | None] | None,
        *,
        infer: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> Recorded:
        """Store what is worth remembering of a conversation, or each message as it is when `infer` is False.

        System messages, empty messages, messages whose id was recorded before and text that was only just recalled
        are left out.
        """
        checks.flag("infer", infer)
        if messages and (recalled := self._guard.ids):
            self._guard.drop(await self._run(lambda: self._backend.gone(recalled)))
        arriving = self._arriving(messages)
        extra = checks.metadata(metadata)
        if not arriving:
            return Recorded()
        fresh = [message for message, _ in arriving]
        ids = [id for _, id in arriving if id is not None]
        self._note_recorded(ids)
        try:
            return await self._run(lambda: self._backend.record(fresh, infer=infer, metadata=extra))
        except Exception:
            for id in ids:
                self._recorded.pop(id, None)
            raise

    async def retrieve(
        self, query: Query, limit: int = 5, *, previous_winners: Sequence[Mapping[str, Any]] | None = None
    ) -> str:
        """Return what is remembered about a question, a message or a conversation, as text for a prompt; "" if nothing.

        `previous_winners`, such as [{"agent_id": "b", "turn": 1}], adds what other agents stored in a turn.
        """
        checks.integer("limit", limit, minimum=1, maximum=MOST_HITS)
        queries, winners = _queries(query), _winners(previous_winners or ())
        recalled = _best(await self._search(queries, limit=limit), limit)
        for agent, turn in winners:
            if agent != self.agent_id:
                theirs = _best(await self._search(queries, limit=limit, agent=agent, turn=turn), limit)
                recalled += [_from_winner(memory, agent, turn) for memory in theirs]
        await self._note_use(recalled)
        return quoted((memory.when, memory.text) for memory in recalled)

    # For the agent, as tools

    async def save_to_memory(self, thinking: str, content: list[str]) -> dict[str, Any]:
        """Store what the agent wants to remember; an error is part of the result, for the agent to read."""
        try:
            reason = checks.storable("thinking", thinking)
            texts = _texts("content", content)
            metadata = {"thinking": reason} if reason.strip() else {}
            ids = await self._run(lambda: self._backend.save(texts, metadata=metadata))
        except MnemicError as error:
            return {"success": False, "message": f"Error saving to memory: {error}", "memory_ids": []}
        return {
            "success": True,
            "message": f"Successfully saved {len(ids)} item{'s' if len(ids) > 1 else ''}",
            "memory_ids": ids,
        }

    async def recall_from_memory(self, keywords: list[str], limit: int = 5) -> dict[str, Any]:
        """Return up to `limit` memories for each keyword, none of them twice."""
        try:
            queries = _texts("keywords", keywords)
            checks.integer("limit", limit, minimum=1, maximum=MOST_HITS)
            recalled = list({memory.text: memory for memory in await self._search(queries, limit=limit)}.values())
            await self._note_use(recalled)
        except MnemicError as error:
            return {"success": False, "message": f"Error retrieving memories: {error}", "memories": [], "count": 0}
        texts = [memory.text for memory in recalled]
        return {"success": True, "memories": texts, "count": len(texts)}

    async def _search(
        self, queries: Sequence[str], *, limit: int, agent: str | None = None, turn: int | None = None
    ) -> list[RecalledText]:
        def search() -> list[RecalledText]:
            return [
                memory for query in queries for memory in self._backend.find(query, limit=limit, agent=agent, turn=turn)
            ]

        return await self._run(search)

    async def _note_use(self, recalled: Sequence[RecalledText]) -> None:
        """Note that memories go into a prompt: they grow stronger, and are not stored again."""
        self._guard.note((memory.id, memory.text) for memory in recalled)
        await self._run(lambda: self._backend.use([memory.id for memory in recalled]))

    async def _run(self, work: Callable[[], R]) -> R:
        if self._closed:
            raise MindClosed("this memory is closed; open another")
        return await asyncio.get_running_loop().run_in_executor(self._backend.threads, work)

    def _arriving(
        self, messages: Sequence[Message | Mapping[str, Any] | None] | None
    ) -> list[tuple[Message, str | None]]:
        if messages is not None and (isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Sequence)):
            raise WrongType("messages", f"must be a list of messages, not {checks.shown(messages)}")
        arriving: list[tuple[Message, str | None]] = []
        known = set(self._recorded)
        for index, value in enumerate(messages or ()):
            if value is None:
                continue
            message = _message(f"messages[{index}]", value)
            id = _id(value)
            if message.role != "system" and id not in known and (news := self._guard.news(message)):
                arriving.append((Message(message.role, news, message.name), id))
                known |= set() if id is None else {id}
        return arriving

    def _note_recorded(self, ids: Sequence[str]) -> None:
        self._recorded |= dict.fromkeys(ids)
        while len(self._recorded) > MOST_RECORDED:
            del self._recorded[next(iter(self._recorded))]


def _scope(agent: str | None, user: str | None, session: str | None) -> Scope:
    names = {"agent_name": agent, "user_name": user, "session_name": session}
    for field, name in names.items():
        if name is not None:
            checks.name(field, name)
    if agent is None and user is None and session is None:
        raise InvalidInput("agent_name", "is missing; give at least one of agent_name, user_name and session_name")
    return Scope.of(agent=agent or UNSET, user=user or UNSET, session=session or UNSET)


def _message(field: str, value: Message | Mapping[str, Any]) -> Message:
    if not isinstance(value, (Message, Mapping)):
        raise WrongType(field, f"must be a dict or a Message, not {checks.shown(value)}")
    try:
        return Message.of(value)
    except InvalidInput as error:
        raise InvalidInput(f"{field}.{error.field}", error.problem) from None


def _id(message: Message | Mapping[str, Any]) -> str | None:
    id = message.get("id") if isinstance(message, Mapping) else None
    return id if isinstance(id, str) else None


def _winners(value: object) -> list[tuple[str, int | None]]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(winner, Mapping) for winner in value):
        raise WrongType("previous_winners", f"must be a list such as {WINNERS}, not {checks.shown(value)}")
    winners = []
    for winner in value:
        agent, turn = checks.name("previous_winners.agent_id", winner.get("agent_id")), winner.get("turn")
        if turn is not None:
            checks.integer("previous_winners.turn", turn, minimum=0, maximum=2**53)
        winners.append((agent, turn))
    return winners


def _queries(query: Query) -> list[str]:
    if isinstance(query, (str, Message, Mapping)):
        query = [query]
    if not isinstance(query, (list, tuple)):
        raise WrongType("query", f"must be text, a message or a list of them, not {checks.shown(query)}")
    texts = []
    for index, part in enumerate(query):
        message = Message("user", part) if isinstance(part, str) else _message(f"query[{index}]", part)
        if message.role != "system" and message.content.strip():
            texts.append(message.content)
    return list(dict.fromkeys(texts))


def _texts(field: str, value: object) -> list[str]:
    if not isinstance(value, (list, tuple)) or not value:
        raise WrongType(field, f"must be a list of at least one text, not {checks.shown(value)}")
    return [checks.text(f"{field}[{index}]", text) for index, text in enumerate(value)]


def _best(recalled: Sequence[RecalledText], limit: int) -> list[RecalledText]:
    best: dict[str, RecalledText] = {}
    for memory in sorted(recalled, key=lambda memory: -memory.score):
        best.setdefault(memory.text, memory)
    return list(best.values())[:limit]


def _from_winner(recalled: RecalledText, agent: str, turn: object) -> RecalledText:
    return dataclasses.replace(recalled, text=f"[From {agent} Turn {turn}] {recalled.text}")
