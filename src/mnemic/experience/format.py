"""An experience as a small Markdown file: its route, time and summary above, its content below."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput
from mnemic.experience.experience import Experience, day_in_name, id_of_path
from mnemic.experience.manifest import entry_of
from mnemic.experience.routes import RESERVED, Place
from mnemic.experience.summary import checked_summary, made_summary
from mnemic.files import document
from mnemic.model import checks
from mnemic.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemic.experience.routes import Routes
    from mnemic.files.disk import FileState
    from mnemic.files.format import Entry
    from mnemic.model.memory import Memory

SUFFIX = ".md"
IGNORED = frozenset({"README.md"})


class ExperienceFormat:
    """How the files of an experience tree become memories: one in each file."""

    max_bytes = document.MAX_BYTES
    keeps_broken = False
    where: Mapping[str, Any] | None = None

    def __init__(self, routes: Routes) -> None:
        self._routes = routes

    def read(self, path: str, data: bytes, state: FileState) -> list[Entry]:
        """Return the experience in a file; the folder decides its route, else its front matter."""
        fields, content = document.read(data)
        folder = PurePosixPath(path).parent.as_posix()
        metadata = {key: value for key, value in fields.items() if key not in RESERVED}
        named: Place | None = None
        if "outcome" in fields:
            named = self._routes.place(fields["outcome"], fields.get("tool"), metadata)
        place = self._routes.in_folder(folder) or named
        if place is None:
            raise InvalidInput("path", f"{folder} is not a folder of the table, and no front matter names the route")
        summary, memory_id = fields.get("summary"), fields.get("memory_id")
        experience = Experience(
            content=content,
            place=place,
            summary=made_summary(content, default=place.folder.rpartition("/")[2])
            if summary is None
            else checked_summary(summary),
            occurred_at=checks.when("occurred_at", _time(path, fields, state)),
            metadata=checks.metadata({key: value for key, value in metadata.items() if key not in self._routes.keys}),
            memory_id=id_of_path(path) if memory_id is None else checks.identifier("memory_id", memory_id),
            path=path,
        )
        return [entry_of(experience, belongs_in=named.folder if named and named.folder != folder else None)]

    def scope(self, path: str) -> Scope:  # noqa: ARG002
        """Return the scope of all experiences: they belong to no one."""
        return Scope()

    def id_of_copy(self, path: str, memory: Memory) -> str:  # noqa: ARG002
        """Return the id of an experience whose file is a copy of another."""
        return id_of_path(path)

    def path_of(self, memory: Memory) -> str:
        """Return the path of the file of an experience."""
        return Experience.from_memory(memory).path


def written(experience: Experience) -> bytes:
    """Return the file of an experience."""
    return document.written(experience.front_matter(), experience.content)


def _time(path: str, fields: Mapping[str, Any], state: FileState) -> object:
    """Return when an experience happened: as its front matter says, else its file's name, else its file's time."""
    named = fields.get("occurred_at") or day_in_name(PurePosixPath(path).name)
    return datetime.fromtimestamp(state.mtime_ns / 1e9, UTC) if named is None else named
