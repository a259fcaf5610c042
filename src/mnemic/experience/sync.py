"""Bring the index up to date with the tree, whoever changed it: this program, another one, a person or git."""

from __future__ import annotations

import dataclasses
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from mnemic.errors import Conflict, InvalidInput, LinkInTheWay, NotFound, ReadOnlyStore, StoreFull
from mnemic.experience import document
from mnemic.experience.experience import Experience, day_in_name, id_of_path
from mnemic.experience.manifest import File
from mnemic.experience.routes import RESERVED, Place
from mnemic.experience.summary import checked_summary, made_summary
from mnemic.experience.tree import MAX_DEPTH, State
from mnemic.mind import utc_now
from mnemic.model import checks
from mnemic.model.batches import batches
from mnemic.model.filter import MAX_TESTS
from mnemic.model.health import Finding
from mnemic.model.ids import new_id
from mnemic.model.memory import Record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mnemic.experience.manifest import Manifest
    from mnemic.experience.routes import Routes
    from mnemic.experience.tree import Tree
    from mnemic.mind import Mind
    from mnemic.model.checks import Json
    from mnemic.ports import Progress

_BATCH = 500
_BATCH_BYTES = 32 * 1024 * 1024
_NOTED = 100
_NOTED_BYTES = 1024 * 1024
_SHOWN = 10
_TICK_NS = 50_000_000
"""Two changes within one tick of the file system's clock leave the same time behind."""


