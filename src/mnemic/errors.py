"""Everything Mnemic raises on purpose.

MnemicError
├── InvalidInput        an argument is wrong; `.field` names it (also a ValueError)
│   └── WrongType       it is of another type (also a TypeError)
├── NotFound            no memory, link or file with that name (also a LookupError)
│   └── NoSuchIndex     no message at that place (also an IndexError)
├── Conflict            the change collides with what is stored
├── MindClosed          the mind was closed, or belongs to another process
├── ModelError          an embedder, a reranker or a language model
│   ├── ModelMissing    its package or its weights are not here; the message says how to get them
│   ├── DamagedModel    its weights are not the pinned ones
│   ├── ModelUnavailable  its endpoint, or the package index, cannot be reached or answers wrongly
│   └── BudgetSpent     the tokens that it may use are used
└── StoreError          the place where memories are kept
    ├── NotAStore       the path holds something else
    ├── NewerStore      written by a newer Mnemic
    ├── ReadOnlyStore   the folder or file cannot be written
    ├── StoreFull       no space left on the disk
    ├── StoreBusy       another program kept the store locked for too long
    ├── DamagedStore    the file is corrupt
    └── OtherEmbedder   its vectors come from another embedder
"""


class MnemicError(Exception):
    """Be the root of every error Mnemic raises on purpose."""


class InvalidInput(MnemicError, ValueError):
    """Report an argument that is wrong, and how to put it right."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class WrongType(InvalidInput, TypeError):
    """Report an argument of another type."""


class NotFound(MnemicError, LookupError):
    """Report that nothing is stored under a name."""


class NoSuchIndex(NotFound, IndexError):
    """Report that a list has nothing at a place."""


class Conflict(MnemicError):
    """Report a change that collides with what is stored."""


class MindClosed(MnemicError):
    """Report the use of a mind that was closed or inherited from another process."""


class ModelError(MnemicError):
    """Report trouble with an embedder, a reranker or a language model."""


class ModelMissing(ModelError):
    """Report a model whose package or weights are not here."""


class DamagedModel(ModelError):
    """Report weights that are not the pinned ones."""


class ModelUnavailable(ModelError):
    """Report an endpoint or a package index that cannot be reached, or answers wrongly."""


class BudgetSpent(ModelError):
    """Report that a language model has used the tokens it may use."""


class StoreError(MnemicError):
    """Report trouble with the place where memories are kept."""


class NotAStore(StoreError):
    """Report a path that holds something other than a store."""


class NewerStore(StoreError):
    """Report a store written by a newer Mnemic."""


class ReadOnlyStore(StoreError):
    """Report a store that cannot be written."""


class StoreFull(StoreError):
    """Report that the disk has no space left."""


class StoreBusy(StoreError):
    """Report that another program kept the store locked for too long."""


class DamagedStore(StoreError):
    """Report a store whose file is corrupt."""


class OtherEmbedder(StoreError):
    """Report a store whose vectors come from another embedder."""
