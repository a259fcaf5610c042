"""Import memories of mem0 from the Qdrant collection in which it stores them."""

from __future__ import annotations

import warnings
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_OID, UUID, uuid5

from mnemic.errors import InvalidInput, ModelMissing, NotFound, StoreBusy, StoreError, with_extra
from mnemic.model import checks
from mnemic.model.change import Change, Record
from mnemic.model.draft import Draft, memory_from_dict
from mnemic.upkeep.importance import importance

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from qdrant_client import QdrantClient

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.ports import Progress

COLLECTION = "mem0"
"""The default name of the collection."""

SOURCE = "mem0"
"""The source of memories that were imported from mem0, or added through its wrapper."""

BATCH = 500
_SCOPE = {"agent_id": "agent", "user_id": "user", "run_id": "session"}
_OWN = frozenset({"data", "hash", "text_lemmatized", "created_at", "updated_at", "expiration_date", *_SCOPE})


@dataclass(slots=True)
class Mem0Imported:
    """How many memories an import added and skipped, and which it refused, with the reason."""

    created: int = 0
    skipped: int = 0
    refused: list[str] = field(default_factory=list)


def import_folder(
    mind: Mind, folder: str | os.PathLike[str], *, collection: str = COLLECTION, progress: Progress
) -> Mem0Imported:
    """Import the memories in a folder of mem0's local Qdrant, except those the mind has or has forgotten."""
    with closing(_local(checks.path("folder", folder))) as client:
        return import_collection(mind, client, collection=collection, progress=progress)


def import_collection(
    mind: Mind, client: QdrantClient, *, collection: str = COLLECTION, progress: Progress
) -> Mem0Imported:
    """Import the memories of a collection, except those the mind has or has forgotten."""
    if not client.collection_exists(collection):
        known = sorted(existing.name for existing in client.get_collections().collections)
        raise NotFound(f"no collection {collection!r}; there are {', '.join(known) or 'none'}")
    total = client.count(collection).count
    imported, seen = Mem0Imported(), 0
    for points in _batches(client, collection):
        records = []
        for id, payload in points:
            if not payload.get("data"):
                continue  # mem0 stores an identity of its own beside the memories
            try:
                records.append(_record(id, payload))
            except InvalidInput as error:
                imported.refused.append(f"{id}: {error}")
        new = [record for record in records if not _is_known(mind, record.memory.id)]
        mind.adopt(new)
        imported.created += len(new)
        imported.skipped += len(records) - len(new)
        seen += len(points)
        progress("importing", seen, total)
    return imported


def expiry_of(expiration_date: object) -> datetime | None:
    """Return when a memory expires that mem0 keeps through a date."""
    if expiration_date is None:
        return None
    day = expiration_date.date() if isinstance(expiration_date, datetime) else expiration_date
    try:
        day = date.fromisoformat(day) if isinstance(day, str) else day
    except ValueError:
        day = None
    if not isinstance(day, date):
        raise InvalidInput("expiration_date", f"must be a day such as 2026-03-01, not {checks.shown(expiration_date)}")
    return datetime.combine(day + timedelta(days=1), time.min, UTC)


def _local(folder: Path) -> QdrantClient:
    try:
        from qdrant_client import QdrantClient
    except ImportError:
        raise ModelMissing(f"qdrant-client is not installed; {with_extra('mem0')}") from None
    if not (folder / "meta.json").is_file():
        raise NotFound(f"no Qdrant store in {folder}; give the `path` of mem0's vector store")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it advises a server for large collections
            return QdrantClient(path=str(folder))
    except RuntimeError as error:
        raise StoreBusy(f"{folder} is in use: {error}; stop the program that uses it, and try again") from None
    except (OSError, ValueError) as error:
        raise StoreError(f"{folder} cannot be read as a Qdrant store: {error}") from None


def _batches(client: QdrantClient, collection: str) -> Iterator[list[tuple[str, Mapping[str, Any]]]]:
    following = None
    while True:
        points, following = client.scroll(collection, limit=BATCH, offset=following, with_vectors=False)
        yield [(_identifier(point.id, collection), point.payload or {}) for point in points]
        if following is None:
            return


def _identifier(id: object, collection: str) -> str:
    """Return the id of a point as a UUID; a number always gives the same one."""
    try:
        return str(UUID(str(id)))
    except ValueError:
        return str(uuid5(NAMESPACE_OID, f"mem0:{collection}:{id}"))


def _record(id: str, payload: Mapping[str, Any]) -> Record:
    created_at = _instant("created_at", payload.get("created_at"))
    changed_at = _instant("updated_at", payload.get("updated_at") or payload.get("created_at"))
    memory = Draft(
        text=payload["data"],
        metadata=checks.metadata({key: value for key, value in payload.items() if key not in _OWN}),
        importance=importance(payload["data"]).score,
        source=SOURCE,
        expires_at=expiry_of(payload.get("expiration_date")),
        id=id,
        **_names(payload),
    ).memory(created_at=created_at)
    if changed_at <= created_at:
        return Record(memory)
    return Record(_changed(memory), (_change(id, "created", created_at), _change(id, "revised", changed_at)))


def _names(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(payload[key]) for key, name in _SCOPE.items() if payload.get(key) is not None}


def _changed(memory: Memory) -> Memory:
    return memory_from_dict(memory.to_dict() | {"revision": 2})


def _change(id: str, kind: Any, at: datetime) -> Change:  # noqa: ANN401
    """Return a change of which only the time is known."""
    states: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    if kind == "revised":
        states = ({"revision": 1}, {"revision": 2})
    return Change(0, id, kind, at, *states)


def _instant(name: str, value: object) -> datetime:
    """Return a time; one without a zone is in UTC."""
    try:
        when = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        when = None
    if when is None:
        raise InvalidInput(name, f"must be a time in ISO 8601, not {checks.shown(value)}")
    return checks.instant(name, when.replace(tzinfo=UTC) if when.tzinfo is None else when)


def _is_known(mind: Mind, id: str) -> bool:
    """Return whether the mind has a memory or has forgotten it: an import does not bring forgotten ones back."""
    try:
        mind.history(id)
    except NotFound:
        return False
    return True
