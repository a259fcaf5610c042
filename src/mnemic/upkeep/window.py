"""The window: each scope keeps its latest short-term memories; older ones are summarised into an episodic memory."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mnemic.core.scoped import ScopedMind
from mnemic.model.draft import Draft
from mnemic.model.memory import ENDED_BECAUSE
from mnemic.model.scope import UNSET
from mnemic.upkeep.expiry import end, is_protected
from mnemic.upkeep.report import Action
from mnemic.upkeep.summarise import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.model.scope import Scope
    from mnemic.ports import Llm
    from mnemic.upkeep.options import Options
    from mnemic.upkeep.report import Report

SUMMARISES = "summarises"
SOURCE = "upkeep"
"""The source of memories that upkeep made."""

_LEFT = "left the window"
_BATCH = 100
"""The most memories in one summary."""


def has_left(memory: Memory) -> bool:
    """Return whether a memory has left its window."""
    return str(memory.metadata.get(ENDED_BECAUSE, "")).startswith(_LEFT)


def slide(
    mind: Mind,
    scopes: Iterable[Scope],
    report: Report,
    *,
    options: Options,
    llm: Llm | None,
    now: datetime,
) -> Iterator[Action]:
    """Summarise and end the memories beyond the window of each scope; protected ones become long-term memories.

    A window that is too long is cut to four fifths of its length, so that a summary covers several memories.
    """
    if options.window is None:
        return
    for scope in scopes:
        beyond = _beyond(mind, scope, options.window)
        for memory in beyond:
            if is_protected(memory, options):
                yield _promote(mind, memory, dry_run=report.dry_run)
        leaving = iter(memory for memory in beyond if not is_protected(memory, options))
        while batch := list(islice(leaving, _BATCH)):
            yield from _summarise(mind, scope, batch, report, llm=llm, now=now)


def _beyond(mind: Mind, scope: Scope, window: int) -> Sequence[Memory]:
    pages = ScopedMind.exactly(mind, scope).pages(tier="short_term", size=1_000)
    memories = sorted((memory for page in pages for memory in page), key=lambda memory: memory.began_at)
    return memories[: len(memories) - (window - max(1, window // 5))] if len(memories) > window else []


def _promote(mind: Mind, memory: Memory, *, dry_run: bool) -> Action:
    """Make a protected memory that leaves the window a long-term one."""
    if not dry_run:
        mind.revise(memory.id, tier="long_term")
    return Action("promoted", memory.id, memory.text, f"{_LEFT}, and is protected")


def _summarise(
    mind: Mind, scope: Scope, leaving: Sequence[Memory], report: Report, *, llm: Llm | None, now: datetime
) -> Iterator[Action]:
    if report.dry_run:
        yield from (Action("summarised", memory.id, memory.text, _LEFT) for memory in leaving)
        return
    times = [memory.began_at for memory in leaving]
    summary = summarise([memory.text for memory in leaving], llm=llm, times=times)
    report.note(summary.problem)
    draft = Draft(
        text=summary.text,
        agent=UNSET if scope.agent is None else scope.agent,
        user=UNSET if scope.user is None else scope.user,
        session=UNSET if scope.session is None else scope.session,
        tier="episodic",
        category="summary",
        importance=max(memory.importance for memory in leaving),
        source=SOURCE,
        occurred_at=times[-1],
    )
    stored = mind.remember_many([draft])[0].memory
    for memory in leaving:
        mind.link(stored.id, memory.id, SUMMARISES)
        reason = f"{_LEFT}; summarised in {stored.id}"
        end(mind, memory, reason=reason, now=now)
        yield Action("summarised", memory.id, memory.text, reason, stored.id, summary.by)
