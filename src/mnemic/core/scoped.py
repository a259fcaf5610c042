"""ScopedMind: a mind restricted to one scope."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput, NotFound
from mnemic.model import checks
from mnemic.model.draft import Draft
from mnemic.model.scope import KEYS, Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from mnemic.mind import Mind
    from mnemic.model.change import Change, Link
    from mnemic.model.checks import Json
    from mnemic.model.hit import Explanation, Hit, Page
    from mnemic.model.memory import Memory, Remembered, Tier
    from mnemic.model.time import When


def keys_of(scope: Scope | None) -> dict[str, Any]:
    """Return a scope as arguments for a mind's methods; None means everywhere."""
    if scope is None:
        return {"everywhere": True}
    return {key: name for key in KEYS if (name := getattr(scope, key)) is not None}


class ScopedMind:
    """A mind restricted to one scope: the same methods, for which memories outside the scope do not exist."""

    def __init__(self, mind: Mind, scope: Scope, *, without: Iterable[str] = ()) -> None:
        """Restrict a mind to a scope, and to memories without the keys in `without`.

        `Scope(agent="sage")` includes Sage's memories about every user; `without=["user"]` excludes those.
        """
        self.mind = mind
        self.scope = scope
        self.keys: dict[str, Any] = keys_of(scope)
        self._without = tuple(without)

    @classmethod
    def exactly(cls, mind: Mind, scope: Scope) -> ScopedMind:
        """Restrict a mind to exactly one scope: for a user, without the memories of their sessions."""
        return cls(mind, scope, without=[key for key in KEYS if getattr(scope, key) is None])

    # Remembering

    def remember(
        self,
        text: str,
        *,
        tier: Tier = "long_term",
        category: str | None = None,
        importance: float | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Json] | None = None,
        source: str | None = None,
        occurred_at: When | str | None = None,
        expires_at: datetime | str | None = None,
        id: str | None = None,
        supersedes: str | None = None,
    ) -> Remembered:
        """Store a memory; with `supersedes`, close the older memory that it replaces."""
        old = None if supersedes is None else self.get(supersedes)
        if old is not None:
            self._check_closable(old, text)
        remembered = self.mind.remember(
            text,
            tier=tier,
            category=category,
            importance=importance,
            tags=tags,
            metadata=metadata,
            source=source,
            occurred_at=occurred_at,
            expires_at=expires_at,
            id=id,
            **self.keys,
        )
        if old is not None:
            self.mind.supersede(old.id, remembered.memory.id)
        return remembered

    def remember_many(self, drafts: Iterable[Draft | Mapping[str, Any]]) -> list[Remembered]:
        """Store many memories at once, all or none; a draft without a scope gets this scope."""
        if isinstance(drafts, (str, bytes, Mapping)) or not isinstance(drafts, Iterable):
            raise InvalidInput("drafts", f"must be a list of dicts or Draft values, not {checks.shown(drafts)}")
        return self.mind.remember_many([self._draft(index, draft) for index, draft in enumerate(drafts)])

    def _draft(self, index: int, draft: Any) -> Any:  # noqa: ANN401 - the mind refuses what is no draft
        if not isinstance(draft, (Draft, Mapping)):
            return draft
        keys = keys_of(draft.scope) if isinstance(draft, Draft) else {key: draft[key] for key in KEYS if key in draft}
        if not keys:
            return dataclasses.replace(draft, **self.keys) if isinstance(draft, Draft) else {**draft, **self.keys}
        if not self._sees(Scope(**keys)):
            raise InvalidInput(f"drafts[{index}]", "names another scope; leave agent, user and session out")
        return draft

    def _check_closable(self, old: Memory, text: str) -> None:
        """Refuse a memory that the text cannot supersede, before anything is stored; a repeated call is fine."""
        if old.text == text:
            raise InvalidInput("supersedes", f"names {old.id}, which says the same; nothing was stored")
        if old.superseded_by is None:
            return
        if not self._contains(old.superseded_by):
            raise InvalidInput("supersedes", f"names {old.id}, which is superseded already; nothing was stored")
        if self.get(old.superseded_by).text != text:
            raise InvalidInput(
                "supersedes",
                f"names {old.id}, which {old.superseded_by} superseded already; name that one, nothing was stored",
            )

    # Recalling

    def recall(
        self,
        query: str,
        *,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        limit: int = 10,
        min_score: float | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
        rerank: bool = False,
    ) -> list[Hit]:
        """Find the memories that answer a query, best first."""
        return self.mind.recall(
            query,
            tier=tier,
            where=self._where(where),
            limit=limit,
            min_score=min_score,
            as_of=as_of,
            include_superseded=include_superseded,
            rerank=rerank,
            **self.keys,
        )

    def context(
        self,
        query: str,
        *,
        budget: int,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | str | None = None,
        rerank: bool = False,
    ) -> str:
        """Return recalled memories as prompt text within a budget of tokens."""
        return self.mind.context(
            query, budget=budget, tier=tier, where=self._where(where), as_of=as_of, rerank=rerank, **self.keys
        )

    def explain(
        self,
        query: str,
        id: str,
        *,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        limit: int = 10,
        min_score: float | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
    ) -> Explanation:
        """Explain why a memory was, or was not, recalled for a query."""
        return self.mind.explain(
            query,
            self.get(id).id,
            tier=tier,
            where=self._where(where),
            limit=limit,
            min_score=min_score,
            as_of=as_of,
            include_superseded=include_superseded,
            **self.keys,
        )

    # Reading

    def get(self, id: str) -> Memory:
        """Return the memory with an id."""
        memory = self.mind.get(id)
        if not self._sees(memory.scope):
            raise _missing(memory.id)
        return memory

    def history(self, id: str) -> list[Change]:
        """Return every change of a memory, oldest first, also after it was forgotten."""
        visible: list[Change] = []
        is_visible = False
        for change in self.mind.history(id):
            if change.kind == "created":  # an id that was forgotten may have come back in another scope
                is_visible = self._sees(Scope(*(change.after[key] for key in KEYS)))  # type: ignore[arg-type]
            if is_visible:
                visible.append(change)
        if not is_visible:
            raise _missing(id)
        return visible

    def count(
        self,
        *,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
    ) -> int:
        """Count memories."""
        return self.mind.count(
            tier=tier, where=self._where(where), as_of=as_of, include_superseded=include_superseded, **self.keys
        )

    def tally(self, field: str, *, include_superseded: bool = False) -> dict[str | None, int]:
        """Count memories by agent, user, session, tier, category or source."""
        return self.mind.tally(field, where=self._where(None), include_superseded=include_superseded, **self.keys)

    def pages(
        self,
        *,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
        size: int = 100,
        after: str | None = None,
    ) -> Iterator[Page]:
        """Iterate over memories in order of arrival; `after` continues from a page's `.next`."""
        return self.mind.pages(
            tier=tier,
            where=self._where(where),
            as_of=as_of,
            include_superseded=include_superseded,
            size=size,
            after=after,
            **self.keys,
        )

    def links(self, id: str, *, relation: str | None = None) -> list[Link]:
        """Return the links between a memory and others in the scope."""
        chosen = {} if relation is None else {"relation": relation}
        id = self.get(id).id
        links = self.mind.links(id, **chosen)
        return [link for link in links if self._contains(link.to_id if link.from_id == id else link.from_id)]

    # Changing

    def revise(self, /, id: str, *, expect: int | None = None, **changes: Any) -> Memory:  # noqa: ANN401
        """Change fields of a memory; with `expect`, only if its revision is still that."""
        return self.mind.revise(self.get(id).id, expect=expect, **changes)

    def supersede(self, old_id: str, new_id: str, *, at: When | str | None = None) -> Memory:
        """Close an older memory with a newer one."""
        return self.mind.supersede(self.get(old_id).id, self.get(new_id).id, at=at)

    def unsupersede(self, id: str) -> Memory:
        """Open a superseded memory again."""
        return self.mind.unsupersede(self.get(id).id)

    def forget(self, id: str | None = None, *, where: Mapping[str, Any] | None = None, purge: bool = False) -> int:
        """Forget a memory, those of a filter, or all of the scope; return how many."""
        if id is None and where is None and self.scope.is_nobody:
            raise InvalidInput("where", "is missing; give an id or a filter to forget memories that belong to no one")
        if id is not None:
            only = {"id": checks.identifier("id", id)}
            where = only if where is None else {"and": [only, where]}
        forgotten = self.mind.forget(where=self._where(where), purge=purge, **self.keys)
        if id is not None and not forgotten:
            raise _missing(id)
        return forgotten

    def unforget(self, id: str) -> Memory:
        """Bring a forgotten memory back."""
        self.history(id)
        return self.mind.unforget(id)

    def link(self, from_id: str, to_id: str, relation: str) -> Link:
        """Link one memory to another."""
        return self.mind.link(self.get(from_id).id, self.get(to_id).id, relation)

    def unlink(self, from_id: str, to_id: str, relation: str) -> None:
        """Remove a link between two memories."""
        self.mind.unlink(self.get(from_id).id, self.get(to_id).id, relation)

    def _sees(self, scope: Scope) -> bool:
        return self.scope.covers(scope) and all(getattr(scope, key) is None for key in self._without)

    def _contains(self, id: str) -> bool:
        try:
            self.get(id)
        except NotFound:
            return False
        return True

    def _where(self, where: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        absent = {key: {"exists": False} for key in self._without}
        if not absent:
            return where
        return absent if where is None else {"and": [where, absent]}


def _missing(id: str) -> NotFound:
    return NotFound(f"no memory {id}; it was never stored, or it is forgotten")
