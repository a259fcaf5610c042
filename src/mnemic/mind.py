"""The Mind: remember, recall, revise, forget, and read the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mnemic.core.change import Changer, missing
from mnemic.core.recall import MAX_LIMIT, Recaller
from mnemic.core.remember import adopt, checked_drafts, record_of, remember
from mnemic.errors import InvalidInput, StoreError
from mnemic.model import checks
from mnemic.model import filter as filters
from mnemic.model.draft import Draft, checked_tier
from mnemic.model.embedding import EmbeddingModel
from mnemic.model.filter import Selection
from mnemic.model.hit import Explanation, Hit, Page
from mnemic.model.scope import UNSET, Name, Scope, search_scope
from mnemic.ports import Maintenance, silent
from mnemic.rules import history, prompt

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from mnemic.model.change import Change, Link, Record, Use
    from mnemic.model.checks import Json
    from mnemic.model.health import Finding
    from mnemic.model.memory import Memory, Remembered, Tier
    from mnemic.model.time import When
    from mnemic.ports import Embedder, Progress, Reranker, Store


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Mind:
    """A store of memories that can be recalled by a query and kept up to date."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Open the mind in a folder, creating it if needed; ":memory:" keeps it in memory.

        `embedder` turns text into vectors, by default the bundled one. `reranker` is used by `recall(…, rerank=True)`.
        `clock` returns the current time; pass one to replay the past.
        """
        from mnemic import wiring  # the one upward import: the path decides which store to open

        _check_model("embedder", embedder, ("name", "dimension", "embed"))
        _check_model("reranker", reranker, ("score",))
        embedder = wiring.embedder_from("table") if embedder is None else embedder
        store = wiring.open_store(path, EmbeddingModel(embedder.name, embedder.dimension))
        self._set_up(store, embedder, reranker, clock)

    @classmethod
    def over(
        cls,
        store: Store,
        *,
        embedder: Embedder,
        reranker: Reranker | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> Mind:
        """Open a mind over a store of your own."""
        if not hasattr(store, "check_model"):
            raise InvalidInput("store", f"must be a Store, not {checks.shown(store)}")
        _check_model("embedder", embedder, ("name", "dimension", "embed"))
        _check_model("reranker", reranker, ("score",))
        mind = cls.__new__(cls)
        mind._set_up(store, embedder, reranker, clock)
        return mind

    def _set_up(
        self, store: Store, embedder: Embedder, reranker: Reranker | None, clock: Callable[[], datetime]
    ) -> None:
        try:
            store.check_model()
        except StoreError:
            store.close()
            raise
        self.clock = clock
        self.embedder = embedder
        self._store = store
        self._recaller = Recaller(store, embedder, reranker)
        self._changer = Changer(store, embedder, self._now)

    def __enter__(self) -> Mind:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; closing twice does no harm."""
        self._store.close()

    # Remembering

    def remember(
        self,
        text: str,
        *,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        tier: Tier = "long_term",
        category: str | None = None,
        importance: float | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Json] | None = None,
        source: str | None = None,
        occurred_at: When | str | None = None,
        expires_at: datetime | str | None = None,
        id: str | None = None,
    ) -> Remembered:
        """Store a memory; when this returns, it is on disk."""
        draft = Draft(
            text=text,
            agent=agent,
            user=user,
            session=session,
            tier=tier,
            category=category,
            importance=importance,
            tags=tags,
            metadata=metadata,
            source=source,
            occurred_at=occurred_at,
            expires_at=expires_at,
            id=id,
        )
        return remember(self._store, self.embedder, [draft], self._now())[0]

    def remember_many(self, drafts: Iterable[Draft | Mapping[str, Any]]) -> list[Remembered]:
        """Store many memories at once: all, or none if one is invalid."""
        return remember(self._store, self.embedder, checked_drafts(drafts), self._now())

    # Recalling

    def recall(
        self,
        query: str,
        *,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        everywhere: bool = False,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        limit: int = 10,
        min_score: float | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
        rerank: bool = False,
    ) -> list[Hit]:
        """Find the memories that answer a query, best first.

        A score is the probability of being relevant; hits below `min_score`, by default a calibrated threshold, are
        left out. `rerank` lets the mind's reranker reorder the best candidates, for about a second at most.
        """
        scope = search_scope(agent=agent, user=user, session=session, everywhere=everywhere)
        selection = self._selection(scope, tier, where, as_of, include_superseded=include_superseded)
        checks.integer("limit", limit, minimum=1, maximum=MAX_LIMIT)
        min_score = _min_score(min_score)
        query = checks.text("query", query, remedy="give a question")
        return self._recaller.answers(query, selection, limit, min_score, rerank=checks.flag("rerank", rerank))

    def context(
        self,
        query: str,
        *,
        budget: int,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        everywhere: bool = False,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | str | None = None,
        rerank: bool = False,
    ) -> str:
        """Return recalled memories as fenced, dated prompt text within a token budget, sessions in order."""
        checks.integer("budget", budget, minimum=1, maximum=10_000_000)
        hits = self.recall(
            query,
            agent=agent,
            user=user,
            session=session,
            everywhere=everywhere,
            tier=tier,
            where=where,
            as_of=as_of,
            limit=100,
            rerank=rerank,
        )
        return prompt.pack((hit.memory for hit in hits), budget=budget)

    def explain(
        self,
        query: str,
        id: str,
        *,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        everywhere: bool = False,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        limit: int = 10,
        min_score: float | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
    ) -> Explanation:
        """Explain why a memory was, or was not, recalled for a query."""
        scope = search_scope(agent=agent, user=user, session=session, everywhere=everywhere)
        memory = self.get(id)
        if scope is not None and not scope.covers(memory.scope):
            raise missing(memory.id)
        selection = self._selection(scope, tier, where, as_of, include_superseded=include_superseded)
        checks.integer("limit", limit, minimum=1, maximum=MAX_LIMIT)
        min_score = _min_score(min_score)
        query = checks.text("query", query, remedy="give a question")
        return self._recaller.explanation(query, memory, selection, limit, min_score)

    # Reading

    def get(self, id: str) -> Memory:
        """Return the memory with an id."""
        id = checks.identifier("id", id)
        memory = self._store.get(id)
        if memory is None:
            raise missing(id)
        return memory

    def count(
        self,
        *,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        everywhere: bool = False,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
    ) -> int:
        """Count memories."""
        scope = search_scope(agent=agent, user=user, session=session, everywhere=everywhere)
        return self._store.count(self._selection(scope, tier, where, as_of, include_superseded=include_superseded))

    def tally(
        self,
        field: str,
        *,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        everywhere: bool = False,
        where: Mapping[str, Any] | None = None,
        include_superseded: bool = False,
    ) -> dict[str | None, int]:
        """Count memories by agent, user, session, tier, category or source."""
        if field not in ("agent", "user", "session", "tier", "category", "source"):
            raise InvalidInput(
                "field", f"must be agent, user, session, tier, category or source, not {checks.shown(field)}"
            )
        scope = search_scope(agent=agent, user=user, session=session, everywhere=everywhere)
        return self._store.tally(
            self._selection(scope, None, where, None, include_superseded=include_superseded), field
        )

    def pages(
        self,
        *,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        everywhere: bool = False,
        tier: Tier | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | str | None = None,
        include_superseded: bool = False,
        size: int = 100,
        after: str | None = None,
    ) -> Iterator[Page]:
        """Iterate over memories in order of arrival; `after` continues from a page's `.next`."""
        scope = search_scope(agent=agent, user=user, session=session, everywhere=everywhere)
        selection = self._selection(scope, tier, where, as_of, include_superseded=include_superseded)
        checks.integer("size", size, minimum=1, maximum=MAX_LIMIT)
        return self._pages(selection, size, _cursor(after))

    def _pages(self, selection: Selection, size: int, start: int) -> Iterator[Page]:
        after: int | None = start
        while after is not None:
            memories, after = self._store.page(selection, size=size, after=after)
            if memories:
                yield Page(memories, None if after is None else str(after))

    def history(self, id: str) -> list[Change]:
        """Return every change of a memory, oldest first, also after it was forgotten."""
        id = checks.identifier("id", id)
        changes, last_states = self._store.changes(id)
        if not changes:
            raise missing(id)
        return history.full_changes(changes, last_states)

    # Changing

    def revise(self, /, id: str, *, expect: int | None = None, **changes: Any) -> Memory:  # noqa: ANN401
        """Change fields of a memory; with `expect`, only if its revision is still that."""
        return self._changer.revise(id, expect, changes)

    def supersede(self, old_id: str, new_id: str, *, at: When | str | None = None) -> Memory:
        """Close an older memory with a newer one: it is no longer true, but stays in the history."""
        return self._changer.supersede(old_id, new_id, at)

    def unsupersede(self, id: str) -> Memory:
        """Open a superseded memory again."""
        return self._changer.unsupersede(id)

    def forget(
        self,
        id: str | None = None,
        *,
        agent: Name = UNSET,
        user: Name = UNSET,
        session: Name = UNSET,
        where: Mapping[str, Any] | None = None,
        everything: bool = False,
        purge: bool = False,
    ) -> int:
        """Forget a memory, those of a scope or filter, or everything; return how many.

        Forgotten memories are no longer recalled, but their history remains. `purge` erases that too, with every trace
        on disk.
        """
        scope = Scope.of(agent=agent, user=user, session=session)
        checks.flag("purge", purge)
        is_restricted = id is not None or where is not None or not scope.is_nobody
        if checks.flag("everything", everything) and is_restricted:
            raise InvalidInput(
                "everything", "cannot be combined with an id, a scope or a filter; leave one of them out"
            )
        if not everything and not is_restricted:
            raise InvalidInput(
                "id", "is missing; give an id, a scope or a filter, or everything=True to empty the mind"
            )
        checked_id = checks.identifier("id", id) if id is not None else None
        selection = self._selection(
            None if everything or (checked_id and scope.is_nobody) else scope,
            None,
            where,
            None,
            include_superseded=True,
        )
        if checked_id is not None:
            selection = selection.narrowed(filters.has_id(checked_id))
        forgotten = self._changer.purge(selection) if purge else self._changer.forget(selection)
        if checked_id is not None and not forgotten:
            raise missing(checked_id)
        return forgotten

    def unforget(self, id: str) -> Memory:
        """Restore a forgotten memory as it was, without its links and uses; calling it twice does no harm."""
        return self._changer.unforget(id)

    def link(self, from_id: str, to_id: str, relation: str) -> Link:
        """Link one memory to another; an existing link is returned as it is."""
        return self._changer.link(from_id, to_id, relation)

    def unlink(self, from_id: str, to_id: str, relation: str) -> None:
        """Remove a link between two memories."""
        self._changer.unlink(from_id, to_id, relation)

    def links(self, id: Name = UNSET, *, relation: Name = UNSET) -> list[Link]:
        """Return the links of a memory in both directions, the links with a relation, or both combined."""
        if id is UNSET and relation is UNSET:
            raise InvalidInput("id", "is missing; give the id of a memory, a relation, or both")
        checked_relation = None if relation is UNSET else checks.name("relation", relation)
        return self._store.links(None if id is UNSET else self.get(id).id, checked_relation)

    def merge(self, id: str, *, into: str) -> Memory:
        """Merge a memory into another that says the same: the target gains its evidence, the merged one is closed."""
        return self._changer.merge(id, into)

    def unmerge(self, id: str) -> Memory:
        """Undo a merge: open the merged memory again, and take its evidence back from the target."""
        return self._changer.unmerge(id)

    def changes(self, *, since: int = 0, limit: int = 1000) -> list[Change]:
        """Return the changes of all memories after the change numbered `since`, oldest first."""
        checks.integer("since", since, minimum=0, maximum=2**62)
        return self._store.changes_since(since, checks.integer("limit", limit, minimum=1, maximum=MAX_LIMIT))

    def mark(self, name: str) -> str | None:
        """Return the text stored under a name by `set_mark`, so that work can continue where it stopped."""
        with self._store.transaction() as transaction:
            return transaction.mark(checks.name("name", name))

    def set_mark(self, name: str, value: str | None, *, was: str | None) -> bool:
        """Store a text under a name if the current one is still `was`; return whether it was. None means no text."""
        name = checks.name("name", name)
        value, was = (
            None if text is None else checks.storable(field, text) for field, text in (("value", value), ("was", was))
        )
        with self._store.transaction() as transaction:
            unchanged = transaction.mark(name) == was
            if unchanged:
                transaction.set_mark(name, value)
        return unchanged

    def use(self, ids: Iterable[str]) -> None:
        """Record that memories were used in a prompt or an answer, which strengthens them; recall records nothing."""
        used = _ids(ids)
        with self._store.transaction() as transaction:
            transaction.use(used, self._now())

    def uses(self, ids: Iterable[str]) -> dict[str, Use]:
        """Return the use counts and last uses of memories; those never used are left out."""
        return self._store.uses(_ids(ids))

    # Maintenance

    def records(
        self, *, agent: Name = UNSET, user: Name = UNSET, session: Name = UNSET, everywhere: bool = False
    ) -> Iterator[Record]:
        """Iterate over memories, superseded and expired ones too, with history and links, for another mind to adopt."""
        pages = self.pages(
            agent=agent, user=user, session=session, everywhere=everywhere, include_superseded=True, size=500
        )
        records = (record_of(self._store, memory.id) for page in pages for memory in page)
        return (record for record in records if record is not None)

    def adopt(self, records: Iterable[Record], *, durable: bool = True) -> list[bool]:
        """Store memories of another mind exactly as they are, all or none; return for each whether it is new.

        Links to memories that are not in this mind are left out. With `durable=False` the call does not wait for the
        disk, and a power failure may undo it; use that for data that can be imported again.
        """
        return adopt(self._store, self.embedder, records, durable=durable)

    def stats(self) -> dict[str, int]:
        """Count the memories, forgotten memories, changes, links and bytes of the whole mind."""
        return self._store.stats()

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Write a consistent copy to a new file; the mind may stay in use."""
        self._maintenance.backup(checks.path("target", target))

    def doctor(self, *, mend: bool = False, progress: Progress = silent) -> list[Finding]:
        """Check that memories, vectors, index, history and links agree; `mend` repairs what it can."""
        return self._maintenance.check(mend=checks.flag("mend", mend), progress=progress)

    @property
    def _maintenance(self) -> Maintenance:
        if not isinstance(self._store, Maintenance):
            raise StoreError(f"{type(self._store).__name__} does not support this; it has no maintenance methods")
        return self._store

    def _now(self) -> datetime:
        return checks.instant("clock", self.clock())

    def _selection(
        self,
        scope: Scope | None,
        tier: Tier | None,
        where: Mapping[str, Any] | None,
        as_of: When | str | None,
        *,
        include_superseded: bool,
    ) -> Selection:
        return Selection(
            scope=scope,
            now=self._now(),
            tier=None if tier is None else checked_tier(tier),
            where=filters.parse(where),
            as_of=None if as_of is None else checks.when("as_of", as_of),
            include_superseded=checks.flag("include_superseded", include_superseded),
        )


def _check_model(field: str, value: object, parts: tuple[str, ...]) -> None:
    """Refuse what is no embedder or reranker, such as a name, which only the settings and `wiring` understand."""
    if value is not None and not all(hasattr(value, part) for part in parts):
        problem = f"must be an object such as mnemic.wiring.{field}_from makes, not {checks.shown(value)}"
        raise InvalidInput(field, problem)


def _ids(ids: Iterable[str]) -> list[str]:
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise InvalidInput("ids", f"must be a list of ids, not {checks.shown(ids)}")
    return [checks.identifier(f"ids[{index}]", id) for index, id in enumerate(ids)]


def _min_score(value: float | None) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInput("min_score", f"must be between 0 and 1, not {checks.shown(value)}")
    return float(value)


def _cursor(after: str | None) -> int:
    if after is None:
        return 0
    if not isinstance(after, str) or not after.isdecimal() or len(after) > 18:
        raise InvalidInput("after", f"must be the `.next` of a page, not {checks.shown(after)}")
    return int(after)
