from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind

if TYPE_CHECKING:
    from mnemic.model.memory import Memory

# The oracle: what a filter means, written in plain Python.

MISSING = object()
ORDER: dict[str, Callable[[Any, Any], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}


def holds(where: Mapping[str, Any], memory: Memory) -> bool:
    return all(_part_holds(key, value, memory) for key, value in where.items())


def _part_holds(key: str, value: Any, memory: Memory) -> bool:
    if key == "and":
        return all(holds(part, memory) for part in value)
    if key == "or":
        return any(holds(part, memory) for part in value)
    if key == "not":
        return not holds(value, memory)
    tests = value if isinstance(value, Mapping) else {"eq": value}
    stored = _stored(key, memory)
    return all(_test_holds(stored, operator, operand) for operator, operand in tests.items())


def _stored(key: str, memory: Memory) -> Any:
    if not key.startswith("metadata."):
        value = getattr(memory, key) if hasattr(memory, key) else getattr(memory.scope, key)
        return MISSING if value is None or value == () else value
    value = memory.metadata
    for name in key.split(".")[1:]:
        if not isinstance(value, dict) or name not in value:
            return MISSING
        value = value[name]
    return value


def _test_holds(stored: Any, operator: str, operand: Any) -> bool:
    if operator == "exists":
        return (stored is not MISSING) is operand
    if operator == "ne":
        return not _equal(stored, operand)
    if operator == "in":
        return any(_equal(stored, one) for one in operand)
    if operator == "eq":
        return _equal(stored, operand)
    if operator == "contains":
        if isinstance(stored, str):
            return isinstance(operand, str) and operand in stored
        return isinstance(stored, (list, tuple)) and any(_equal(item, operand) for item in stored)
    if isinstance(operand, date):
        first, last = _span(operand)
        return stored is not MISSING and ORDER[operator](_span(stored)[0], first if operator in ("gte", "lt") else last)
    return _sort(stored) == _sort(operand) and ORDER[operator](stored, operand)


def _equal(stored: Any, operand: Any) -> bool:
    if operand is None:
        return stored is None or stored is MISSING
    if isinstance(operand, date):
        first, last = _span(operand)
        return stored is not MISSING and first <= _span(stored)[0] <= last
    return _sort(stored) == _sort(operand) and bool(stored == operand)


def _sort(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _span(when: date) -> tuple[datetime, datetime]:
    if isinstance(when, datetime):
        return when, when
    return datetime.combine(when, time.min, UTC), datetime.combine(when, time.max, UTC)


# Memories and filters that meet often: few keys, few values, every type.

MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC)
SOME_TIMES: list[date] = [
    date(2026, 2, 28),
    date(2026, 3, 1),
    date(1, 1, 1),
    date(9999, 12, 31),
    MIDNIGHT,
    MIDNIGHT - timedelta(microseconds=1),
    MIDNIGHT + timedelta(hours=9, microseconds=1),
    MIDNIGHT + timedelta(days=1, microseconds=-1),
]
TIMES = st.sampled_from(SOME_TIMES)
WORDS = st.sampled_from(["", "a", "A", "ab", "é", "e\u0301", "日本", "🦊", "true", "1", "a'b", "%", "_", "*"])
NAMES = WORDS.filter(bool)
NUMBERS = st.sampled_from([0, 1, -1, 2, 1.0, 0.5, -0.0, 1e18, 2**53, 2**53 + 1, 2**62, -(2**63) + 1, 5e-324])
SCALARS = st.none() | st.booleans() | NUMBERS | WORDS
METADATA_KEYS = st.sampled_from(["a", "A", "é", "日本 語", "k'k", "0", "a[0]", "$"])
METADATA = st.dictionaries(
    METADATA_KEYS,
    st.recursive(
        SCALARS | st.sampled_from([10**30, 1e300]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(METADATA_KEYS, inner, max_size=3),
        max_leaves=4,
    ),
    max_size=3,
)
DRAFTS = st.fixed_dictionaries(
    {"text": NAMES, "session": NAMES},
    optional={
        "user": NAMES,
        "tier": st.sampled_from(["working", "episodic"]),
        "category": NAMES,
        "importance": st.sampled_from([1, 5, 5.5, 10]),
        "tags": st.lists(NAMES, max_size=3),
        "metadata": METADATA,
        "source": NAMES,
        "occurred_at": TIMES,
    },
)


def _operators(values: st.SearchStrategy[Any], allowed: str) -> st.SearchStrategy[dict[str, Any]]:
    operands: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(("eq", "ne"), values | st.none()),
        **dict.fromkeys(("gt", "gte", "lt", "lte", "contains"), values),
        "in": st.lists(values, min_size=1, max_size=3),
        "exists": st.booleans(),
    }
    return st.lists(st.sampled_from(allowed.split()), min_size=1, max_size=2, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: operands[name] for name in names})
    )


