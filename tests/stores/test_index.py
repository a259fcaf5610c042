"""The derived index: whatever happens to the store, a search through it finds what an exact one finds."""

from __future__ import annotations

import dataclasses
import os
import sqlite3
import tracemalloc
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pytest

from mnemic.model import filter as filters
from mnemic.model.change import Change
from mnemic.model.embedding import EmbeddingModel
from mnemic.model.filter import Selection
from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.stores.index import columns
from mnemic.stores.index.files import NAME as INDEX
from mnemic.stores.index.files import PARTIAL
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mnemic.model.change import ChangeKind

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


def by_words(store: SqliteStore, *terms: str, limit: int = 10, **selected: object) -> list[int]:
    selection = Selection(**{"scope": None, "now": NOW} | selected)
    with store.view() as view:
        return [number for number, _ in view.by_words(terms, selection, limit)]


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
    "damage",
    [
        b"",
        b"nonsense",
        b"[2]",
        b'[2, "g", "vectors_1", 5, 100000, 32, 9, 99]'.ljust(5_000),
        b'[2, "g", "vectors_1", 5, 1e400, 32, 9, 99]'.ljust(5_000),
        b"[" * 5_000,
    ],
)
def test_a_damaged_file_is_not_believed(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator, damage: bytes
) -> None:
    add(store, rng, 30)
    (tmp_path / INDEX).write_bytes(damage)
    assert len(found(store, unit(rng, 1)[0], 100)) == 30


@pytest.mark.parametrize("array", ["start", "row"])
def test_entries_that_lead_nowhere_are_not_believed(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator, array: str
) -> None:
    add(store, rng, MANY)
    wanted = by_words(store, "note", limit=MANY)
    file = tmp_path / INDEX
    loaded = columns.load(file, DIMENSION)
    assert loaded is not None
    whole, stand = loaded
    wrong = getattr(whole.postings, array).copy()
    wrong[1:] = -7
    setattr(whole.postings, array, wrong)
    columns.save(whole, stand, file)
    other = SqliteStore(tmp_path, MODEL)
    try:
        assert by_words(other, "note", limit=MANY) == wanted
        assert in_sync(other)
    finally:
        other.close()


def test_a_file_with_vectors_of_another_dimension_is_not_taken(tmp_path: Path) -> None:
    without_vectors = SqliteStore(tmp_path)
    _insert(without_vectors, MANY)
    without_vectors.close()
    for place, dimension in enumerate((DIMENSION, 2 * DIMENSION)):
        store = SqliteStore(tmp_path, EmbeddingModel(f"of {dimension}", dimension))
        assert len(by_words(store, "note", limit=2 * MANY)) == MANY + 200 * place
        _insert(store, 200)
        assert len(by_words(store, "note", limit=2 * MANY)) == MANY + 200 * (place + 1)
        store.close()


def _insert(store: SqliteStore, count: int) -> None:
    with store.transaction() as transaction:
        transaction.insert(
            [Memory(id=str(uuid4()), text="note", scope=Scope(), created_at=NOW) for _ in range(count)], {}
        )


