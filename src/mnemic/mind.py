"""The Mind: remember, recall, revise, forget, and the history of it all."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mnemic.core.recall import MAX_LIMIT, Recaller
from mnemic.core.remember import Intake, adopt
from mnemic.core.vectors import vectors_of_memories
from mnemic.embedders.table import TableEmbedder
from mnemic.errors import Conflict, InvalidInput, NotFound, StoreError
from mnemic.model import checks
from mnemic.model import filter as filters
from mnemic.model.change import Change, Link, Record
from mnemic.model.draft import DRAFT_FIELDS, REVISABLE, Draft, checked_tier
from mnemic.model.embedding import EmbeddingModel
from mnemic.model.filter import Selection
from mnemic.model.hit import Explanation, Hit, Page
from mnemic.model.memory import DEFAULT_IMPORTANCE, Memory, Remembered, Tier
from mnemic.model.scope import KEYS, UNSET, Name, Scope, reach
from mnemic.ports import silent
from mnemic.rules import history, prompt, supersession
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from mnemic.model.change import ChangeKind, Use
    from mnemic.model.checks import Json
    from mnemic.model.health import Finding
    from mnemic.model.time import When
    from mnemic.ports import Embedder, Progress, Reranker, Store, Transaction, Vectors

MERGED = "merged"
"""The relation from a memory to the one that stands for it."""


def utc_now() -> datetime:
    """Tell the time."""
    return datetime.now(UTC)


class Mind:
    """Keep memories in a folder, and find them again."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        store: Store | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Open the mind in a folder, making it when it is not there; ":memory:" keeps it in memory.

        `embedder` gives meaning to text, by default the bundled one. `reranker` is what `recall(…, rerank=True)` asks
        for a second opinion. `store` keeps the memories elsewhere than in the folder. `clock` tells the time; give one
        to replay the past.
        """
        self.clock = clock
        self.embedder: Embedder = embedder or TableEmbedder()
        model = EmbeddingModel(self.embedder.name, self.embedder.dimension)
        self._store: Store = store or SqliteStore(None if path == ":memory:" else checks.path("path", path), model)
        try:
            self._store.check_model()
        except StoreError:
            self._store.close()
            raise
        self._recaller = Recaller(self._store, self.embedder, reranker)

    def __enter__(self) -> Mind:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store; twice is the same as once."""
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
        """Keep a memory; when this returns, it is on the disk."""
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
        return self._remember([draft])[0]

    def remember_many(self, drafts: Iterable[Draft | Mapping[str, Any]]) -> list[Remembered]:
        """Keep many memories at once: all of them, or none when one is wrong."""
        if isinstance(drafts, (str, bytes, Mapping)) or not isinstance(drafts, Iterable):
            raise InvalidInput("drafts", f"must be a list of dicts or Draft values, not {type(drafts).__name__}")
        return self._remember([_draft(place, given) for place, given in enumerate(drafts)])

    def _remember(self, drafts: Sequence[Draft]) -> list[Remembered]:
        now = self._now()
        memories = [draft.memory(created_at=now) for draft in drafts]
        vectors = vectors_of_memories(self.embedder, memories)
        with self._store.transaction() as transaction:
            intake = Intake(transaction, now)
            remembered = [
                intake.take(memory, id_given=draft.id is not None)
                for draft, memory in zip(drafts, memories, strict=True)
            ]
            intake.write(vectors)
        return remembered

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
        """Find the memories that answer a question, best first.

        A score is the chance of being relevant; those below `min_score` are left out, by default below the measured
        cut. `rerank` lets the mind's reranker read the best candidates again, for about a second at most.
        """
        scope = reach(agent=agent, user=user, session=session, everywhere=everywhere)
        selection = self._selection(scope, tier, where, as_of, include_superseded=include_superseded)
        checks.whole("limit", limit, least=1, most=MAX_LIMIT)
        least = _min_score(min_score)
        question = checks.text("query", query)
        return self._recaller.answers(question, selection, limit, least, rerank=checks.flag("rerank", rerank))

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
        """Recall as prompt text: fenced, dated, within a budget of tokens, turns of one session together in order."""
        checks.whole("budget", budget, least=1, most=10_000_000)
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
        """Tell why a memory was, or was not, recalled for a question."""
        scope = reach(agent=agent, user=user, session=session, everywhere=everywhere)
        memory = self.get(id)
        if scope is not None and not scope.covers(memory.scope):
            raise _missing(memory.id)
        selection = self._selection(scope, tier, where, as_of, include_superseded=include_superseded)
        checks.whole("limit", limit, least=1, most=MAX_LIMIT)
        least = _min_score(min_score)
        question = checks.text("query", query)
        return self._recaller.explanation(question, memory, selection, limit, least)

    # Reading

    def get(self, id: str) -> Memory:
        """Return the memory with an id."""
        id = checks.identifier("id", id)
        memory = self._store.get(id)
        if memory is None:
            raise _missing(id)
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
        scope = reach(agent=agent, user=user, session=session, everywhere=everywhere)
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
        scope = reach(agent=agent, user=user, session=session, everywhere=everywhere)
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
        """Walk through memories in the order of their arrival; `after` goes on from a page's `.next`."""
        scope = reach(agent=agent, user=user, session=session, everywhere=everywhere)
        selection = self._selection(scope, tier, where, as_of, include_superseded=include_superseded)
        checks.whole("size", size, least=1, most=MAX_LIMIT)
        return self._pages(selection, size, _cursor(after))

    def _pages(self, selection: Selection, size: int, start: int) -> Iterator[Page]:
        following: int | None = start
        while following is not None:
            memories, following = self._store.page(selection, size=size, after=following)
            if memories:
                yield Page(memories, None if following is None else str(following))

    def history(self, id: str) -> list[Change]:
        """Return every change of a memory, oldest first, also after it was forgotten."""
        id = checks.identifier("id", id)
        changes, last_states = self._store.changes(id)
        if not changes:
            raise _missing(id)
        return history.tell(changes, last_states)

    # Changing

    def revise(self, /, id: str, *, expect: int | None = None, **changes: Any) -> Memory:  # noqa: ANN401
        """Change fields of a memory; with `expect`, only if its revision is still that."""
        id = checks.identifier("id", id)
        checks.fields("a revision", changes, REVISABLE)
        if not changes:
            raise InvalidInput("changes", f"are missing; give at least one of {', '.join(sorted(REVISABLE))}")
        if changes.get("importance", UNSET) is None:
            changes["importance"] = DEFAULT_IMPORTANCE
        vectors: Vectors = {}
        if "text" in changes:
            text = checks.text("text", changes["text"])
            vectors = vectors_of_memories(self.embedder, [dataclasses.replace(self.get(id), text=text)])
        with self._store.transaction() as transaction:
            before = _found(transaction, id)
            if expect is not None and before.revision != checks.whole("expect", expect, least=1, most=2**53):
                raise Conflict(
                    f"memory {id} is at revision {before.revision}, not {expect}: someone changed it meanwhile; "
                    "read it again and repeat the change"
                )
            draft = Draft(**{"text": before.text, "tier": before.tier} | changes)
            after = dataclasses.replace(before, **{name: getattr(draft, name) for name in changes})
            return self._change(transaction, "revised", before, after, vectors)

    def supersede(self, old_id: str, new_id: str, *, at: When | str | None = None) -> Memory:
        """Close an older memory with a newer one: from then on it is no longer true, but stays in history."""
        old_id, new_id = checks.identifier("old_id", old_id), checks.identifier("new_id", new_id)
        if old_id == new_id:
            raise InvalidInput("new_id", "is the memory to close; a memory cannot supersede itself")
        with self._store.transaction() as transaction:
            old, new = _found(transaction, old_id), _found(transaction, new_id)
            closed_at = supersession.closing_time(old, new, at)
            if old.superseded_at is not None:
                if (old.superseded_by, old.superseded_at) == (new_id, closed_at):
                    return old
                raise Conflict(f"memory {old_id} is superseded already by {old.superseded_by}; unsupersede it first")
            _refuse_circle(transaction, old, new)
            after = dataclasses.replace(old, superseded_by=new_id, superseded_at=closed_at)
            return self._change(transaction, "superseded", old, after, {})

    def unsupersede(self, id: str) -> Memory:
        """Open a superseded memory again."""
        id = checks.identifier("id", id)
        with self._store.transaction() as transaction:
            before = _found(transaction, id)
            if before.superseded_at is None:
                return before
            after = dataclasses.replace(before, superseded_by=None, superseded_at=None)
            return self._change(transaction, "unsuperseded", before, after, {})

    def _change(
        self, transaction: Transaction, kind: ChangeKind, before: Memory, after: Memory, vectors: Vectors
    ) -> Memory:
        if not any(history.difference(before, after)):
            return before
        after = dataclasses.replace(after, revision=before.revision + 1)
        transaction.update([after], vectors)
        transaction.log([Change(0, after.id, kind, self._now(), *history.difference(before, after))])
        return after

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

        Forgotten memories are found no more, but their history remains. `purge` erases that too, with every trace
        on the disk.
        """
        scope = Scope.of(agent=agent, user=user, session=session)
        checks.flag("purge", purge)
        narrowed = id is not None or where is not None or not scope.is_nobody
        if checks.flag("everything", everything) and narrowed:
            raise InvalidInput("everything", "cannot be joined with an id, a scope or a filter; leave one of them out")
        if not everything and not narrowed:
            raise InvalidInput(
                "id", "is missing; give an id, a scope or a filter, or everything=True to empty the mind"
            )
        chosen = checks.identifier("id", id) if id is not None else None
        selection = self._selection(
            None if everything or (chosen and scope.is_nobody) else scope,
            None,
            where,
            None,
            include_superseded=True,
        )
        if chosen is not None:
            selection = selection.narrowed(filters.has_id(chosen))
        forgotten = self._purge(selection) if purge else self._forget(selection)
        if chosen is not None and not forgotten:
            raise _missing(chosen)
        return forgotten

    def unforget(self, id: str) -> Memory:
        """Bring a forgotten memory back as it was, without its links and uses; twice is the same as once."""
        id = checks.identifier("id", id)
        _, last_states = self._store.changes(id)
        if not last_states:
            raise NotFound(f"no memory {id} to bring back; it was never stored, or it is purged")
        memory = last_states[max(last_states)]
        self.adopt([Record(memory)])
        return memory

    def _forget(self, selection: Selection) -> int:
        with self._store.transaction() as transaction:
            ids = transaction.select(selection)
            transaction.forget(ids)
            now = self._now()
            transaction.log([Change(0, id, "forgotten", now, {}, {}) for id in ids])
        return len(ids)

    def _purge(self, selection: Selection) -> int:
        with self._store.transaction() as transaction:
            purged = transaction.purge(selection, at=self._now())
        if purged:
            self._store.scrub()
        return purged

    def link(self, from_id: str, to_id: str, relation: str) -> Link:
        """Relate one memory to another; twice is the same as once."""
        link = self._checked_link(from_id, to_id, relation)
        with self._store.transaction() as transaction:
            _found(transaction, link.from_id)
            _found(transaction, link.to_id)
            stored, new = transaction.link(link)
            if new:
                transaction.log([_link_change("linked", link)])
        return stored

    def unlink(self, from_id: str, to_id: str, relation: str) -> None:
        """Remove a relation between two memories."""
        link = self._checked_link(from_id, to_id, relation)
        with self._store.transaction() as transaction:
            if not transaction.unlink(link.from_id, link.to_id, link.relation):
                raise NotFound(f"no link {relation!r} from {from_id} to {to_id}")
            transaction.log([_link_change("unlinked", link)])

    def _checked_link(self, from_id: str, to_id: str, relation: str) -> Link:
        link = Link(
            checks.identifier("from_id", from_id),
            checks.identifier("to_id", to_id),
            checks.name("relation", relation),
            self._now(),
        )
        if link.from_id == link.to_id:
            raise InvalidInput("to_id", "is the same memory; a link needs two")
        return link

    def links(self, id: Name = UNSET, *, relation: Name = UNSET) -> list[Link]:
        """Return the links from and to a memory, or with a relation, or both."""
        if id is UNSET and relation is UNSET:
            raise InvalidInput("id", "is missing; give the id of a memory, a relation, or both")
        chosen = None if relation is UNSET else checks.name("relation", relation)
        return self._store.links(None if id is UNSET else self.get(id).id, chosen)

    def merge(self, id: str, *, into: str) -> Memory:
        """Let one memory stand for another that says the same: it gains its evidence, the other is closed."""
        id, into = checks.identifier("id", id), checks.identifier("into", into)
        if id == into:
            raise InvalidInput("into", "is the memory to merge; a merger needs two")
        with self._store.transaction() as transaction:
            merged, kept = _found(transaction, id), _found(transaction, into)
            if merged.superseded_at is not None or kept.superseded_at is not None:
                raise Conflict(f"memory {id} or {into} is superseded already; only current memories are merged")
            closed = dataclasses.replace(
                merged, superseded_by=into, superseded_at=supersession.closing_time(merged, kept, None)
            )
            self._change(transaction, "superseded", merged, closed, {})
            link, new = transaction.link(Link(id, into, MERGED, self._now()))
            if new:
                transaction.log([_link_change("linked", link)])
            stronger = dataclasses.replace(kept, evidence=kept.evidence + merged.evidence)
            return self._change(transaction, "repeated", kept, stronger, {})

    def unmerge(self, id: str) -> Memory:
        """Undo a merger: open the memory that was merged, and take back the evidence it gave."""
        id = checks.identifier("id", id)
        with self._store.transaction() as transaction:
            merged = _found(transaction, id)
            if merged.superseded_by is None or not transaction.unlink(id, merged.superseded_by, MERGED):
                raise NotFound(f"memory {id} was not merged into another")
            transaction.log([_link_change("unlinked", Link(id, merged.superseded_by, MERGED, self._now()))])
            kept = transaction.get([merged.superseded_by]).get(merged.superseded_by)
            if kept is not None:
                weaker = dataclasses.replace(kept, evidence=max(1, kept.evidence - merged.evidence))
                self._change(transaction, "repeated", kept, weaker, {})
            opened = dataclasses.replace(merged, superseded_by=None, superseded_at=None)
            return self._change(transaction, "unsuperseded", merged, opened, {})

    def changes(self, *, since: int = 0, limit: int = 1000) -> list[Change]:
        """Return what happened to any memory since the change with a number, oldest first."""
        checks.whole("since", since, least=0, most=2**62)
        return self._store.changes_since(since, checks.whole("limit", limit, least=1, most=MAX_LIMIT))

    def mark(self, name: str) -> str | None:
        """Return what was noted under a name, for work that goes on where it stopped."""
        with self._store.transaction() as transaction:
            return transaction.mark(checks.name("name", name))

    def set_mark(self, name: str, value: str | None, *, was: str | None) -> bool:
        """Note a text under a name if what is noted there still is what it was; tell whether it is. None is nothing."""
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
        """Note that memories were used, in a prompt or an answer: they grow stronger. Recall itself notes nothing."""
        used = _ids(ids)
        with self._store.transaction() as transaction:
            transaction.use(used, self._now())

    def uses(self, ids: Iterable[str]) -> dict[str, Use]:
        """Return how often memories were used, and when last; those never used are left out."""
        return self._store.uses(_ids(ids))

    # Keeping

    def records(
        self, *, agent: Name = UNSET, user: Name = UNSET, session: Name = UNSET, everywhere: bool = False
    ) -> Iterator[Record]:
        """Walk through memories, ended ones too, each with its history and links, for another mind to adopt."""
        pages = self.pages(
            agent=agent, user=user, session=session, everywhere=everywhere, include_superseded=True, size=500
        )
        return (record for page in pages for memory in page if (record := self._record(memory.id)) is not None)

    def _record(self, id: str) -> Record | None:
        changes, last_states = self._store.changes(id)
        if not changes or changes[-1].kind in ("forgotten", "purged"):
            return None
        born = max(last_states)
        life = tuple(change for change in history.tell(changes, last_states) if change.seq >= born)
        return Record(last_states[born], life, tuple(link for link in self._store.links(id) if link.from_id == id))

    def adopt(self, records: Iterable[Record], *, durable: bool = True) -> list[bool]:
        """Take in memories of another mind exactly as they are: all of them, or none.

        Tell for each whether it is new. Links to memories that are not here are left out. What can be had again from
        elsewhere needs not be `durable`: then a loss of power may undo it.
        """
        arriving = _checked_records(records)
        unknown = [one.memory for one in arriving if self._store.get(one.memory.id) is None]
        vectors = vectors_of_memories(self.embedder, unknown)
        with self._store.transaction(durable=checks.flag("durable", durable)) as transaction:
            return adopt(transaction, arriving, vectors)

    def stats(self) -> dict[str, int]:
        """Count memories, forgotten ones, changes and links of the whole mind, and the bytes they take."""
        return self._store.stats()

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Write a consistent copy to a new file, while the mind is in use."""
        self._store.backup(checks.path("target", target))

    def doctor(self, *, mend: bool = False, progress: Progress = silent) -> list[Finding]:
        """Check that memories, vectors, index, history and links agree; `mend` repairs what can be."""
        return self._store.check(mend=checks.flag("mend", mend), progress=progress)

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


