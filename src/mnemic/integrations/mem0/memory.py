"""mem0's Memory, backed by a mind."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from mnemic.core.scoped import ScopedMind
from mnemic.errors import InvalidInput, NotFound
from mnemic.integrations.mem0 import items
from mnemic.integrations.mem0.config import open_mind_and_llm
from mnemic.integrations.mem0.filters import IDS, scope_of
from mnemic.model import checks
from mnemic.model.message import messages as checked_messages
from mnemic.model.scope import UNSET, Scope, Unset
from mnemic.transfer.mem0 import SOURCE, expiry_of
from mnemic.upkeep.learn import learn, remember_once, weighed_draft
from mnemic.upkeep.summarise import summarise

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory as StoredMemory
    from mnemic.model.memory import Remembered
    from mnemic.model.message import Message
    from mnemic.ports import Llm

PROCEDURE = "procedural_memory"

Said = str | Mapping[str, Any] | list[Mapping[str, Any]]


class Memory:
    """mem0's Memory, backed by a mind."""

    def __init__(self, config: object = None, *, mind: Mind | None = None, llm: str | Llm | None = None) -> None:
        """Open the mind of the settings or of mem0's configuration, or use the `mind` passed in.

        What is stored is extracted by `llm`, else by the language model of the configuration or of the settings, else
        by rules.
        """
        self.mind, self._llm = open_mind_and_llm(config, mind, llm)
        self._owns_mind = mind is None

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Open the memory that mem0's configuration describes."""
        return cls(config_dict)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the mind, unless the caller passed it in."""
        if self._owns_mind:
            self.mind.close()

    def add(
        self,
        messages: Said,
        *,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: object = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:
        """Store what is worth remembering of messages, or each message as it is when `infer` is False.

        With `memory_type` "procedural_memory", store one summary of what the agent did.
        """
        if prompt is not None:
            warnings.warn("prompt is not used: Mnemic extracts with its own", stacklevel=2)
        scope, _ = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        expires_at = expiry_of(expiration_date)
        shared = checks.metadata(metadata)
        if memory_type is not None:
            shared["memory_type"] = memory_type
        spoken = [message for message in checked_messages(_list(messages)) if message.role != "system"]
        events = self._store(
            ScopedMind(self.mind, Scope.of(**scope)),
            [message for message in spoken if message.content.strip()],
            infer=checks.flag("infer", infer),
            memory_type=memory_type,
            expires_at=expires_at,
            metadata=shared,
        )
        return {"results": events}

    def _store(
        self,
        own: ScopedMind,
        messages: list[Message],
        *,
        infer: bool,
        memory_type: str | None,
        expires_at: datetime | None,
        metadata: dict[str, Any],
    ) -> list[dict[str, Any]]:
        if memory_type not in (None, PROCEDURE):
            raise InvalidInput("memory_type", f"must be {PROCEDURE} or left out, not {checks.shown(memory_type)}")
        if not messages:
            return []
        if infer and memory_type is None:
            learned = learn(
                own,
                messages,
                llm=self._llm,
                source=SOURCE,
                metadata_of=lambda message: metadata | _speaker(message),
                expires_at=expires_at,
            )
            return [_event(remembered) for remembered in learned.remembered if remembered.created]
        texts, category = [message.content for message in messages], None
        if memory_type == PROCEDURE:
            lines = [f"{message.role}: {message.content}" for message in messages]
            texts, category, messages = [summarise(lines, llm=self._llm).text], "procedure", messages[-1:]
        drafts = [
            weighed_draft(
                own,
                text,
                category=category,
                metadata=metadata | _speaker(message),
                source=SOURCE,
                expires_at=expires_at,
            )
            for text, message in zip(texts, messages, strict=True)
        ]
        if infer:
            return [_event(remembered) for remembered in remember_once(own, drafts) if remembered.created]
        stored = zip(drafts, own.remember_many(drafts), strict=True)
        return [_event(remembered) | _shown_speaker(draft.metadata or {}) for draft, remembered in stored]

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory, None if there is none."""
        try:
            memory = self.mind.get(memory_id)
        except (NotFound, InvalidInput):
            return None
        return self._item(memory) | {"score": None}

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
    ) -> dict[str, Any]:
        """Return all memories of a scope, or the first `top_k` of them (`limit` in older versions)."""
        scope, where = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, filters)
        most = _top_k(top_k, limit)
        pages = self.mind.pages(where=_current(where), include_superseded=show_expired, **scope)
        results: list[dict[str, Any]] = []
        for page in pages:
            results.extend(self._item(memory) for memory in page)
            if most is not None and len(results) >= most:
                break
        return {"results": results[:most]}

    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        explain: bool = False,
        show_expired: bool = False,
        limit: int | None = None,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
    ) -> dict[str, Any]:
        """Return the memories of a scope that answer a question, best first, by default at most 20.

        Without a `threshold`, Mnemic's measured cut-off applies.
        """
        scope, where = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, filters)
        most = _top_k(top_k, limit)
        if most == 0:
            return {"results": []}
        hits = self.mind.recall(
            query,
            where=_current(where),
            include_superseded=checks.flag("show_expired", show_expired),
            limit=20 if most is None else most,
            min_score=threshold,
            rerank=rerank,
            **scope,
        )
        results = []
        for hit in hits:
            entry = self._item(hit.memory) | {"score": hit.score}
            results.append(entry | {"score_details": {"reasons": list(hit.reasons)}} if explain else entry)
        return {"results": results}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: object = UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change the text (`data` in older versions), add metadata, or set the expiration date, None for never."""
        changes: dict[str, Any] = {}
        if text is not None or data is not None:
            changes["text"] = data if text is None else text
        if metadata is not None:
            added = {key: value for key, value in metadata.items() if key not in (*IDS, "actor_id")}
            changes["metadata"] = self._stored(memory_id).metadata | checks.metadata(added)
        if not isinstance(expiration_date, Unset):
            changes["expires_at"] = expiry_of(expiration_date)
        if not changes:
            raise InvalidInput("text", "is missing; give a text, metadata or an expiration_date")
        self._stored(memory_id)
        self.mind.revise(memory_id, **changes)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Forget a memory."""
        self.mind.forget(self._stored(memory_id).id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | int | None = None, agent_id: str | int | None = None, run_id: str | int | None = None
    ) -> dict[str, str]:
        """Forget the memories of a scope."""
        scope, _ = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        self.mind.forget(**scope)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the changes of a memory, oldest first, also after it was deleted."""
        try:
            return items.history(self.mind.history(memory_id))
        except (NotFound, InvalidInput):
            return []

    def reset(self) -> None:
        """Delete the memories added through this wrapper or imported from mem0, and no others."""
        for key in IDS.values():
            names = self.mind.tally(key, everywhere=True, include_superseded=True)
            for name in names.keys() - {None}:
                scope: dict[str, Any] = {key: name}
                self.mind.forget(where={"source": SOURCE}, **scope)

    def chat(self, query: str) -> NoReturn:
        """Raise NotImplementedError, as mem0 does."""
        raise NotImplementedError("mem0 has no chat either; put what search returns into a prompt")

    def _stored(self, memory_id: str) -> StoredMemory:
        try:
            return self.mind.get(memory_id)
        except (NotFound, InvalidInput):
            raise InvalidInput("memory_id", f"Memory with id {memory_id} not found") from None

    def _item(self, memory: StoredMemory) -> dict[str, Any]:
        return items.item(memory, updated_at=self._updated_at(memory))

    def _updated_at(self, memory: StoredMemory) -> datetime:
        if memory.revision == 1:
            return memory.created_at
        return max(change.at for change in self.mind.history(memory.id) if change.kind != "repeated")


def _list(messages: object) -> list[Any]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if isinstance(messages, Mapping):
        return [messages]
    if not isinstance(messages, list):
        raise InvalidInput("messages", f"must be text, a message or a list of them, not {checks.shown(messages)}")
    return messages


def _event(remembered: Remembered) -> dict[str, Any]:
    memory = remembered.memory
    return {"id": memory.id, "memory": memory.text, "event": "ADD" if remembered.created else "NONE"}


def _shown_speaker(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {"actor_id": metadata.get("actor_id"), "role": metadata.get("role")}


def _speaker(message: Message) -> dict[str, Any]:
    return {"role": message.role} | ({} if message.name is None else {"actor_id": message.name})


def _current(where: dict[str, Any] | None) -> dict[str, Any]:
    """Return a filter that leaves out superseded memories, also where expired ones are wanted."""
    current: dict[str, Any] = {"superseded_at": {"exists": False}}
    return current if where is None else {"and": [where, current]}


def _top_k(top_k: int | None, limit: int | None) -> int | None:
    most = top_k if limit is None else limit
    return (
        None if most is None else checks.integer("top_k" if limit is None else "limit", most, minimum=0, maximum=10_000)
    )
