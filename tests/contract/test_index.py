"""The derived index: whatever happens to the store, a search through it finds what an exact one finds."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pytest

from recollect.model import filter as filters
from recollect.model.embedding import EmbeddingModel
from recollect.model.filter import Selection
from recollect.model.memory import Change, Memory
from recollect.model.scope import Scope
from recollect.stores.sqlite import SqliteStore
from recollect.stores.sqlite.files import INDEX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from recollect.model.memory import ChangeKind

DIMENSION = 32
MODEL = EmbeddingModel("test", DIMENSION)
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MANY = 2_500
"""More than are kept without a file."""
ENDED = {"closed", "over", "never held"}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path, MODEL)
    yield store
    store.close()


def unit(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    rows: NDArray[np.float32] = rng.standard_normal((count, DIMENSION), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def add(store: SqliteStore, rng: np.random.Generator, count: int, **fields: object) -> list[Memory]:
    memories = [
        Memory(**{"id": str(uuid4()), "text": f"note {n}", "scope": Scope(), "created_at": NOW} | fields)
        for n in range(count)
    ]
    with store.transaction() as transaction:
        transaction.insert(memories, dict(zip((memory.id for memory in memories), unit(rng, count), strict=True)))
    return memories


def change(store: SqliteStore, memory: Memory, vector: NDArray[np.float32] | None = None, **fields: object) -> None:
    changed = dataclasses.replace(memory, **fields)
    with store.transaction() as transaction:
        transaction.update([changed], {} if vector is None else {memory.id: vector})
        transaction.log([logged(memory.id, "revised")])


def forget(store: SqliteStore, memories: Sequence[Memory]) -> None:
    ids = [memory.id for memory in memories]
    with store.transaction() as transaction:
        transaction.forget(ids)
        transaction.log([logged(id, "forgotten") for id in ids])


def logged(id: str, kind: ChangeKind) -> Change:
    return Change(0, id, kind, NOW, {}, {})


def found(store: SqliteStore, vector: NDArray[np.float32], limit: int = 10, **selected: object) -> list[str]:
    selection = Selection(**{"scope": None, "now": NOW} | selected)
    with store.view() as view:
        numbers = view.by_vector(vector, selection, limit)
        memories = view.memories([number for number, _ in numbers], selection)
    return [memories[number].id for number, _ in numbers]


def in_sync(store: SqliteStore) -> bool:
    return all(finding.ok for finding in store.check(mend=False, progress=lambda *_: None))


def test_a_large_store_is_searched_almost_exactly(store: SqliteStore, rng: np.random.Generator) -> None:
    vectors = unit(rng, 4_000)
    memories = [Memory(id=str(uuid4()), text="x", scope=Scope(), created_at=NOW) for _ in vectors]
    with store.transaction() as transaction:
        transaction.insert(memories, {memory.id: vector for memory, vector in zip(memories, vectors, strict=True)})
    kept = 0
    for query in unit(rng, 50):
        exact = {memories[place].id for place in np.argsort(-(vectors @ query))[:10]}
        kept += len(exact & set(found(store, query)))
    assert kept >= 490


def test_another_program_finds_what_was_added_changed_and_forgotten(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator
) -> None:
    other = SqliteStore(tmp_path, MODEL)
    try:
        first, *rest = add(store, rng, 50)
        query = unit(rng, 1)[0]
        assert len(found(other, query, 100)) == 50
        change(store, first, query)
        forget(store, rest[:20])
        (late,) = add(store, rng, 1)
        assert found(other, query, 1) == [first.id]
        assert set(found(other, query, 100)) == {first.id, late.id, *(memory.id for memory in rest[20:])}
        assert in_sync(other)
    finally:
        other.close()


def test_the_file_is_written_for_many_and_read_by_the_next_program(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator
) -> None:
    memories = add(store, rng, MANY)
    query = unit(rng, 1)[0]
    found(store, query)
    assert (tmp_path / INDEX).exists()
    forget(store, [memories[7]])
    (late,) = add(store, rng, 1)
    other = SqliteStore(tmp_path, MODEL)
    try:
        assert set(found(other, query, MANY + 1)) == {memory.id for memory in (*memories, late)} - {memories[7].id}
        assert in_sync(other)
    finally:
        other.close()


@pytest.mark.parametrize(
    "damage", [b"", b"nonsense", b"[2]", b'[2, "g", "vectors_1", 5, 100000, 32, 9, 99]'.ljust(5_000)]
)
def test_a_damaged_file_is_not_believed(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator, damage: bytes
) -> None:
    add(store, rng, 30)
    (tmp_path / INDEX).write_bytes(damage)
    assert len(found(store, unit(rng, 1)[0], 100)) == 30


def test_the_doctor_notices_a_falsified_file_and_mends_it(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator
) -> None:
    add(store, rng, MANY)
    found(store, unit(rng, 1)[0])
    content = bytearray((tmp_path / INDEX).read_bytes())
    content[-2_000:-1_000] = bytes(1_000)
    (tmp_path / INDEX).write_bytes(content)
    wrong = [finding.check for finding in store.check(mend=False, progress=lambda *_: None) if not finding.ok]
    assert wrong == ["index"]
    assert all(finding.mended for finding in store.check(mend=True, progress=lambda *_: None) if finding.problem)
    assert in_sync(store)


def test_a_folder_that_cannot_be_written_is_searched_all_the_same(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, rng, MANY)
    monkeypatch.setattr("tempfile.mkstemp", _refuse)
    assert len(found(store, unit(rng, 1)[0], 10)) == 10
    assert not (tmp_path / INDEX).exists()


def _refuse(**_: object) -> None:
    raise PermissionError("read-only")


def test_a_purge_takes_the_file_along(store: SqliteStore, tmp_path: Path, rng: np.random.Generator) -> None:
    memories = add(store, rng, MANY)
    query = unit(rng, 1)[0]
    found(store, query)
    with store.transaction() as transaction:
        transaction.purge(memories[0].id, at=NOW)
    store.scrub()
    assert not (tmp_path / INDEX).exists()
    assert memories[0].id not in found(store, query, MANY)
    assert in_sync(store)


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        ({}, {"plain", "ana", "ana's monday", "of the guide", "working"}),
        ({"scope": Scope()}, {"plain", "working"}),
        ({"scope": Scope(user="ana")}, {"ana", "ana's monday"}),
        ({"scope": Scope(session="monday")}, {"ana's monday", "of the guide"}),
        ({"scope": Scope(agent="guide", user="ana")}, set()),
        ({"tier": "working"}, {"working"}),
        ({"include_superseded": True}, {"plain", "ana", "ana's monday", "of the guide", "working", *ENDED}),
        ({"as_of": date(2026, 4, 1)}, {"closed", "over"}),
        ({"where": filters.parse({"category": "odd"})}, {"ana"}),
        ({"where": filters.parse({"category": "none"})}, set()),
    ],
)
def test_only_what_is_selected_is_near(
    store: SqliteStore, rng: np.random.Generator, selected: dict[str, object], expected: set[str]
) -> None:
    for text, fields in {
        "plain": {},
        "ana": {"scope": Scope(user="ana"), "category": "odd"},
        "ana's monday": {"scope": Scope(user="ana", session="monday")},
        "of the guide": {"scope": Scope(agent="guide", session="monday")},
        "working": {"tier": "working"},
        "closed": {"superseded_at": date(2026, 4, 20), "occurred_at": date(2026, 1, 1), "scope": Scope(user="ben")},
        "over": {"expires_at": NOW - timedelta(days=1), "occurred_at": date(2026, 1, 1), "scope": Scope(user="ben")},
        "never held": {"superseded_at": date(2025, 1, 1), "occurred_at": date(2026, 1, 1), "scope": Scope(user="ben")},
    }.items():
        add(store, rng, 1, text=text, **fields)
    query = unit(rng, 1)[0]
    ids = found(store, query, 100, **selected)
    texts = {memory.text for id in ids if (memory := store.get(id)) is not None}
    assert texts == expected


def test_a_filter_asked_again_sees_what_was_added_changed_forgotten_and_purged(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator
) -> None:
    other = SqliteStore(tmp_path, MODEL)
    odd = {"where": filters.parse({"metadata.odd": True})}
    (query,) = unit(rng, 1)
    first, second, third = add(store, rng, 3, metadata={"odd": True})
    plain, _ = add(store, rng, 2, metadata={"odd": 1})

    def expect(*memories: Memory, **more: object) -> None:
        for seen in (store, other):
            assert set(found(seen, query, **odd, **more)) == {memory.id for memory in memories}

    expect(first, second, third)
    (added,) = add(other, rng, 1, metadata={"odd": True})
    change(store, plain, metadata={"odd": True})
    change(store, first, metadata={})
    change(other, second, superseded_at=NOW - timedelta(days=1))
    expect(added, plain, third)
    expect(added, plain, third, second, include_superseded=True)
    forget(other, [third])
    expect(added, plain)
    with store.transaction() as transaction:
        transaction.purge(added.id, at=NOW)
    expect(plain)
    assert set(found(store, query, where=filters.parse({"metadata.odd": 1}))) != {plain.id}
    other.close()


def test_turns_of_one_session_are_neighbours_in_the_order_of_their_time(
    store: SqliteStore, rng: np.random.Generator
) -> None:
    talk = Scope(user="ana", session="monday")
    second, third, first = (add(store, rng, 1, scope=talk, occurred_at=day)[0] for day in _days(2, 3, 1))
    add(store, rng, 1, scope=Scope(user="ben", session="monday"), occurred_at=date(2026, 1, 2))
    add(store, rng, 1)
    assert around(store) == {first.id: (None, second.id), second.id: (first.id, third.id), third.id: (second.id, None)}
    forget(store, [second])
    (fourth,) = add(store, rng, 1, scope=talk, occurred_at=date(2026, 1, 4))
    assert around(store) == {first.id: (None, third.id), third.id: (first.id, fourth.id), fourth.id: (third.id, None)}


def _days(*days: int) -> list[date]:
    return [date(2026, 1, day) for day in days]


def around(store: SqliteStore) -> dict[str, tuple[str | None, str | None]]:
    """Return what stands before and after each turn of Ana's."""
    selection = Selection(scope=None, now=NOW)
    ids: dict[int | None, str | None] = {None: None}
    with store.view() as view:
        numbers = [number for number, _ in view.by_vector(np.eye(DIMENSION, dtype=np.float32)[0], selection, 100)]
        memories = view.memories(numbers, selection)
        neighbours = view.neighbours(numbers)
    ids |= {number: memory.id for number, memory in memories.items()}
    return {
        str(ids[number]): (ids[before], ids[after])
        for number, (before, after) in neighbours.items()
        if memories[number].scope.user == "ana"
    }


def test_a_view_stays_as_it_was_when_it_was_first_asked(store: SqliteStore, rng: np.random.Generator) -> None:
    add(store, rng, 3)
    query, selection = unit(rng, 1)[0], Selection(scope=None, now=NOW)
    with store.view() as view:
        assert view.frequencies([]) == (3, {})
        add(store, rng, 2)
        assert len(found(store, query)) == 5
        numbers = [number for number, _ in view.by_vector(query, selection, 10)]
        assert len(view.memories(numbers, selection)) == 3


def test_cosines_are_those_of_the_vectors(store: SqliteStore, rng: np.random.Generator) -> None:
    add(store, rng, 20)
    query = unit(rng, 1)[0]
    with store.view() as view:
        best = dict(view.by_vector(query, Selection(scope=None, now=NOW), 20))
        assert view.cosines(query, list(best)) == pytest.approx(best)
        assert view.cosines(query, [10**9]) == {}
