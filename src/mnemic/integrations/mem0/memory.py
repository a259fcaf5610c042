"""mem0's Memory, with a mind behind it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from mnemic.agent.keepers import remember_once
from mnemic.errors import InvalidInput, NotFound
from mnemic.integrations.mem0 import items
from mnemic.integrations.mem0.config import opened
from mnemic.integrations.mem0.filters import IDS, scope_of
from mnemic.model import checks
from mnemic.model.draft import Draft
from mnemic.model.message import messages as checked_messages
from mnemic.model.scope import UNSET, Unset
from mnemic.transfer.mem0 import SOURCE, end_of
from mnemic.upkeep.extract import extract
from mnemic.upkeep.importance import importance
from mnemic.upkeep.summarise import summarise

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory as Remembrance
    from mnemic.model.message import Message
    from mnemic.ports import Llm

PROCEDURE = "procedural_memory"

Said = str | Mapping[str, Any] | list[Mapping[str, Any]]


class Memory:
    """Do what mem0's Memory does, with a mind behind it."""

    def __init__(self, config: object = None, *, mind: Mind | None = None, llm: str | Llm | None = None) -> None:
        """Open the mind of the settings, one that mem0's configuration places elsewhere, or use one that is lent.

        `llm` extracts what is kept, else the language model of the configuration or of the settings, else rules.
        """
        self.mind, self._llm = opened(config, mind, llm)
        self._owns_mind = mind is None

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Open as mem0's configuration says."""
        return cls(config_dict)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the mind, unless it was lent."""
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
        """Keep what is worth keeping of messages, or each message as it is when `infer` is False.

        With `memory_type` "procedural_memory", keep one summary of what the agent did.
        """
        if prompt is not None:
            warnings.warn("prompt is not used: Mnemic extracts with its own", stacklevel=2)
        scope, _ = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        expires_at = end_of(expiration_date)
        own = checks.metadata(metadata)
        said = [message for message in checked_messages(_list(messages)) if message.role != "system"]
        told = self._told(said, infer=checks.flag("infer", infer), memory_type=memory_type)
        if memory_type is not None:
            own["memory_type"] = memory_type
        drafts = [
            Draft(
                text=text,
                metadata=own | _speaker(message),
                importance=importance(text).score,
                source=SOURCE,
                category=category,
                expires_at=expires_at,
                **scope,
            )
            for text, message, category in told
        ]
        results = []
        kept = remember_once(self.mind, drafts) if infer else self.mind.remember_many(drafts)
        for draft, remembered in zip(drafts, kept, strict=True):
            memory = remembered.memory
            entry: dict[str, Any] = {
                "id": memory.id,
                "memory": memory.text,
                "event": "ADD" if remembered.created else "NONE",
            }
            if not infer:
                speaker = draft.metadata or {}
                entry |= {"actor_id": speaker.get("actor_id"), "role": speaker.get("role")}
            if remembered.created or not infer:
                results.append(entry)
        return {"results": results}

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
        """Return all memories of a scope, or the first `top_k` (once `limit`) of them."""
        scope, where = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, filters)
        most = _top_k(top_k, limit)
        pages = self.mind.pages(where=_current(where), include_superseded=show_expired, **scope)
        found: list[dict[str, Any]] = []
        for page in pages:
            found.extend(self._item(memory) for memory in page)
            if most is not None and len(found) >= most:
                break
        return {"results": found[:most]}

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
        """Return the memories of a scope that answer a question, best first, at most 20 unless told otherwise.

        Without a `threshold`, the cut that Mnemic measured decides.
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
        """Change the text (once `data`), add to the metadata, or set the expiration date, None for never."""
        changes: dict[str, Any] = {}
        if text is not None or data is not None:
            changes["text"] = data if text is None else text
        if metadata is not None:
            added = {key: value for key, value in metadata.items() if key not in (*IDS, "actor_id")}
            changes["metadata"] = self._stored(memory_id).metadata | checks.metadata(added)
        if not isinstance(expiration_date, Unset):
            changes["expires_at"] = end_of(expiration_date)
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
            return items.events(self.mind.history(memory_id))
        except (NotFound, InvalidInput):
            return []

    def reset(self) -> None:
        """Forget everything that came through this face or was imported from mem0; what other doors keep stays."""
        for key in IDS.values():
            names = self.mind.tally(key, everywhere=True, include_superseded=True)
            for name in names.keys() - {None}:
                scope: dict[str, Any] = {key: name}
                self.mind.forget(where={"source": SOURCE}, **scope)

    def chat(self, query: str) -> NoReturn:
        """Refuse, as mem0 does."""
        raise NotImplementedError("chat is not there in mem0 either; put what search returns into a prompt")

    def _told(
        self, said: list[Message], *, infer: bool, memory_type: str | None
    ) -> list[tuple[str, Message, str | None]]:
        """Return what is to be kept: its text, the message it comes from, and what kind of thing it is."""
        said = [message for message in said if message.content.strip()]
        if memory_type not in (None, PROCEDURE):
            raise InvalidInput("memory_type", f"must be {PROCEDURE} or left out, not {checks.shown(memory_type)}")
        if said and memory_type == PROCEDURE:
            lines = [f"{message.role}: {message.content}" for message in said]
            return [(summarise(lines, llm=self._llm).text, said[-1], "procedure")]
        if not said or not infer:
            return [(message.content, message, None) for message in said]
        found = extract(said, llm=self._llm, now=self.mind.clock())
        return [(fact.text, said[fact.place], fact.category) for fact in found.facts]

    def _stored(self, memory_id: str) -> Remembrance:
        try:
            return self.mind.get(memory_id)
        except (NotFound, InvalidInput):
            raise InvalidInput("memory_id", f"Memory with id {memory_id} not found") from None

    def _item(self, memory: Remembrance) -> dict[str, Any]:
        return items.item(memory, updated_at=self._updated_at(memory))

    def _updated_at(self, memory: Remembrance) -> datetime:
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


def _speaker(message: Message) -> dict[str, Any]:
    return {"role": message.role} | ({} if message.name is None else {"actor_id": message.name})


def _current(where: dict[str, Any] | None) -> dict[str, Any]:
    """Leave out what a newer memory closed, also where expired ones are asked for."""
    current: dict[str, Any] = {"superseded_at": {"exists": False}}
    return current if where is None else {"and": [where, current]}


def _top_k(top_k: int | None, limit: int | None) -> int | None:
    given = top_k if limit is None else limit
    return None if given is None else checks.whole("top_k" if limit is None else "limit", given, least=0, most=10_000)
