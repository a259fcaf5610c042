"""Folders and files that are not a sound store of this version: a clear error, and not a byte changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.errors import DamagedStore, NewerStore, NotAStore, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Clock

NOBODY = 65534
TRY_AS_NOBODY = f"""
import os, sys
from mnemic import Mind
from mnemic.errors import MnemicError
with Mind(":memory:") as loads_everything:
    loads_everything.remember("x")
    loads_everything.recall("x")
if os.getuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
try:
    with Mind(sys.argv[1]) as mind:
        print(len(mind.recall("Lisbon")), "found")
        mind.remember("written")
except MnemicError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """Return a folder that every user of the machine can reach."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return the file of a closed store with two thousand memories."""
    with Mind(tmp_path / "mind") as mind:
        mind.remember("Ana lives in Lisbon")
        mind.remember_many({"text": f"note {number} about the harbour and the lantern"} for number in range(2000))
    return tmp_path / "mind" / "mind.db"


def _try_as_nobody(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", TRY_AS_NOBODY, str(folder)], capture_output=True, text=True, check=True
    )
    return done.stdout


def _bytes(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_folder_that_cannot_be_written_is_refused(public: Path) -> None:
    public.chmod(0o555)
    said = _try_as_nobody(public / "mind")
    public.chmod(0o755)
    assert said.startswith("ReadOnlyStore")
    assert "choose another folder" in said
    assert list(public.iterdir()) == []


def test_an_existing_folder_that_cannot_be_written_is_refused(public: Path) -> None:
    (public / "mind").mkdir(mode=0o555)
    assert _try_as_nobody(public / "mind").startswith("ReadOnlyStore")
    assert list((public / "mind").iterdir()) == []


def test_a_store_in_a_folder_that_cannot_be_written_is_left_alone(public: Path) -> None:
    folder = public / "mind"
    with Mind(folder) as mind:
        mind.remember("Ana lives in Lisbon")
    (folder / "mind.db").chmod(0o444)
    folder.chmod(0o555)
    before = _bytes(folder)
    assert "ReadOnlyStore" in _try_as_nobody(folder)
    assert _bytes(folder) == before


def test_a_store_file_that_cannot_be_written_is_left_alone(public: Path) -> None:
    folder = public / "mind"
    with Mind(folder) as mind:
        mind.remember("Ana lives in Lisbon")
    (folder / "mind.db").chmod(0o444)
    folder.chmod(0o777)
    before = (folder / "mind.db").read_bytes()
    assert "ReadOnlyStore" in _try_as_nobody(folder)
    assert (folder / "mind.db").read_bytes() == before


def test_a_store_that_cannot_be_read_is_refused(public: Path) -> None:
    folder = public / "mind"
    with Mind(folder) as mind:
        mind.remember("Ana lives in Lisbon")
    (folder / "mind.db").chmod(0o000)
    folder.chmod(0o755)
    assert "permissions" in _try_as_nobody(folder)


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("my notes")
    with pytest.raises(NotAStore, match="is a file"):
        Mind(tmp_path / "notes.txt")
    with pytest.raises(StoreError, match="choose another folder"):
        Mind(tmp_path / "notes.txt" / "mind")
    assert (tmp_path / "notes.txt").read_text() == "my notes"


@pytest.mark.parametrize("content", [b"my notes", b"x" * 100_000, b"SQLite format 3\0" + b"\xff" * 5000], ids=len)
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mind.db").write_bytes(content)
    with pytest.raises((NotAStore, DamagedStore), match=r"mind\.db"):
        Mind(tmp_path)
    assert _bytes(tmp_path) == {"mind.db": content}


@pytest.mark.parametrize(
    "setting", ["CREATE TABLE notes (text)", "PRAGMA user_version = 7", "PRAGMA application_id = 9"]
)
@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_the_database_of_another_program_is_left_alone(tmp_path: Path, setting: str, journal: str) -> None:
    other = sqlite3.connect(tmp_path / "mind.db")
    other.execute(f"PRAGMA journal_mode = {journal}")
    other.execute(setting)
    other.commit()
    other.close()
    before = _bytes(tmp_path)
    with pytest.raises(NotAStore, match="another program"):
        Mind(tmp_path)
    assert _bytes(tmp_path) == before


def test_a_store_of_a_newer_version_is_left_alone(store: Path) -> None:
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = _bytes(store.parent)
    with pytest.raises(NewerStore, match="upgrade Mnemic"):
        Mind(store.parent)
    assert _bytes(store.parent) == before


def _complaint(folder: Path) -> str:
    try:
        with Mind(folder) as mind:
            return next(finding.remedy or "" for finding in mind.doctor() if not finding.ok)
    except (NotAStore, DamagedStore) as error:
        return str(error)


@pytest.mark.parametrize("kept", [50, 4096, 0.5, 0.99])
def test_a_truncated_store_is_reported_and_left_alone(store: Path, kept: float) -> None:
    whole = store.read_bytes()
    rest = whole[: kept if isinstance(kept, int) else int(len(whole) * kept)]
    store.write_bytes(rest)
    complaint = _complaint(store.parent)
    assert "restore a backup" in complaint or "choose another folder" in complaint
    assert store.read_bytes() == rest


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_the_doctor_reports_a_page_of_garbage(store: Path, place: float) -> None:
    content = bytearray(store.read_bytes())
    start = int(len(content) * place) // 4096 * 4096
    content[start : start + 4096] = os.urandom(4096)
    store.write_bytes(content)
    with Mind(store.parent) as mind:
        unwell = [finding for finding in mind.doctor() if not finding.ok]
    assert [(finding.check, finding.remedy) for finding in unwell] == [
        ("file", "restore a backup with `mnemic restore`")
    ]


def test_a_damaged_store_says_so_when_it_is_read(store: Path) -> None:
    content = bytearray(store.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    store.write_bytes(content)
    with pytest.raises(DamagedStore, match="restore a backup"), Mind(store.parent) as mind:
        mind.count()


def test_a_deleted_store_starts_afresh(store: Path) -> None:
    shutil.rmtree(store.parent)
    with Mind(store.parent) as mind:
        assert mind.count() == 0


def test_a_clock_that_goes_back_leaves_order_and_history_sane(mind: Mind, clock: Clock) -> None:
    first = mind.remember("Ana lives in Porto").memory
    clock.advance(days=-400)
    second = mind.remember("Ana lives in Lisbon").memory
    revised = mind.revise(first.id, text="Ana lived in Porto")
    mind.supersede(first.id, second.id)
    assert second.created_at < first.created_at
    assert [memory.id for page in mind.pages(include_superseded=True) for memory in page] == [first.id, second.id]
    changes = mind.history(first.id)
    assert [change.kind for change in changes] == ["created", "revised", "superseded"]
    assert [change.seq for change in changes] == sorted(change.seq for change in changes)
    assert changes[1].after["text"] == revised.text
    closed = mind.get(first.id)
    assert closed.superseded_by == second.id
    assert closed.superseded_at == first.created_at
    clock.advance(days=800)
    assert [hit.memory.id for hit in mind.recall("Where does Ana live?")] == [second.id]
    assert all(finding.ok for finding in mind.doctor())


def test_a_memory_superseded_while_the_clock_is_back_is_found_no_more(mind: Mind, clock: Clock) -> None:
    old = mind.remember("Ana lives in Porto").memory
    clock.advance(days=-1)
    new = mind.remember("Ana lives in Lisbon").memory
    mind.supersede(old.id, new.id)
    assert [hit.memory.id for hit in mind.recall("Ana lives")] == [new.id]


def test_expiry_follows_the_clock_back_and_forth(mind: Mind, clock: Clock) -> None:
    mind.remember("the parcel comes today", expires_at=clock.now + timedelta(hours=1))
    clock.advance(hours=2)
    assert mind.recall("parcel") == []
    clock.advance(hours=-2)
    assert len(mind.recall("parcel")) == 1


def test_a_repeat_is_a_repeat_whatever_the_clock_says(mind: Mind, clock: Clock) -> None:
    mind.remember("Ana likes tea")
    clock.advance(days=-30)
    again = mind.remember("Ana likes tea")
    assert not again.created
    assert again.memory.evidence == 2
    assert mind.count() == 1
