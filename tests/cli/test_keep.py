"""mnemic export, import, backup, restore and doctor"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.command import Mnemic


@pytest.fixture
def filled(mnemic: Mnemic, home: Path) -> Path:
    """Remember two things, for Ana and for no one, and return the mind's folder."""
    mnemic("remember", "Ana plays the cello", "--user", "ana")
    mnemic("remember", "The sea is salty")
    return home / "mind"


def listed(mnemic: Mnemic, *mind: str) -> list[str]:
    """Return the texts of all memories."""
    return [memory["text"] for memory in mnemic(*mind, "list", "--everywhere", "--json").objects]


def test_an_export_goes_into_another_mind_once(mnemic: Mnemic, filled: Path, tmp_path: Path) -> None:  # noqa: ARG001
    assert mnemic("export", "all.jsonl", "--json").object == {"file": "all.jsonl", "exported": 2}
    assert mnemic("--mind", "other", "import", "all.jsonl", "--json").object == {"imported": 2, "skipped": 0}
    assert mnemic("--mind", "other", "import", "all.jsonl").out == "imported 0 memories\t2 were here already\n"
    assert listed(mnemic, "--mind", "other") == ["Ana plays the cello", "The sea is salty"]
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600


def test_an_export_of_a_scope_holds_nothing_else(mnemic: Mnemic, filled: Path) -> None:  # noqa: ARG001
    mnemic("export", "ana.jsonl", "--user", "ana")
    mnemic("--mind", "other", "import", "ana.jsonl")
    assert listed(mnemic, "--mind", "other") == ["Ana plays the cello"]


def test_an_export_never_overwrites_a_file(mnemic: Mnemic, filled: Path, tmp_path: Path) -> None:  # noqa: ARG001
    (tmp_path / "mine.txt").write_text("precious")
    assert "already exists" in mnemic("export", "mine.txt", code=1).err
    assert "already exists" in mnemic("backup", "mine.txt", code=1).err
    assert (tmp_path / "mine.txt").read_text() == "precious"
    assert "cannot be written" in mnemic("export", "no/such/folder.jsonl", code=1).err


def test_a_wrong_import_file_is_reported_line_by_line(mnemic: Mnemic, tmp_path: Path, home: Path) -> None:  # noqa: ARG001
    (tmp_path / "wrong.jsonl").write_text('{"mnemic": 1}\n{"memory": {"id": "1"}}\nnot JSON\n{"end": 2}\n')
    lines = mnemic("import", "wrong.jsonl", code=1).err.splitlines()
    assert [line.split(": ", 3)[:3] for line in lines] == [
        ["error", "line 2", "memory.text"],
        ["error", "line 3", "JSON"],
    ]
    assert listed(mnemic) == []


def test_a_backup_is_restored_and_what_was_there_is_kept(mnemic: Mnemic, filled: Path) -> None:
    mnemic("backup", "copy.db")
    mnemic("remember", "Something newer")
    assert "already contains a mind" in mnemic("restore", "copy.db", code=1).err
    kept = mnemic("restore", "copy.db", "--replace", "--json").object["kept"]
    assert kept.startswith(str(filled))
    assert listed(mnemic) == ["Ana plays the cello", "The sea is salty"]
    assert f"restored copy.db into {filled}\nthe old mind is now in " in mnemic("restore", "copy.db", "--replace").out
    mnemic("--mind", "other", "restore", kept)
    assert "Something newer" in listed(mnemic, "--mind", "other")


def test_the_doctor_finds_a_healthy_mind_healthy(mnemic: Mnemic, filled: Path) -> None:  # noqa: ARG001
    told = mnemic("doctor")
    assert told.out.count("✓") == len(told.out.splitlines()) >= 6
    assert all(
        finding["problem"] is None and finding["remedy"] is None for finding in mnemic("doctor", "--json").objects
    )


def test_the_doctor_makes_no_mind(mnemic: Mnemic, home: Path) -> None:
    assert f"none in {home / 'mind'} yet" in mnemic("doctor").out
    assert not home.exists()


def test_the_doctor_mends_what_is_derived(mnemic: Mnemic, filled: Path) -> None:
    with sqlite3.connect(filled / "mind.db") as store:
        store.execute("INSERT INTO changes VALUES (999, 'stray', 'revised', '2026-01-01', NULL, NULL)")
    store.close()
    failed = mnemic("doctor", code=1).out
    assert "✗ history: " in failed
    assert "→ run `mnemic doctor --mend`" in failed
    assert "(mended)" in mnemic("doctor", "--mend").out
    mnemic("doctor")
    assert mnemic("recall", "salty", "--json").objects


@pytest.mark.parametrize(
    "content", [b"not a store at all, but long enough to look like a file" * 20, b"SQLite format 3\0" * 99]
)
def test_the_doctor_reports_a_file_that_is_no_store(mnemic: Mnemic, home: Path, content: bytes) -> None:
    (home / "mind").mkdir(parents=True)
    (home / "mind" / "mind.db").write_bytes(content)
    finding = mnemic("doctor", "--json", code=1).objects[-1]
    assert finding["problem"]
    assert "mnemic restore --replace" in finding["remedy"]
    assert mnemic("list", code=1).err.count("\n") == 1
    assert (home / "mind" / "mind.db").read_bytes() == content


def test_the_doctor_reports_a_damaged_store_and_a_backup_replaces_it(mnemic: Mnemic, filled: Path) -> None:
    mnemic("remember", "--lines", stdin="".join(f"fact number {n}\n" for n in range(500)))
    mnemic("backup", "copy.db")
    store = filled / "mind.db"
    half = store.stat().st_size // 2
    with store.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * half)
    assert "✗" in mnemic("doctor", code=1).out
    mnemic("restore", "copy.db", "--replace")
    assert len(listed(mnemic)) == 502


def test_a_backup_replaces_a_file_that_cannot_be_opened(mnemic: Mnemic, filled: Path) -> None:
    mnemic("backup", "copy.db")
    garbage = b"the disk wrote this over the store " * 999
    (filled / "mind.db").write_bytes(garbage)
    kept = mnemic("restore", "copy.db", "--replace", "--json").object["kept"]
    assert Path(kept).read_bytes() == garbage
    assert listed(mnemic) == ["Ana plays the cello", "The sea is salty"]
    mnemic("doctor")


def test_another_embedder_is_named_and_reindex_makes_it_the_one(
    mnemic: Mnemic, monkeypatch: pytest.MonkeyPatch
) -> None:
    mnemic("remember", "Ana lives in Lisbon", "--user", "ana")
    assert mnemic("reindex", "--json").object == {"embedded": 0}
    monkeypatch.setenv("MNEMIC_EMBEDDER", "rubbish")
    assert "MNEMIC_EMBEDDER: must be table, onnx:bge-small" in mnemic("stats", code=1).err