def _draft(place: int, given: Draft | Mapping[str, Any]) -> Draft:
    if isinstance(given, Draft):
        return given
    try:
        if not isinstance(given, Mapping):
            raise InvalidInput("draft", f"must be a dict or a Draft, not {type(given).__name__}")
        checks.fields("a draft", given, DRAFT_FIELDS)
        if "text" not in given:
            raise InvalidInput("text", "is missing")
        return Draft(**given)
    except InvalidInput as error:
        raise InvalidInput(f"drafts[{place}].{error.field}", error.problem) from None


def _checked_records(records: Iterable[Record]) -> list[Record]:
    if not isinstance(records, Iterable):
        raise InvalidInput("records", f"must be a list of Record values, not {checks.shown(records)}")
    arriving = list(records)
    for place, record in enumerate(arriving):
        if not isinstance(record, Record):
            raise InvalidInput(f"records[{place}]", f"must be a Record, not {checks.shown(record)}")
        _check_names(f"records[{place}]", record.memory)
    return arriving


def _check_names(record: str, memory: Memory) -> None:
    scope = memory.scope
    for field, value in (
        *zip(KEYS, (scope.agent, scope.user, scope.session), strict=True),
        ("category", memory.category),
        ("source", memory.source),
        ("superseded_by", memory.superseded_by),
    ):
        if value is not None:
            checks.name(f"{record}.{field}", value)


