"""Conversion between memories and rows."""

from __future__ import annotations

import json
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mnemic.model.change import Change, Link
from mnemic.model.memory import FIELD_TYPES, FIELDS, Memory, values_of
from mnemic.model.scope import KEYS, Scope
from mnemic.model.time import read_when, stamp
from mnemic.rules.repeats import digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.model.checks import Json

COLUMNS = ", ".join(FIELDS)
"""The columns of a memory's fields."""
ALL_COLUMNS = f"seq, {COLUMNS}, digest"
_TIMES = tuple(name for name, type_ in FIELD_TYPES.items() if type_.startswith(("datetime", "When")))
BEGAN_AT = (
    "CASE WHEN occurred_at IS NULL THEN created_at "
    "WHEN length(occurred_at) = 10 THEN occurred_at || 'T00:00:00.000000+00:00' ELSE occurred_at END"
)


def to_row(seq: int, memory: Memory, digest: bytes | None = None) -> tuple[Any, ...]:
    """Return the values of a memory for `ALL_COLUMNS`, computing the digest unless it is passed."""
    return (seq, *map(_to_column, values_of(memory)), digest or digest_of(memory))


def to_memory(row: tuple[Any, ...]) -> Memory:
    """Return the memory of a row that starts with `COLUMNS`."""
    values = dict(zip(FIELDS, row, strict=False))
    scope = _scope(*(values.pop(key) for key in KEYS))
    values["tags"] = tuple(json.loads(values["tags"]))
    values["metadata"] = json.loads(values["metadata"])
    for name in _TIMES:
        if values[name] is not None:
            values[name] = read_when(values[name])
    return Memory(scope=scope, **values)


@lru_cache(maxsize=1024)
def _scope(agent: str | None, user: str | None, session: str | None) -> Scope:
    """Return a scope, cached because most rows share theirs."""
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


def to_json(value: Sequence[str] | dict[str, Json]) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _to_column(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, date):
        return stamp(value)
    return to_json(value) if isinstance(value, (list, tuple, dict)) else value


def to_blob(vector: NDArray[np.float32]) -> bytes:
    """Return the stored form of a vector."""
    return vector.astype("<f2").tobytes()
