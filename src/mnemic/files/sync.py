"""Bring memories up to date with files, whoever changed them: this program, another one, a person or git."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mnemic.errors import Conflict, InvalidInput, LinkInTheWay, ReadOnlyStore, StoreFull
from mnemic.files.disk import FileState
from mnemic.files.format import TreeFile
from mnemic.files.memories import FileMemories
from mnemic.files.tree import MAX_DEPTH
from mnemic.mind import utc_now
from mnemic.model.batches import weighed_batches
from mnemic.model.draft import new_id
from mnemic.model.filter import MAX_TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mnemic.files.format import FileFormat
    from mnemic.files.manifest import Manifest
    from mnemic.files.tree import Tree
    from mnemic.mind import Mind
    from mnemic.model.checks import Json
    from mnemic.model.scope import Scope
    from mnemic.ports import Progress

_BATCH = 500
_BATCH_BYTES = 32 * 1024 * 1024
_MAX_PENDING = 100
_MAX_PENDING_BYTES = 1024 * 1024
_TICK_NS = 50_000_000
"""Two changes within one tick of the file system's clock leave the same time behind."""


@dataclass(slots=True)
class Synced:
    """How many memories a sync added, changed, moved and removed, and the files it could not read."""

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
    """The comparison of a tree with its manifest, by which the mind and the manifest follow the files."""

    def __init__(self, tree: Tree, manifest: Manifest, mind: Mind, format: FileFormat) -> None:
        self._tree = tree
        self._manifest = manifest
        self._format = format
        self.memories = FileMemories(mind, format.where)
        self._lock = threading.Lock()
        self._changing = threading.Lock()
        self._pending: list[TreeFile] = []

    # Files that this program has just written

    def note(self, files: Sequence[TreeFile]) -> None:
        """Keep files that were just written until the index is next needed, or too many are pending.

        Should this program end before that, they are read from the tree like those of another program.
        """
        with self._lock:
            self._pending += files

    def is_behind(self) -> bool:
        """Return whether so many files are pending that the index should take them in."""
        return len(self._pending) >= _MAX_PENDING or sum(f.state.size for f in self._pending) > _MAX_PENDING_BYTES

    def take_pending(self) -> None:
        """Take in the pending files, except those that were changed or removed meanwhile."""
        self._manifest.check_usable()
        with self._changing:
            with self._lock:
                pending, self._pending = self._pending, []
            files = [file for file in pending if self._tree.state(file.path) == file.state]
            if not files:
                return
            with suppress(Conflict):  # the next look at the tree settles it
                self.memories.adopt([entry.memory for file in files for entry in file.entries], durable=False)
                with self._manifest.changing():
                    self._manifest.put_missing(files)
                self._purge_gone(files)

    # The tree

    def start(self, progress: Progress) -> Synced:
        """Look at every file; when the mind was lost or an older one put back, fill it again from the files."""
        synced = self.catch_up(whole=True, progress=progress)
        if self._is_mind_lost():
            self._manifest.clear()
            synced = self.catch_up(whole=True, progress=progress)
            self._forget_strays()
        return synced

    def catch_up(self, *, whole: bool, progress: Progress) -> Synced:
        """Look at the folders in which names were added or removed; with `whole`, at the state of every file."""
        self.take_pending()
        synced = Synced()
        known = self._manifest.folders()
        waiting = sorted({"", *known}) if whole or "" not in known else self._changed_folders(known)
        seen = set()
        gone: list[str] = []
        while waiting:
            folder = waiting.pop(0)
            if folder in seen:
                continue
            seen.add(folder)
            waiting += self._look_at(folder, known, synced, gone, whole=whole)
            progress("syncing", synced.added + synced.changed + synced.moved + synced.removed, 0)
        synced.removed += self._forget_gone(gone)
        if whole:
            synced.problems += self._manifest.problems()
        return synced

    def _changed_folders(self, known: dict[str, int | None]) -> list[str]:
        return [path for path, noted in known.items() if noted is None or self._tree.changed_at(path) != noted]

    def _look_at(
        self, folder: str, known: dict[str, int | None], synced: Synced, gone: list[str], *, whole: bool
    ) -> list[str]:
        """Take in what is new in a folder and collect what is gone; return the folders in it to look at next."""
        changed_at, looked_at = self._tree.changed_at(folder), time.time_ns()
        try:
            listing = self._tree.list(folder)
            current = self._tree.states(folder) if whole and listing else {}
        except PermissionError as error:
            synced.problems.append((folder or ".", f"cannot be read: {error.strerror}; check its permissions"))
            return []
        noted_states = self._manifest.states(folder) if whole else {}
        noted = {path: state.inode for path, state in noted_states.items()} if whole else self._manifest.inodes(folder)
        prefix = f"{folder}/" if folder else ""
        files = {prefix + name: inode for name, inode in listing.files.items()} if listing else {}
        states = {prefix + name: state for name, state in current.items()}
        fresh = [
            path
            for path, inode in files.items()
            if noted.get(path) != inode or states.get(path, noted_states.get(path)) != noted_states.get(path)
        ]
        read = (file for path in sorted(fresh) if (file := self.read(path)) is not None)
        for batch in weighed_batches(read, _BATCH, weight=lambda file: file.state.size, limit=_BATCH_BYTES):
            with self._changing:
                self._take([file for file in batch if file.problem or self._tree.exists(file.path)], synced)
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

    def read(self, path: str) -> TreeFile | None:
        """Read a file: its memories, or what is wrong with it; None when it is not there."""
        try:
            data, state = self._tree.read(path, max_bytes=self._format.max_bytes)
        except FileNotFoundError:
            return None
        except OSError as error:
            return TreeFile(path, FileState(0, 0, 0), problem=f"cannot be read: {error.strerror}")
        except (InvalidInput, LinkInTheWay) as error:
            return TreeFile(path, FileState(0, 0, 0), problem=f"cannot be read: {error}")
        if len(data) > self._format.max_bytes:
            return TreeFile(path, state, problem=f"is too large; at most {self._format.max_bytes:,} bytes are read")
        try:
            file = TreeFile(path, state, tuple(self._format.read(path, data, state)))
        except InvalidInput as error:
            return TreeFile(path, state, problem=str(error))
        if len(set(file.ids)) != len(file.ids):
            return TreeFile(path, state, problem="holds two memories with the same id")
        return file

    # Files that are new or changed

    def _take(self, files: Sequence[TreeFile], synced: Synced) -> None:
        """Update the mind from files; the manifest follows, so that an interruption is made good next time."""
        broken = [file for file in files if file.problem] if self._format.keeps_broken else []
        files = self._with_own_ids([file for file in files if not (broken and file.problem)])
        owner = {id: file.path for file in files for id in file.ids}
        known = self._manifest.ids([file.path for file in files])
        other_paths = self._manifest.paths(list(owner))
        left = [(path, id) for id, paths in other_paths.items() for path in paths if path != owner[id]]
        stale = {path: [id for id in ids if id not in owner] for path, ids in known.items()}
        self.forget(stale)
        changed = self.memories.update([entry.memory for file in files for entry in file.entries])
        with self._manifest.changing():
            self._manifest.drop_memories(left)
            self._manifest.put(files)
            self._manifest.put_broken(broken)
        self._purge_gone(files)
        synced.removed += sum(map(len, stale.values()))
        for id, path in owner.items():
            if id in known.get(path, ()):
                synced.changed += id in changed
            elif id in other_paths:
                synced.moved += 1
            else:
                synced.added += 1

    def _with_own_ids(self, files: Sequence[TreeFile]) -> list[TreeFile]:
        """Give other ids to the memories of a file that is a copy of another."""
        taken: dict[str, str] = {}
        for id, paths in self._manifest.paths([id for file in files for id in file.ids]).items():
            present = [path for path in paths if self._tree.exists(path)]
            taken |= {id: present[-1]} if present else {}
        own = []
        for file in files:
            entries = []
            for entry in file.entries:
                memory = entry.memory
                if taken.setdefault(memory.id, file.path) != file.path:
                    memory = dataclasses.replace(memory, id=self._format.id_of_copy(file.path, memory))
                entries.append(dataclasses.replace(entry, memory=memory))
            own.append(dataclasses.replace(file, entries=tuple(entries)))
        return own

    def _purge_gone(self, files: Sequence[TreeFile]) -> None:
        """Erase the memories of files that were removed meanwhile: another program may have purged them too early."""
        gone = {file.path: file.ids for file in files if file.entries and not self._tree.exists(file.path)}
        if gone:
            with self._manifest.changing():
                self._manifest.drop(gone)
            moved = self._manifest.paths([id for ids in gone.values() for id in ids])
            self.forget({path: [id for id in ids if id not in moved] for path, ids in gone.items()}, purge=True)

    # Files that are gone

    def remove(self, paths: Sequence[str], *, purge: bool) -> int:
        """Delete files and forget their memories; return how many files there were.

        An index that cannot be written follows later, unless it is to `purge`.
        """
        with self._changing:
            before = self._manifest.ids(paths)
            removed = self._tree.remove(paths)
            try:
                after = self._manifest.ids(paths)
                self._forget_gone(paths)
                if purge:
                    ids = {path: {*before.get(path, ()), *after.get(path, ())} for path in paths}
                    self.forget(ids, purge=True)
            except (StoreFull, ReadOnlyStore):
                if purge:
                    raise
        return removed

    def _forget_gone(self, paths: Sequence[str]) -> int:
        """Forget the memories of files that are gone and not moved; return how many."""
        gone = self._manifest.ids([path for path in paths if not self._tree.exists(path)])
        if gone:
            self.forget(gone)
            with self._manifest.changing():
                self._manifest.drop(gone)
        return sum(map(len, gone.values()))

    def forget(self, ids: Mapping[str, Iterable[str]], *, purge: bool = False) -> None:
        """Forget memories by the paths of their files, known or not."""
        by_scope: dict[Scope, list[str]] = defaultdict(list)
        for path, of_path in ids.items():
            by_scope[self._format.scope(path)] += of_path
        for scope, of_scope in by_scope.items():
            self.memories.forget(of_scope, scope, purge=purge)

    def _is_mind_lost(self) -> bool:
        """Return whether the mind lacks memories of noted files: it was removed, or an older one put back.

        A mind that lacks some lacks the last ones, so these are looked for; the rest are counted.
        """
        last = self._manifest.last_ids(new_id(utc_now()), MAX_TESTS)
        return not self.memories.holds_all(last) or self.memories.count() < self._manifest.count()

    def _forget_strays(self) -> None:
        """Forget memories whose files are not there."""
        for page in self.memories.pages():
            noted = self._manifest.paths([memory.id for memory in page])
            strays: dict[Scope, list[str]] = defaultdict(list)
            for memory in page:
                if memory.id not in noted and not self._tree.exists(self._format.path_of(memory)):
                    strays[memory.scope].append(memory.id)
            for scope, ids in strays.items():
                self.memories.forget(ids, scope)
