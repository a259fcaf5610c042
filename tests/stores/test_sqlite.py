"""What only the SQLite store does: backups as files of its own, and the vectors of two models side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mnemic.errors import InvalidInput, OtherEmbedder
from mnemic.model.embedding import EmbeddingModel
from mnemic.model.memory import FIELDS
from mnemic.stores.sqlite import SqliteStore, schema
from tests.contract.test_store import EVERYTHING, forget, healthy, memory
from tests.contract.test_store import insert as insert_memories
from tests.contract.test_vectors import EAST, MODEL, NORTH, UP, insert, near

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("folder", ["store", None])
def test_a_backup_holds_everything_and_replaces_nothing(folder: str | None, tmp_path: Path) -> None:
    store = SqliteStore(None if folder is None else tmp_path / folder)
    kept, gone = memory("kept cat"), memory("gone cat")
    insert_memories(store, kept, gone)
    forget(store, gone.id)
    target = tmp_path / "copy"
    target.mkdir()
    store.backup(target / "mind.db")
    insert_memories(store, memory("later"))
    copy = SqliteStore(target)
    try:
        assert copy.page(EVERYTHING, size=10, after=0)[0] == [kept]
        assert copy.changes(gone.id) == store.changes(gone.id)
        assert healthy(copy)
    finally:
        copy.close()
    with pytest.raises(InvalidInput):
        store.backup(target / "mind.db")
    store.close()


def test_vectors_of_another_model_are_filled_beside_and_then_searched(tmp_path: Path) -> None:
    old = SqliteStore(tmp_path, MODEL)
    new = SqliteStore(tmp_path, EmbeddingModel("other", 2))
    try:
        kept = insert(old, {"one": EAST, "two": NORTH})
        with new.transaction() as transaction:
            lacking = transaction.without_vector(after=0, limit=10)
            assert [memory.text for _, memory in lacking] == ["one", "two"]
            transaction.add_vectors([(kept["one"], np.array([0, 1], np.float32))])
            assert [memory.text for _, memory in transaction.without_vector(after=0, limit=10)] == ["two"]
        assert near(old, EAST, 1) == ["one"]
        with pytest.raises(OtherEmbedder, match="mnemic reindex"):
            near(new, np.array([0, 1], np.float32))
        with new.transaction() as transaction:
            transaction.add_vectors([(kept["two"], np.array([1, 0], np.float32))])
            transaction.make_model_current()
        assert near(new, np.array([1, 0], np.float32), 1) == ["two"]
        with pytest.raises(OtherEmbedder, match="other"):
            near(old, EAST)
        with pytest.raises(OtherEmbedder):
            insert(old, {"three": UP})
        assert healthy(new)
    finally:
        old.close()
        new.close()


def test_a_row_has_a_column_for_every_field_of_a_memory() -> None:
    connections = schema.open_connections(None)
    with connections.read() as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
    connections.close()
    assert columns == ["seq", *FIELDS, "digest"]
