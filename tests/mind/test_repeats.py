from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mnemic.errors import Conflict

if TYPE_CHECKING:
    from mnemic import Mind
    from tests.conftest import Clock


def test_a_retry_with_the_same_id_changes_nothing(mind: Mind) -> None:
    id = str(uuid4())
    first = mind.remember("Ana likes tea", user="ana", id=id, metadata={"n": 1})
    again = mind.remember("Ana likes tea", user="ana", id=id, metadata={"n": 1})
    assert (first.created, again.created) == (True, False)
    assert again.memory == first.memory == mind.get(id)
    assert mind.count(user="ana") == 1


@pytest.mark.parametrize(
    "other",
    [
        {"text": "other"},
        {"user": "bob"},
        {"session": "s1"},
        {"tier": "working"},
        {"category": "c"},
        {"importance": 6},
        {"tags": ["t"]},
        {"metadata": {"n": 2}},
        {"metadata": {"n": True}},
        {"source": "s"},
        {"occurred_at": date(2026, 1, 1)},
        {"expires_at": datetime(2036, 1, 1, tzinfo=UTC)},
    ],
    ids=str,
)
def test_an_id_with_other_content_is_refused(mind: Mind, other: dict[str, Any]) -> None:
    given: dict[str, Any] = {"text": "Ana likes tea", "user": "ana", "metadata": {"n": 1}, "id": str(uuid4())}
    kept = mind.remember(**given).memory
    with pytest.raises(Conflict, match=given["id"]):
        mind.remember(**given | other)
    assert mind.get(given["id"]) == kept
    assert mind.count(everywhere=True) == 1


def test_an_id_used_twice_in_a_batch_with_other_content_refuses_the_batch(mind: Mind) -> None:
    id = str(uuid4())
    with pytest.raises(Conflict):
        mind.remember_many([{"text": "one", "id": id}, {"text": "two", "id": id}])
    assert mind.count(everywhere=True) == 0


def test_an_id_repeated_in_a_batch_is_kept_once(mind: Mind) -> None:
    id = str(uuid4())
    remembered = mind.remember_many([{"text": "one", "id": id}] * 2)
    assert [one.created for one in remembered] == [True, False]
    assert mind.count() == 1


def test_a_retry_is_still_known_after_the_memory_was_revised(mind: Mind) -> None:
    id = str(uuid4())
    mind.remember("Ana likes tea", id=id)
    revised = mind.revise(id, text="Ana loves tea")
    for text in ("Ana likes tea", "Ana loves tea"):
        again = mind.remember(text, id=id)
        assert (again.created, again.memory) == (False, revised)
    assert mind.get(id) == revised


def test_a_retry_of_an_earlier_life_is_refused(mind: Mind) -> None:
    id = str(uuid4())
    mind.remember("first life", id=id)
    mind.forget(id)
    mind.remember("second life", id=id)
    with pytest.raises(Conflict):
        mind.remember("first life", id=id)
    assert mind.get(id).text == "second life"


def test_the_same_thing_told_again_is_evidence(mind: Mind) -> None:
    first = mind.remember("Ana likes tea", user="ana")
    again = mind.remember("Ana likes tea", user="ana")
    assert (first.created, again.created) == (True, False)
    assert again.memory.id == first.memory.id
    assert mind.get(first.memory.id).evidence == 2
    assert mind.count(user="ana") == 1


def test_repeats_in_one_batch_are_evidence(mind: Mind) -> None:
    mind.remember("known", user="ana")
    remembered = mind.remember_many({"text": text, "user": "ana"} for text in ("new", "known", "new", "new", "known"))
    assert [one.created for one in remembered] == [True, False, False, False, False]
    evidence = {memory.text: memory.evidence for page in mind.pages(user="ana") for memory in page}
    assert evidence == {"known": 3, "new": 3}


@pytest.mark.parametrize(
    "other",
    [
        {"text": "ana likes tea"},
        {"text": "Ana likes tea "},
        {"user": "Ana"},
        {"agent": "a"},
        {"tier": "working"},
        {"occurred_at": date(2026, 1, 2)},
        {"occurred_at": datetime(2026, 1, 1, tzinfo=UTC)},
    ],
    ids=str,
)
def test_another_text_scope_tier_or_time_is_another_memory(mind: Mind, other: dict[str, Any]) -> None:
    given: dict[str, Any] = {"text": "Ana likes tea", "user": "ana", "occurred_at": date(2026, 1, 1)}
    mind.remember(**given)
    assert mind.remember(**given | other).created
    assert mind.count(everywhere=True) == 2


def test_the_same_instant_in_another_zone_is_a_repeat(mind: Mind) -> None:
    mind.remember("call", occurred_at="2026-01-01T12:00:00+02:00")
    assert not mind.remember("call", occurred_at=datetime(2026, 1, 1, 10, tzinfo=UTC)).created


def test_turns_of_a_session_are_never_merged(mind: Mind) -> None:
    turns = [{"text": "yes", "user": "ana", "session": "s1"}] * 3
    assert all(one.created for one in mind.remember_many(turns))
    assert mind.remember(**turns[0]).created
    assert mind.count(session="s1") == 4


def test_a_turn_is_not_merged_with_a_memory_outside_the_session(mind: Mind) -> None:
    mind.remember("yes", user="ana", session="s1")
    assert mind.remember("yes", user="ana").created


def test_lisbon_porto_lisbon_ends_in_lisbon(mind: Mind, clock: Clock) -> None:
    first = mind.remember("Ana lives in Lisbon", user="ana").memory
    clock.advance(days=1)
    porto = mind.remember("Ana lives in Porto", user="ana").memory
    mind.supersede(first.id, porto.id)
    clock.advance(days=1)
    back = mind.remember("Ana lives in Lisbon", user="ana")
    assert back.created
    mind.supersede(porto.id, back.memory.id)
    assert [hit.memory.id for hit in mind.recall("where does Ana live", user="ana")] == [back.memory.id]


def test_a_repeat_of_an_expired_memory_is_new(mind: Mind, clock: Clock) -> None:
    first = mind.remember("the shop is closed", expires_at=clock.now + timedelta(hours=1))
    clock.advance(hours=1)
    again = mind.remember("the shop is closed")
    assert again.created
    assert again.memory.id != first.memory.id


def test_a_repeat_of_a_forgotten_memory_is_new(mind: Mind) -> None:
    first = mind.remember("Ana likes tea").memory
    mind.forget(first.id)
    again = mind.remember("Ana likes tea")
    assert again.created
    assert again.memory.evidence == 1


def test_a_memory_whose_end_lies_ahead_is_still_repeated(mind: Mind, clock: Clock) -> None:
    mind.remember("sale", expires_at=clock.now + timedelta(days=1))
    assert not mind.remember("sale").created
