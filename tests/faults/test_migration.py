"""Stores written by earlier versions are opened, hold all they held, and go on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind
from mnemic.errors import OtherEmbedder
from mnemic.stores.sqlite import schema
from mnemic.wiring import reindex

DATA = Path(__file__).parents[1] / "data"
OLD_STORES = sorted(DATA.glob("store-v*"))


@pytest.fixture(params=OLD_STORES, ids=lambda folder: folder.name)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of the folder of an old store, reindexed if its vectors come from an earlier table."""
    folder = tmp_path / "mind"
    shutil.copytree(request.param, folder)
    try:
        Mind(folder).close()
    except OtherEmbedder:
        reindex(folder)
    return folder


def _held(folder: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((folder / "contents.json").read_text())
    return held


def test_every_schema_version_before_the_present_one_has_a_store() -> None:
    versions = [int(folder.name.removeprefix("store-v")) for folder in OLD_STORES]
    assert versions[: max(1, schema.VERSION - 1)] == list(range(1, max(2, schema.VERSION)))


def test_an_old_store_holds_all_it_held(old: Path) -> None:
    held = _held(old)
    with Mind(old) as mind:
        pages = mind.pages(everywhere=True, include_superseded=True, size=20)
        assert [memory.to_dict() for page in pages for memory in page] == held["memories"]
        for id, changes in held["history"].items():
            assert [change.to_dict() for change in mind.history(id)] == changes
        for id, links in held["links"].items():
            assert [link.to_dict() for link in mind.links(id)] == links


def test_an_old_store_is_sound_and_of_the_present_version_once_opened(old: Path) -> None:
    with Mind(old) as mind:
        assert [finding for finding in mind.doctor() if not finding.ok] == []
    with closing(sqlite3.connect(old / "mind.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION


def test_what_was_found_in_an_old_store_is_found(old: Path) -> None:
    with Mind(old) as mind:
        for query, id in _held(old)["found"].items():
            if id is not None:
                assert id in [hit.memory.id for hit in mind.recall(query, everywhere=True)]


def test_an_old_store_goes_on(old: Path) -> None:
    count = len(_held(old)["memories"])
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