ALL = "eq ne gt gte lt lte in contains exists"
METADATA_PATHS = st.lists(METADATA_KEYS, min_size=1, max_size=2).map(lambda path: "metadata." + ".".join(path))
TESTS = st.one_of(
    st.dictionaries(
        st.sampled_from(["text", "user", "session", "tier", "category", "source", "agent", "superseded_by"]),
        WORDS | _operators(WORDS, ALL),
        min_size=1,
        max_size=1,
    ),
    st.dictionaries(
        st.sampled_from(["importance", "evidence", "revision"]),
        NUMBERS | _operators(NUMBERS | st.just(5.5), "eq ne gt gte lt lte in exists"),
        min_size=1,
        max_size=1,
    ),
    st.dictionaries(
        st.sampled_from(["occurred_at", "created_at", "expires_at", "superseded_at"]),
        TIMES | _operators(TIMES, "eq ne gt gte lt lte exists"),
        min_size=1,
        max_size=1,
    ),
    st.fixed_dictionaries({"tags": _operators(WORDS, "contains exists")}),
    st.dictionaries(METADATA_PATHS, SCALARS | _operators(st.booleans() | WORDS | NUMBERS, "eq ne in contains exists")),
    st.dictionaries(METADATA_PATHS, _operators(WORDS | NUMBERS, "gt gte lt lte contains")),
).filter(bool)
FILTERS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"or": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"and": st.lists(inner, min_size=1, max_size=3)}),
        st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1]),
    ),
    max_leaves=5,
)


@given(st.lists(DRAFTS, min_size=1, max_size=8), st.lists(FILTERS, min_size=1, max_size=8))
def test_a_filter_means_what_it_says(drafts: list[dict[str, Any]], filters: list[dict[str, Any]]) -> None:
    with Mind(":memory:", clock=lambda: MIDNIGHT) as mind:
        memories = [one.memory for one in mind.remember_many(drafts)]
        for where in filters:
            expected = [memory.id for memory in memories if holds(where, memory)]
            found = [memory.id for memory in chain.from_iterable(mind.pages(everywhere=True, where=where, size=3))]
            assert found == expected, where
            assert mind.count(everywhere=True, where=where) == len(expected)
            assert mind.count(everywhere=True, where={"not": where}) == len(memories) - len(expected)


SOME_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    1.0,
    -2,
    0.5,
    2**62,
    "",
    "a",
    "ab",
    "1",
    "true",
    [],
    ["a", 1, True],
    {},
    {"a": 1},
]


@pytest.mark.parametrize("operator", ["eq", "ne", "gt", "gte", "lt", "lte"])
def test_every_time_compares_with_every_other(operator: str) -> None:
    with Mind(":memory:") as mind:
        for when in [*SOME_TIMES, None]:
            mind.remember("event", occurred_at=when)
        for operand in SOME_TIMES:
            assert_agrees(mind, {"occurred_at": {operator: operand}})
            assert_agrees(mind, {"occurred_at": {operator: operand.isoformat()}}, {"occurred_at": {operator: operand}})


