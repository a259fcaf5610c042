"""A mind over a store of one's own, which has the methods of `Store` and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mnemic import Mind
from mnemic.embedders.table import TableEmbedder
from mnemic.errors import StoreError
from mnemic.model.embedding import EmbeddingModel
from mnemic.ports import Store
from mnemic.stores.sqlite import SqliteStore
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator


class OwnStore:
    """The methods of `Store`, and no others."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        if name not in vars(Store):
            raise AttributeError(name)
        return getattr(self._store, name)


@pytest.fixture
def mind() -> Iterator[Mind]:
    embedder = TableEmbedder()
    store = OwnStore(SqliteStore(None, EmbeddingModel(embedder.name, embedder.dimension)))
    with Mind.over(store, embedder=embedder) as mind:
        yield mind


def test_it_remembers_recalls_and_changes(mind: Mind) -> None:
    porto = mind.remember("Ana lives in Porto", user="ana").memory
    lisbon = mind.remember("Ana lives in Lisbon", user="ana").memory
    mind.supersede(porto.id, lisbon.id)
    assert [hit.memory.id for hit in mind.recall("Where does Ana live?", user="ana")] == [lisbon.id]
    assert mind.forget(porto.id, purge=True) == 1


def test_upkeep_works_on_it(mind: Mind) -> None:
    mind.remember("Ana lives in Porto", user="ana", occurred_at="2024-01-01")
    mind.remember("Ana lives in Lisbon", user="ana", occurred_at="2025-01-01")
    upkeep(mind, user="ana")
    assert [memory.text for page in mind.pages(user="ana") for memory in page] == ["Ana lives in Lisbon"]


def test_what_it_cannot_do_is_said(mind: Mind) -> None:
    with pytest.raises(StoreError, match="OwnStore"):
        mind.doctor()
