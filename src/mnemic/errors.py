"""Everything Mnemic raises on purpose.

MnemicError
├── InvalidInput          an argument is wrong; `.field` names it (also a ValueError)
│   ├── WrongType         it has the wrong type (also a TypeError)
│   └── WrongFile         lines of an import file are wrong; `.problems` lists them
├── WrongDataset          entries of a dataset break a rule; `.problems` lists them
├── NotFound              no memory, link or file has that name (also a LookupError)
│   └── NoSuchIndex       no message has that index (also an IndexError)
├── Conflict              the change conflicts with what is stored
├── MindClosed            the mind was closed, or belongs to another process
├── ModelError            an embedder, a reranker or a language model failed
│   ├── ModelMissing      its package or weights are not installed; the message says how to get them
│   ├── DamagedModel      its weights are not the pinned ones
│   ├── ModelUnavailable  its endpoint, or the package index, cannot be reached or answers wrongly
│   └── BudgetSpent       its token budget is used up
└── StoreError            the store failed
    ├── NotAStore         the path holds something else
    ├── NewerStore        it was written by a newer Mnemic
    ├── ReadOnlyStore     the folder or file cannot be written
    ├── StoreFull         the disk is full
    ├── StoreBusy         another program kept the store locked for too long
    ├── DamagedStore      the file is corrupt
    ├── OtherEmbedder     its vectors come from another embedder
    └── LinkInTheWay      a symbolic link stands where a folder should be
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class MnemicError(Exception):
    """The root of every error Mnemic raises on purpose."""

    problems: Sequence[str] = ()
    """Each problem on its own, where an error reports several."""


class InvalidInput(MnemicError, ValueError):
    """An argument that is wrong, and how to correct it."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class WrongType(InvalidInput, TypeError):
    """An argument of the wrong type."""


class WrongFile(InvalidInput):
    """An import file, with everything that is wrong in it."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("file", "; ".join(problems))
        self.problems = tuple(problems)


class WrongDataset(MnemicError):
    """A dataset that cannot be loaded, with every rule it breaks."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class NotFound(MnemicError, LookupError):
    """A name under which nothing is stored."""


class NoSuchIndex(NotFound, IndexError):
    """An index outside of a list."""


class Conflict(MnemicError):
    """A change that conflicts with what is stored."""


class MindClosed(MnemicError):
    """The use of a mind that was closed or inherited from another process."""


class ModelError(MnemicError):
    """A failure of an embedder, a reranker or a language model."""


class ModelMissing(ModelError):
    """A model whose package or weights are not installed."""


class DamagedModel(ModelError):
    """Weights that are not the pinned ones."""


class ModelUnavailable(ModelError):
    """An endpoint or a package index that cannot be reached, or answers wrongly."""


class BudgetSpent(ModelError):
    """A language model whose token budget is used up."""


class StoreError(MnemicError):
    """A failure of the place where memories are stored."""


class NotAStore(StoreError):
    """A path that holds something other than a store."""


class NewerStore(StoreError):
    """A store written by a newer Mnemic."""


class ReadOnlyStore(StoreError):
    """A store that cannot be written."""


class StoreFull(StoreError):
    """A disk without free space."""


class StoreBusy(StoreError):
    """A store that another program kept locked for too long."""


class DamagedStore(StoreError):
    """A store whose file is corrupt."""


class OtherEmbedder(StoreError):
    """A store whose vectors come from another embedder."""


class LinkInTheWay(StoreError):
    """A symbolic link where a folder should be."""


def with_extra(extra: str) -> str:
    """Return how to install Mnemic with one of its extras."""
    return f"install Mnemic with its extra {extra!r}: `python3 -m pip install '.[{extra}]'` in a copy of its repository"