def test_the_log_is_synced_before_the_file_is_written(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = [Memory(id=str(uuid4()), text="note", scope=Scope(), created_at=NOW) for _ in range(MANY)]
    with store.transaction(durable=False) as transaction:
        transaction.insert(memories, dict.fromkeys((memory.id for memory in memories), unit(rng, 1)[0]))
    synced: list[int] = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    by_words(store, "note")
    assert synced.index((tmp_path / "mind.db-wal").stat().st_ino) < synced.index((tmp_path / INDEX).stat().st_ino)


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
    half_written = tmp_path / f"{PARTIAL}x1"
    half_written.touch()
    with store.transaction() as transaction:
        transaction.purge(memories[0].id, at=NOW)
    store.scrub()
    assert not (tmp_path / INDEX).exists()
    assert not half_written.exists()
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


def test_memories_are_told_with_their_session_time_and_vector(store: SqliteStore, rng: np.random.Generator) -> None:
    talk = Scope(user="ana", session="monday")
    later, earlier = (add(store, rng, 1, scope=talk, occurred_at=day)[0] for day in _days(2, 1))
    (outside,) = add(store, rng, 1)
    selection = Selection(scope=None, now=NOW)
    query = unit(rng, 1)[0]
    with store.view() as view:
        near = dict(view.by_vector(query, selection, 10))
        turns = view.session_rows(list(near), vectors=True)
        place = {view.memories([number], selection)[number].id: at for at, number in enumerate(turns.numbers.tolist())}
    assert turns.sessions[place[later.id]] == turns.sessions[place[earlier.id]] != 0
    assert turns.sessions[place[outside.id]] == 0
    assert turns.times[place[later.id]] > turns.times[place[earlier.id]]
    lengths = np.linalg.norm(turns.vectors, axis=1)
    assert turns.vectors @ query / lengths == pytest.approx(
        [near[number] for number in turns.numbers.tolist()], abs=1e-2
    )


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
        assert view.frequencies([], selection) == (3, {})
        add(store, rng, 2)
        assert len(found(store, query)) == 5
        numbers = [number for number, _ in view.by_vector(query, selection, 10)]
        assert len(view.memories(numbers, selection)) == 3


def test_a_view_still_finds_what_another_changes_or_forgets_meanwhile(
    store: SqliteStore, rng: np.random.Generator
) -> None:
    memories = add(store, rng, 5)
    query, selection = unit(rng, 1)[0], Selection(scope=None, now=NOW)
    with store.view() as view:
        view.frequencies(["note"], selection)
        change(store, memories[1], importance=0.9)
        forget(store, [memories[2]])
        assert len(by_words(store, "note")) == 4
        for numbers in (view.by_words(["note"], selection, 10), view.by_vector(query, selection, 10)):
            assert {memory.id for memory in view.memories([n for n, _ in numbers], selection).values()} == {
                memory.id for memory in memories
            }


def test_a_search_that_was_interrupted_leaves_nothing_twice(
    store: SqliteStore, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = add(store, rng, 40)
    by_words(store, "note")
    add(store, rng, 2)
    change(store, memories[0], importance=0.9)
    read, readings = columns.read, []

    def interrupted(*given: object) -> object:
        readings.append(given)
        if len(readings) == 2:
            raise KeyboardInterrupt
        return read(*given)

    monkeypatch.setattr(columns, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        by_words(store, "note")
    assert sorted(by_words(store, "note", limit=100)) == list(range(1, 43))


def test_what_is_added_after_the_history_was_mended_is_found(
    store: SqliteStore, tmp_path: Path, rng: np.random.Generator
) -> None:
    add(store, rng, 3)
    with sqlite3.connect(tmp_path / "mind.db") as connection:
        connection.execute("INSERT INTO changes VALUES (999, 'stray', 'revised', '2026-01-01', NULL, NULL)")
    connection.close()
    assert len(by_words(store, "note")) == 3
    assert [finding.check for finding in store.check(mend=True, progress=lambda *_: None) if finding.mended] == [
        "history"
    ]
    add(store, rng, 1)
    assert len(by_words(store, "note")) == 4


def test_scopes_that_hold_nothing_do_not_pile_up(store: SqliteStore, rng: np.random.Generator) -> None:
    add(store, rng, 10)

    def ask(first: int) -> None:
        for number in range(first, first + 2_000):
            by_words(store, "note", scope=Scope(user=f"user {number}"))

    ask(0)
    tracemalloc.start()
    try:
        ask(2_000)
        left = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert left < 100_000, "bytes"


@pytest.mark.parametrize("count", [20, MANY], ids=["compared exactly", "sifted first"])
def test_the_cosines_of_others_come_with_the_nearest(store: SqliteStore, rng: np.random.Generator, count: int) -> None:
    add(store, rng, count)
    query = unit(rng, 1)[0]
    with store.view() as view:
        everything = view.by_vector(query, Selection(scope=None, now=NOW), count)
        far = [number for number, _ in everything[-3:]]
        found = view.by_vector(query, Selection(scope=None, now=NOW), 5, far)
    assert len(everything) == count
    assert [number for number, _ in found] == [number for number, _ in everything[:5] + everything[-3:]]
    assert dict(found) == pytest.approx({number: dict(everything)[number] for number, _ in found})


def test_a_selection_has_turns_when_one_of_its_memories_is_in_a_session(
    store: SqliteStore, rng: np.random.Generator
) -> None:
    add(store, rng, 2)
    with store.view() as view:
        assert not view.has_turns(Selection(scope=None, now=NOW))
    add(store, rng, 2, scope=Scope(session="monday"))
    with store.view() as view:
        assert view.has_turns(Selection(scope=None, now=NOW))
        assert view.has_turns(Selection(scope=Scope(session="monday"), now=NOW))
        assert not view.has_turns(Selection(scope=Scope(session="tuesday"), now=NOW))