@pytest.mark.parametrize("operator", ["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains"])
def test_every_value_compares_with_every_other(operator: str) -> None:
    operands = [value for value in SOME_VALUES if isinstance(value, (str, int, float))]
    if operator in ("gt", "gte", "lt", "lte"):
        operands = [value for value in operands if not isinstance(value, bool)]
    with Mind(":memory:") as mind:
        mind.remember("no value")
        for place, value in enumerate(SOME_VALUES):
            mind.remember(f"value {place}", metadata={"value": value})
        for operand in operands:
            assert_agrees(mind, {"metadata.value": {operator: [operand] if operator == "in" else operand}})


def assert_agrees(mind: Mind, where: dict[str, Any], meant: dict[str, Any] | None = None) -> None:
    memories = [memory for page in mind.pages() for memory in page]
    found = [memory.id for page in mind.pages(where=where) for memory in page]
    assert found == [memory.id for memory in memories if holds(meant or where, memory)], where


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-(2.0**62), max_value=2.0**62))
def test_any_number_in_metadata_is_found_by_itself(number: float) -> None:
    with Mind(":memory:") as mind:
        mind.remember("x", metadata={"n": number})
        assert mind.count(where={"metadata.n": number}) == 1
        assert mind.count(where={"metadata.n": {"gt": number}}) == 0


@pytest.fixture
def shelf() -> Mind:
    mind = Mind(":memory:")
    mind.remember_many(
        [
            {"text": "one", "category": "opinion", "metadata": {"year": 2022, "by": {"name": "Ana"}}, "tags": ["x"]},
            {"text": "two", "category": "opinion", "metadata": {"year": 2023}, "tags": ["x", "y"]},
            {"text": "three", "category": "fact", "metadata": {"year": "2023", "flag": True}},
            {"text": "four", "metadata": {"year": None, "flag": 1}},
        ]
    )
    return mind


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"category": "opinion", "metadata.year": {"gte": 2023}}, "two"),
        ({"tags": {"contains": "x"}}, "one two"),
        ({"tags": {"exists": False}}, "three four"),
        ({"or": [{"category": "fact"}, {"tags": {"contains": "y"}}]}, "two three"),
        ({"not": {"category": "opinion"}}, "three four"),
        ({"category": {"ne": "opinion"}}, "three four"),
        ({"category": None}, "four"),
        ({"metadata.by.name": "Ana"}, "one"),
        ({"metadata.year": 2023}, "two"),
        ({"metadata.year": "2023"}, "three"),
        ({"metadata.year": None}, "four"),
        ({"metadata.year": {"exists": True}}, "one two three four"),
        ({"metadata.year": {"gt": 2000, "lt": 2023}}, "one"),
        ({"metadata.flag": True}, "three"),
        ({"metadata.flag": 1}, "four"),
        ({"metadata.year": {"in": [2022, "2023"]}}, "one three"),
        ({"text": {"contains": "o"}}, "one two four"),
        ({"text": {"gte": "three"}}, "two three"),
        ({"importance": {"gte": 5}}, "one two three four"),
    ],
)
def test_examples(shelf: Mind, where: dict[str, Any], expected: str) -> None:
    assert [memory.text for page in shelf.pages(where=where) for memory in page] == expected.split()
    shelf.close()


def test_a_number_is_not_contained_in_a_text(shelf: Mind) -> None:
    assert shelf.count(where={"metadata.year": {"contains": 2}}) == 0


def test_filters_work_in_every_verb(shelf: Mind) -> None:
    where = {"category": "opinion"}
    assert shelf.count(where=where) == 2
    assert len(shelf.recall("one two three four", where=where)) == 2
    assert shelf.context("one three", where=where, budget=1_000).count("- [") == 1
    assert shelf.forget(where=where) == 2
    assert shelf.count() == 2
