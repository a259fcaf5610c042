"""The files are the truth: the index follows whatever happens to them."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from mnemic.errors import DamagedStore, InvalidInput, NotFound
from mnemic.experience import MemoryEngine
from mnemic.experience.engine import rebuild

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(engine: MemoryEngine) -> Path:
    path = engine.remember("The build fails on a full disk", "failure", "file_operation", "full_disk")
    assert engine.count() == 1  # so that the index knows of it
    return path


def contents(engine: MemoryEngine, **narrowed: str) -> list[str]:
    return [hit.experience.content for hit in engine.recall(**narrowed)]


def test_a_file_added_by_hand_is_found_at_once(engine: MemoryEngine, path: Path) -> None:
    (path.parent / "by_hand.md").write_text("---\nsummary: by_hand\nweather: 'it''s fine'\n---\n\nWritten by hand\n")
    added = next(hit.experience for hit in engine.recall(outcome="failure") if hit.experience.summary == "by_hand")
    assert (added.content, added.metadata) == ("Written by hand", {"weather": "it's fine"})
    assert engine.recall("written by hand")[0].experience == added


def test_a_bare_text_in_a_folder_of_the_table_is_an_experience(engine: MemoryEngine) -> None:
    folder = engine.root / "learning" / "fact"
    folder.mkdir(parents=True)
    (folder / "2026-02-03_note.md").write_text("Disks are slower than memory\n")
    (hit,) = engine.recall(insight_type="fact")
    assert (hit.experience.summary, str(hit.experience.occurred_at)) == ("disks_slower_memory", "2026-02-03")


@pytest.mark.parametrize("fence", ["---", "--- ", "---\t\r", "---\r"])
def test_a_fence_may_end_in_blanks(engine: MemoryEngine, fence: str) -> None:
    folder = engine.root / "learning" / "fact"
    folder.mkdir(parents=True)
    (folder / "fenced.md").write_text(f"{fence}\nsummary: fenced\n{fence}\n\nDisks are slow\n", newline="")
    (hit,) = engine.recall(insight_type="fact")
    assert (hit.experience.summary, hit.experience.content) == ("fenced", "Disks are slow")


def test_an_edit_is_found_on_opening_and_keeps_the_memory(engine: MemoryEngine, path: Path) -> None:
    before = engine.read(path).memory_id
    path.write_text(path.read_text().replace("full disk", "read-only disk"))
    with MemoryEngine(engine.root) as again:
        assert again.opening.changed == 1
        assert contents(again, outcome="failure") == ["The build fails on a read-only disk"]
        assert again.recall("read-only")[0].experience.memory_id == before


def test_an_edit_that_replaces_the_file_is_found_at_once(engine: MemoryEngine, path: Path) -> None:
    newer = path.with_suffix(".new")
    newer.write_text(path.read_text().replace("full disk", "slow disk"))
    newer.rename(path)
    assert contents(engine, outcome="failure") == ["The build fails on a slow disk"]


def test_a_move_keeps_the_memory_and_changes_its_route(engine: MemoryEngine, path: Path) -> None:
    before = engine.read(path).memory_id
    target = engine.root / "failure" / "unknown" / path.name
    target.parent.mkdir()
    path.rename(target)
    assert contents(engine, tool="file_operation") == []
    (moved,) = engine.recall(tool="unknown")
    assert moved.experience.memory_id == before
    assert engine.topology().coherence.misfiled == [(f"failure/unknown/{path.name}", "failure/file_operation")]


def test_a_copy_is_an_experience_of_its_own(engine: MemoryEngine, path: Path) -> None:
    shutil.copy(path, path.with_name("copy.md"))
    assert len({hit.experience.memory_id for hit in engine.recall(outcome="failure")}) == 2
    path.unlink()
    assert len(contents(engine, outcome="failure")) == 1


def test_a_deleted_file_is_not_found_and_comes_back_when_restored(engine: MemoryEngine, path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    assert contents(engine) == []
    assert engine.recall("full disk") == []
    path.write_bytes(content)
    assert contents(engine) == ["The build fails on a full disk"]


def test_a_deleted_folder_takes_its_experiences_along(engine: MemoryEngine, path: Path) -> None:
    shutil.rmtree(path.parent)
    assert engine.count() == 0
    engine.remember("The build fails again", "failure", "file_operation")
    assert engine.count() == 1


def test_two_engines_see_what_the_other_wrote(engine: MemoryEngine, path: Path) -> None:
    with MemoryEngine(engine.root) as other:
        other.remember("The other engine wrote this", "success", "conversation")
        assert "The other engine wrote this" in contents(engine)
        engine.forget(path)
        assert contents(other, outcome="failure") == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe not text", "not UTF-8"),
        (b"", "content: is blank"),
        (b"---\noutcome: failure\ntool: file_oper", "has no end"),
        (b"---\njust words\n---\n\nx", "line 2"),
        (b"---\na: 1\na: 2\n---\n\nx", "again"),
        (b"---\noutcome: win\n---\n\nx", "must be one of"),
        (b"---\nsummary: Not Safe\n---\n\nx", "summary"),
        (b"---\noccurred_at: soon\n---\n\nx", "ISO 8601"),
        (b"nul \0 byte", "NUL"),
    ],
)
def test_a_broken_file_is_reported_and_skipped_and_never_touched(
    engine: MemoryEngine, path: Path, content: bytes, problem: str
) -> None:
    broken = path.with_name("broken.md")
    broken.write_bytes(content)
    (reported,) = engine.sync().problems
    assert reported[0] == "failure/file_operation/broken.md"
    assert problem in reported[1]
    assert contents(engine) == ["The build fails on a full disk"]
    assert broken.read_bytes() == content
    with pytest.raises(InvalidInput):
        engine.read(broken)
    assert [finding.check for finding in engine.verify() if not finding.ok] == ["files"]
    assert engine.topology().coherence.unreadable == [reported]


def test_a_file_that_breaks_is_forgotten_until_it_is_mended(engine: MemoryEngine, path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:40])
    engine.sync()
    assert contents(engine) == []
    path.write_bytes(whole)
    engine.sync()
    assert contents(engine) == ["The build fails on a full disk"]
    assert all(finding.ok for finding in engine.verify())


def test_links_are_reported_and_not_followed(engine: MemoryEngine, path: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("A secret")
    path.with_name("link.md").symlink_to(secret)
    (engine.root / "learning").symlink_to(tmp_path)
    reported = dict(engine.sync().problems)
    assert set(reported) == {"failure/file_operation/link.md", "learning"}
    assert contents(engine) == ["The build fails on a full disk"]
    with pytest.raises(InvalidInput):
        engine.read(path.with_name("link.md"))


def test_what_is_no_experience_is_left_alone(engine: MemoryEngine, path: Path) -> None:
    (engine.root / "README.md").write_text("About this tree")
    path.with_name("README.md").write_text("About this folder")
    path.with_name("picture.png").write_bytes(b"\x89PNG")
    (engine.root / ".git").mkdir()
    (engine.root / ".git" / "note.md").write_text("not mine")
    assert engine.sync().problems == []
    assert engine.count() == 1


def test_a_file_outside_the_table_that_says_where_it_belongs_is_found_and_called_misfiled(
    engine: MemoryEngine, path: Path
) -> None:
    (engine.root / "inbox").mkdir()
    path.rename(engine.root / "inbox" / path.name)
    (engine.root / "inbox" / "plain.md").write_text("Nobody knows where this belongs")
    assert contents(engine, tool="file_operation") == ["The build fails on a full disk"]
    assert [where for where, _ in engine.sync().problems] == ["inbox/plain.md"]
    assert [where for where, _ in engine.topology().coherence.misfiled] == [f"inbox/{path.name}"]


def test_an_index_that_is_thrown_away_is_made_again(engine: MemoryEngine, path: Path) -> None:
    engine.remember_many(
        [{"content": f"Word {n} is rare", "outcome": "success", "tool": "conversation"} for n in range(20)]
    )
    engine.close()
    shutil.rmtree(engine.root / ".mnemic")
    with MemoryEngine(engine.root) as again:
        assert again.opening.added == again.count() == 21
        assert again.recall("full disk")[0].experience == again.read(path)
        assert all(finding.ok for finding in again.verify())


@pytest.mark.parametrize("name", ["mind.db", "tree.db"])
def test_a_damaged_index_is_refused_and_rebuilt(engine: MemoryEngine, path: Path, name: str) -> None:
    engine.close()
    (engine.root / ".mnemic" / name).write_bytes(b"garbage " * 1_000)
    for rest in (engine.root / ".mnemic").glob(f"{name}-*"):
        rest.unlink()
    with pytest.raises(DamagedStore, match="sync --rebuild"):
        MemoryEngine(engine.root)
    assert rebuild(engine.root).added == 1
    with MemoryEngine(engine.root) as again:
        assert again.recall("full disk")[0].experience == again.read(path)


def test_a_mind_that_is_lost_or_old_is_filled_from_the_tree(engine: MemoryEngine, path: Path, tmp_path: Path) -> None:
    engine.close()
    old = shutil.copytree(engine.root / ".mnemic", tmp_path / "old")
    with MemoryEngine(engine.root) as changed:
        changed.remember("The disk was cleaned", "success", "file_operation")
    for kept in (None, old / "mind.db"):
        for file in (engine.root / ".mnemic").glob("mind.db*"):
            file.unlink()
        if kept:
            shutil.copy(kept, engine.root / ".mnemic")
        with MemoryEngine(engine.root) as again:
            assert again.recall("full disk")[0].experience == again.read(path)
            assert len(again.recall()) == 2
            assert all(finding.ok for finding in again.verify())


def test_an_old_mind_that_holds_as_many_memories_is_noticed_too(
    engine: MemoryEngine, path: Path, tmp_path: Path
) -> None:
    engine.close()
    old = shutil.copytree(engine.root / ".mnemic", tmp_path / "old")
    with MemoryEngine(engine.root) as changed:
        changed.forget(path)
        cleaned = changed.remember("The disk was cleaned", "success", "file_operation")
    for file in (engine.root / ".mnemic").glob("mind.db*"):
        file.unlink()
    shutil.copy(old / "mind.db", engine.root / ".mnemic")
    with MemoryEngine(engine.root) as again:
        assert [hit.experience for hit in again.recall("disk")] == [again.read(cleaned)]
        assert all(finding.ok for finding in again.verify())


def test_only_a_tree_that_is_there_is_rebuilt(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        rebuild(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_rebuilding_tells_how_far_it_is(engine: MemoryEngine) -> None:
    engine.remember("Rebuilt soon", "success", "conversation")
    engine.close()
    told: list[int] = []
    rebuild(engine.root, progress=lambda _doing, done, _total: told.append(done))
    assert told[-1] == 1


@pytest.mark.parametrize("name", [b"caf\xe9.md", b"caf\xe9"])
def test_a_name_that_is_no_text_is_reported(engine: MemoryEngine, path: Path, name: bytes) -> None:
    odd = path.parent / os.fsdecode(name)
    try:
        odd.touch() if odd.suffix else odd.mkdir()
    except OSError:
        pytest.skip("the file system takes no such name")
    assert engine.sync().problems == [
        (f"failure/file_operation/{name.decode(errors='backslashreplace')}", "has a name that is not UTF-8; rename it")
    ]
    assert contents(engine) == ["The build fails on a full disk"]


def test_times_beyond_all_calendars_are_taken(engine: MemoryEngine, path: Path) -> None:
    far = path.with_name("far.md")
    far.write_text("---\nmemory_id: ffffffff-ffff-7fff-bfff-ffffffffffff\n---\n\nFrom the far future")
    os.utime(far, (2**34, 2**34))
    assert engine.sync().added == 1
    assert all(finding.ok for finding in engine.verify())


def test_the_index_is_not_for_git(engine: MemoryEngine) -> None:
    assert (engine.root / ".mnemic" / ".gitignore").read_text() == "*\n"


def test_verifying_notices_a_memory_that_differs_from_its_file(engine: MemoryEngine, path: Path) -> None:
    state = path.stat()
    path.write_text(path.read_text().replace("full", "fool"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert [finding.check for finding in engine.verify() if not finding.ok] == ["contents"]
