"""Several engines and threads on one tree, and an index that cannot be written."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import Mind
from mnemic.errors import ReadOnlyStore, StoreError, StoreFull
from mnemic.experience import MemoryEngine
from mnemic.experience.manifest import ExperienceManifest
from mnemic.experience.routes import Route, Routes
from mnemic.files.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mnemic.model.change import Record

WORD = "quixotry4711"


@pytest.fixture
def other(engine: MemoryEngine) -> Iterator[MemoryEngine]:
    """Open the same tree a second time."""
    with MemoryEngine(engine.root) as other:
        yield other


def once_at(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, act: Callable[[], object], *, after: bool = False
) -> None:
    """Have something happen once, just before or after a method does its work."""
    method, happened = getattr(owner, name), threading.Event()

    def late(*arguments: Any, **options: Any) -> Any:
        if happened.is_set():
            return method(*arguments, **options)
        happened.set()
        if not after:
            act()
        result = method(*arguments, **options)
        if after:
            act()
        return result

    monkeypatch.setattr(owner, name, late)


def files_with_the_word(root: Path) -> list[str]:
    return [file.name for file in root.rglob("*") if file.is_file() and WORD.encode() in file.read_bytes()]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("noted", [True, False])
def test_what_another_engine_purges_meanwhile_leaves_no_trace(
    engine: MemoryEngine, other: MemoryEngine, monkeypatch: pytest.MonkeyPatch, *, noted: bool, after: bool
) -> None:
    writer = engine if noted else other
    path = writer.remember(f"{WORD} was here", "success", "conversation")
    kept = writer.remember("Nothing to hide", "success", "conversation")
    once_at(monkeypatch, Mind, "adopt", lambda: other.forget(path, purge=True), after=after)
    assert [hit.experience for hit in engine.recall()] == [engine.read(kept)]
    assert engine.count() == 1
    assert all(finding.ok for finding in engine.verify())
    other.close()
    engine.close()
    assert files_with_the_word(engine.root) == []


def test_what_is_purged_while_another_thread_asks_leaves_no_trace(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = engine.remember(f"{WORD} was here", "success", "conversation")
    arrived, go_on = threading.Event(), threading.Event()

    def stop() -> None:
        arrived.set()
        go_on.wait(1)

    once_at(monkeypatch, Mind, "adopt", stop)
    asking = threading.Thread(target=engine.recall, args=("anything",))
    asking.start()
    arrived.wait(10)
    engine.forget(path, purge=True)
    go_on.set()
    asking.join()
    assert engine.count() == 0
    engine.close()
    assert files_with_the_word(engine.root) == []


def test_what_is_purged_after_it_was_read_is_not_taken_in_again(
    engine: MemoryEngine, other: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = other.remember(f"{WORD} was here", "success", "conversation")
    taken: list[str] = []
    adopt = Mind.adopt

    def noticed(self: Mind, records: list[Record], *, durable: bool = True) -> list[bool]:
        taken.extend(record.memory.text for record in records)
        return adopt(self, records, durable=durable)

    monkeypatch.setattr(Mind, "adopt", noticed)
    once_at(monkeypatch, Tree, "read", lambda: engine.forget(path, purge=True), after=True)
    assert engine.recall() == []
    assert taken == [f"{WORD} was here"]  # by `forget`, before it purged


@pytest.mark.parametrize("after", [False, True])
def test_one_that_is_moved_meanwhile_stays(
    engine: MemoryEngine, other: MemoryEngine, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    path = engine.remember("Filed in the wrong place", "success", "conversation")
    moved = engine.root / "failure" / "unknown" / path.name
    moved.parent.mkdir(parents=True)

    def move() -> None:
        path.rename(moved)
        assert other.count() == 1

    once_at(monkeypatch, Mind, "adopt", move, after=after)
    assert [hit.experience for hit in engine.recall()] == [engine.read(moved)]
    assert [finding.check for finding in engine.verify() if not finding.ok] == ["folders"]


def test_asking_goes_on_when_another_engine_forgets(
    engine: MemoryEngine, other: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ask in (engine.recall, lambda: engine.reflect().recent):
        path = engine.remember("Soon forgotten", "success", "conversation")
        assert engine.count() == 1
        with monkeypatch.context() as patch:
            once_at(patch, ExperienceManifest, "newest", lambda path=path: other.forget(path), after=True)
            assert ask() == []


@pytest.mark.parametrize("error", [StoreFull, ReadOnlyStore])
def test_an_index_that_cannot_be_written_answers_from_what_it_has(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch, error: type[StoreError]
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise error("cannot be written")

    old = engine.remember("Indexed before the disk was full", "success", "conversation")
    known = engine.read(old)
    assert engine.count() == 1
    pending = engine.remember("Pending", "failure", "unknown")
    with monkeypatch.context() as full:
        full.setattr(Mind, "adopt", refuse)
        full.setattr(Mind, "forget", refuse)
        for _ in range(2):
            assert [hit.experience for hit in engine.recall()] == [known]
            assert [hit.experience for hit in engine.recall("disk was full")] == [known]
            assert engine.count() == engine.reflect().total == 1
        with pytest.raises(error):
            engine.forget(old, purge=True)
        assert old.exists()
        with pytest.raises(error):
            engine.sync()
        assert engine.forget(pending) == 1
        assert engine.forget(old) == 1
        assert engine.recall() == engine.recall("disk was full") == []
    assert engine.count() == 0
    assert all(finding.ok for finding in engine.verify())


def test_a_tree_can_be_opened_though_another_program_makes_it_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, is_there = tmp_path / "new", os.path.lexists

    def made_meanwhile(path: Path) -> bool:
        root.mkdir(exist_ok=True)
        return is_there(path)

    monkeypatch.setattr(os.path, "lexists", made_meanwhile)
    with MemoryEngine(root) as engine:
        assert engine.count() == 0


@pytest.mark.parametrize("after", [False, True])
def test_programs_that_make_a_tree_at_once_may_give_it_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    table = Routes([Route("won")])

    def make_it_too() -> None:
        with MemoryEngine(tmp_path, routes=table) as other:
            other.remember("We won by a goal", "won")

    once_at(monkeypatch, Path, "iterdir", make_it_too, after=after)
    with MemoryEngine(tmp_path, routes=table) as engine:
        assert engine.count() == 1


@pytest.mark.parametrize("noted", [True, False])
def test_an_index_that_another_program_begins_anew_is_made_whole_again(engine: MemoryEngine, *, noted: bool) -> None:
    for number in range(3):
        engine.remember(f"Told {number}", "failure", "unknown")
        engine.remember(f"Learned {number}", "success", "web_search", domain="general")
    assert engine.count() == 6
    index = ExperienceManifest(engine.root / ".mnemic" / "tree.db")
    index.clear()
    if noted:
        index.note_folder("failure", None)
    index.close()
    engine.remember("One more", "failure", "unknown")
    assert engine.count() == 7


def test_what_could_not_be_taken_in_is_taken_in_later_though_nothing_stirs(
    engine: MemoryEngine, other: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise StoreFull("cannot be written")

    path = engine.remember("Pending", "failure", "unknown")
    for folder in (engine.root, *engine.root.rglob("failure"), path.parent):
        os.utime(folder, (0, 0))
    with monkeypatch.context() as full:
        full.setattr(Mind, "adopt", refuse)
        assert other.count() == 0
    assert other.count() == 1


def test_the_first_error_is_told_when_taking_it_back_fails_too(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(problem: str) -> Callable[..., None]:
        def method(*_: Any, **__: Any) -> None:
            raise StoreFull(problem)

        return method

    monkeypatch.setattr(Mind, "adopt", refuse("first"))
    monkeypatch.setattr(Mind, "forget", refuse("second"))
    with pytest.raises(StoreFull, match="first"):
        engine.remember_many([{"content": "x", "outcome": "success", "tool": "conversation"}])
    assert list(engine.root.rglob("*.md")) == []
