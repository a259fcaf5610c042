from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mnemic.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic import Mind
    from tests.conftest import Clock


@pytest.fixture
def full(mind: Mind) -> Iterator[Mind]:
    mind.remember_many(
        [
            {"text": "note one", "user": "ana", "category": "a"},
            {"text": "note two", "user": "ana", "category": "b"},
            {"text": "note three", "user": "bob", "category": "a"},
            {"text": "note four", "category": "a"},
        ]
    )
    yield mind
    assert all(finding.ok for finding in mind.doctor())


def left(mind: Mind) -> list[str]:
    return [memory.text.removeprefix("note ") for page in mind.pages(everywhere=True) for memory in page]


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"user": "ana"}, "three four"),
        ({"user": "ana", "where": {"category": "a"}}, "two three four"),
        ({"where": {"category": "a"}}, "one two three"),
        ({"everything": True}, ""),
        ({"user": "nobody"}, "one two three four"),
    ],
)
def test_what_is_named_goes_and_the_rest_stays(full: Mind, given: dict[str, Any], kept: str, purge: bool) -> None:
    assert full.forget(**given, purge=purge) == 4 - len(kept.split())
    assert left(full) == kept.split()
    assert {hit.memory.text for hit in full.recall("note", everywhere=True)} == {
        f"note {word}" for word in kept.split()
    }


def test_one_memory_goes_by_its_id(full: Mind) -> None:
    id = full.recall("one", user="ana")[0].memory.id
    assert full.forget(id) == 1
    assert left(full) == ["two", "three", "four"]
    with pytest.raises(NotFound, match=id):
        full.get(id)
    with pytest.raises(NotFound, match=id):
        full.forget(id)


def test_an_id_outside_the_scope_or_filter_is_not_there(full: Mind) -> None:
    id = full.recall("one", user="ana")[0].memory.id
    for narrowed in ({"user": "bob"}, {"where": {"category": "b"}}):
        for purge in (False, True):
            with pytest.raises(NotFound):
                full.forget(id, purge=purge, **narrowed)
    assert full.get(id).text == "note one"
    assert full.forget(id, user="ana", where={"category": "a"}) == 1


def test_nothing_named_is_refused(full: Mind) -> None:
    nothing: list[dict[str, Any]] = [{}, {"purge": True}, {"where": {}}, {"everything": False}]
    for given in nothing:
        with pytest.raises(InvalidInput):
            full.forget(**given)
    assert len(left(full)) == 4


@pytest.mark.parametrize("other", [{"id": str(uuid4())}, {"user": "ana"}, {"where": {"category": "a"}}])
def test_everything_goes_with_nothing_else(full: Mind, other: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        full.forget(everything=True, **other)
    assert caught.value.field == "everything"
    assert len(left(full)) == 4


@pytest.mark.parametrize("unsure", ["no", 1, None, 0])
@pytest.mark.parametrize("flag", ["everything", "purge"])
def test_only_true_empties_or_purges(full: Mind, flag: str, unsure: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        full.forget(**({"user": "ana"} if flag == "purge" else {}), **{flag: unsure})
    assert caught.value.field == flag
    assert len(left(full)) == 4


def test_superseded_and_expired_memories_are_forgotten_too(mind: Mind, clock: Clock) -> None:
    old, new = (mind.remember(text, user="ana").memory for text in ("old", "new"))
    mind.supersede(old.id, new.id)
    mind.remember("ended", user="ana", expires_at=clock.now)
    assert mind.forget(user="ana") == 3
    assert mind.count(user="ana", include_superseded=True) == 0


def test_what_is_forgotten_can_be_purged_later(mind: Mind) -> None:
    id = mind.remember("secret", user="ana").memory.id
    mind.forget(id)
    assert "secret" in str(mind.history(id))
    assert mind.forget(id, purge=True) == 1
    assert [change.kind for change in mind.history(id)] == ["purged"]
    assert "secret" not in str(mind.history(id))


def test_purging_a_scope_takes_what_was_forgotten_in_it(mind: Mind) -> None:
    ids = [mind.remember(text, user="ana").memory.id for text in ("one", "two")]
    mind.forget(ids[0])
    assert mind.forget(user="ana", purge=True) == 2
    assert [[change.kind for change in mind.history(id)] for id in ids] == [["purged"], ["purged"]]


def test_a_purged_id_can_be_used_again(mind: Mind) -> None:
    id = mind.remember("old secret").memory.id
    mind.forget(id, purge=True)
    assert mind.remember("new life", id=id).created
    assert mind.get(id).text == "new life"
    assert "old secret" not in str(mind.history(id))
    assert all(finding.ok for finding in mind.doctor())


def test_a_forgotten_memory_comes_back_as_it_was(mind: Mind, clock: Clock) -> None:
    kept = mind.remember("Ana plays the cello", user="ana", metadata={"since": 2026}).memory
    mind.revise(kept.id, importance=9)
    before = mind.get(kept.id)
    clock.advance(days=3)
    mind.forget(kept.id)
    assert mind.unforget(kept.id) == before
    assert mind.get(kept.id) == before
    assert mind.recall("cello", user="ana")[0].memory == before
    assert mind.unforget(kept.id) == before
    assert all(finding.ok for finding in mind.doctor())


def test_what_was_never_stored_or_is_purged_does_not_come_back(mind: Mind) -> None:
    purged = mind.remember("Ana plays the cello").memory
    mind.forget(purged.id, purge=True)
    for id in (purged.id, str(uuid4())):
        with pytest.raises(NotFound, match="to bring back"):
            mind.unforget(id)


def test_what_comes_back_names_nothing_that_is_purged(mind: Mind) -> None:
    old, new = (mind.remember(text).memory.id for text in ("Ana lives in Porto", "Ana lives in Lisbon"))
    mind.supersede(old, new)
    mind.forget(old)
    mind.forget(new, purge=True)
    assert mind.unforget(old).superseded_by is None
