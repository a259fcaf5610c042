"""Stores of earlier schema versions open with all their contents, and the steps between versions are safe."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import Mind
from mnemic.errors import NewerStore, OtherEmbedder
from mnemic.stores.sqlite import schema
from mnemic.wiring import reindex

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "data"
OLD_STORES = sorted(DATA.glob("store-v*"))


@pytest.fixture(params=OLD_STORES, ids=lambda folder: folder.name)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of an old store, reindexed if its vectors come from an earlier table."""
    folder = tmp_path / "mind"
    shutil.copytree(request.param, folder)
    try:
        Mind(folder).close()
    except OtherEmbedder:
        reindex(folder)
    return folder


def contents(folder: Path) -> dict[str, Any]:
    """Return the JSON that was written with an old store."""
    data: dict[str, Any] = json.loads((folder / "contents.json").read_text())
    return data


def test_every_schema_version_before_the_present_one_has_a_store() -> None:
    versions = [int(folder.name.removeprefix("store-v")) for folder in OLD_STORES]
    assert versions[: max(1, schema.VERSION - 1)] == list(range(1, max(2, schema.VERSION)))


def test_an_old_store_keeps_its_contents(old: Path) -> None:
    data = contents(old)
    with Mind(old) as mind:
        pages = mind.pages(everywhere=True, include_superseded=True, size=20)
        assert [memory.to_dict() for page in pages for memory in page] == data["memories"]
        for id, changes in data["history"].items():
            assert [change.to_dict() for change in mind.history(id)] == changes
        for id, links in data["links"].items():
            assert [link.to_dict() for link in mind.links(id)] == links


def test_an_old_store_is_sound_and_of_the_present_version_once_opened(old: Path) -> None:
    with Mind(old) as mind:
        assert [finding for finding in mind.doctor() if not finding.ok] == []
    with closing(sqlite3.connect(old / "mind.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION


def test_what_was_recalled_from_an_old_store_is_recalled(old: Path) -> None:
    answers = {query: id for query, id in contents(old)["answers"].items() if id is not None}
    assert answers
    with Mind(old) as mind:
        for query, id in answers.items():
            assert id in [hit.memory.id for hit in mind.recall(query, everywhere=True)]


def test_an_old_store_can_be_written_to(old: Path) -> None:
    count = len(contents(old)["memories"])
    reindex(old, progress=lambda *_: None)
    with Mind(old) as mind:
        lisbon = mind.recall("Ana lives in Lisbon", user="ana")[0].memory
        assert not mind.remember(lisbon.text, user="ana", occurred_at=lisbon.occurred_at).created
        faro = mind.remember("Ana lives in Faro", user="ana").memory
        mind.supersede(lisbon.id, faro.id)
        mind.forget(where={"metadata.number": {"gte": 20}}, agent="guide")
        assert mind.count(everywhere=True, include_superseded=True) == count + 1 - 20
        assert [change.kind for change in mind.history(lisbon.id)][-2:] == ["repeated", "superseded"]
        assert [finding for finding in mind.doctor() if not finding.ok] == []


def _add_colour(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE memories ADD COLUMN colour TEXT")
    connection.execute("UPDATE memories SET colour = 'grey'")


def _fail_halfway(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE memories SET text = 'lost'")
    raise OSError("the disk is full")


@pytest.fixture
def version_1(tmp_path: Path) -> Path:
    """Return a copy of the committed store of version 1."""
    return Path(shutil.copytree(DATA / "store-v1", tmp_path / "mind")) / "mind.db"


def next_version(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[sqlite3.Connection], None]) -> None:
    """Add migration steps after version 1."""
    monkeypatch.setattr(schema, "MIGRATIONS", (schema.MIGRATIONS[0], *steps))
    monkeypatch.setattr(schema, "VERSION", 1 + len(steps))


def rows(file: Path) -> tuple[int, list[tuple[Any, ...]]]:
    """Return the schema version of a file, and its memories with all their columns."""
    with closing(sqlite3.connect(file)) as connection:
        return schema.version_of(connection), connection.execute("SELECT * FROM memories ORDER BY seq").fetchall()


def test_a_new_step_brings_an_old_file_to_the_next_version(version_1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, before = rows(version_1)
    next_version(monkeypatch, _add_colour)
    schema.open_connections(version_1).close()
    assert rows(version_1) == (2, [(*row, "grey") for row in before])


def test_several_steps_run_in_order(version_1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def blue(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE memories SET colour = colour || ' and blue'")

    _, before = rows(version_1)
    next_version(monkeypatch, _add_colour, blue)
    schema.open_connections(version_1).close()
    assert rows(version_1) == (3, [(*row, "grey and blue") for row in before])


def test_a_new_file_takes_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    next_version(monkeypatch, _add_colour)
    schema.open_connections(tmp_path / "mind.db").close()
    with closing(sqlite3.connect(tmp_path / "mind.db")) as connection:
        columns = [column for _, column, *_ in connection.execute("PRAGMA table_info(memories)")]
        assert (schema.version_of(connection), columns[-1]) == (2, "colour")


@pytest.mark.parametrize("steps", [(_fail_halfway,), (_add_colour, _fail_halfway)], ids=["first", "second"])
def test_a_failing_step_leaves_the_file_as_it_was(
    version_1: Path, monkeypatch: pytest.MonkeyPatch, steps: tuple[Callable[[sqlite3.Connection], None], ...]
) -> None:
    before = rows(version_1)
    assert before[0] == 1
    with monkeypatch.context() as patch:
        next_version(patch, *steps)
        with pytest.raises(OSError, match="disk is full"):
            schema.open_connections(version_1)
    assert rows(version_1) == before
    schema.open_connections(version_1).close()


def test_a_migrated_file_is_refused_by_the_version_before(version_1: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        next_version(patch, _add_colour)
        schema.open_connections(version_1).close()
    with pytest.raises(NewerStore, match="schema 2, this one knows 1"):
        schema.open_connections(version_1)
    assert rows(version_1)[0] == 2