def _ids(ids: Iterable[str]) -> list[str]:
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise InvalidInput("ids", f"must be a list of ids, not {checks.shown(ids)}")
    return [checks.identifier(f"ids[{place}]", id) for place, id in enumerate(ids)]


def _found(transaction: Transaction, id: str) -> Memory:
    memory = transaction.get([id]).get(id)
    if memory is None:
        raise _missing(id)
    return memory


def _missing(id: str) -> NotFound:
    return NotFound(f"no memory {id}; it was never stored, or it is forgotten")


def _refuse_circle(transaction: Transaction, old: Memory, new: Memory) -> None:
    newest: Memory | None = new
    while newest is not None and newest.superseded_by is not None:
        if newest.superseded_by == old.id:
            raise Conflict(f"memory {old.id} has itself superseded {new.id}; unsupersede that one first")
        newest = transaction.get([newest.superseded_by]).get(newest.superseded_by)


def _link_change(kind: ChangeKind, link: Link) -> Change:
    told: dict[str, Json] = {"to_id": link.to_id, "relation": link.relation}
    before, after = ({}, told) if kind == "linked" else (told, {})
    return Change(0, link.from_id, kind, link.created_at, before, after)


def _min_score(value: float | None) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInput("min_score", f"must lie between 0 and 1, not {checks.shown(value)}")
    return float(value)


def _cursor(after: str | None) -> int:
    if after is None:
        return 0
    if not isinstance(after, str) or not after.isdecimal() or len(after) > 18:
        raise InvalidInput("after", f"must be the `.next` of a page, not {checks.shown(after)}")
    return int(after)
