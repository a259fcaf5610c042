"""Memories and changes as mem0 shows them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from hashlib import md5
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from recollect.errors import InvalidInput
from recollect.model import checks

if TYPE_CHECKING:
    from recollect.model.memory import Change, Memory

PROMOTED = ("actor_id", "role", "attributed_to")
"""Metadata that mem0 shows beside the memory."""

_EVENTS = {"created": "ADD", "revised": "UPDATE", "forgotten": "DELETE"}


def item(memory: Memory, *, updated_at: datetime) -> dict[str, Any]:
    """Return a memory as an item of mem0's, without a score."""
    scope = {"user_id": memory.scope.user, "agent_id": memory.scope.agent, "run_id": memory.scope.session}
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


def event(change: Change) -> dict[str, Any] | None:
    """Return a change as an entry of mem0's history, None if mem0 knows no such change."""
    kind = _EVENTS.get(change.kind)
    if kind is None:
        return None
    old, new = change.before.get("text"), change.after.get("text")
    metadata = change.after.get("metadata") or change.before.get("metadata") or {}
    said = metadata if isinstance(metadata, dict) else {}
    return {
        "id": str(uuid5(UUID(change.memory_id), str(change.seq))),
        "memory_id": change.memory_id,
        "old_memory": None if kind == "ADD" else old,
        "new_memory": None if kind == "DELETE" else new,
        "event": kind,
        "created_at": change.after.get("created_at") or change.before.get("created_at") or change.at.isoformat(),
        "updated_at": change.at.isoformat(),
        "is_deleted": kind == "DELETE",
        "actor_id": said.get("actor_id"),
        "role": said.get("role"),
    }


def end_of_day(given: object) -> datetime | None:
    """Return when a memory ends that lasts through an expiration date."""
    if given is None:
        return None
    day = given.date() if isinstance(given, datetime) else given
    try:
        day = date.fromisoformat(day) if isinstance(day, str) else day
    except ValueError:
        day = None
    if not isinstance(day, date):
        raise InvalidInput("expiration_date", f"must be a date such as 2026-03-01, not {checks.shown(given)}")
    return datetime.combine(day + timedelta(days=1), time.min, UTC)


def last_day(expires_at: datetime) -> date:
    """Return the last day on which a memory holds."""
    return (expires_at - timedelta(microseconds=1)).date()
