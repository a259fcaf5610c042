"""Backups of a mind in use are whole, and a restore loses nothing and disturbs nobody."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from ledger import Ledger, read_log

from mnemic import Mind
from mnemic.errors import InvalidInput, MnemicError, NewerStore, NotAStore, NotFound, StoreError
from mnemic.stores.sqlite import restore

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    Reading = Callable[[Path, int], AbstractContextManager[None]]
    Start = Callable[..., subprocess.Popen[bytes]]

HEADER = 100
"""Bytes at the start of an SQLite file that count changes and name the journal."""


def _assert_well(mind: Mind) -> None:
    assert [finding for finding in mind.doctor() if not finding.ok] == []


def _texts(mind: Mind) -> list[str]:
    return [memory.text for page in mind.pages() for memory in page]


def _copy_by_hand(backup: Path, folder: Path) -> None:
    folder.mkdir()
    shutil.copyfile(backup, folder / "mind.db")


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Return a backup of a mind with one memory."""
    with Mind(tmp_path / "source") as mind:
        mind.remember("Ana lives in Lisbon")
        mind.backup(tmp_path / "backup.db")
    return tmp_path / "backup.db"


@pytest.fixture
def writers(tmp_path: Path, start: Start) -> list[Path]:
    """Return the logs of three programs that write in tmp_path / "mind"."""
    logs = [tmp_path / f"user{seed}.log" for seed in range(3)]
    for seed, log in enumerate(logs):
        start("workload.py", tmp_path / "mind", log, seed)
    while not all(log.exists() and log.stat().st_size > 10_000 for log in logs):
        time.sleep(0.02)
    return logs


def test_a_backup_holds_every_change_acknowledged_before_it_began(tmp_path: Path, writers: list[Path]) -> None:
    with Mind(tmp_path / "mind") as mind:
        for number in range(3):
            before = [len(read_log(log)[0]) for log in writers]
            mind.backup(tmp_path / f"backup{number}.db")
            after = [read_log(log)[0] for log in writers]
            restore(tmp_path / f"backup{number}.db", tmp_path / f"copy{number}")
            with Mind(tmp_path / f"copy{number}") as copy:
                _assert_well(copy)
                for log, least, steps in zip(writers, before, after, strict=True):
                    assert least
                    moments = range(least, len(steps) + 1)
                    assert any(Ledger(log.stem, steps[:moment]).agrees_with(copy) for moment in moments)


def test_a_backup_is_a_single_file_that_changes_no_more(tmp_path: Path, backup: Path) -> None:
    before = backup.read_bytes()
    restore(backup, tmp_path / "mind")
    with Mind(tmp_path / "mind") as mind:
        assert _texts(mind) == ["Ana lives in Lisbon"]
        mind.remember("Ana likes tea")
    assert backup.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["backup.db", "mind", "source"]


