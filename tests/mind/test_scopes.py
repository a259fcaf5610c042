from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind
from mnemic.errors import InvalidInput

KEYS = ("agent", "user", "session")
Keys = dict[str, str]

AWKWARD = [
    "*",
    "%",
    "_",
    "ana",
    "Ana",
    "ana ",
    " ana",
    "a*",
    "a%",
    "an_",
    "ana&user=bob",
    "user=bob",
    "a/b",
    "../b",
    "' OR '1'='1",
    '"',
    "\\",
    "caf\u00e9",
    "cafe\u0301",
    "🦊",
    "🦊🦊",
    "u1",
    "nobody",
    "None",
    "null",
    "deadbeefdeadbeef",
    "aec070645fe53ee3b",
    "n" * 250,
    "n" * 251,
    "0",
    "False",
    "\u200b",
    "a\nb",
]
NAMES = st.sampled_from(AWKWARD) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda name: not name.isspace())


def scopes(names: st.SearchStrategy[str]) -> st.SearchStrategy[Keys]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, names))


def sees(asked: Keys, owned: Keys) -> bool:
    if not asked:
        return not owned
    return all(owned.get(key) == name for key, name in asked.items())


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Keys], Keys]:
    """Draw owners who share few names, so that scopes overlap, and someone who asks."""
    names = st.sampled_from(draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)))
    owners = draw(st.lists(scopes(names), min_size=1, max_size=12))
    asked = draw(st.sampled_from(owners) | scopes(names))
    return owners, asked


def filled(owners: list[Keys]) -> tuple[Mind, dict[str, Keys]]:
    mind = Mind(":memory:")
    drafts: list[dict[str, Any]] = [{"text": f"common note {place}", **keys} for place, keys in enumerate(owners)]
    remembered = mind.remember_many(drafts)
    return mind, {one.memory.id: keys for one, keys in zip(remembered, owners, strict=True)}


@given(crowds())
def test_no_one_reads_what_is_not_theirs(crowd: tuple[list[Keys], Keys]) -> None:
    owners, asked = crowd
    mind, stored = filled(owners)
    theirs = {id for id, keys in stored.items() if sees(asked, keys)}
    with mind:
        assert {hit.memory.id for hit in mind.recall("common", limit=100, **asked)} == theirs
        assert {memory.id for memory in chain.from_iterable(mind.pages(size=2, **asked))} == theirs
        assert mind.count(**asked) == len(theirs)
        assert sum(mind.tally("tier", **asked).values()) == len(theirs)
        assert mind.context("common", budget=100_000, **asked).count("common note") == len(theirs)
        assert mind.count(everywhere=True) == len(owners)


@given(crowds().filter(lambda crowd: crowd[1] != {}), st.booleans())
def test_no_one_forgets_what_is_not_theirs(crowd: tuple[list[Keys], Keys], purge: bool) -> None:
    owners, asked = crowd
    mind, stored = filled(owners)
    others = {id for id, keys in stored.items() if not sees(asked, keys)}
    with mind:
        assert mind.forget(purge=purge, **asked) == len(owners) - len(others)
        assert {memory.id for memory in chain.from_iterable(mind.pages(everywhere=True))} == others
        assert {hit.memory.id for hit in mind.recall("common", everywhere=True, limit=100)} == others


def test_a_user_alone_sees_all_of_their_sessions(mind: Mind) -> None:
    mind.remember("note one", user="ana", session="s1")
    mind.remember("note two", user="ana", session="s2", agent="guide")
    mind.remember("note three", user="ana")
    mind.remember("note four", user="bob", session="s1")
    assert {hit.memory.text for hit in mind.recall("note", user="ana")} == {"note one", "note two", "note three"}
    assert mind.count(user="ana", session="s1") == 1


def test_no_key_means_what_belongs_to_no_one(mind: Mind) -> None:
    mind.remember("note", user="ana")
    mind.remember("note of no one")
    assert [hit.memory.text for hit in mind.recall("note")] == ["note of no one"]
    assert mind.count() == 1


def test_everywhere_has_to_be_said(mind: Mind) -> None:
    mind.remember("note", user="ana")
    mind.remember("note", agent="guide")
    assert len(mind.recall("note", everywhere=True)) == 2
    with pytest.raises(InvalidInput, match="everywhere"):
        mind.recall("note", user="ana", everywhere=True)


def test_a_star_is_a_character(mind: Mind) -> None:
    mind.remember("note", user="ana")
    mind.remember("note", user="*")
    assert mind.count(user="*") == 1
    assert mind.forget(user="*") == 1
    assert mind.count(user="ana") == 1


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("lost", [None, "", " \t"])
def test_a_lost_variable_never_widens_a_search(mind: Mind, key: str, lost: str | None) -> None:
    kept = mind.remember("note", user="ana").memory
    keys: dict[str, Any] = {key: lost}
    for verb in (
        lambda: mind.remember("note", **keys),
        lambda: mind.recall("note", **keys),
        lambda: mind.context("note", budget=100, **keys),
        lambda: mind.explain("note", kept.id, **keys),
        lambda: mind.count(**keys),
        lambda: mind.tally("tier", **keys),
        lambda: mind.pages(**keys),
        lambda: mind.forget(**keys),
        lambda: mind.forget(kept.id, **keys),
    ):
        with pytest.raises(InvalidInput) as caught:
            verb()
        assert caught.value.field == key
    assert mind.count(everywhere=True) == 1


def test_purging_a_scope_spares_an_id_that_moved_to_another(mind: Mind) -> None:
    id = mind.remember("of ana", user="ana").memory.id
    mind.forget(id)
    mind.remember("of bob", user="bob", id=id)
    mind.forget(user="ana", purge=True)
    assert mind.get(id).text == "of bob"
    assert [record.memory.id for record in mind.records(user="bob")] == [id]
    assert mind.history(id)[-1].kind == "created"
