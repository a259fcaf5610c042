"""The terms of memories: whatever happened to a store, its words are scored as if they were counted one by one."""

from __future__ import annotations

import dataclasses
import math
import tracemalloc
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemic.model.change import Change
from mnemic.model.filter import Selection
from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.rules.language.terms import stem
from mnemic.stores.index.postings import Postings, keys_of
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINE = ("a dog", "a dog and a boat", "the dog sleeps", "rain")
VOCABULARY = ["ana", "boat", "dog", "harbour", "lamp"]
TEXTS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8).map(" ".join)


def counted(texts: Sequence[str], asked: Sequence[str]) -> dict[int, float]:
    """Score texts by BM25, term by term."""
    words = [text.split() for text in texts]
    usual = sum(map(len, words)) / max(1, len(words))
    scores = {}
    for place, held in enumerate(words):
        score = 0.0
        for term in asked:
            having = sum(term in other for other in words)
            weight = max(1e-6, math.log((len(words) - having + 0.5) / (having + 0.5)))
            count = Counter(held)[term]
            score += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(held) / usual))
        if score:
            scores[place] = score
    return scores


@settings(deadline=None, max_examples=60)
@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.lists(TEXTS, min_size=1, max_size=30)),
            st.tuples(st.just("revise"), TEXTS),
            st.tuples(st.just("forget"), st.just("")),
            st.tuples(st.just("recall"), st.just("")),
        ),
        min_size=1,
        max_size=12,
    ),
    asked=st.lists(st.sampled_from(VOCABULARY), min_size=1, unique=True),
)
def test_words_are_scored_as_if_they_were_counted_one_by_one(
    steps: list[tuple[str, list[str] | str]], asked: list[str]
) -> None:
    store = SqliteStore(None)
    told: list[Memory] = []
    everything = Selection(scope=None, now=NOW)
    for step, given_ in steps:
        with store.transaction() as transaction:
            if step == "add":
                new = [Memory(id=str(uuid4()), text=text, scope=Scope(), created_at=NOW) for text in given_]
                transaction.insert(new, {})
                told += new
            elif step == "revise" and told:
                told[0] = dataclasses.replace(told[0], text=str(given_))
                transaction.update([told[0]], {})
                transaction.log([Change(0, told[0].id, "revised", NOW, {}, {})])
            elif step == "forget" and told:
                gone = told.pop(len(told) // 2)
                transaction.forget([gone.id])
                transaction.log([Change(0, gone.id, "forgotten", NOW, {}, {})])
        if step == "recall":
            with store.view() as view:
                view.by_words(asked, everything, 10)
    with store.view() as view:
        found = view.by_words(asked, everything, 1_000)
        memories = view.memories([number for number, _ in found], everything) if found else {}
    wanted = counted([memory.text for memory in told], asked)
    assert {memories[number].id: pytest.approx(score) for number, score in found} == {
        told[place].id: score for place, score in wanted.items()
    }
    assert all(finding.ok for finding in store.check(mend=False, progress=lambda *_: None))
    store.close()


def test_the_words_of_forgotten_memories_weigh_nothing() -> None:
    store = SqliteStore(None)
    everything = Selection(scope=None, now=NOW)
    dogs = [Memory(id=str(uuid4()), text="a dog", scope=Scope(), created_at=NOW) for _ in range(60)]
    boats = [Memory(id=str(uuid4()), text="a boat", scope=Scope(), created_at=NOW) for _ in range(30)]
    with store.transaction() as transaction:
        transaction.insert([*dogs, *boats], {})
    with store.view() as view:
        assert view.frequencies(["dog", "boat"], everything) == (90, {"dog": 60, "boat": 30})
    with store.transaction() as transaction:
        transaction.forget([memory.id for memory in dogs[1:]])
        transaction.log([Change(0, memory.id, "forgotten", NOW, {}, {}) for memory in dogs[1:]])
    with store.view() as view:
        assert view.frequencies(["dog", "boat"], everything) == (31, {"dog": 1, "boat": 30})
    store.close()


@pytest.mark.slow
def test_long_texts_are_indexed_a_few_at_a_time(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    text = " ".join(f"w{n % 500}{'x' * 30}" for n in range(30_000))
    with store.transaction() as transaction:
        transaction.insert([Memory(id=str(uuid4()), text=text, scope=Scope(), created_at=NOW) for _ in range(40)], {})
    tracemalloc.start()
    try:
        with store.view() as view:
            assert view.frequencies([stem(f"w7{'x' * 30}")], Selection(scope=None, now=NOW))[0] == 40
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        store.close()
    assert peak < 15_000_000, "bytes; the keys of all words and their order alone would be 19,200,000"


def test_a_term_has_one_key_whatever_its_length() -> None:
    long = "a" * 5_000
    assert keys_of([long, "b"]).tolist() == [*keys_of([long]).tolist(), *keys_of(["b"]).tolist()]


def test_words_weigh_what_they_weigh_among_the_selected_memories() -> None:
    store = SqliteStore(None)
    mine = [Memory(id=str(uuid4()), text=text, scope=Scope(user="ana"), created_at=NOW) for text in MINE]
    with store.transaction() as transaction:
        transaction.insert(mine, {})
    selection = Selection(scope=Scope(user="ana"), now=NOW)
    with store.view() as view:
        alone = view.by_words(["dog", "boat"], selection, 10)
        assert view.frequencies(["dog", "boat"], selection) == (4, {"dog": 3, "boat": 1})
    others = [Memory(id=str(uuid4()), text="boat " * 9, scope=Scope(user="ben"), created_at=NOW) for _ in range(90)]
    with store.transaction() as transaction:
        transaction.insert(others, {})
    with store.view() as view:
        assert view.by_words(["dog", "boat"], selection, 10) == alone
        assert view.frequencies(["dog", "boat"], selection) == (4, {"dog": 3, "boat": 1})
    store.close()


def test_a_few_rows_are_found_among_the_many_that_hold_a_term() -> None:
    store = SqliteStore(None)
    told = [
        Memory(id=str(uuid4()), text="a dog", scope=Scope(user="ana" if place % 100 == 0 else "ben"), created_at=NOW)
        for place in range(6_000)
    ]
    told += [Memory(id=str(uuid4()), text="a boat", scope=Scope(user="ana"), created_at=NOW) for _ in range(3)]
    with store.transaction() as transaction:
        transaction.insert(told, {})
    selection = Selection(scope=Scope(user="ana"), now=NOW)
    with store.view() as view:
        assert view.frequencies(["dog", "boat"], selection) == (63, {"dog": 60, "boat": 3})
        assert len(view.by_words(["dog", "boat"], selection, 100)) == 63
    store.close()


def test_what_is_found_of_some_terms_is_what_a_search_for_them_alone_finds() -> None:
    held = Postings.of(["a dog", "a dog and a boat", "two boats", "the dog sleeps"])
    found = held.find(keys_of([stem("dog"), stem("boat")]), np.arange(4), None).only([1])
    alone = held.find(keys_of([stem("boat")]), np.arange(4), None)
    assert [list(map(int, column)) for column in found] == [list(map(int, column)) for column in alone]
    assert found.counts == [2]


def test_of_equal_scores_the_newest_are_kept() -> None:
    store = SqliteStore(None)
    memories = [Memory(id=str(uuid4()), text="the same words", scope=Scope(), created_at=NOW) for _ in range(10_000)]
    with store.transaction() as transaction:
        transaction.insert(memories, {})
    with store.view() as view:
        found = [number for number, _ in view.by_words(["word"], Selection(scope=None, now=NOW), 50)]
    assert found == list(range(10_000, 9_950, -1))
    store.close()


def test_a_term_that_a_text_holds_very_often_is_counted() -> None:
    held = Postings.of(["again " * 70_000, "once"])
    found = held.find(keys_of(["again"]), np.arange(2), None)
    rows, scores = held.scores(found, np.ones(1), 10.0, np.arange(2))
    assert rows.tolist() == [0]
    assert 0 < scores[0] < 1
