"""Memories as rows, and rows as memories."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mnemic.model.filter import stamp
from mnemic.model.memory import Change, Link, Memory, as_when
from mnemic.model.scope import Scope
from mnemic.rules.repeats import digest

if TYPE_CHECKING:
    from mnemic.model.checks import Json, When

FIELDS = (
    "id, text, agent, user, session, tier, category, importance, tags, metadata, source, "
    "created_at, occurred_at, expires_at, superseded_by, superseded_at, evidence, revision"
)
ALL_COLUMNS = f"seq, {FIELDS}, digest"
BEGAN_AT = (
    "CASE WHEN occurred_at IS NULL THEN created_at "
    "WHEN length(occurred_at) = 10 THEN occurred_at || 'T00:00:00.000000+00:00' ELSE occurred_at END"
)
_MAY_BE_NULL = (
    *("agent", "user", "session", "category", "source"),
    *("occurred_at", "expires_at", "superseded_by", "superseded_at"),
)
PLACES = ", ".join("nullif(?, '')" if column in _MAY_BE_NULL else "?" for column in ALL_COLUMNS.split(", "))
"""Where the values of `to_row` go: SQLite's driver takes ten times as long for None and bytes as for other values."""


def to_row(seq: int, memory: Memory) -> tuple[Any, ...]:
    """Return the columns of a memory, in the order of `ALL_COLUMNS`, to be put in `PLACES`."""
    scope = memory.scope
    return (
        seq,
        memory.id,
        memory.text,
        scope.agent or "",
        scope.user or "",
        scope.session or "",
        memory.tier,
        memory.category or "",
        memory.importance,
        written(list(memory.tags)) if memory.tags else "[]",
        written(memory.metadata) if memory.metadata else "{}",
        memory.source or "",
        stamp(memory.created_at),
        _time(memory.occurred_at),
        _time(memory.expires_at),
        memory.superseded_by or "",
        _time(memory.superseded_at),
        memory.evidence,
        memory.revision,
        bytearray(digest(memory)),
    )


def to_memory(row: tuple[Any, ...]) -> Memory:
    """Return the memory of a row that starts with the columns of `FIELDS`."""
    return Memory.of(
        row[0],
        row[1],
        _scope(row[2], row[3], row[4]),
        row[5],
        row[6],
        row[7],
        () if row[8] == "[]" else tuple(json.loads(row[8])),
        {} if row[9] == "{}" else json.loads(row[9]),
        row[10],
        datetime.fromisoformat(row[11]),
        row[12] and as_when(row[12]),
        row[13] and datetime.fromisoformat(row[13]),
        row[14],
        row[15] and as_when(row[15]),
        row[16],
        row[17],
    )


@lru_cache(maxsize=1024)
def _scope(agent: str | None, user: str | None, session: str | None) -> Scope:
    """Return a scope; what is read together is mostly of one."""
    return Scope(agent, user, session)


def to_change(row: tuple[Any, ...]) -> Change:
    """Return the change of a row of `changes`."""
    seq, memory_id, kind, at, before, after = row
    return Change(
        seq,
        memory_id,
        kind,
        datetime.fromisoformat(at),
        json.loads(before or "{}"),
        json.loads(after or "{}"),
    )


def to_link(row: tuple[Any, ...]) -> Link:
    """Return the link of a row of `links`."""
    from_id, to_id, relation, created_at = row
    return Link(from_id, to_id, relation, datetime.fromisoformat(created_at))


def written(value: Json) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _time(when: When | None) -> str:
    if when is None:
        return ""
    return stamp(when) if isinstance(when, datetime) else when.isoformat()
