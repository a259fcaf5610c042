"""One run of upkeep: merge, update, summarise and prune the memories of a scope."""

from __future__ import annotations

from contextlib import nullcontext
from hashlib import blake2b
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput, NotFound
from mnemic.model import checks
from mnemic.model.scope import UNSET, Name, Scope, search_scope
from mnemic.ports import silent
from mnemic.upkeep.candidates import similar_memories
from mnemic.upkeep.contradict import contradict
from mnemic.upkeep.expiry import forget_ended
from mnemic.upkeep.lease import lease
from mnemic.upkeep.merge import merge
from mnemic.upkeep.options import Options
from mnemic.upkeep.prune import prune_many, prune_weak
from mnemic.upkeep.report import Report
from mnemic.upkeep.window import SOURCE, slide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from mnemic.mind import Mind
    from mnemic.model.change import Change
    from mnemic.model.memory import Memory
    from mnemic.ports import Llm, Progress

_BATCH = 500


def upkeep(
    mind: Mind,
    *,
    agent: Name = UNSET,
    user: Name = UNSET,
    session: Name = UNSET,
    everywhere: bool = False,
    dry_run: bool = False,
    llm: Llm | None = None,
    options: Options | None = None,
    progress: Progress = silent,
    now: datetime | None = None,
) -> Report:
    """Merge, update, summarise and prune the memories of a scope, and list contradictions.

    Only memories that are new or revised since the last run of the same scope are compared, so a second run does
    nothing. A dry run changes nothing and reports what would be done. `llm` compares memories and writes summaries;
    without one, rules do.
    """
    if options is not None and not isinstance(options, Options):
        raise InvalidInput("options", f"must be Options, not {checks.shown(options)}")
    if llm is not None and not hasattr(llm, "structured"):
        raise InvalidInput("llm", f"must be an Llm, not {checks.shown(llm)}; mnemic.wiring.llm_from makes one")
    run = _Run(
        mind,
        search_scope(agent=agent, user=user, session=session, everywhere=everywhere),
        Report(checks.flag("dry_run", dry_run)),
        options or Options(),
        llm,
        progress,
        checks.instant("now", mind.clock() if now is None else now),
    )
    held: AbstractContextManager[Callable[[], None]] = nullcontext(lambda: None) if dry_run else lease(mind)
    with held as renew:
        run.all(renew)
    return run.report


class _Run:
    """The state of one run."""

    def __init__(
        self,
        mind: Mind,
        scope: Scope | None,
        report: Report,
        options: Options,
        llm: Llm | None,
        progress: Progress,
        now: datetime,
    ) -> None:
        self.mind = mind
        self.scope = scope
        self.report = report
        self.options = options
        self.llm = llm
        self.progress = progress
        self.now = now
        self.closed: set[str] = set()
        """The ids of the memories that are closed, or would be after a dry run."""

        self.windows: dict[Scope, None] = {}
        self.owners: dict[Scope, None] = {}

    def all(self, renew: Callable[[], None]) -> None:
        """Do all steps; `renew` renews the lease."""
        mark = _mark_name(self.scope)
        last = self.mind.mark(mark)
        since = start = int(last or 0)
        total = max(0, self.mind.stats()["changes"] - start)
        while changes := self.mind.changes(since=since, limit=_BATCH):
            self._compare(changes)
            since = changes[-1].seq
            self.progress("comparing", min(since - start, total), total)
            renew()
        if not self.report.dry_run and since != start:
            self.mind.set_mark(mark, str(since), was=last)
        dry_run = self.report.dry_run
        actions = self.report.actions
        self.progress("sliding windows", 0, 0)
        actions += slide(self.mind, self.windows, self.report, options=self.options, llm=self.llm, now=self.now)
        renew()
        self.progress("pruning", 0, 0)
        actions += prune_weak(self.mind, self.scope, options=self.options, now=self.now, dry_run=dry_run)
        actions += prune_many(self.mind, self.owners, options=self.options, now=self.now, dry_run=dry_run)
        actions += forget_ended(self.mind, self.scope, options=self.options, now=self.now, dry_run=dry_run)

    def _compare(self, changes: Sequence[Change]) -> None:
        arrival = {change.memory_id: change.seq for change in changes if change.kind == "created"}
        for memory in self._new_memories(changes):
            self.report.examined += 1
            if memory.tier == "short_term":
                self.windows.setdefault(memory.scope)
            self.owners.setdefault(Scope(memory.scope.agent, memory.scope.user))
            if memory.id in self.closed:
                continue
            others = similar_memories(self.mind, memory, arrival)
            merged = merge(
                self.mind, memory, others, options=self.options, closed=self.closed, dry_run=self.report.dry_run
            )
            if merged is not None:
                self.report.actions.append(merged)
                self.closed.add(merged.id)
                if merged.id == memory.id:
                    continue
            for action in contradict(
                self.mind,
                memory,
                others,
                self.report,
                options=self.options,
                llm=self.llm,
                closed=self.closed,
                arrival=arrival,
            ):
                self.report.actions.append(action)
                if action.kind == "superseded":
                    self.closed.add(action.id)

    def _new_memories(self, changes: Sequence[Change]) -> Iterator[Memory]:
        """Yield the current memories of the scope that are new or whose text was revised."""
        ids = dict.fromkeys(
            change.memory_id
            for change in changes
            if change.kind == "created" or (change.kind == "revised" and "text" in change.after)
        )
        for id in ids:
            try:
                memory = self.mind.get(id)
            except NotFound:
                continue
            current = memory.superseded_at is None and not memory.is_expired(self.now)
            if current and memory.source != SOURCE and (self.scope is None or self.scope.covers(memory.scope)):
                yield memory


def _mark_name(scope: Scope | None) -> str:
    name = (
        "everywhere" if scope is None else "\0".join(f"{key or ''}" for key in (scope.agent, scope.user, scope.session))
    )
    return f"upkeep of {blake2b(name.encode(), digest_size=16).hexdigest()}"
