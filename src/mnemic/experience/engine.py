"""The engine: remember what worked, what failed and what was learned, and find it again."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from mnemic.errors import (
    Conflict,
    DamagedStore,
    InvalidInput,
    MnemicError,
    NotAStore,
    NotFound,
    ReadOnlyStore,
    StoreFull,
)
from mnemic.experience import document
from mnemic.experience.experience import Experience, Recalled
from mnemic.experience.manifest import NAME, File, Manifest
from mnemic.experience.routes import RESERVED, ROUTES, Routes
from mnemic.experience.summary import checked_summary, made_summary
from mnemic.experience.sync import Sync, Synced
from mnemic.experience.tree import SUFFIX, Tree
from mnemic.mind import utc_now
from mnemic.model import checks
from mnemic.model.filter import Span
from mnemic.model.ids import new_id
from mnemic.model.memory import start_of
from mnemic.ports import silent
from mnemic.wiring import open_mind

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from mnemic.experience.reflection import Reflection
    from mnemic.experience.routes import Place
    from mnemic.experience.topology import Topology
    from mnemic.mind import Mind
    from mnemic.model.checks import Json, When
    from mnemic.model.health import Finding
    from mnemic.ports import Progress

TABLE = "routes.json"
MAX_LIMIT = 10_000
_BATCH = 2_000
_BATCH_CHARACTERS = 8_000_000
_TRIES = 5


class MemoryEngine:
    """Keep experiences as a tree of small files, and find them by meaning, by route and by time."""

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        routes: Routes | str | os.PathLike[str] | None = None,
        clock: Callable[[], datetime] = utc_now,
        progress: Progress = silent,
    ) -> None:
        """Open the tree in a folder, making it when it is not there, and bring its index up to date.

        `routes` is a table of your own, or its file; the tree keeps it. `clock` tells the time, `progress` hears
        how far opening is. What it found changed in the tree stands in `.opening`.
        """
        self._clock = clock
        self._tree = Tree(checks.path("root", root))
        self.routes = table_of(self._tree.root) if routes is None else _keep_table(self._tree, routes)
        self._mind = self._opened_mind()
        try:
            self._manifest = Manifest(self._tree.hidden / NAME)
            self._syncing = Sync(self._tree, self._manifest, self._mind, self.routes)
            self.opening = self._syncing.catch_up(whole=True, progress=progress)
            if self._syncing.lost():
                self._manifest.clear()
                self.opening = self._syncing.catch_up(whole=True, progress=progress)
                self._syncing.forget_strays()
        except BaseException:
            self.close()
            raise

    def _opened_mind(self) -> Mind:
        try:
            return open_mind(self._tree.hidden)
        except (DamagedStore, NotAStore) as error:
            remedy = "`mnemic experience sync --rebuild` makes it again from the tree"
            raise DamagedStore(f"the index of {self._tree.root} is damaged ({error}); {remedy}") from error

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
            if hasattr(self, "_syncing"):
                self._syncing.take_noted()
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
        told = {"content": content, "outcome": outcome, "tool": tool, "summary": summary, "occurred_at": occurred_at}
        experience = self._experience({**metadata, **told})
        if self._syncing.is_behind():
            self._syncing.take_noted()
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
            for number, told in enumerate(experiences):
                self._checked(number, told)
        paths: list[Path] = []
        for batch in self._batches(experiences):
            paths += self._keep(batch)
            progress("remembering", len(paths), total)
        return paths

    def _batches(self, given: Iterable[Mapping[str, Any]]) -> Iterator[list[Experience]]:
        batch: list[Experience] = []
        characters = 0
        for number, told in enumerate(given):
            batch.append(self._checked(number, told))
            characters += len(batch[-1].content)
            if len(batch) == _BATCH or characters > _BATCH_CHARACTERS:
                yield batch
                batch, characters = [], 0
        if batch:
            yield batch

    def _checked(self, number: int, told: object) -> Experience:
        try:
            if not isinstance(told, Mapping):
                raise InvalidInput("experience", f"must be a dict, not {checks.shown(told)}")
            return self._experience(told)
        except InvalidInput as error:
            raise InvalidInput(f"experiences[{number}].{error.field}", error.problem) from None

    def _experience(self, told: Mapping[str, Any]) -> Experience:
        """Check what was told against the table, and give it an id and a path."""
        metadata = {key: value for key, value in told.items() if key not in RESERVED}
        if "memory_id" in told:
            raise InvalidInput("memory_id", "is given by the engine; leave it out")
        content = checks.text("content", told.get("content"))
        place = self.routes.place(told.get("outcome"), told.get("tool"), metadata)
        now = self._clock()
        occurred_at = checks.when("occurred_at", now if told.get("occurred_at") is None else told["occurred_at"])
        summary = told.get("summary")
        if summary is None:
            summary = made_summary(content, otherwise=place.folder.rpartition("/")[2])
        else:
            checked_summary(summary)
        return Experience(
            content=content,
            place=place,
            summary=summary,
            occurred_at=occurred_at,
            metadata=checks.metadata({key: value for key, value in metadata.items() if key != place.key}),
            memory_id=new_id(now),
            path=_free_path(place, summary, start_of(occurred_at)),
        )

    def _keep(self, experiences: Sequence[Experience]) -> list[Path]:
        """Write the files, then teach the index; if either fails, there are none."""
        paths = self._write(experiences)
        try:
            self._syncing.take_noted()
        except BaseException:
            with suppress(MnemicError):  # the first error is the one to tell
                self._tree.remove([self._tree.inside(path) for path in paths])
                self._syncing.forget([one.memory_id for one in experiences])
            raise
        return paths

    def _write(self, experiences: Sequence[Experience]) -> list[Path]:
        """Write the files, all or none, and note them for the index."""
        self._manifest.check_usable()
        for tries_left in reversed(range(_TRIES)):
            try:
                states = self._tree.write([(one.path, _bytes(one)) for one in experiences])
                break
            except FileExistsError:
                if not tries_left:
                    raise
                experiences = [
                    dataclasses.replace(one, path=_free_path(one.place, one.summary, one.began_at))
                    for one in experiences
                ]
        self._syncing.note(
            [
                File(one.path, one.place.folder, state, one, one.place.folder)
                for one, state in zip(experiences, states, strict=True)
            ]
        )
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
        file = self._syncing.read(inside := self._tree.inside(path))
        if file is None or file.experience is None:
            raise InvalidInput("path", f"{inside}: {file.problem if file else 'no such file'}")
        return file.experience

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
            self._syncing.catch_up(whole=False, progress=silent)
        else:
            self._catch_up()
        if path is not None:
            paths = [self._tree.inside(path)]
        else:
            places = self.routes.narrowed(outcome=outcome, tool=tool, keys=keys)
            paths = [path for path, _ in self._manifest.newest(places, before=end)]
        removed = self._syncing.remove(paths, purge=purge)
        if path is not None and not removed:
            raise InvalidInput("path", f"{paths[0]} is not there")
        return removed

    def sync(self, *, progress: Progress = silent) -> Synced:
        """Look at every file and bring the index up to date with them; return what was new."""
        return self._syncing.catch_up(whole=True, progress=progress)

    def verify(self, *, progress: Progress = silent) -> list[Finding]:
        """Compare every file with the index, and the index with itself."""
        synced = self.sync(progress=progress)
        return [*self._syncing.verify(synced, progress=progress), *self._mind.doctor(progress=progress)]

    def _catch_up(self) -> None:
        """Bring the index up to date; one that cannot be written answers from what it has."""
        with suppress(StoreFull, ReadOnlyStore):
            self._syncing.catch_up(whole=False, progress=silent)


def rebuild(root: str | os.PathLike[str], *, progress: Progress = silent) -> Synced:
    """Throw the index of a tree away and make it again from the files."""
    folder = checks.path("root", root)
    if not folder.is_dir():
        raise NotFound(f"no tree in {folder} to make an index of")
    Tree(folder).set_index_aside()
    with MemoryEngine(folder, progress=progress) as engine:
        return engine.opening


def read_table(path: str | os.PathLike[str]) -> Routes:
    """Read a table from a file, JSON or TOML: a list `routes` of outcome, tool, key and values."""
    file = checks.path("routes", path)
    try:
        text = file.read_text(encoding="utf-8")
        given = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput("routes", f"{file} cannot be read as a table: {error}") from None
    return Routes.from_list(given.get("routes") if isinstance(given, dict) else given)


def table_of(root: Path) -> Routes:
    """Return the table of a tree."""
    kept = root / TABLE
    return read_table(kept) if kept.exists() else ROUTES


def _keep_table(tree: Tree, given: Routes | str | os.PathLike[str]) -> Routes:
    """Return a table that is given, which a new tree keeps and any other must have."""
    table = given if isinstance(given, Routes) else read_table(given)
    kept = tree.root / TABLE
    is_filed = any(not entry.name.startswith(".") for entry in tree.root.iterdir())
    if not kept.exists() and table != ROUTES:  # after the look at the rest: another program keeps its table first
        if is_filed:
            raise Conflict(f"{tree.root} is filed by the built-in table; give a table of your own to a new tree")
        with suppress(FileExistsError):  # another program was quicker
            tree.write([(TABLE, json.dumps({"routes": table.to_list()}, indent=1).encode() + b"\n")])
    if table_of(tree.root) != table:
        raise Conflict(f"the tree has a table of its own in {kept}, which is not the one given; leave one of them out")
    return table


def _free_path(place: Place, summary: str, began_at: datetime) -> str:
    """Return a path that nobody else has, as far as can be known before it is taken."""
    return f"{place.folder}/{began_at.date().isoformat()}_{summary}_{token_hex(4)}{SUFFIX}"


def _bytes(experience: Experience) -> bytes:
    return document.written(experience.front_matter(), experience.content)


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
