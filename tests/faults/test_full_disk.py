"""A disk without space: a clear error, nothing damaged, and work goes on when there is space again."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.errors import StoreFull
from mnemic.stores.sqlite import restore

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SPARE = 300_000


def _fill(disk: Path, *, leave: int = 0) -> Path:
    """Fill the disk but for some bytes."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(max(0, file.tell() - leave))
    return ballast


def _text(number: int) -> str:
    return f"token{number} " + f"word{number % 97} harbour lantern " * 20


def _unwell(mind: Mind) -> list[str]:
    return [finding.check for finding in mind.doctor() if not finding.ok]


def test_adding_to_a_full_disk_loses_nothing_and_goes_on_when_there_is_space(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    mind = Mind(small_disk / "mind")
    kept = []
    with pytest.raises(StoreFull, match="free some space"):  # noqa: PT012
        for number in count():
            kept.append(mind.remember(_text(number)).memory)
    assert kept
    assert [memory for page in mind.pages() for memory in page] == kept
    assert mind.recall(f"token{len(kept) - 1}")[0].memory == kept[-1]
    assert _unwell(mind) == []
    ballast.unlink()
    kept.append(mind.remember("there is space again").memory)
    mind.close()
    with Mind(small_disk / "mind") as mind:
        assert [memory for page in mind.pages() for memory in page] == kept
        assert _unwell(mind) == []


def test_revising_and_forgetting_on_a_full_disk_change_nothing(small_disk: Path) -> None:
    with Mind(small_disk / "mind") as mind:
        memory = mind.remember("Ana lives in Lisbon").memory
        _fill(small_disk)
        for change in (lambda: mind.revise(memory.id, text=_text(1) * 50), lambda: mind.forget(memory.id)):
            with pytest.raises(StoreFull):  # noqa: PT012
                for _ in range(100):
                    change()
        assert mind.get(memory.id) == memory
        assert [change.kind for change in mind.history(memory.id)] == ["created"]
        assert _unwell(mind) == []


def test_a_mind_on_a_full_disk_is_not_opened_and_finds_everything_later(small_disk: Path) -> None:
    with Mind(small_disk / "mind") as mind:
        memory = mind.remember("Ana lives in Lisbon").memory
    ballast = _fill(small_disk)
    with pytest.raises(StoreFull):
        Mind(small_disk / "mind").close()
    ballast.unlink()
    with Mind(small_disk / "mind") as mind:
        assert mind.recall("Lisbon")[0].memory == memory
        assert _unwell(mind) == []


def test_a_new_mind_on_a_full_disk_is_refused_and_can_be_made_later(small_disk: Path) -> None:
    ballast = _fill(small_disk)
    with pytest.raises(StoreFull):
        Mind(small_disk / "mind").close()
    ballast.unlink()
    with Mind(small_disk / "mind") as mind:
        mind.remember("Ana lives in Lisbon")
        assert _unwell(mind) == []


def test_a_backup_to_a_full_disk_leaves_no_partial_file(small_disk: Path, tmp_path: Path) -> None:
    ballast = _fill(small_disk, leave=SPARE)
    with Mind(tmp_path / "mind") as mind:
        mind.remember_many({"text": _text(number)} for number in range(2000))
        with pytest.raises(StoreFull, match=re.escape(str(small_disk))):
            mind.backup(small_disk / "copy.db")
        assert list(small_disk.iterdir()) == [ballast]
        ballast.unlink()
        assert _unwell(mind) == []


def test_a_restore_to_a_full_disk_leaves_the_old_store_as_it_was(small_disk: Path, tmp_path: Path) -> None:
    with Mind(tmp_path / "mind") as mind:
        mind.remember_many({"text": _text(number)} for number in range(2000))
        mind.backup(tmp_path / "copy.db")
    with Mind(small_disk / "mind") as mind:
        memory = mind.remember("Ana lives in Lisbon").memory
    _fill(small_disk, leave=SPARE)
    with pytest.raises(StoreFull):
        restore(tmp_path / "copy.db", small_disk / "mind", replace=True)
    with Mind(small_disk / "mind") as mind:
        assert [memory for page in mind.pages() for memory in page] == [memory]
        assert _unwell(mind) == []


def test_a_purge_on_a_nearly_full_disk_is_finished_by_the_doctor(small_disk: Path) -> None:
    folder = small_disk / "mind"
    with Mind(folder) as mind:
        mind.remember_many({"text": _text(number)} for number in range(700))
        secret = mind.remember("the quizzaciously hidden key").memory
    ballast = _fill(small_disk, leave=SPARE)
    with Mind(folder) as mind:
        with pytest.raises(StoreFull, match=r"doctor --mend"):
            mind.forget(secret.id, purge=True)
        assert mind.recall("quizzaciously") == []
        assert mind.count() == 700
        assert _unwell(mind) == ["purged text"]
        ballast.unlink()
        mind.doctor(mend=True)
        assert _unwell(mind) == []
        assert all(b"quizzac" not in file.read_bytes() for file in folder.iterdir())
        assert mind.count() == 700