@pytest.mark.parametrize("put_back", [restore, _copy_by_hand], ids=["restored", "copied by hand"])
def test_a_restored_mind_lets_readers_and_writers_work_at_once(
    tmp_path: Path, backup: Path, put_back: Callable[[Path, Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mnemic.sqlite.LOCK_TIMEOUT", 0.2)
    put_back(backup, tmp_path / "mind")
    with Mind(tmp_path / "mind") as mind, closing(sqlite3.connect(tmp_path / "mind" / "mind.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        mind.remember("Ana likes tea")
        assert mind.count() == 2


def test_a_restored_store_is_as_private_as_a_new_one(tmp_path: Path, backup: Path) -> None:
    (tmp_path / "mind").mkdir()
    restore(backup, tmp_path / "mind")
    modes = {(tmp_path / folder / "mind.db").stat().st_mode for folder in ("source", "mind")}
    assert len(modes) == 1


def test_a_backup_never_overwrites_a_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("my notes")
    with Mind(tmp_path / "mind") as mind, pytest.raises(InvalidInput, match="already exists"):
        mind.backup(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "my notes"


def test_a_backup_into_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with Mind(tmp_path / "mind") as mind, pytest.raises(InvalidInput, match="target"):
        mind.backup(tmp_path / "nowhere" / "copy.db")


def test_a_restore_over_a_mind_in_use_is_seen_by_everyone(tmp_path: Path, backup: Path, reading: Reading) -> None:
    with Mind(tmp_path / "mind") as mind:
        mind.remember_many({"text": f"note {number} about the harbour"} for number in range(500))
        assert len(mind.recall("harbour")) == 10
        with reading(tmp_path / "mind", 2):
            kept = restore(backup, tmp_path / "mind", replace=True)
            assert _texts(mind) == ["Ana lives in Lisbon"]
            assert mind.recall("harbour") == []
            mind.remember("Ana likes tea")
        _assert_well(mind)
        assert kept is not None
        restore(kept, tmp_path / "old")
    with Mind(tmp_path / "old") as old:
        assert old.count() == 500
        _assert_well(old)


def test_a_restore_can_be_followed_by_another_at_once(tmp_path: Path, backup: Path) -> None:
    kept = [restore(backup, tmp_path / "source", replace=True) for _ in range(3)]
    assert len(set(kept)) == 3
    with Mind(tmp_path / "source") as mind:
        assert _texts(mind) == ["Ana lives in Lisbon"]


def test_a_change_acknowledged_during_a_restore_is_kept_aside_or_made_after_it(
    tmp_path: Path, backup: Path, writers: list[Path]
) -> None:
    kept = restore(backup, tmp_path / "mind", replace=True)
    remembered = {
        id: (log.stem, step)
        for log in writers
        for step in read_log(log)[0]
        if step["verb"] == "remember"
        for id, _ in step["memories"]
    }
    assert kept is not None
    restore(kept, tmp_path / "old")
    with Mind(tmp_path / "old") as old, Mind(tmp_path / "mind") as mind:
        assert [step for id, step in remembered.items() if not _knows(old, id) and not _knows(mind, id)] == []


def _knows(mind: Mind, id: str) -> bool:
    try:
        return bool(mind.history(id))
    except NotFound:
        return False


def test_a_restore_into_a_used_folder_needs_to_be_asked_for(tmp_path: Path, backup: Path) -> None:
    with Mind(tmp_path / "mind") as mind:
        mind.remember("Ana lives in Porto")
        with pytest.raises(InvalidInput, match="replace"):
            restore(backup, tmp_path / "mind")
        assert _texts(mind) == ["Ana lives in Porto"]


def _no_database(backup: Path) -> None:
    backup.write_bytes(b"my notes" * 1000)


def _empty(backup: Path) -> None:
    backup.write_bytes(b"")


def _truncated(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-8192])


def _garbled(backup: Path) -> None:
    content = bytearray(backup.read_bytes())
    content[8192:16384] = b"\xa5" * 8192
    backup.write_bytes(content)


def _of_another_program(backup: Path) -> None:
    backup.unlink()
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("CREATE TABLE notes (text)")


def _newer(backup: Path) -> None:
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("PRAGMA user_version = 999")


def _missing(backup: Path) -> None:
    backup.unlink()


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (_no_database, NotAStore),
        (_empty, NotAStore),
        (_truncated, StoreError),
        (_garbled, StoreError),
        (_of_another_program, NotAStore),
        (_newer, NewerStore),
        (_missing, NotFound),
    ],
    ids=lambda value: value.__name__.strip("_"),
)
def test_a_restore_refuses_what_is_no_sound_backup(
    tmp_path: Path, backup: Path, spoil: Callable[[Path], None], error: type[Exception]
) -> None:
    spoil(backup)
    with Mind(tmp_path / "mind") as mind:
        mind.remember("Ana lives in Porto")
        for folder in (tmp_path / "mind", tmp_path / "new"):
            with pytest.raises(error):
                restore(backup, folder, replace=True)
        assert _texts(mind) == ["Ana lives in Porto"]
        _assert_well(mind)
    assert not (tmp_path / "new").exists()
    assert [file.name for file in (tmp_path / "mind").iterdir()] == ["mind.db"]


@pytest.mark.parametrize("spoil", [_no_database, _truncated, _garbled], ids=lambda spoil: spoil.__name__.strip("_"))
def test_a_damaged_store_is_kept_aside_and_replaced_by_a_backup(
    tmp_path: Path, backup: Path, spoil: Callable[[Path], None]
) -> None:
    store = tmp_path / "source" / "mind.db"
    spoil(store)
    damaged = store.read_bytes()
    kept = restore(backup, tmp_path / "source", replace=True)
    assert kept is not None
    assert kept.read_bytes()[HEADER:] == damaged[HEADER:]
    with Mind(tmp_path / "source") as mind:
        assert _texts(mind) == ["Ana lives in Lisbon"]
        _assert_well(mind)


def test_the_file_of_a_mind_in_use_is_restored_whole_or_not_at_all(tmp_path: Path) -> None:
    with Mind(tmp_path / "source") as mind:
        mind.remember("Ana lives in Lisbon")
    with Mind(tmp_path / "source") as mind:
        mind.remember("Ana likes tea")
        try:
            restore(tmp_path / "source" / "mind.db", tmp_path / "copy")
        except MnemicError:
            assert not (tmp_path / "copy").exists()
            return
    with Mind(tmp_path / "copy") as copy:
        assert _texts(copy) == ["Ana lives in Lisbon", "Ana likes tea"]


def test_what_is_remembered_while_a_new_folder_is_restored_is_not_overwritten(tmp_path: Path) -> None:
    with Mind(tmp_path / "source") as mind:
        mind.remember("Ana lives in Lisbon")
        mind.backup(tmp_path / "copy.db")
    with Mind(tmp_path / "target") as early:
        early.remember("acknowledged")
        with pytest.raises(InvalidInput, match="already contains a mind"):
            restore(tmp_path / "copy.db", tmp_path / "target")
        assert early.count() == 1


def test_a_log_left_by_a_deleted_store_does_not_spoil_what_is_restored(tmp_path: Path) -> None:
    folder = tmp_path / "mind"
    with Mind(folder) as mind:
        mind.remember("Ana lives in Lisbon")
        mind.backup(tmp_path / "copy.db")
        mind.remember_many({"text": f"later {n}"} for n in range(2_000))
        left = (folder / "mind.db-wal").read_bytes()
    (folder / "mind.db").unlink()
    (folder / "mind.db-wal").write_bytes(left)
    restore(tmp_path / "copy.db", folder)
    with Mind(folder) as mind:
        assert mind.count() == 1
        assert all(finding.ok for finding in mind.doctor())


def test_a_backup_is_private_and_leaves_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "copy.db.partial").write_text("precious")
    with Mind(tmp_path / "mind") as mind:
        mind.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0
    assert (tmp_path / "copy.db.partial").read_text() == "precious"
