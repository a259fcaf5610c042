"""What every store must do with vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mnemic.model.embedding import EmbeddingModel
from mnemic.model.scope import Scope
from mnemic.stores.sqlite import SqliteStore
from tests.contract.test_store import EVERYTHING, forget, healthy, memory, purge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from mnemic.model.filter import Selection
    from mnemic.model.memory import Memory
    from mnemic.ports import FullStore

MODEL = EmbeddingModel("test", 3)
STORES: dict[str, Callable[[Path], FullStore]] = {
    "folder": lambda folder: SqliteStore(folder, MODEL),
    "memory": lambda _: SqliteStore(None, MODEL),
}
EAST, NORTH, UP = np.eye(3, dtype=np.float32)
NORTH_EAST = (NORTH + EAST) / np.sqrt(np.float32(2))


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FullStore]:
    store = STORES[request.param](tmp_path / "store")
    yield store
    store.close()


def insert(store: FullStore, vectors: dict[str, NDArray[np.float32]], **fields: object) -> dict[str, Memory]:
    memories = {text: memory(text, **fields) for text in vectors}
    with store.transaction() as transaction:
        transaction.insert(list(memories.values()), {memories[text].id: vector for text, vector in vectors.items()})
    return memories


def nearest(
    store: FullStore, vector: NDArray[np.float32], limit: int, selection: Selection = EVERYTHING
) -> list[tuple[str, float]]:
    with store.view() as view:
        found = view.by_vector(vector, selection, limit)
        memories = view.memories([number for number, _ in found], selection)
    return [(memories[number].text, cosine) for number, cosine in found]


def near(store: FullStore, vector: NDArray[np.float32], limit: int = 10) -> list[str]:
    return [text for text, _ in nearest(store, vector, limit)]


def test_the_nearest_come_first_with_their_cosine(store: FullStore) -> None:
    insert(store, {"east": EAST, "north": NORTH, "north east": NORTH_EAST})
    found = nearest(store, EAST, 2)
    assert [(text, round(cosine, 3)) for text, cosine in found] == [("east", 1.0), ("north east", 0.707)]


def test_only_selected_memories_are_near(store: FullStore) -> None:
    insert(store, {"of ana": EAST}, scope=Scope(user="ana"))
    insert(store, {"of bob": EAST}, scope=Scope(user="bob"))
    selection = type(EVERYTHING)(scope=Scope(user="ana"), now=EVERYTHING.now)
    assert [text for text, _ in nearest(store, EAST, 10, selection)] == ["of ana"]


def test_an_updated_memory_has_its_new_vector(store: FullStore) -> None:
    kept = insert(store, {"moves": EAST, "stays": NORTH})
    with store.transaction() as transaction:
        transaction.update([kept["moves"]], {kept["moves"].id: UP})
    assert near(store, UP, 1) == ["moves"]
    assert healthy(store)


def test_forgotten_and_purged_memories_are_near_nothing(store: FullStore) -> None:
    kept = insert(store, {"kept": EAST, "forgotten": EAST, "purged": EAST})
    forget(store, kept["forgotten"].id)
    purge(store, kept["purged"].id)
    assert near(store, EAST) == ["kept"]
    assert healthy(store)


def test_a_memory_without_a_vector_is_reported(store: FullStore) -> None:
    insert(store, {"east": EAST})
    with store.transaction() as transaction:
        transaction.insert([memory("lacks one")], {})
    wrong = [finding for finding in store.check(mend=False, progress=lambda *_: None) if not finding.ok]
    assert [finding.check for finding in wrong] == ["vectors"]
    assert "mnemic reindex" in (wrong[0].remedy or "")
