"""Memories that were used are known to have been."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from mnemic import Mind
from mnemic.model.change import Use

START = datetime(2026, 3, 1, tzinfo=UTC)


def test_use_is_counted_with_its_last_time() -> None:
    moments = iter(START + timedelta(days=day) for day in range(9))
    with Mind(":memory:", clock=lambda: next(moments)) as mind:
        id = mind.remember("Ana lives in Lisbon").memory.id
        mind.use([id])
        mind.use([id, id])
        assert mind.uses([id]) == {id: Use(3, START + timedelta(days=2))}


def test_what_was_never_used_or_is_not_there_has_no_uses() -> None:
    with Mind(":memory:") as mind:
        id = mind.remember("Ana lives in Lisbon").memory.id
        mind.use([str(uuid4())])
        mind.recall("Lisbon")
        assert mind.uses([id, str(uuid4())]) == {}


def test_a_forgotten_memory_takes_its_uses_along() -> None:
    with Mind(":memory:") as mind:
        id = mind.remember("Ana lives in Lisbon").memory.id
        mind.use([id])
        mind.forget(id)
        mind.remember("Ana lives in Lisbon", id=id)
        assert mind.uses([id]) == {}
