"""A mind seen by one scope: what lies outside it is not there."""

from __future__ import annotations

from itertools import chain, product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from mnemic.core.scoped import ScopedMind, keys_of
from mnemic.errors import InvalidInput, NotFound
from mnemic.model.draft import Draft, new_id
from mnemic.model.scope import Scope
from tests.mind.test_scopes import Keys, crowds, filled, sees

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mnemic import Mind

OTHERS: list[Keys] = [{"user": "bo"}, {"agent": "ana"}, {"session": "ana"}, {}]
BY_ID: dict[str, Callable[[ScopedMind, str], object]] = {
    "get": lambda mind, id: mind.get(id),
    "history": lambda mind, id: mind.history(id),
    "explain": lambda mind, id: mind.explain("secret", id),
    "links": lambda mind, id: mind.links(id),
    "revise": lambda mind, id: mind.revise(id, text="changed"),
    "unsupersede": lambda mind, id: mind.unsupersede(id),
    "forget": lambda mind, id: mind.forget(id),
    "purge": lambda mind, id: mind.forget(id, purge=True),
    "unforget": lambda mind, id: mind.unforget(id),
    "remember": lambda mind, id: mind.remember("It changed", supersedes=id),
    "supersede": lambda mind, id: mind.supersede(id, mind.remember("new").memory.id),
    "superseded": lambda mind, id: mind.supersede(mind.remember("old").memory.id, id),
    "link": lambda mind, id: mind.link(id, mind.remember("new").memory.id, "about"),
    "linked": lambda mind, id: mind.link(mind.remember("old").memory.id, id, "about"),
    "unlink": lambda mind, id: mind.unlink(id, mind.remember("new").memory.id, "about"),
}


@pytest.fixture
def ana(mind: Mind) -> ScopedMind:
    return ScopedMind(mind, Scope(user="ana"))


@pytest.mark.parametrize("verb", BY_ID)
@pytest.mark.parametrize("owner", OTHERS, ids=str)
def test_a_memory_outside_the_scope_is_missing_like_one_that_never_was(
    mind: Mind, ana: ScopedMind, owner: Keys, verb: str
) -> None:
    other = mind.remember("Bo keeps a secret", **owner).memory
    never = new_id(mind.clock())
    problems = []
    for id in (other.id, never):
        with pytest.raises(NotFound) as caught:
            BY_ID[verb](ana, id)
        problems.append(str(caught.value).replace(id, "ID"))
    assert problems[0] == problems[1]
    assert mind.get(other.id) == other


@pytest.mark.parametrize("verb", BY_ID)
def test_a_scope_of_no_one_does_not_reach_others(mind: Mind, verb: str) -> None:
    other = mind.remember("Bo keeps a secret", user="bo").memory
    with pytest.raises(NotFound):
        BY_ID[verb](ScopedMind(mind, Scope()), other.id)
    assert mind.get(other.id) == other


@given(crowds())
def test_each_verb_sees_the_scope_and_nothing_else(crowd: tuple[list[Keys], Keys]) -> None:
    owners, asked = crowd
    mind, stored = filled(owners)
    with mind:
        check_sees(
            ScopedMind(mind, Scope.of(**asked)), {id for id, keys in stored.items() if sees(asked, keys)}, stored
        )


@given(crowds())
def test_exactly_a_scope_leaves_out_narrower_ones(crowd: tuple[list[Keys], Keys]) -> None:
    owners, asked = crowd
    mind, stored = filled(owners)
    with mind:
        own = ScopedMind.exactly(mind, Scope.of(**asked))
        check_sees(own, {id for id, keys in stored.items() if keys == asked}, stored)


def check_sees(scoped: ScopedMind, ids: set[str], stored: dict[str, Keys]) -> None:
    assert {hit.memory.id for hit in scoped.recall("common", limit=100)} == ids
    assert {memory.id for memory in chain.from_iterable(scoped.pages(size=2))} == ids
    assert scoped.context("common", budget=100_000).count("common note") == len(ids)
    assert scoped.count() == len(ids)
    assert sum(scoped.tally("tier").values()) == len(ids)
    for id in stored:
        if id in ids:
            assert scoped.get(id).id == id
            assert len(scoped.history(id)) == 1
        else:
            with pytest.raises(NotFound):
                scoped.get(id)
            with pytest.raises(NotFound):
                scoped.history(id)
    filter = {"text": {"contains": "common"}}
    assert scoped.forget(where=filter) == len(ids)
    assert {memory.id for memory in chain.from_iterable(scoped.mind.pages(everywhere=True))} == stored.keys() - ids


def test_a_key_can_be_left_out(mind: Mind) -> None:
    for user, session in product((None, "ana"), (None, "s1")):
        mind.remember(f"note of {user} in {session}", **keys_of(Scope("sage", user, session)))
    own = ScopedMind(mind, Scope("sage"), without=["user"])
    assert {hit.memory.text for hit in own.recall("note")} == {"note of None in None", "note of None in s1"}
    assert own.tally("session") == {None: 1, "s1": 1}


