"""A second user of the files service: JSON files with several notes in each, beside other memories in the same mind."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from mnemic import Mind
from mnemic.errors import InvalidInput
from mnemic.files.format import Entry
from mnemic.files.manifest import NAME, Details, Manifest
from mnemic.files.sync import Sync, Synced
from mnemic.files.tree import Tree
from mnemic.files.verify import verify
from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.ports import silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mnemic.files.disk import FileState

DAY = datetime(2026, 1, 2, tzinfo=UTC)
SOURCE = "notes"


class Notes:
    """Notes of one agent in each folder: `[{"id": "n1", "text": "…", "importance": 7}, …]`."""

    max_bytes = 10_000
    keeps_broken = True
    where: Mapping[str, Any] | None = {"source": SOURCE}

    def read(self, path: str, data: bytes, state: FileState) -> list[Entry]:  # noqa: ARG002
        try:
            notes = json.loads(data)
        except ValueError as error:
            raise InvalidInput("JSON", str(error)) from None
        return [self._entry(path, note) for note in notes]

    def _entry(self, path: str, note: dict[str, Any]) -> Entry:
        if "text" not in note:
            raise InvalidInput("text", f"is missing in {note['id']}")
        memory = Memory(
            id=note.get("uuid") or str(uuid5(NAMESPACE_URL, f"{path}#{note['id']}")),
            text=note["text"],
            scope=self.scope(path),
            importance=note.get("importance", 5.0),
            metadata={"path": path},
            source=SOURCE,
            created_at=DAY,
        )
        return Entry(memory, (note["id"],))

    def scope(self, path: str) -> Scope:
        return Scope(agent=path.partition("/")[0])

    def id_of_copy(self, path: str, memory: Memory) -> str:
        return str(uuid5(NAMESPACE_URL, f"{path}#{memory.id}"))

    def path_of(self, memory: Memory) -> str:
        return str(memory.metadata["path"])


class Notebook:
    """A tree of notes, its manifest, and the mind that follows it."""

    def __init__(self, root: Path, mind: Mind) -> None:
        self.root = root
        self.mind = mind
        self.format = Notes()
        self.tree = Tree(root, suffix=".json")
        self.manifest = Manifest(self.tree.hidden / NAME, Details(("name",)))
        self.files = Sync(self.tree, self.manifest, mind, self.format)

    def write(self, agent: str, *notes: dict[str, Any] | str, name: str = "notes.json") -> Path:
        """Write the file of an agent; a plain text is a note whose id is its first word."""
        file = self.root / agent / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps([{"id": n.split()[0], "text": n} if isinstance(n, str) else n for n in notes]))
        return file

    def sync(self) -> Synced:
        return self.files.catch_up(whole=True, progress=silent)

    def texts(self, agent: str) -> set[str]:
        return {memory.text for page in self.mind.pages(agent=agent) for memory in page}

    def wrong(self) -> list[str]:
        checks = verify(self.files, self.manifest, self.format, self.sync(), rebuild="", progress=silent)
        return [finding.check for finding in checks if not finding.ok]


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    with Mind(":memory:") as mind:
        notebook = Notebook(tmp_path / "tree", mind)
        yield notebook
        notebook.manifest.close()


def counts(synced: Synced) -> tuple[int, int, int, int]:
    return synced.added, synced.changed, synced.moved, synced.removed


def test_every_memory_of_a_new_file_is_added_in_the_scope_of_its_folder(notebook: Notebook) -> None:
    notebook.write("ana", "Porto is home", "Tea is fine")
    notebook.write("ben", "Lisbon is home")
    assert counts(notebook.sync()) == (3, 0, 0, 0)
    assert notebook.texts("ana") == {"Porto is home", "Tea is fine"}
    assert notebook.mind.recall("where is home?", agent="ben")[0].memory.text == "Lisbon is home"
    assert counts(notebook.sync()) == (0, 0, 0, 0)
    assert notebook.wrong() == []


def test_only_the_memories_that_changed_in_a_file_are_changed(notebook: Notebook) -> None:
    notebook.write("ana", "Porto is home", "Tea is fine", "Rain is common")
    notebook.sync()
    notebook.write("ana", {"id": "Porto", "text": "Faro is home", "importance": 9}, "Tea is fine", "Wind is common")
    assert counts(notebook.sync()) == (1, 1, 0, 1)
    (home,) = [memory for page in notebook.mind.pages(agent="ana") for memory in page if memory.importance == 9]
    assert [change.kind for change in notebook.mind.history(home.id)] == ["created", "revised"]
    assert notebook.texts("ana") == {"Faro is home", "Tea is fine", "Wind is common"}
    assert notebook.wrong() == []


def test_a_file_that_is_written_again_as_it_was_changes_nothing(notebook: Notebook) -> None:
    file = notebook.write("ana", "Porto is home", "Tea is fine")
    notebook.sync()
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content)
    assert counts(notebook.sync()) == (0, 0, 0, 0)


def test_the_memories_of_a_removed_file_are_forgotten_and_no_others(notebook: Notebook) -> None:
    file = notebook.write("ana", "Porto is home", "Tea is fine")
    notebook.write("ana", "Rain is common", name="weather.json")
    notebook.mind.remember("Learned while talking", agent="ana")
    notebook.sync()
    file.unlink()
    assert counts(notebook.sync()) == (0, 0, 0, 2)
    assert notebook.texts("ana") == {"Rain is common", "Learned while talking"}
    assert notebook.wrong() == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('[{"id": "Tea"', "JSON"),
        (" " * 10_001, "at most 10,000"),
        ('[{"id": "Tea"}]', "text: is missing in Tea"),
        ('[{"id": "Tea", "text": "a"}, {"id": "Tea", "text": "b"}]', "same id"),
    ],
)
def test_a_broken_file_is_reported_and_its_memories_are_kept(notebook: Notebook, content: str, problem: str) -> None:
    file = notebook.write("ana", "Porto is home", "Tea is fine")
    notebook.sync()
    file.write_text(content)
    for _ in range(2):
        synced = notebook.sync()
        ((path, reason),) = synced.problems
        assert path == "ana/notes.json"
        assert problem in reason
        assert counts(synced) == (0, 0, 0, 0)
        assert notebook.texts("ana") == {"Porto is home", "Tea is fine"}
    assert notebook.wrong() == ["files"]
    notebook.write("ana", "Porto is home", "Coffee is better")
    assert counts(notebook.sync()) == (1, 0, 0, 1)
    assert notebook.wrong() == []


def test_a_broken_file_that_is_removed_takes_its_memories_along(notebook: Notebook) -> None:
    file = notebook.write("ana", "Porto is home")
    notebook.sync()
    file.write_text("{")
    notebook.sync()
    file.unlink()
    assert counts(notebook.sync()) == (0, 0, 0, 1)
    assert notebook.texts("ana") == set()
    assert notebook.wrong() == []


def test_a_file_that_moves_to_another_folder_takes_its_memories_to_another_scope(notebook: Notebook) -> None:
    id = "0198a000-0000-7000-8000-000000000001"
    file = notebook.write("ana", {"id": "home", "uuid": id, "text": "Porto is home"}, "Tea is fine")
    notebook.sync()
    (notebook.root / "ben").mkdir()
    file.rename(notebook.root / "ben" / "notes.json")
    assert counts(notebook.sync()) == (1, 0, 1, 1)
    assert notebook.texts("ana") == set()
    assert notebook.texts("ben") == {"Porto is home", "Tea is fine"}
    assert notebook.mind.get(id).scope == Scope(agent="ben")
    assert notebook.wrong() == []


def test_a_copy_has_memories_of_its_own(notebook: Notebook) -> None:
    id = "0198a000-0000-7000-8000-000000000001"
    file = notebook.write("ana", {"id": "home", "uuid": id, "text": "Porto is home"})
    notebook.sync()
    shutil.copy(file, file.with_name("copy.json"))
    assert counts(notebook.sync()) == (1, 0, 0, 0)
    assert notebook.wrong() == []
    file.unlink()
    assert counts(notebook.sync()) == (0, 0, 0, 1)
    assert notebook.texts("ana") == {"Porto is home"}


@pytest.mark.parametrize("purge", [False, True])
def test_files_can_be_removed_through_the_service(notebook: Notebook, *, purge: bool) -> None:
    notebook.write("ana", "Porto is home", "Tea is fine")
    notebook.write("ben", "Lisbon is home")
    notebook.sync()
    ids = notebook.manifest.ids(["ana/notes.json"])["ana/notes.json"]
    assert notebook.files.remove(["ana/notes.json", "ana/none.json"], purge=purge) == 1
    assert (notebook.texts("ana"), notebook.texts("ben")) == (set(), {"Lisbon is home"})
    kinds = [change.kind for id in ids for change in notebook.mind.history(id)]
    assert kinds == (["purged"] * 2 if purge else ["created", "forgotten"] * 2)


def test_a_mind_that_was_lost_is_filled_again_and_other_memories_do_not_count(notebook: Notebook) -> None:
    notebook.write("ana", "Porto is home", "Tea is fine")
    notebook.sync()
    with Mind(":memory:") as empty:
        for number in range(3):
            empty.remember(f"Learned while talking {number}", agent="ana")
        again = Notebook(notebook.root, empty)
        assert counts(again.files.start(silent)) == (2, 0, 0, 0)
        assert len(again.texts("ana")) == 5
        assert again.wrong() == []
        again.manifest.close()


def test_other_details_make_the_manifest_anew(notebook: Notebook) -> None:
    notebook.write("ana", "Porto is home")
    notebook.sync()
    other = Manifest(notebook.tree.hidden / NAME, Details(("name", "colour")))
    assert other.count() == 0
    other.close()
