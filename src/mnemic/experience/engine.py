"""The engine: remember what worked, what failed and what was learned, and find it again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mnemic.errors import DamagedStore, InvalidInput, MnemicError, NotAStore, NotFound, ReadOnlyStore, StoreFull
from mnemic.experience import drafts
from mnemic.experience.experience import Experience, Recalled
from mnemic.experience.format import IGNORED, SUFFIX, ExperienceFormat, written
from mnemic.experience.manifest import ExperienceManifest, entry_of
from mnemic.experience.route_file import keep_table, table_of
from mnemic.files.format import TreeFile
from mnemic.files.manifest import NAME
from mnemic.files.sync import Sync, Synced
from mnemic.files.tree import Tree
from mnemic.files.verify import finding, verify
from mnemic.mind import utc_now
from mnemic.model import checks
from mnemic.model.filter import Span
from mnemic.ports import silent
from mnemic.wiring import open_mind

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from mnemic.experience.reflection import Reflection
    from mnemic.experience.routes import Routes
    from mnemic.experience.topology import Topology
    from mnemic.model.checks import Json
    from mnemic.model.health import Finding
    from mnemic.model.time import When
    from mnemic.ports import Progress
    from mnemic.wiring import Settings

MAX_LIMIT = 10_000
_TRIES = 5
_REBUILD = "run `mnemic experience sync --rebuild`"


class MemoryEngine:
    """Keep experiences as a tree of small files, and find them by meaning, by route and by time."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        routes: Routes | str | os.PathLike[str] | None = None,
        clock: Callable[[], datetime] = utc_now,
        progress: Progress = silent,
        settings: Settings | None = None,
    ) -> None:
        """Open the tree in a folder, making it when it is not there, and bring its index up to date.

        `routes` is a table of your own, or its file; the tree keeps it. `clock` tells the time, `progress` hears
        how far opening is. What it found changed in the tree stands in `.opening`.
        """
        self._clock = clock
        self._tree = _tree(checks.path("root", root))
        self.routes = table_of(self._tree.root) if routes is None else keep_table(self._tree, routes)
        self._format = ExperienceFormat(self.routes)
        with _rebuildable(self._tree.root):
            self._mind = open_mind(self._tree.hidden, settings=settings)
            try:
                self._manifest = ExperienceManifest(self._tree.hidden / NAME)
                self._sync = Sync(self._tree, self._manifest, self._mind, self._format)
                self.opening = self._sync.start(progress)
            except BaseException:
                self.close()
                raise

    @property
    def root(self) -> Path:
        """Return the folder of the tree."""
        return self._tree.root

    def __enter__(self) -> MemoryEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Have the index learn what is noted, and let go of it; twice is the same as once."""
        with suppress(MnemicError):  # what the index does not learn now, the next opening finds in the tree
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
        """Keep an experience and return its file; when this returns, it is on the disk and can be found."""
        fields = {"content": content, "outcome": outcome, "tool": tool, "summary": summary, "occurred_at": occurred_at}
        experience = drafts.checked({**metadata, **fields}, self.routes, self._clock())
        if self._sync.is_behind():
            self._sync.take_pending()
        (path,) = self._write([experience])
        return path

    def remember_many(self, experiences: Iterable[Mapping[str, Any]], *, progress: Progress = silent) -> list[Path]:
        """Keep many experiences, told as dicts; return their files.

        A list is checked as a whole before anything is stored. What comes from an iterator is checked and stored a
        batch at a time, and the batches before a wrong one stay.
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
            paths += self._keep(batch)
            progress("remembering", len(paths), total)
        return paths

    def _keep(self, experiences: Sequence[Experience]) -> list[Path]:
        """Write the files, then teach the index; if either fails, there are none."""
        paths = self._write(experiences)
        try:
            self._sync.take_pending()
        except BaseException:
            with suppress(MnemicError):  # the first error is the one to tell
                self._tree.remove([self._tree.inside(path) for path in paths])
                self._sync.forget({one.path: [one.memory_id] for one in experiences})
            raise
        return paths

    def _write(self, experiences: Sequence[Experience]) -> list[Path]:
        """Write the files, all or none, and note them for the index."""
        self._manifest.check_usable()
        for tries_left in reversed(range(_TRIES)):
            try:
                states = self._tree.write([(one.path, written(one)) for one in experiences])
                break
            except FileExistsError:
                if not tries_left:
                    raise
                experiences = [
                    dataclasses.replace(one, path=drafts.new_path(one.place, one.summary, one.began_at))
                    for one in experiences
                ]
        pairs = zip(experiences, states, strict=True)
        self._sync.note([TreeFile(one.path, state, (entry_of(one),)) for one, state in pairs])
        return [self._tree.root / one.path for one in experiences]

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
        places = self.routes.narrowed(outcome=outcome, tool=tool, keys=keys)
        since = None if since is None else checks.when("since", since)
        until = None if until is None else checks.when("until", until)
        checks.whole("limit", limit, least=1, most=MAX_LIMIT)
        if query is not None:
            checks.text("query", query)
        elif min_score is not None:
            raise InvalidInput("min_score", "needs a query; a route and a time alone give no score")
        self._catch_up()
        if query is None:
            newest = self._manifest.newest(places, since=_first(since), until=_last(until), limit=limit)
            found = [Recalled(one) for one in self._experiences([id for _, id in newest])]
        else:
            where = _filter(outcome, tool, keys, since, until)
            hits = self._mind.recall(query, everywhere=True, where=where or None, limit=limit, min_score=min_score)
            found = [Recalled(Experience.from_memory(hit.memory), hit.score, hit.reasons) for hit in hits]
        return [one for one in found if self._tree.exists(one.experience.path)]

    def _experiences(self, ids: Sequence[str]) -> list[Experience]:
        """Return the experiences with these ids, but for those that are forgotten meanwhile."""
        found = []
        for id in ids:
            with suppress(NotFound):
                found.append(Experience.from_memory(self._mind.get(id)))
        return found

    def read(self, path: str | os.PathLike[str]) -> Experience:
        """Return the experience in a file."""
        file = self._sync.read(inside := self._tree.inside(path))
        if file is None or file.problem:
            raise InvalidInput("path", f"{inside}: {file.problem if file else 'no such file'}")
        (entry,) = file.entries
        return Experience.from_memory(entry.memory)

    def count(self) -> int:
        """Count the experiences."""
        self._catch_up()
        return self._manifest.count()

    def reflect(self) -> Reflection:
        """Look back: how things went, where they fail, what works, and what was learned."""
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

        The index keeps the history of what is forgotten, unless `purge` erases that too.
        """
        narrowed = before is not None or outcome is not None or tool is not None or bool(keys)
        given = sum((path is not None, narrowed, checks.flag("everything", everything)))
        if given != 1:
            problem = "does not go with the rest; give one of them" if given else "is missing; give one"
            raise InvalidInput("path", f"{problem}: a path, a route or time, or `everything` to empty the tree")
        checks.flag("purge", purge)
        end = None if before is None else _first(checks.when("before", before))
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
            raise InvalidInput("path", f"{paths[0]} is not there")
        return removed

    def sync(self, *, progress: Progress = silent) -> Synced:
        """Look at every file and bring the index up to date with them; return what was new."""
        return self._sync.catch_up(whole=True, progress=progress)

    def verify(self, *, progress: Progress = silent) -> list[Finding]:
        """Compare every file with the index, and the index with itself."""
        synced = self.sync(progress=progress)
        checked = verify(self._sync, self._manifest, self._format, synced, rebuild=_REBUILD, progress=progress)
        misfiled = [f"{path} says {folder}" for path, folder in self._manifest.misfiled()]
        folders = finding("folders", misfiled, "move them, or edit their front matter")
        return [*checked, folders, *self._mind.doctor(progress=progress)]

    def _catch_up(self) -> None:
        """Bring the index up to date; one that cannot be written answers from what it has."""
        with suppress(StoreFull, ReadOnlyStore):
            self._sync.catch_up(whole=False, progress=silent)


def rebuild(root: str | os.PathLike[str], *, progress: Progress = silent, settings: Settings | None = None) -> Synced:
    """Throw the index of a tree away and make it again from the files."""
    folder = checks.path("root", root)
    if not folder.is_dir():
        raise NotFound(f"no tree in {folder} to make an index of")
    _tree(folder).remove_index()
    with MemoryEngine(folder, progress=progress, settings=settings) as engine:
        return engine.opening


def _tree(root: Path) -> Tree:
    return Tree(root, suffix=SUFFIX, ignored=IGNORED)


@contextmanager
def _rebuildable(root: Path) -> Iterator[None]:
    """Say how to make a damaged index again."""
    try:
        yield
    except (DamagedStore, NotAStore) as error:
        raise DamagedStore(f"the index of {root} is damaged ({error}); {_REBUILD} to make it again") from error


def _filter(
    outcome: str | None, tool: str | None, keys: Mapping[str, str], since: When | None, until: When | None
) -> dict[str, Any]:
    """Return the filter by which the mind narrows a search to a route and a span of time."""
    where: dict[str, Any] = {"category": outcome, "metadata.tool": tool}
    for key, value in keys.items():
        where |= {"metadata.key": key, "metadata.value": value}
    span = {name: bound for name, bound in (("gte", since), ("lte", until)) if bound is not None}
    where["occurred_at"] = span or None
    return {name: test for name, test in where.items() if test is not None}


def _first(when: When | None) -> str | None:
    return None if when is None else Span.of(when).first


def _last(when: When | None) -> str | None:
    return None if when is None else Span.of(when).last
