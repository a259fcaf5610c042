"""The memories of mem0, imported from its Qdrant collection."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, PointStruct, VectorParams

from mnemic import Mind
from mnemic.agent.mem0_backend import configured, open_mem0
from mnemic.embedders.table import TableEmbedder
from mnemic.errors import NotFound, StoreBusy
from mnemic.integrations.mem0 import Memory
from mnemic.transfer.mem0 import import_collection, import_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def silent(_doing: str, _done: int, _total: int) -> None:
    """Tell nobody."""


@pytest.fixture
def mind() -> Iterator[Mind]:
    with Mind(":memory:") as mind:
        yield mind


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    client = QdrantClient(":memory:")
    client.create_collection("mem0", vectors_config=VectorParams(size=2, distance=Distance.COSINE))
    yield client
    client.close()


def put(client: QdrantClient, *payloads: dict[str, Any]) -> None:
    """Store memories as mem0 does; numbers stand for ids."""
    points = [
        PointStruct(id=number, vector=[0.1, 0.2], payload={"created_at": "2024-05-01T10:00:00+00:00", **payload})
        for number, payload in enumerate(payloads, start=1)
    ]
    client.upsert("mem0", points)


def texts(mind: Mind, **scope: Any) -> list[str]:
    return sorted(memory.text for page in mind.pages(**(scope or {"everywhere": True})) for memory in page)


def test_what_mem0_itself_wrote_arrives_with_scope_metadata_and_times(tmp_path: Path, mind: Mind) -> None:
    store = {"provider": "qdrant", "config": {"path": str(tmp_path / "qdrant")}}
    config, _ = configured({"history_db_path": str(tmp_path / "h.db")}, store, llm=None, embedder=TableEmbedder())
    mem0 = open_mem0(config)
    ids = [
        mem0.add("I love tea", user_id="ana", infer=False, metadata={"deep": {"er": [1]}})["results"][0]["id"],
        mem0.add("Bo sails", user_id="bo", agent_id="x", run_id="r1", infer=False)["results"][0]["id"],
    ]
    mem0.update(ids[0], text="I love green tea", expiration_date="2999-01-01")
    before = [mem0.get(id) for id in ids]
    mem0.close()
    mem0.vector_store.client.close()
    imported = import_folder(mind, tmp_path / "qdrant", progress=silent)
    assert (imported.created, imported.skipped, imported.refused) == (2, 0, [])
    assert [Memory(mind=mind).get(id) for id in ids] == before


def test_twice_is_the_same_as_once(mind: Mind, client: QdrantClient) -> None:
    put(client, {"data": "Ana sails", "user_id": "ana"}, {"data": "Ana sings", "user_id": "ana"})
    import_collection(mind, client, progress=silent)
    first = [*mind.records(everywhere=True)]
    again = import_collection(mind, client, progress=silent)
    assert (again.created, again.skipped) == (0, 2)
    assert [*mind.records(everywhere=True)] == first


def test_what_was_changed_or_forgotten_here_stays_so(mind: Mind, client: QdrantClient) -> None:
    put(client, {"data": "Ana sails", "user_id": "ana"}, {"data": "Ana sings", "user_id": "ana"})
    import_collection(mind, client, progress=silent)
    one, other = next(mind.pages(user="ana"))
    mind.revise(one.id, text="Ana rows")
    mind.forget(other.id)
    import_collection(mind, client, progress=silent)
    assert texts(mind) == ["Ana rows"]


def test_times_are_kept(mind: Mind, client: QdrantClient) -> None:
    put(
        client,
        {"data": "in Pacific time", "user_id": "a", "created_at": "2024-05-01T03:00:00-07:00"},
        {"data": "without a zone", "user_id": "a", "created_at": "2024-05-01T10:00:00"},
        {"data": "changed later", "user_id": "a", "updated_at": "2024-06-01T10:00:00Z"},
        {"data": "ends", "user_id": "a", "expiration_date": "2024-12-31"},
    )
    import_collection(mind, client, progress=silent)
    found = {memory.text: memory for page in mind.pages(user="a", include_superseded=True) for memory in page}
    assert {memory.created_at for memory in found.values()} == {datetime(2024, 5, 1, 10, tzinfo=UTC)}
    assert mind.history(found["changed later"].id)[-1].at == datetime(2024, 6, 1, 10, tzinfo=UTC)
    assert found["ends"].expires_at == datetime(2025, 1, 1, tzinfo=UTC)


def test_what_cannot_be_kept_is_named_and_the_rest_arrives(mind: Mind, client: QdrantClient) -> None:
    put(
        client,
        {"data": "good", "user_id": "ana"},
        {"data": "no time", "user_id": "ana", "created_at": "yesterday"},
        {"data": "blank name", "user_id": " "},
        {"data": "nul", "user_id": "ana", "note": "\0"},
        {"data": "an end", "user_id": "ana", "expiration_date": "soon"},
        {"type": "user_identity", "user_id": "someone"},
    )
    imported = import_collection(mind, client, progress=silent)
    assert (imported.created, len(imported.refused)) == (1, 4)
    assert [problem.split(": ")[1] for problem in imported.refused] == [
        "created_at",
        "user",
        "metadata",
        "expiration_date",
    ]
    assert texts(mind) == ["good"]


def test_many_arrive_with_progress(mind: Mind, client: QdrantClient) -> None:
    put(client, *({"data": f"memory {number}", "agent_id": 7} for number in range(1200)))
    told: list[tuple[str, int, int]] = []
    import_collection(mind, client, progress=lambda *step: told.append(step))
    assert told == [("importing", 500, 1200), ("importing", 1000, 1200), ("importing", 1200, 1200)]
    assert mind.count(agent="7") == 1200


def test_what_arrives_is_found_by_meaning(mind: Mind, client: QdrantClient) -> None:
    put(client, {"data": "Ana is allergic to peanuts", "user_id": "ana"})
    import_collection(mind, client, progress=silent)
    assert mind.recall("peanut allergy", user="ana")[0].memory.source == "mem0"


def test_a_missing_collection_is_named_with_those_there_are(mind: Mind, client: QdrantClient) -> None:
    with pytest.raises(NotFound, match="'other'; there are mem0"):
        import_collection(mind, client, collection="other", progress=silent)


def test_a_folder_without_a_store_is_refused_and_stays_empty(mind: Mind, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no Qdrant store"):
        import_folder(mind, tmp_path, progress=silent)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Qdrant leaves its lock file open
def test_a_store_in_use_is_refused(mind: Mind, tmp_path: Path) -> None:
    other = QdrantClient(path=str(tmp_path))
    with pytest.raises(StoreBusy, match="in use"):
        import_folder(mind, tmp_path, progress=silent)
    other.close()
