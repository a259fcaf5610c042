"""PersistentMemory: what an agent knows across conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mnemic.agent.bases import PersistentMemoryBase
from mnemic.agent.keepers import Found, Keeper, MindKeeper, Recorded
from mnemic.errors import InvalidInput, MindClosed, MnemicError, WrongType
from mnemic.model import checks
from mnemic.model.message import Message
from mnemic.model.scope import UNSET, Scope
from mnemic.rules.learning.guard import RecallGuard
from mnemic.rules.prompt import quoted
from mnemic.wiring import chosen_embedder, chosen_llm, door_mind

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
    """Keep what outlives a conversation, for an agent, a user, a session or any combination of them."""

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
        """Say whose the memories are, and what keeps them.

        At least one name is needed; a name that is given must match exactly. `llm_backend` and `embedding_backend`
        are an object, a name such as "openai:gpt-5", or what the settings say. The memories live in the mind of the
        settings, in memory when `on_disk` is False, or in a `mind` that is lent; with `mem0_config` or
        `vector_store_config`, mem0's own values or dicts, mem0 keeps them.
        """
        scope = _scope(agent_name, user_name, session_name)
        self.agent_id, self.user_id, self.session_id = scope.agent, scope.user, scope.session
        checks.flag("on_disk", on_disk)
        self._closed = False
        self._guard = RecallGuard()
        self._recorded: dict[str, None] = {}
        if mind is not None and embedding_backend is not None:
            raise InvalidInput("embedding_backend", "cannot be joined with mind, which has its own embedder")
        llm = chosen_llm(llm_backend, field="llm_backend")
        if mem0_config is None and vector_store_config is None:
            self._keeper: Keeper = MindKeeper(
                mind or _own_mind(embedding_backend, on_disk=on_disk), scope, llm=llm, owns_mind=mind is None
            )
            return
        if mind is not None:
            raise InvalidInput("mind", "cannot be joined with mem0_config or vector_store_config; leave one out")
        from mnemic.agent.mem0 import Mem0Keeper  # only loaded when it is chosen

        self._keeper = Mem0Keeper(
            scope,
            mem0_config=mem0_config,
            vector_store_config=vector_store_config,
            llm=llm,
            embedder=chosen_embedder(embedding_backend, field="embedding_backend"),
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
        """Let go of the memories, which are kept; twice is the same as once."""
        if not self._closed:
            await self._run(self._keeper.close)
            self._closed = True

    # For the framework

    async def record(
        self,
        messages: Sequence[Message | Mapping[str, Any] | None] | None,
        *,
        infer: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> Recorded:
        """Keep what is worth keeping of a conversation, or each message as it is when `infer` is False.

        System and empty messages are left out, as are messages whose id was recorded before and whatever was only
        just recalled.
        """
        checks.flag("infer", infer)
        if messages and (recalled := self._guard.ids):
            self._guard.drop(await self._run(lambda: self._keeper.gone(recalled)))
        arriving = self._arriving(messages)
        kept = checks.metadata(metadata)
        if not arriving:
            return Recorded()
        fresh = [message for message, _ in arriving]
        ids = [id for _, id in arriving if id is not None]
        self._note_recorded(ids)
        try:
            return await self._run(lambda: self._keeper.record(fresh, infer=infer, metadata=kept))
        except Exception:
            for id in ids:
                self._recorded.pop(id, None)
            raise

    async def retrieve(
        self, query: Query, limit: int = 5, *, previous_winners: Sequence[Mapping[str, Any]] | None = None
    ) -> str:
        """Return what is remembered about a question, a message or a conversation, as text for a prompt; "" if nothing.

        `previous_winners`, such as [{"agent_id": "b", "turn": 1}], looks into what other agents kept in a turn, too.
        """
        checks.whole("limit", limit, least=1, most=MOST_HITS)
        queries, winners = _queries(query), _winners(previous_winners or ())
        found = _best(await self._search(queries, limit=limit), limit)
        for agent, turn in winners:
            if agent != self.agent_id:
                theirs = _best(await self._search(queries, limit=limit, agent=agent, turn=turn), limit)
                found += [_from_winner(one, agent, turn) for one in theirs]
        await self._note_use(found)
        return quoted((one.when, one.text) for one in found)

    # For the agent, as tools

    async def save_to_memory(self, thinking: str, content: list[str]) -> dict[str, Any]:
        """Keep what the agent wants kept; an error is part of the result, for the agent to read."""
        try:
            reason = checks.storable("thinking", thinking)
            texts = _texts("content", content)
            metadata = {"thinking": reason} if reason.strip() else {}
            ids = await self._run(lambda: self._keeper.save(texts, metadata=metadata))
        except MnemicError as error:
            return {"success": False, "message": f"Error saving to memory: {error}", "memory_ids": []}
        return {
            "success": True,
            "message": f"Successfully saved {len(ids)} item{'s' if len(ids) > 1 else ''}",
            "memory_ids": ids,
        }

    async def recall_from_memory(self, keywords: list[str], limit: int = 5) -> dict[str, Any]:
        """Return what the agent looks for, up to `limit` memories for each keyword, none of them twice."""
        try:
            queries = _texts("keywords", keywords)
            checks.whole("limit", limit, least=1, most=MOST_HITS)
            found = list({one.text: one for one in await self._search(queries, limit=limit)}.values())
            await self._note_use(found)
        except MnemicError as error:
            return {"success": False, "message": f"Error retrieving memories: {error}", "memories": [], "count": 0}
        texts = [one.text for one in found]
        return {"success": True, "memories": texts, "count": len(texts)}

    async def _search(
        self, queries: Sequence[str], *, limit: int, agent: str | None = None, turn: int | None = None
    ) -> list[Found]:
        def search() -> list[Found]:
            return [
                found for query in queries for found in self._keeper.find(query, limit=limit, agent=agent, turn=turn)
            ]

        return await self._run(search)

    async def _note_use(self, found: Sequence[Found]) -> None:
        """Know that memories go into a prompt: they grow stronger, and are not to be stored again."""
        self._guard.note((one.id, one.text) for one in found)
        await self._run(lambda: self._keeper.use([one.id for one in found]))

    async def _run(self, work: Callable[[], R]) -> R:
        if self._closed:
            raise MindClosed("this memory is closed; open another")
        return await asyncio.get_running_loop().run_in_executor(self._keeper.threads, work)

    def _arriving(
        self, messages: Sequence[Message | Mapping[str, Any] | None] | None
    ) -> list[tuple[Message, str | None]]:
        if messages is not None and (isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Sequence)):
            raise WrongType("messages", f"must be a list of messages, not {checks.shown(messages)}")
        arriving: list[tuple[Message, str | None]] = []
        known = set(self._recorded)
        for place, given in enumerate(messages or ()):
            if given is None:
                continue
            message = _message(f"messages[{place}]", given)
            id = _id(given)
            if message.role != "system" and id not in known and (news := self._guard.news(message)):
                arriving.append((Message(message.role, news, message.name), id))
                known |= set() if id is None else {id}
        return arriving

    def _note_recorded(self, ids: Sequence[str]) -> None:
        self._recorded |= dict.fromkeys(ids)
        while len(self._recorded) > MOST_RECORDED:
            del self._recorded[next(iter(self._recorded))]


def _own_mind(embedder: str | Embedder | None, *, on_disk: bool) -> Mind:
    chosen = chosen_embedder(embedder, field="embedding_backend")
    return door_mind(None if on_disk else ":memory:", embedder=chosen)


def _scope(agent: str | None, user: str | None, session: str | None) -> Scope:
    names = {"agent_name": agent, "user_name": user, "session_name": session}
    for field, name in names.items():
        if name is not None:
            checks.name(field, name)
    if agent is None and user is None and session is None:
        raise InvalidInput("agent_name", "At least one of agent_name, user_name and session_name is needed")
    return Scope.of(agent=agent or UNSET, user=user or UNSET, session=session or UNSET)


def _message(field: str, given: Message | Mapping[str, Any]) -> Message:
    if not isinstance(given, (Message, Mapping)):
        raise WrongType(field, f"must be a dict or a Message, not {checks.shown(given)}")
    try:
        return Message.of(given)
    except InvalidInput as error:
        raise InvalidInput(f"{field}.{error.field}", error.problem) from None


def _id(message: Message | Mapping[str, Any]) -> str | None:
    id = message.get("id") if isinstance(message, Mapping) else None
    return id if isinstance(id, str) else None


def _winners(given: object) -> list[tuple[str, int | None]]:
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, Mapping) for one in given):
        raise WrongType("previous_winners", f"must be a list such as {WINNERS}, not {checks.shown(given)}")
    found = []
    for one in given:
        agent, turn = checks.name("previous_winners.agent_id", one.get("agent_id")), one.get("turn")
        found.append(
            (agent, None if turn is None else checks.whole("previous_winners.turn", turn, least=0, most=2**53))
        )
    return found


def _queries(query: Query) -> list[str]:
    if isinstance(query, (str, Message, Mapping)):
        query = [query]
    if not isinstance(query, (list, tuple)):
        raise WrongType("query", f"must be text, a message or a list of them, not {checks.shown(query)}")
    texts = []
    for place, one in enumerate(query):
        message = Message("user", one) if isinstance(one, str) else _message(f"query[{place}]", one)
        if message.role != "system" and message.content.strip():
            texts.append(message.content)
    return list(dict.fromkeys(texts))


def _texts(field: str, given: object) -> list[str]:
    if not isinstance(given, (list, tuple)) or not given:
        raise WrongType(field, f"must be a list of at least one text, not {checks.shown(given)}")
    return [checks.text(f"{field}[{place}]", one) for place, one in enumerate(given)]


def _best(found: Sequence[Found], limit: int) -> list[Found]:
    best: dict[str, Found] = {}
    for one in sorted(found, key=lambda one: -one.score):
        best.setdefault(one.text, one)
    return list(best.values())[:limit]


def _from_winner(found: Found, agent: str, turn: object) -> Found:
    return Found(found.id, f"[From {agent} Turn {turn}] {found.text}", found.score, found.when)
