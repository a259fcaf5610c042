"""Learn: what is worth remembering of a conversation, weighed and stored once."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemic.core.scoped import ScopedMind
from mnemic.model.batches import batches
from mnemic.model.draft import Draft
from mnemic.model.memory import Remembered
from mnemic.model.message import messages as checked_messages
from mnemic.upkeep.extract import extract
from mnemic.upkeep.importance import importance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from mnemic.model.checks import Json
    from mnemic.model.memory import Memory
    from mnemic.model.message import Message
    from mnemic.ports import Llm

SOURCE = "conversation"
"""The source of memories that were learned from messages, unless the caller names another."""

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Learned:
    """What was stored of a conversation, who picked it (rules, or a model's name), and what the model did wrong."""

    remembered: list[Remembered]
    by: str
    problem: str | None = None

    @property
    def memories(self) -> list[Memory]:
        """Return the memories, also those that were known before."""
        return [remembered.memory for remembered in self.remembered]


def learn(
    own: ScopedMind,
    messages: Iterable[Message | Mapping[str, Any]],
    *,
    llm: Llm | None = None,
    source: str = SOURCE,
    metadata_of: Callable[[Message], Mapping[str, Json]] = lambda _: {},
    expires_at: datetime | None = None,
    lock: AbstractContextManager[Any] | None = None,
) -> Learned:
    """Store what is worth remembering of a conversation: messages → statements → weighed drafts → memories.

    `metadata_of` returns the metadata of what a message states. `lock` is held while memories are stored, not while
    a model is asked.
    """
    conversation = checked_messages(messages)
    extracted = extract(conversation, llm=llm, now=own.mind.clock())
    drafts = [
        weighed_draft(
            own,
            statement.text,
            category=statement.category,
            occurred_at=statement.occurred_at,
            metadata=metadata_of(conversation[statement.message_index]),
            source=source,
            expires_at=expires_at,
        )
        for statement in extracted.statements
    ]
    with lock or nullcontext():
        return Learned(remember_once(own, drafts), extracted.by, extracted.problem)


def weighed_draft(own: ScopedMind, text: str, **fields: Any) -> Draft:  # noqa: ANN401
    """Return a draft in a scope, with the importance that the rules give to its text."""
    return Draft(text=text, importance=importance(text).score, **fields, **own.keys)


def remember_once(own: ScopedMind, drafts: Sequence[Draft]) -> list[Remembered]:
    """Store drafts of one scope; also in a session, where a mind merges nothing, a known text stays one memory."""
    if own.scope.session is None:
        return own.remember_many(drafts)
    known = _known(own, {draft.text for draft in drafts})
    new = {draft.text: draft for draft in drafts if draft.text not in known}
    stored = own.remember_many(new.values())
    known |= {remembered.memory.text: remembered.memory for remembered in stored}
    first = {id(draft) for draft in new.values()}
    return [Remembered(known[draft.text], created=id(draft) in first) for draft in drafts]


def _known(own: ScopedMind, texts: Iterable[str]) -> dict[str, Memory]:
    exactly = ScopedMind.exactly(own.mind, own.scope)
    return {
        memory.text: memory
        for batch in batches(sorted(texts), _BATCH)
        for page in exactly.pages(where={"text": {"in": batch}})
        for memory in page
    }
