from __future__ import annotations

import threading
from itertools import chain
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mnemic import Mind


@pytest.fixture
def ids(mind: Mind) -> list[str]:
    return [one.memory.id for one in mind.remember_many({"text": f"note {n}", "user": "ana"} for n in range(25))]


@pytest.mark.parametrize(("size", "sizes"), [(1, [1] * 25), (10, [10, 10, 5]), (25, [25]), (10_000, [25])])
def test_every_memory_is_on_one_page(mind: Mind, ids: list[str], size: int, sizes: list[int]) -> None:
    pages = list(mind.pages(user="ana", size=size))
    assert [len(page) for page in pages] == sizes
    assert [memory.id for memory in chain.from_iterable(pages)] == ids
    assert [page.next is None for page in pages] == [False] * (len(sizes) - 1) + [True]


def test_nothing_is_no_page(mind: Mind) -> None:
    assert list(mind.pages()) == []


def test_after_goes_on_where_a_page_ended(mind: Mind, ids: list[str]) -> None:
    first = next(mind.pages(user="ana", size=10))
    rest = chain.from_iterable(mind.pages(user="ana", size=4, after=first.next))
    assert [memory.id for memory in (*first, *rest)] == ids


def test_a_page_is_a_sequence(mind: Mind, ids: list[str]) -> None:
    page = next(mind.pages(user="ana", size=10))
    assert page[0].id == ids[0]
    assert [memory.id for memory in page[2:4]] == ids[2:4]
    assert page[-1] in page


def test_a_walk_is_not_disturbed_by_changes_around_it(mind: Mind, ids: list[str]) -> None:
    walk = mind.pages(user="ana", size=5)
    seen = [memory.id for memory in next(walk)]
    mind.forget(ids[0])
    mind.revise(ids[1], text="revised")
    mind.revise(ids[20], text="revised")
    mind.forget(ids[24])
    late = mind.remember("late", user="ana").memory.id
    seen += [memory.id for memory in chain.from_iterable(walk)]
    assert seen == [*ids[:24], late]


def test_a_walk_is_complete_while_others_add(mind: Mind, ids: list[str]) -> None:
    stop = threading.Event()

    def add() -> None:
        n = 0
        while not stop.is_set():
            mind.remember(f"late {(n := n + 1)}", user="ana")

    adding = threading.Thread(target=add)
    adding.start()
    try:
        walks = [
            [memory.id for page, _ in zip(mind.pages(user="ana", size=3), range(9), strict=False) for memory in page]
            for _ in range(20)
        ]
    finally:
        stop.set()
        adding.join()
    assert all(walk[:25] == ids for walk in walks)
    everything = [memory.id for memory in chain.from_iterable(mind.pages(user="ana", size=7))]
    assert len(everything) == len(set(everything)) == mind.count(user="ana") > 25


def test_tally_counts_by_a_field(mind: Mind) -> None:
    mind.remember_many(
        [
            {"text": "one", "user": "ana", "category": "a"},
            {"text": "two", "user": "ana"},
            {"text": "three", "user": "bob", "category": "a", "session": "s"},
        ]
    )
    assert mind.tally("user", everywhere=True) == {"ana": 2, "bob": 1}
    assert mind.tally("category", user="ana") == {"a": 1, None: 1}
    assert mind.tally("tier", everywhere=True) == {"long_term": 3}
    assert mind.tally("source") == {}
