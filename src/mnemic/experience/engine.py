"""The engine: remember what worked, what failed and what was learned, and find it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mnemic.errors import DamagedStore, InvalidInput, MnemicError, NotAStore, NotFound, ReadOnlyStore, StoreFull
from mnemic.experience import drafts
from mnemic.experience.experience import Experience, Recalled
from mnemic.experience.format import IGNORED, SUFFIX, ExperienceFormat, written
from mnemic.experience.manifest import REBUILD, ExperienceManifest, entry_of
from mnemic.experience.narrowing import Narrowing, first_stamp
from mnemic.experience.route_file import keep_table, table_of
from mnemic.files.format import TreeFile
from mnemic.files.manifest import NAME
from mnemic.files.sync import Sync, Synced
from mnemic.files.tree import Tree
from mnemic.files.verify import finding, verify
from mnemic.mind import utc_now
from mnemic.model import checks
from mnemic.ports import silent
from mnemic.wiring import open_mind

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from mnemic.experience.reflection import Reflection
    from mnemic.experience.routes import Routes
    from mnemic.experience.topology import Topology
    from mnemic.mind import Mind
    from mnemic.model.checks import Json
    from mnemic.model.health import Finding
    from mnemic.model.time import When
    from mnemic.ports import Progress
    from mnemic.wiring import Settings

MAX_LIMIT = 10_000
_TRIES = 5


class MemoryEngine:
    """Experiences in a tree of small files, found by meaning, by route and by time."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        routes: Routes | str | os.PathLike[str] | None = None,
        clock: Callable[[], datetime] = utc_now,
        progress: Progress = silent,
        settings: Settings | None = None,
    ) -> None:
        """Open the tree in a folder, making it when it is missing, and bring its index up to date.

        `routes` is a table of your own, or its file; the tree stores it. `clock` returns the time, `progress` is
        called while the tree is opened. `.opening` says what had changed in the tree.
        """
        self._clock = clock
        self._tree = _tree(checks.path("root", root))
        self.routes = table_of(self._tree.root) if routes is None else keep_table(self._tree, routes)
        self._format = ExperienceFormat(self.routes)
        self._mind = _open_mind(self._tree, settings)
        try:
            self._manifest = ExperienceManifest(self._tree.hidden / NAME)
            self._sync = Sync(self._tree, self._manifest, self._mind, self._format)
            self.opening = self._sync.start(progress)
        except BaseException:
            self.close()
            raise

    @property
    def root(self) -> Path:
        """The folder of the tree."""
        return self._tree.root

    def __enter__(self) -> MemoryEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Index the pending files and close the index; closing twice is harmless."""
        with suppress(MnemicError):  # the next opening indexes what this one cannot
            if hasattr(self, "_sync"):
                self._sync.take_pending()
        self._mind.close()
        if hasattr(self, "_manifest"):
            self._manifest.close()

    # Remembering

    def remember(
        self,
        /,
        content: str,
        outcome: str,
        tool: str | None = None,
        summary: str | None = None,
        *,
        occurred_at: When | str | None = None,
        **metadata: Json,
    ) -> Path:
        """Store an experience and return its file; when this returns, it is on the disk and can be recalled."""
        fields = {"content": content, "outcome": outcome, "tool": tool, "summary": summary, "occurred_at": occurred_at}
        experience = drafts.checked({**metadata, **fields}, self.routes, self._clock())
        if self._sync.is_behind():
            self._sync.take_pending()
        (path,) = self._write([experience])
        return path

    def remember_many(self, experiences: Iterable[Mapping[str, Any]], *, progress: Progress = silent) -> list[Path]:
        """Store many experiences, given as dicts, and return their files.

        A list is checked as a whole before anything is stored. An iterator is checked and stored in batches; the
        batches before a wrong one stay.
        """
        if isinstance(experiences, (str, bytes, Mapping)) or not isinstance(experiences, Iterable):
            raise InvalidInput("experiences", f"must be a list of dicts, not {type(experiences).__name__}")
        total = 0
        if isinstance(experiences, Sequence):
            total = len(experiences)
            for number, fields in enumerate(experiences):
                drafts.checked_item(number, fields, self.routes, self._clock())
        checked = (drafts.checked_item(n, fields, self.routes, self._clock()) for n, fields in enumerate(experiences))
        paths: list[Path] = []
        for batch in drafts.batches(checked):
            paths += self._store(batch)
            progress("remembering", len(paths), total)
        return paths

    def _store(self, experiences: Sequence[Experience]) -> list[Path]:
        """Write and index the files; if either fails, nothing is stored."""
        paths = self._write(experiences)
        try:
            self._sync.take_pending()
        except BaseException:
            with suppress(MnemicError):  # the first error is the one to raise
                self._tree.remove([self._tree.inside(path) for path in paths])
                self._sync.forget({experience.path: [experience.memory_id] for experience in experiences})
            raise
        return paths

    def _write(self, experiences: Sequence[Experience]) -> list[Path]:
        """Write the files, all or none, and note them as pending for the index."""
        self._manifest.check_usable()
        for tries_left in reversed(range(_TRIES)):
            try:
                states = self._tree.write([(experience.path, written(experience)) for experience in experiences])
                break
            except FileExistsError:
                if not tries_left:
                    raise
                experiences = [drafts.with_new_path(experience) for experience in experiences]
        pairs = zip(experiences, states, strict=True)
        self._sync.note([TreeFile(experience.path, state, (entry_of(experience),)) for experience, state in pairs])
        return [self._tree.root / experience.path for experience in experiences]

    # Recalling

    def recall(
        self,
        query: str | None = None,
        *,
        outcome: str | None = None,
        tool: str | None = None,
        since: When | str | None = None,
        until: When | str | None = None,
        limit: int = 10,
        min_score: float | None = None,
        **keys: str,
    ) -> list[Recalled]:
        """Find experiences by meaning, best first; by route and time alone, newest first; or by both."""
        narrowing = Narrowing.of(self.routes, outcome=outcome, tool=tool, keys=keys, since=since, until=until)
        checks.integer("limit", limit, minimum=1, maximum=MAX_LIMIT)
        if query is not None:
            checks.text("query", query, remedy="give a question")
        elif min_score is not None:
            raise InvalidInput("min_score", "needs a query; a route and a time alone give no score")
        self._catch_up()
        if query is None:
            newest = self._manifest.newest(narrowing.places, since=narrowing.since, until=narrowing.until, limit=limit)
            recalled = [Recalled(experience) for experience in self._experiences([id for _, id in newest])]
        else:
            hits = self._mind.recall(query, everywhere=True, where=narrowing.where, limit=limit, min_score=min_score)
            recalled = [Recalled(Experience.from_memory(hit.memory), hit.score, hit.reasons) for hit in hits]
        return [hit for hit in recalled if self._tree.exists(hit.experience.path)]

    def _experiences(self, ids: Sequence[str]) -> list[Experience]:
        """Return the experiences with these ids, without those that were forgotten meanwhile."""
        experiences = []
        for id in ids:
            with suppress(NotFound):
                experiences.append(Experience.from_memory(self._mind.get(id)))
        return experiences

    def read(self, path: str | os.PathLike[str]) -> Experience:
        """Return the experience in a file."""
        file = self._sync.read(inside := self._tree.inside(path))
        if file is None or file.problem:
            raise InvalidInput("path", f"{inside}: {file.problem if file else 'there is no such file'}")
        (entry,) = file.entries
        return Experience.from_memory(entry.memory)

    def count(self) -> int:
        """Count the experiences."""
        self._catch_up()
        return self._manifest.count()

    def reflect(self) -> Reflection:
        """Look back: counts, success rates, where most fails and what works."""
        from mnemic.experience.reflection import reflect

        self._catch_up()
        return reflect(self._manifest, self.routes, self._experiences)

    def topology(self) -> Topology:
        """Return what the tree shows about the agent."""
        from mnemic.experience.topology import topology

        self._catch_up()
        return topology(self._manifest, self._mind, self.routes)

    # Keeping

    def forget(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        outcome: str | None = None,
        tool: str | None = None,
        before: When | str | None = None,
        everything: bool = False,
        purge: bool = False,
        **keys: str,
    ) -> int:
        """Delete the file of an experience, or those of a route or before a time; return how many.

        The index keeps the history of forgotten experiences, unless `purge` erases that too.
        """
        is_narrowed = before is not None or outcome is not None or tool is not None or bool(keys)
        choices = sum((path is not None, is_narrowed, checks.flag("everything", everything)))
        if choices != 1:
            problem = "cannot be combined with the rest; give only" if choices else "is missing; give"
            raise InvalidInput("path", f"{problem} a path, a route or time, or everything=True to empty the tree")
        checks.flag("purge", purge)
        end = None if before is None else first_stamp(checks.when("before", before))
        if purge:
            self._sync.catch_up(whole=False, progress=silent)
        else:
            self._catch_up()
        if path is not None:
            paths = [self._tree.inside(path)]
        else:
            places = self.routes.narrowed(outcome=outcome, tool=tool, keys=keys)
            paths = [path for path, _ in self._manifest.newest(places, before=end)]
        removed = self._sync.remove(paths, purge=purge)
        if path is not None and not removed:
            raise InvalidInput("path", f"there is no {paths[0]} in {self._tree.root}")
        return removed

    def sync(self, *, progress: Progress = silent) -> Synced:
        """Look at every file and bring the index up to date; return what had changed."""
        return self._sync.catch_up(whole=True, progress=progress)

    def verify(self, *, progress: Progress = silent) -> list[Finding]:
        """Compare every file with the index, and check the index itself."""
        synced = self.sync(progress=progress)
        checked = verify(self._sync, self._manifest, self._format, synced, rebuild=REBUILD, progress=progress)
        misfiled = [f"{path} says {folder}" for path, folder in self._manifest.misfiled()]
        folders = finding("folders", misfiled, "move them, or edit their front matter")
        return [*checked, folders, *self._mind.doctor(progress=progress)]

    def _catch_up(self) -> None:
        """Bring the index up to date; one that cannot be written is used as it is."""
        with suppress(StoreFull, ReadOnlyStore):
            self._sync.catch_up(whole=False, progress=silent)


def rebuild(root: str | os.PathLike[str], *, progress: Progress = silent, settings: Settings | None = None) -> Synced:
    """Delete the index of a tree and make it again from the files."""
    folder = checks.path("root", root)
    if not folder.is_dir():
        raise NotFound(f"no tree in {folder}; give the folder of a tree")
    _tree(folder).remove_index()
    with MemoryEngine(folder, progress=progress, settings=settings) as engine:
        return engine.opening


def _tree(root: Path) -> Tree:
    return Tree(root, suffix=SUFFIX, ignored=IGNORED)


def _open_mind(tree: Tree, settings: Settings | None) -> Mind:
    try:
        return open_mind(tree.hidden, settings=settings)
    except (DamagedStore, NotAStore) as error:
        raise DamagedStore(f"the index of {tree.root} is damaged ({error}); {REBUILD} to make it again") from error
