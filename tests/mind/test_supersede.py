from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mnemic.errors import Conflict, InvalidInput, NotFound

if TYPE_CHECKING:
    from mnemic import Mind
    from mnemic.model.memory import Memory
    from tests.conftest import Clock


@pytest.fixture
def old(mind: Mind, clock: Clock) -> Memory:
    memory = mind.remember("lives in Porto").memory
    clock.advance(days=1)
    return memory


def test_it_closes_at_the_time_that_is_given(mind: Mind, clock: Clock, old: Memory) -> None:
    new = mind.remember("lives in Lisbon", occurred_at=clock.now).memory
    closed = mind.supersede(old.id, new.id, at="2026-05-02T00:00:00Z")
    assert (closed.superseded_by, closed.superseded_at) == (new.id, datetime(2026, 5, 2, tzinfo=UTC))
    assert mind.get(old.id) == closed
    assert mind.get(new.id) == new


def test_else_when_the_new_one_happened(mind: Mind, old: Memory) -> None:
    new = mind.remember("lives in Lisbon", occurred_at=date(2026, 5, 10)).memory
    assert mind.supersede(old.id, new.id).superseded_at == date(2026, 5, 10)


def test_else_when_the_new_one_was_stored(mind: Mind, old: Memory) -> None:
    new = mind.remember("lives in Lisbon").memory
    assert mind.supersede(old.id, new.id).superseded_at == new.created_at


def test_never_before_the_old_one_began(mind: Mind, old: Memory) -> None:
    new = mind.remember("lives in Lisbon", occurred_at=date(2020, 1, 1)).memory
    with pytest.raises(InvalidInput) as caught:
        mind.supersede(old.id, new.id, at=date(2020, 1, 1))
    assert caught.value.field == "at"
    assert mind.supersede(old.id, new.id).superseded_at == old.created_at
    assert mind.count(as_of=old.created_at, where={"id": old.id}) == 0


def test_a_superseded_memory_stays_readable(mind: Mind, old: Memory) -> None:
    new = mind.remember("lives in Lisbon").memory
    mind.supersede(old.id, new.id)
    assert mind.get(old.id).text == "lives in Porto"
    assert [hit.memory.id for hit in mind.recall("lives")] == [new.id]
    assert mind.count(include_superseded=True) == 2


def test_doing_it_again_is_the_same_as_once(mind: Mind, old: Memory) -> None:
    new = mind.remember("lives in Lisbon").memory
    closed = mind.supersede(old.id, new.id)
    assert mind.supersede(old.id, new.id) == closed
    assert len(mind.history(old.id)) == 2


@pytest.mark.parametrize("other", [{"by": "third"}, {"at": "2026-06-01"}], ids=str)
def test_it_is_not_silently_done_in_another_way(mind: Mind, old: Memory, other: dict[str, Any]) -> None:
    new = mind.remember("lives in Lisbon").memory
    third = mind.remember("lives in Faro").memory
    closed = mind.supersede(old.id, new.id)
    with pytest.raises(Conflict, match="unsupersede"):
        mind.supersede(old.id, third.id if "by" in other else new.id, at=other.get("at"))
    assert mind.get(old.id) == closed


def test_it_can_be_undone(mind: Mind, old: Memory) -> None:
    new = mind.remember("lives in Lisbon").memory
    mind.supersede(old.id, new.id)
    opened = mind.unsupersede(old.id)
    assert (opened.superseded_by, opened.superseded_at, opened.revision) == (None, None, 3)
    assert mind.count() == 2
    assert mind.unsupersede(old.id) == opened


def test_a_memory_cannot_supersede_itself(mind: Mind, old: Memory) -> None:
    with pytest.raises(InvalidInput) as caught:
        mind.supersede(old.id, old.id)
    assert caught.value.field == "new_id"


def test_circles_are_refused(mind: Mind, clock: Clock) -> None:
    ids = []
    for place in ("Porto", "Lisbon", "Faro"):
        ids.append(mind.remember(f"lives in {place}").memory.id)
        clock.advance(days=1)
    mind.supersede(ids[0], ids[1])
    mind.supersede(ids[1], ids[2])
    for later in ids[1:]:
        with pytest.raises(Conflict):
            mind.supersede(later, ids[0]) if later == ids[2] else mind.supersede(ids[2], later)
    assert mind.count() == 1


def test_both_memories_must_be_there(mind: Mind, old: Memory) -> None:
    for pair in ((old.id, str(uuid4())), (str(uuid4()), old.id)):
        with pytest.raises(NotFound):
            mind.supersede(*pair)
    with pytest.raises(NotFound):
        mind.unsupersede(str(uuid4()))


@pytest.mark.parametrize("forgotten", [False, True], ids=["alive", "after it was forgotten"])
def test_purging_the_newer_one_leaves_the_older_closed(mind: Mind, clock: Clock, old: Memory, forgotten: bool) -> None:
    new = mind.remember("lives in Lisbon").memory
    mind.supersede(old.id, new.id)
    if forgotten:
        mind.forget(new.id)
    mind.forget(new.id, purge=True)
    clock.advance(days=1)
    left = mind.get(old.id)
    assert (left.superseded_by, left.superseded_at) == (None, new.created_at)
    assert mind.count() == 0
    assert mind.count(as_of=new.created_at - timedelta(seconds=1)) == 1
    assert mind.unsupersede(old.id).superseded_at is None
