"""Files that are written but not yet indexed: they are found from the moment `remember` returns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.errors import MindClosed
from mnemic.experience import MemoryEngine

if TYPE_CHECKING:
    from pathlib import Path

    from mnemic.model.change import Record


@pytest.fixture
def path(engine: MemoryEngine) -> Path:
    """Store one experience that is not indexed yet."""
    return engine.remember("The build fails on a full disk", "failure", "file_operation", "full_disk")


def contents(engine: MemoryEngine, query: str | None = None) -> list[str]:
    return [hit.experience.content for hit in engine.recall(query)]


@pytest.mark.parametrize("query", [None, "full disk"])
def test_it_is_found_at_once(engine: MemoryEngine, path: Path, query: str | None) -> None:
    assert [hit.experience for hit in engine.recall(query)] == [engine.read(path)]


@pytest.mark.parametrize("query", [None, "full disk"])
def test_another_engine_finds_it_before_and_after(engine: MemoryEngine, path: Path, query: str | None) -> None:
    with MemoryEngine(engine.root) as other:
        assert [hit.experience for hit in other.recall(query)] == [engine.read(path)]
        engine.remember("The disk is full again", "failure", "file_operation")
        assert len(other.recall(outcome="failure")) == len(engine.recall(outcome="failure")) == 2
    assert all(finding.ok for finding in engine.verify())


def test_more_than_are_noted_are_all_found(engine: MemoryEngine) -> None:
    contents_written = [f"Word{number} is rare" for number in range(250)]
    for content in contents_written:
        engine.remember(content, "success", "conversation")
    assert engine.count() == 250
    assert {hit.experience.content for hit in engine.recall(limit=1_000)} == set(contents_written)
    assert all(finding.ok for finding in engine.verify())


@pytest.mark.parametrize(("size", "learned"), [(10, 100), (400_000, 3)])
def test_the_index_is_told_unasked_after_a_hundred_files_or_a_megabyte(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch, size: int, learned: int
) -> None:
    taken: list[int] = []
    adopt = Mind.adopt

    def counted(self: Mind, records: list[Record], *, durable: bool = True) -> list[bool]:
        taken.append(len(records))
        return adopt(self, records, durable=durable)

    monkeypatch.setattr(Mind, "adopt", counted)
    for _ in range(learned):
        engine.remember("x" * size, "success", "conversation")
    assert taken == []
    engine.remember("One more", "success", "conversation")
    assert taken == [learned]


def test_closing_tells_the_index(engine: MemoryEngine, path: Path) -> None:
    engine.close()
    with MemoryEngine(engine.root) as again:
        assert again.opening.added == 0
        assert again.recall("full disk")[0].experience == again.read(path)


def test_one_that_is_edited_first_is_found_as_it_is(engine: MemoryEngine, path: Path) -> None:
    path.write_text(path.read_text().replace("full disk", "read-only disk"))
    assert contents(engine) == contents(engine, "read-only disk") == ["The build fails on a read-only disk"]
    assert all(finding.ok for finding in engine.verify())


def test_one_that_is_deleted_first_is_not_found(engine: MemoryEngine, path: Path) -> None:
    path.unlink()
    assert contents(engine) == contents(engine, "full disk") == []
    assert all(finding.ok for finding in engine.verify())


def test_one_that_another_engine_changes_first_stays_as_that_left_it(engine: MemoryEngine, path: Path) -> None:
    gone = engine.remember("Forgotten by the other", "failure", "file_operation")
    with MemoryEngine(engine.root) as other:
        other.forget(gone)
        moved = engine.root / "failure" / "unknown" / path.name
        moved.parent.mkdir()
        path.rename(moved)
        assert len(other.recall(tool="unknown")) == other.count() == 1
    assert [hit.experience for hit in engine.recall()] == [engine.read(moved)]
    assert contents(engine, "forgotten by the other full disk") == ["The build fails on a full disk"]
    assert [finding.check for finding in engine.verify() if not finding.ok] == ["folders"]


def test_forgetting_one_by_path_or_route_works_at_once(engine: MemoryEngine, path: Path) -> None:
    engine.remember("The disk is full again", "failure", "file_operation")
    assert engine.forget(path) == 1
    assert engine.forget(outcome="failure") == 1
    assert engine.count() == 0


def test_a_closed_engine_keeps_nothing(engine: MemoryEngine) -> None:
    engine.close()
    for use in (
        lambda: engine.remember("x", "success", "conversation"),
        lambda: engine.remember_many([{"content": "x", "outcome": "success", "tool": "conversation"}]),
        engine.recall,
        engine.count,
    ):
        with pytest.raises(MindClosed, match="MemoryEngine"):
            use()
    assert list(engine.root.rglob("*.md")) == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_is_turned_away_and_the_parent_goes_on(engine: MemoryEngine, path: Path) -> None:
    child = os.fork()
    if not child:
        code = 1
        try:
            engine.close()
            engine.remember("From the child", "success", "conversation")
        except MindClosed:
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [hit.experience for hit in engine.recall()] == [engine.read(path)]
