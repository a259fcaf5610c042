"""A mind as one agent may see it: nothing outside the scope that was fixed at the start."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput, NotFound
from mnemic.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.mind import Mind
    from mnemic.model.hit import Hit, Page
    from mnemic.model.memory import Change, Memory, Remembered

MOST_FORGOTTEN = 100
"""How many memories one call may forget."""

MOST_NAMED = 50
"""How many categories and sources the statistics name, the most frequent ones."""


class View:
    """Read and change the memories of one scope."""

    def __init__(self, mind: Mind, scope: Scope) -> None:
        self._mind = mind
        self._scope = scope
        keys = {"agent": scope.agent, "user": scope.user, "session": scope.session}
        self.keys: dict[str, Any] = {key: name for key, name in keys.items() if name is not None}

    def remember(self, text: str, *, supersedes: str | None, **fields: Any) -> Remembered:  # noqa: ANN401
        """Keep a memory; with `supersedes`, close the older one it replaces."""
        old = None if supersedes is None else self.get(supersedes)
        if old is not None:
            self._check_closable(old, text)
        remembered = self._mind.remember(text, **self.keys, **fields)
        if old is not None:
            self._mind.supersede(old.id, remembered.memory.id)
        return remembered

    def recall(self, query: str, **options: Any) -> list[Hit]:  # noqa: ANN401
        """Find the memories that answer a question."""
        return self._mind.recall(query, **self.keys, **options)

    def page(self, *, size: int, after: str | None, **options: Any) -> Page | None:  # noqa: ANN401
        """Return some memories in the order of their arrival; None when there are no more."""
        return next(self._mind.pages(**self.keys, size=size, after=after, **options), None)

    def get(self, id: str) -> Memory:
        """Return a memory; one outside the scope is not there."""
        memory = self._mind.get(id)
        if not self._scope.covers(memory.scope):
            raise _missing(memory.id)
        return memory

    def history(self, id: str) -> list[Change]:
        """Return every change of a memory, also after it was forgotten."""
        changes = self._mind.history(id)
        self._check_history(id, changes)
        return changes

    def revise(self, id: str, *, expect: int | None, **changes: Any) -> Memory:  # noqa: ANN401
        """Change fields of a memory."""
        return self._mind.revise(self.get(id).id, expect=expect, **changes)

    def forgettable(self, id: str | None, where: dict[str, Any] | None) -> list[Memory]:
        """Return what would be forgotten by an id or a filter."""
        if (id is None) == (where is None):
            problem = "is missing, and so is where; give one" if id is None else "is given beside where; leave one out"
            raise InvalidInput("id", f"{problem}, an id or a filter")
        if where == {}:
            raise InvalidInput("where", "is empty; name what to forget")
        if id is not None:
            return [self.get(id)]
        page = self.page(size=MOST_FORGOTTEN, after=None, where=where, include_superseded=True)
        if page is None:
            return []
        if page.next is not None:
            count = self._mind.count(**self.keys, where=where, include_superseded=True)
            raise InvalidInput(
                "where", f"selects {count:,} memories, but one call forgets at most {MOST_FORGOTTEN}; narrow the filter"
            )
        return list(page)

    def forget(self, ids: Sequence[str]) -> int:
        """Forget memories that `forgettable` returned."""
        return self._mind.forget(**self.keys, where={"id": {"in": list(ids)}})

    def unforget(self, id: str) -> Memory:
        """Bring a forgotten memory back."""
        self.history(id)
        return self._mind.unforget(id)

    def stats(self) -> dict[str, Any]:
        """Count the memories of the scope, and those of each tier and of the most frequent categories and sources."""
        current = self._mind.count(**self.keys)
        return {
            "memories": current,
            "ended": self._mind.count(**self.keys, include_superseded=True) - current,
            **{f"by_{field}": self._tally(field) for field in ("tier", "category", "source")},
        }

    def _tally(self, field: str) -> dict[str, int]:
        counted = self._mind.tally(field, **self.keys)
        return dict(islice(((name, count) for name, count in counted.items() if name is not None), MOST_NAMED))

    def _check_closable(self, old: Memory, text: str) -> None:
        """Refuse what could not be closed by a text before the text is stored; the same call again is welcome."""
        if old.text == text:
            raise InvalidInput("supersedes", f"names {old.id}, which says the same; nothing was stored")
        if old.superseded_by is not None and self._mind.get(old.superseded_by).text != text:
            raise InvalidInput(
                "supersedes",
                f"names {old.id}, which {old.superseded_by} superseded already; name that one, nothing was stored",
            )

    def _check_history(self, id: str, changes: Sequence[Change]) -> None:
        births = [change.after for change in changes if change.kind == "created"]
        if not births or not self._scope.covers(_scope_of(births[-1])):
            raise _missing(id)


def _scope_of(told: dict[str, Any]) -> Scope:
    return Scope(told["agent"], told["user"], told["session"])


def _missing(id: str) -> NotFound:
    return NotFound(f"no memory {id}; it was never stored, or it is forgotten")