@dataclass(slots=True)
class Synced:
    """Count what the index learned from the tree."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Json]:
        """Return the counts as JSON-able values."""
        return {
            **{name: getattr(self, name) for name in ("added", "changed", "moved", "removed")},
            "problems": [{"path": path, "problem": problem} for path, problem in self.problems],
        }


class Sync:
    """Compare a tree with its manifest, and teach the mind and the manifest what is new."""

    def __init__(self, tree: Tree, manifest: Manifest, mind: Mind, routes: Routes) -> None:
        self._tree = tree
        self._manifest = manifest
        self._mind = mind
        self._routes = routes
        self._lock = threading.Lock()
        self._changing = threading.Lock()
        self._noted: list[File] = []

    def note(self, files: Sequence[File]) -> None:
        """Remember files that were just written, until the index is next asked for or is too far behind.

        Should they be forgotten before that, they are found in the tree like those of another program.
        """
        with self._lock:
            self._noted += files

    def is_behind(self) -> bool:
        """Tell whether so much is noted that the index should be told."""
        return len(self._noted) >= _NOTED or sum(file.state.size for file in self._noted) > _NOTED_BYTES

    def take_noted(self) -> None:
        """Teach the index what is noted, but for the files that somebody changed or removed meanwhile."""
        self._manifest.check_usable()
        with self._changing:
            with self._lock:
                noted, self._noted = self._noted, []
            files = [file for file in noted if self._tree.state(file.path) == file.state]
            if not files:
                return
            with suppress(Conflict):  # the look at the tree settles it
                self._mind.adopt([Record(file.experience.memory()) for file in files if file.experience], durable=False)
                with self._manifest.changing():
                    self._manifest.put_missing(files)
                self._purge_gone(files)

    def catch_up(self, *, whole: bool, progress: Progress) -> Synced:
        """Look at the folders to which names came or from which they left; with `whole`, at every file's state."""
        self.take_noted()
        synced = Synced()
        known = self._manifest.folders()
        waiting = sorted({"", *known}) if whole or "" not in known else self._stirred(known)
        seen = set()
        gone: list[str] = []
        while waiting:
            folder = waiting.pop(0)
            if folder in seen:
                continue
            seen.add(folder)
            waiting += self._look_at(folder, known, synced, gone, whole=whole)
            progress("syncing", synced.added + synced.changed + synced.moved + synced.removed, 0)
        synced.removed += self._let_go(gone)
        if whole:
            synced.problems += self._manifest.problems()
        return synced

    def lost(self) -> bool:
        """Tell whether the mind lacks memories of files that are noted: it was removed, or an older one put back.

        A mind that lacks some lacks the last ones, so these are looked for; the rest are counted.
        """
        last = self._manifest.last_ids(new_id(utc_now()), MAX_TESTS)
        if last and self._count(where={"id": {"in": last}}) < len(last):
            return True
        return self._count() < self._manifest.count()

    def forget_strays(self) -> None:
        """Have the mind forget memories of files that are not there."""
        for page in self._mind.pages(everywhere=True, include_superseded=True, size=MAX_TESTS):
            noted = self._manifest.paths([memory.id for memory in page])
            self.forget(
                [
                    memory.id
                    for memory in page
                    if memory.id not in noted and not self._tree.exists(Experience.from_memory(memory).path)
                ]
            )

    def _count(self, **narrowed: Any) -> int:  # noqa: ANN401
        return self._mind.count(everywhere=True, include_superseded=True, **narrowed)

    def _stirred(self, known: dict[str, int | None]) -> list[str]:
        return [path for path, noted in known.items() if noted is None or self._tree.changed_at(path) != noted]

    def _look_at(
        self, folder: str, known: dict[str, int | None], synced: Synced, gone: list[str], *, whole: bool
    ) -> list[str]:
        """Take in what is new in a folder and note what is gone; return the folders in it that need a look too."""
        changed_at, looked_at = self._tree.changed_at(folder), time.time_ns()
        try:
            listing = self._tree.list(folder)
            found = self._tree.states(folder) if whole and listing else {}
        except PermissionError as error:
            synced.problems.append((folder or ".", f"cannot be read: {error.strerror}; check its permissions"))
            return []
        noted_states = self._manifest.states(folder) if whole else {}
        noted = {path: state.inode for path, state in noted_states.items()} if whole else self._manifest.inodes(folder)
        prefix = f"{folder}/" if folder else ""
        files = {prefix + name: inode for name, inode in listing.files.items()} if listing else {}
        states = {prefix + name: state for name, state in found.items()}
        fresh = [
            path
            for path, inode in files.items()
            if noted.get(path) != inode or states.get(path, noted_states.get(path)) != noted_states.get(path)
        ]
        for batch in self._read(sorted(fresh)):
            with self._changing:
                still = [file for file in batch if file.experience is None or self._tree.exists(file.path)]
                self._take(still, noted, synced)
        gone += [path for path in noted if path not in files]
        if listing is None:
            self._manifest.drop_folder(folder)
            return []
        synced.problems += [(prefix + name, problem) for name, problem in sorted(listing.refused.items())]
        inner = [prefix + name for name in sorted(listing.folders)]
        if folder.count("/") + 2 > MAX_DEPTH:
            synced.problems += [(path, f"lies more than {MAX_DEPTH} folders deep") for path in inner]
            inner = []
        unknown = [path for path in inner if path not in known]
        for path in unknown:  # should the look at it fail, it is looked at again though this folder is settled
            self._manifest.note_folder(path, None)
        settled = changed_at is not None and changed_at + _TICK_NS < looked_at
        if known.get(folder, 0) != (changed_at if settled else None):
            self._manifest.note_folder(folder, changed_at if settled else None)
        return unknown

    def _read(self, paths: Sequence[str]) -> Iterator[list[File]]:
        """Read files a batch at a time; one that vanished meanwhile is left out."""
        batch: list[File] = []
        size = 0
        for path in paths:
            file = self.read(path)
            if file is not None:
                batch.append(file)
                size += file.state.size
            if len(batch) >= _BATCH or size > _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def read(self, path: str) -> File | None:
        """Return what a file says, or what is wrong with it; None when it is not there."""
        folder = PurePosixPath(path).parent.as_posix()
        try:
            data, state = self._tree.read(path, most=document.MAX_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            return File(path, folder, State(0, 0, 0), problem=f"cannot be read: {error.strerror}")
        except (InvalidInput, LinkInTheWay) as error:
            return File(path, folder, State(0, 0, 0), problem=f"cannot be read: {error}")
        try:
            fields, content = document.read(data)
            experience, says = _experience(path, fields, content, state, self._routes)
        except InvalidInput as error:
            return File(path, folder, state, problem=str(error))
        return File(path, folder, state, experience, says)

    def _take(self, files: Sequence[File], noted: Collection[str], synced: Synced) -> None:
        """Teach the mind what files say; the manifest follows, so that an interruption is made good next time."""
        files = self._with_own_ids(files)
        experiences = [file.experience for file in files if file.experience is not None]
        elsewhere = self._manifest.paths([one.memory_id for one in experiences])
        left = [path for one in experiences for path in elsewhere.get(one.memory_id, []) if path != one.path]
        unread = self._manifest.ids([file.path for file in files if file.experience is None])
        replaced = self._manifest.ids([one.path for one in experiences])
        self.forget([id for path, id in replaced.items() if not any(one.memory_id == id for one in experiences)])
        self.forget(list(unread.values()))
        self._settle(experiences)
        with self._manifest.changing():
            self._manifest.drop(left)
            self._manifest.put(files)
        self._purge_gone(files)
        for file in files:
            if file.experience is None:
                continue
            if file.path in noted:
                synced.changed += 1
            elif file.experience.memory_id in elsewhere:
                synced.moved += 1
            else:
                synced.added += 1

    def _purge_gone(self, files: Sequence[File]) -> None:
        """Erase what was taken in of files that left meanwhile: another program may have purged it, too early."""
        gone = {
            file.path: file.experience.memory_id
            for file in files
            if file.experience is not None and not self._tree.exists(file.path)
        }
        if gone:
            with self._manifest.changing():
                self._manifest.drop(gone)
            moved = self._manifest.paths(list(gone.values()))
            self.forget([id for id in gone.values() if id not in moved], purge=True)

    def _with_own_ids(self, files: Sequence[File]) -> list[File]:
        """Give an id of its own to a file that is a copy of another."""
        taken: dict[str, str] = {}
        for id, paths in self._manifest.paths([f.experience.memory_id for f in files if f.experience]).items():
            there = [path for path in paths if self._tree.exists(path)]
            taken |= {id: there[-1]} if there else {}
        own = []
        for file in files:
            one = file.experience
            if one is not None and taken.setdefault(one.memory_id, one.path) != one.path:
                file = dataclasses.replace(file, experience=dataclasses.replace(one, memory_id=id_of_path(one.path)))
            own.append(file)
        return own

    def _settle(self, experiences: Sequence[Experience]) -> None:
        """Have the mind hold these experiences as they are, and no older version of them."""
        memories = [one.memory() for one in experiences]
        try:
            self._mind.adopt([Record(memory) for memory in memories])
            return
        except Conflict:
            pass
        for memory in memories:
            try:
                self._mind.adopt([Record(memory)])
            except Conflict:
                self._mind.revise(
                    memory.id,
                    text=memory.text,
                    category=memory.category,
                    metadata=memory.metadata,
                    occurred_at=memory.occurred_at,
                )

    def remove(self, paths: Sequence[str], *, purge: bool) -> int:
        """Delete files and forget what they told; return how many were there.

        An index that cannot be written learns of it later, unless it is to `purge`.
        """
        with self._changing:
            ids = set(self._manifest.ids(paths).values())
            removed = self._tree.remove(paths)
            try:
                ids |= set(self._manifest.ids(paths).values())
                self._let_go(paths)
                if purge:
                    self.forget(sorted(ids), purge=True)
            except (StoreFull, ReadOnlyStore):
                if purge:
                    raise
        return removed

    def _let_go(self, paths: Sequence[str]) -> int:
        """Forget the files that left the tree and did not come back under another name; return how many."""
        gone = [path for path in paths if not self._tree.exists(path)]
        ids = self._manifest.ids(gone)
        unread = {path for path, _ in self._manifest.problems()} if len(ids) < len(gone) else set()
        gone = [path for path in gone if path in ids or path in unread]
        if gone:
            self.forget(list(ids.values()))
            with self._manifest.changing():
                self._manifest.drop(gone)
        return len(gone)

    def verify(self, synced: Synced, *, progress: Progress) -> Iterator[Finding]:
        """Compare every file with what the index holds of it."""
        unread, wrong, total = dict(synced.problems), [], self._manifest.count()
        for done, (path, id, *_) in enumerate(self._manifest.all(), start=1):
            file = self.read(path)
            if file is not None and file.experience is None:
                unread[path] = str(file.problem)
            elif file is not None and file.experience is not None and not self._holds(id, file.experience):
                wrong.append(path)
            progress("verifying", done, total)
        problems = [f"{path}: {problem}" for path, problem in unread.items()]
        yield _finding("files", problems, "mend or remove them by hand; the tree keeps them as they are")
        misfiled = [f"{path} says {says}" for path, says in self._manifest.misfiled()]
        yield _finding("folders", misfiled, "move them, or edit their front matter")
        yield _finding("contents", wrong, "run `mnemic experience sync --rebuild`")
        strays = self._count() - total
        problem = [f"{strays} memories of files that are not there"] if strays else []
        yield _finding("strays", problem, "run `mnemic experience sync --rebuild`")

    def _holds(self, id: str, experience: Experience) -> bool:
        try:
            memory = self._mind.get(id)
        except NotFound:
            return False
        expected = dataclasses.replace(experience, memory_id=id).memory()
        return (memory.text, memory.category, memory.metadata, memory.occurred_at) == (
            expected.text,
            expected.category,
            expected.metadata,
            expected.occurred_at,
        )

    def forget(self, ids: Sequence[str], *, purge: bool = False) -> None:
        """Have the mind forget memories, known or not."""
        for batch in batches(ids, MAX_TESTS):
            self._mind.forget(where={"id": {"in": batch}}, purge=purge)


def _finding(check: str, wrong: Sequence[str], remedy: str) -> Finding:
    if not wrong:
        return Finding(check)
    more = f" and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
    return Finding(check, "; ".join(wrong[:_SHOWN]) + more, remedy)


def _experience(
    path: str, fields: dict[str, Any], content: str, state: State, routes: Routes
) -> tuple[Experience, str | None]:
    """Return what a file tells, and the folder that its front matter names, if it names one."""
    folder, name = PurePosixPath(path).parent.as_posix(), PurePosixPath(path).name
    told = {key: value for key, value in fields.items() if key not in RESERVED}
    says: Place | None = None
    if "outcome" in fields:
        says = routes.place(fields["outcome"], fields.get("tool"), told)
    place = routes.in_folder(folder) or says
    if place is None:
        raise InvalidInput("path", f"{folder} is no folder of the table, and no front matter says where it belongs")
    occurred_at = fields.get("occurred_at") or day_in_name(name)
    if occurred_at is None:
        occurred_at = datetime.fromtimestamp(state.mtime_ns / 1e9, UTC)
    summary = fields.get("summary")
    memory_id = fields.get("memory_id")
    experience = Experience(
        content=content,
        place=place,
        summary=made_summary(content, otherwise=place.folder.rpartition("/")[2])
        if summary is None
        else checked_summary(summary),
        occurred_at=checks.when("occurred_at", occurred_at),
        metadata=checks.metadata({key: value for key, value in told.items() if key not in routes.keys}),
        memory_id=id_of_path(path) if memory_id is None else checks.identifier("memory_id", memory_id),
        path=path,
    )
    return experience, says.folder if says else None
