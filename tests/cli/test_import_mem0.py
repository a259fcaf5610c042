"""mnemic import-mem0"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qdrant_client import QdrantClient
from qdrant_client.models import Distance, PointStruct, VectorParams

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Mnemic


def store(folder: Path, payload: dict[str, Any]) -> str:
    """Keep one memory in a folder as mem0 does, and return the folder."""
    client = QdrantClient(path=str(folder))
    client.create_collection("mem0", vectors_config=VectorParams(size=2, distance=Distance.COSINE))
    client.upsert("mem0", [PointStruct(id=1, vector=[0.1, 0.2], payload=payload)])
    client.close()
    return str(folder)


def test_a_folder_of_mem0_is_taken_over_once(mnemic: Mnemic, tmp_path: Path) -> None:
    payload = {"data": "Ana sails", "user_id": "ana", "created_at": "2024-05-01T10:00:00+00:00"}
    folder = store(tmp_path / "qdrant", payload)
    assert mnemic("import-mem0", folder, "--json").object == {"imported": 1, "skipped": 0, "refused": []}
    assert mnemic("import-mem0", folder).out == "imported 0 memories\t1 were here already\n"
    assert "Ana sails" in mnemic("list", "--user", "ana").out


def test_what_cannot_be_kept_is_told_and_fails(mnemic: Mnemic, tmp_path: Path) -> None:
    folder = store(tmp_path / "qdrant", {"data": "Ana sails", "user_id": "ana", "created_at": "never"})
    ran = mnemic("import-mem0", folder, code=1)
    assert "left out" in ran.err
    assert "created_at" in ran.err


def test_a_folder_without_mem0_is_an_error(mnemic: Mnemic, tmp_path: Path) -> None:
    assert "no Qdrant store" in mnemic("import-mem0", str(tmp_path), code=1).err
