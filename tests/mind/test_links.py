from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from mnemic.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from mnemic import Mind

    Pair = tuple[str, str]


@pytest.fixture
def pair(mind: Mind) -> Pair:
    one, two = mind.remember_many([{"text": "one"}, {"text": "two"}])
    return one.memory.id, two.memory.id


def test_a_link_is_seen_from_both_ends(mind: Mind, pair: Pair) -> None:
    link = mind.link(*pair, "causes")
    assert (link.from_id, link.to_id, link.relation) == (*pair, "causes")
    assert mind.links(pair[0]) == mind.links(pair[1]) == [link]


def test_linking_twice_is_the_same_as_once(mind: Mind, pair: Pair) -> None:
    first = mind.link(*pair, "causes")
    assert mind.link(*pair, "causes") == first
    assert mind.links(pair[0]) == [first]
    assert [change.kind for change in mind.history(pair[0])] == ["created", "linked"]


def test_direction_and_relation_tell_links_apart(mind: Mind, pair: Pair) -> None:
    links = [mind.link(*pair, "causes"), mind.link(*pair, "Causes"), mind.link(*pair[::-1], "causes")]
    mind.unlink(*pair, "causes")
    assert {(link.from_id, link.relation) for link in mind.links(pair[0])} == {
        (link.from_id, link.relation) for link in links[1:]
    }


def test_what_is_not_linked_cannot_be_unlinked(mind: Mind, pair: Pair) -> None:
    mind.link(*pair, "causes")
    for wrong in ((*pair, "other"), (*pair[::-1], "causes"), (pair[0], str(uuid4()), "causes")):
        with pytest.raises(NotFound):
            mind.unlink(*wrong)
    assert len(mind.links(pair[0])) == 1


def test_both_ends_must_be_there(mind: Mind, pair: Pair) -> None:
    for wrong in ((pair[0], str(uuid4())), (str(uuid4()), pair[0])):
        with pytest.raises(NotFound):
            mind.link(*wrong, "causes")
    with pytest.raises(NotFound):
        mind.links(str(uuid4()))


def test_a_memory_is_not_linked_to_itself(mind: Mind, pair: Pair) -> None:
    with pytest.raises(InvalidInput) as caught:
        mind.link(pair[0], pair[0], "causes")
    assert caught.value.field == "to_id"


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize("end", [0, 1])
def test_a_link_goes_when_one_of_its_ends_is_forgotten(mind: Mind, pair: Pair, end: int, purge: bool) -> None:
    mind.link(*pair, "causes")
    mind.forget(pair[end], purge=purge)
    assert mind.links(pair[1 - end]) == []


@pytest.mark.parametrize("end", [0, 1])
def test_a_new_life_of_an_id_does_not_inherit_links(mind: Mind, pair: Pair, end: int) -> None:
    mind.link(*pair, "causes")
    mind.forget(pair[end])
    mind.remember("someone else", id=pair[end], user="zoe")
    assert mind.links(pair[0]) == mind.links(pair[1]) == []
