"""How the files of a tree become memories: what a user of this package has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mnemic.files.tree import folder_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mnemic.files.disk import FileState
    from mnemic.model.memory import Memory
    from mnemic.model.scope import Scope


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory in a file, and the details that the manifest keeps beside its id."""

    memory: Memory
    details: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One file of a tree: its state, and either the memories in it or what is wrong with it."""

    path: str
    state: FileState
    entries: tuple[Entry, ...] = ()
    problem: str | None = None

    @property
    def folder(self) -> str:
        """Return the folder that the file is in."""
        return folder_of(self.path)

    @property
    def ids(self) -> list[str]:
        """Return the ids of its memories."""
        return [entry.memory.id for entry in self.entries]


class FileFormat(Protocol):
    """How the files of a tree become memories."""

    max_bytes: int
    """The size beyond which a file is not read."""

    keeps_broken: bool
    """Whether the memories of a file that can no longer be read stay as they were; else they are forgotten."""

    where: Mapping[str, Any] | None
    """The filter that selects these memories in the mind; None when the mind holds no others."""

    def read(self, path: str, data: bytes, state: FileState) -> Sequence[Entry]:
        """Return the memories in a file, each with its id; raise InvalidInput when something is wrong."""

    def scope(self, path: str) -> Scope:
        """Return the scope of the memories in a file."""

    def id_of_copy(self, path: str, memory: Memory) -> str:
        """Return another id for a memory whose own belongs to a file elsewhere."""

    def path_of(self, memory: Memory) -> str:
        """Return the path of the file that a memory was read from."""
