from __future__ import annotations

import threading
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mnemic.errors import Conflict, InvalidInput, NotFound

if TYPE_CHECKING:
    from mnemic import Mind

CHANGES: dict[str, tuple[Any, Any]] = {
    "text": ("second words", "second words"),
    "tier": ("working", "working"),
    "category": ("c", "c"),
    "importance": (9, 9.0),
    "tags": (["a", "b"], ("a", "b")),
    "metadata": ({"b": 2}, {"b": 2}),
    "source": ("chat", "chat"),
    "occurred_at": ("2026-03-01", date(2026, 3, 1)),
    "expires_at": ("2036-03-01T00:00:00Z", datetime(2036, 3, 1, tzinfo=UTC)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_field_can_be_changed_alone(mind: Mind, name: str) -> None:
    before = mind.remember("first words", user="ana", metadata={"a": 1}, importance=3).memory
    given, expected = CHANGES[name]
    after = mind.revise(before.id, **{name: given})
    assert getattr(after, name) == expected
    assert mind.get(before.id) == after
    assert after.revision == before.revision + 1
    unchanged = before.to_dict().keys() - {name, "revision"}
    assert all(after.to_dict()[field] == before.to_dict()[field] for field in unchanged)


@pytest.mark.parametrize("name", ["category", "source", "occurred_at", "expires_at"])
def test_a_field_can_be_emptied(mind: Mind, name: str) -> None:
    given: Any = CHANGES[name][0]
    id = mind.remember("words", **{name: given}).memory.id
    assert getattr(mind.revise(id, **{name: None}), name) is None


def test_a_revised_text_is_found_by_its_new_words_only(mind: Mind) -> None:
    id = mind.remember("the cat sleeps", user="ana").memory.id
    mind.revise(id, text="the dog sleeps")
    assert mind.recall("cat", user="ana") == []
    assert [hit.memory.id for hit in mind.recall("dog", user="ana")] == [id]


@pytest.mark.parametrize(("before", "after"), [(1, True), (1, 1.0), (0, False), (True, 1)])
def test_values_that_python_calls_equal_are_told_apart(mind: Mind, before: Any, after: Any) -> None:
    id = mind.remember("words", metadata={"value": before}).memory.id
    revised = mind.revise(id, metadata={"value": after})
    assert repr(mind.get(id).metadata) == repr({"value": after})
    assert revised.revision == 2


def test_a_change_to_the_same_changes_nothing(mind: Mind) -> None:
    before = mind.remember("words", tags=["a"]).memory
    assert mind.revise(before.id, text="words", tags=("a",)) == before
    assert len(mind.history(before.id)) == 1


def test_a_lost_update_is_refused(mind: Mind) -> None:
    id = mind.remember("words").memory.id
    mine = theirs = mind.get(id)
    mind.revise(id, expect=theirs.revision, text="their words")
    with pytest.raises(Conflict, match="revision 2, not 1"):
        mind.revise(id, expect=mine.revision, text="my words")
    assert mind.get(id).text == "their words"
    assert mind.revise(id, expect=2, text="my words").text == "my words"


def test_of_two_who_revise_at_once_one_wins(mind: Mind) -> None:
    id = mind.remember("words").memory.id
    for round in range(1, 11):
        start = threading.Barrier(2)
        won: list[str] = []

        def revise(text: str, revision: int = round, start: threading.Barrier = start, won: list[str] = won) -> None:
            start.wait()
            with suppress(Conflict):
                won.append(mind.revise(id, expect=revision, text=text).text)

        threads = [threading.Thread(target=revise, args=(f"{who} {round}",)) for who in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert won == [mind.get(id).text]
    assert mind.get(id).revision == 11


@pytest.mark.parametrize("name", ["id_", "scope", "user", "created_at", "evidence", "revision", "superseded_by", "txt"])
def test_other_fields_cannot_be_changed(mind: Mind, name: str) -> None:
    before = mind.remember("words", user="ana").memory
    with pytest.raises(InvalidInput) as caught:
        mind.revise(before.id, text="other", **{name: "x"})
    assert caught.value.field == name
    assert mind.get(before.id) == before


def test_a_revision_without_changes_is_refused(mind: Mind) -> None:
    id = mind.remember("words").memory.id
    with pytest.raises(InvalidInput) as caught:
        mind.revise(id)
    assert caught.value.field == "changes"


def test_what_is_not_there_cannot_be_revised(mind: Mind) -> None:
    with pytest.raises(NotFound):
        mind.revise(str(uuid4()), text="words")
    id = mind.remember("words").memory.id
    mind.forget(id)
    with pytest.raises(NotFound):
        mind.revise(id, text="other")
