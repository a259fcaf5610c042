"""Memories and changes in mem0's format."""

from __future__ import annotations

from datetime import timedelta
from hashlib import md5
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from mnemic.integrations.mem0.filters import IDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from mnemic.model.change import Change
    from mnemic.model.memory import Memory

PROMOTED = ("actor_id", "role", "attributed_to")
"""Metadata that mem0 returns as fields of the memory."""

_EVENTS = {"created": "ADD", "revised": "UPDATE", "forgotten": "DELETE"}


def item(memory: Memory, *, updated_at: datetime) -> dict[str, Any]:
    """Return a memory in mem0's format, without a score."""
    scope = {id: getattr(memory.scope, key) for id, key in IDS.items()}
    others = {key: value for key, value in memory.metadata.items() if key not in PROMOTED}
    return {
        "id": memory.id,
        "memory": memory.text,
        "hash": md5(memory.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": others or None,
        "created_at": memory.created_at.isoformat(),
        "updated_at": updated_at.isoformat(),
        **{key: name for key, name in scope.items() if name is not None},
        **{key: memory.metadata[key] for key in PROMOTED if key in memory.metadata},
        **({} if memory.expires_at is None else {"expiration_date": last_day(memory.expires_at).isoformat()}),
    }


def history(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return the changes of a memory as events of mem0's history, without those that mem0 does not have."""
    events = []
    state: dict[str, Any] = {}
    for change in changes:
        before = state
        state = state | change.after
        event = _EVENTS.get(change.kind)
        if event is None:
            continue
        metadata = state["metadata"]
        events.append(
            {
                "id": str(uuid5(UUID(change.memory_id), str(change.seq))),
                "memory_id": change.memory_id,
                "old_memory": None if event == "ADD" else before["text"],
                "new_memory": None if event == "DELETE" else state["text"],
                "event": event,
                "created_at": state["created_at"],
                "updated_at": change.at.isoformat(),
                "is_deleted": event == "DELETE",
                "actor_id": metadata.get("actor_id"),
                "role": metadata.get("role"),
            }
        )
    return events


def last_day(expires_at: datetime) -> date:
    """Return the last day on which a memory is current."""
    return (expires_at - timedelta(microseconds=1)).date()