def test_what_is_remembered_belongs_to_the_scope(mind: Mind, ana: ScopedMind) -> None:
    drafts: Sequence[Draft | dict[str, Any]] = [
        {"text": "one"},
        Draft(text="two"),
        {"text": "three", "user": "ana", "session": "s1"},
        Draft(text="four", user="ana"),
    ]
    memories = [ana.remember("zero").memory, *(remembered.memory for remembered in ana.remember_many(drafts))]
    assert [memory.scope for memory in memories] == [
        Scope(user="ana"),
        Scope(user="ana"),
        Scope(user="ana"),
        Scope(user="ana", session="s1"),
        Scope(user="ana"),
    ]
    assert mind.count(user="ana") == 5


@pytest.mark.parametrize(
    "draft", [{"text": "x", "user": "bo"}, {"text": "x", "session": "s1"}, Draft(text="x", agent="a")]
)
def test_a_draft_of_another_scope_is_refused(mind: Mind, ana: ScopedMind, draft: Draft | dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"drafts\[1\]: names another scope"):
        ana.remember_many([{"text": "fine"}, draft])
    assert mind.count(everywhere=True) == 0


def test_a_newer_memory_closes_the_one_it_supersedes(ana: ScopedMind) -> None:
    old = ana.remember("Ana lives in Porto").memory
    new = ana.remember("Ana lives in Lisbon", supersedes=old.id).memory
    assert ana.get(old.id).superseded_by == new.id
    assert ana.remember("Ana lives in Lisbon", supersedes=old.id).memory.id == new.id
    with pytest.raises(InvalidInput, match="superseded already"):
        ana.remember("Ana lives in Faro", supersedes=old.id)
    with pytest.raises(InvalidInput, match="says the same"):
        ana.remember("Ana lives in Lisbon", supersedes=new.id)
    assert ana.count(include_superseded=True) == 2


def test_links_to_memories_of_others_are_not_shown(mind: Mind, ana: ScopedMind) -> None:
    mine, also_mine = ana.remember("one").memory, ana.remember("two").memory
    other = mind.remember("three", user="bo").memory
    mind.link(mine.id, other.id, "about")
    mind.link(other.id, mine.id, "about")
    ana.link(also_mine.id, mine.id, "about")
    assert [link.from_id for link in ana.links(mine.id)] == [also_mine.id]
    assert ana.links(mine.id, relation="after") == []
    ana.unlink(also_mine.id, mine.id, "about")
    assert ana.links(mine.id) == []


def test_what_was_forgotten_comes_back(mind: Mind, ana: ScopedMind) -> None:
    kept = ana.remember("Ana plays the cello").memory
    assert ana.forget(kept.id) == 1
    assert [change.kind for change in ana.history(kept.id)] == ["created", "forgotten"]
    assert ana.unforget(kept.id).text == kept.text
    assert mind.count(user="ana") == 1


def test_an_id_that_came_back_elsewhere_keeps_its_first_history_to_the_owner(mind: Mind, ana: ScopedMind) -> None:
    id = ana.remember("Ana's secret").memory.id
    ana.forget(id)
    mind.remember("Bo's note", user="bo", id=id)
    with pytest.raises(NotFound):
        ana.history(id)
    bo = ScopedMind(mind, Scope(user="bo")).history(id)
    assert [change.after["text"] for change in bo] == ["Bo's note"]


def test_all_of_a_scope_can_be_forgotten_but_not_by_accident_what_is_no_ones(mind: Mind, ana: ScopedMind) -> None:
    ana.remember("one")
    mind.remember("two")
    assert ana.forget() == 1
    for nobody in (ScopedMind(mind, Scope()), ScopedMind.exactly(mind, Scope())):
        with pytest.raises(InvalidInput, match="where: is missing"):
            nobody.forget()
    assert mind.count() == 1


def test_the_keys_of_a_scope_are_arguments_of_a_mind() -> None:
    assert keys_of(Scope(agent="sage", session="s1")) == {"agent": "sage", "session": "s1"}
    assert keys_of(Scope()) == {}
    assert keys_of(None) == {"everywhere": True}


def test_no_spelling_of_an_id_shows_a_link_out_of_the_scope(mind: Mind) -> None:
    ana = mind.remember("Ana's", user="ana").memory.id
    mind.link(ana, mind.remember("Bo's", user="bo").memory.id, "about")
    own = ScopedMind(mind, Scope(user="ana"))
    assert [own.links(id) for id in (ana, ana.upper(), f"{{{ana}}}")] == [[], [], []]


@pytest.mark.parametrize("guess", ["Bo's secret", "another text"])
def test_what_another_scope_closed_cannot_be_superseded_or_guessed(mind: Mind, guess: str) -> None:
    ana = mind.remember("Ana's", user="ana").memory.id
    mind.supersede(ana, mind.remember("Bo's secret", user="bo").memory.id)
    own = ScopedMind(mind, Scope(user="ana"))
    with pytest.raises(InvalidInput, match="superseded already; nothing was stored"):
        own.remember(guess, supersedes=ana)
    assert own.count(include_superseded=True) == 1
