"""The tools for memories: remember, recall, get_memory, revise_memory, list_memories, memory_stats."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult
from pydantic import Field

from mnemic.core.scoped import ScopedMind
from mnemic.errors import InvalidInput
from mnemic.mcp import arguments as a
from mnemic.mcp import budget, results
from mnemic.model.change import Change
from mnemic.model.memory import Memory, Tier
from mnemic.rules.prompt import quoted

MOST_NAMED = 50
"""How many categories and sources the statistics name, the most frequent ones."""

_PAGE = 100
_SHARE = 3
"""A long text may take this fraction (1/n) of a result's budget before it is shortened."""


class MindTools:
    """The tools that read and write the memories of one scope."""

    def __init__(self, mind: ScopedMind) -> None:
        self._mind = mind

    def remember(
        self,
        *,
        text: Annotated[str, Field(description="One fact or event in a self-contained sentence: who, what, when.")],
        tier: a.TierName = "long_term",
        category: a.Category = None,
        importance: a.Importance = None,
        tags: a.Tags = None,
        metadata: a.Metadata = None,
        occurred_at: a.OccurredAt = None,
        expires_at: a.ExpiresAt = None,
        supersedes: Annotated[
            str | None, Field(description="The id of an older memory that is no longer true; it stays in the history.")
        ] = None,
    ) -> Annotated[CallToolResult, results.RememberedResult]:
        """Store a fact, preference, decision or event for later conversations.

        Use it when the user tells you something lasting about themselves or their work, when a decision is made, or
        when they ask you to remember. Write one self-contained sentence per call, with names instead of "he" or "it".
        Recall first: if an older memory is no longer true, pass its id as supersedes. Never store passwords or keys.

        Example: {"text": "Ana prefers pytest over unittest in the billing repository", "category": "preference"}
        """
        remembered = self._mind.remember(
            text,
            supersedes=supersedes,
            tier=tier,
            category=category,
            importance=importance,
            tags=tags or (),
            metadata=metadata,
            occurred_at=occurred_at,
            expires_at=expires_at,
            source="mcp",
        )
        memory = remembered.memory
        result = results.RememberedResult(
            id=memory.id, created=remembered.created, evidence=memory.evidence, superseded=supersedes
        )
        done = "Remembered" if remembered.created else f"Known already, now stated {memory.evidence} times"
        return results.answer(f"{done}: memory {memory.id}.", result)

    def recall(
        self,
        *,
        query: Annotated[str, Field(description="A question or a topic, in words.")],
        limit: a.Limit = 10,
        min_score: Annotated[float | None, Field(description="Leave out hits below this score.", ge=0, le=1)] = None,
        tier: a.OnlyTier = None,
        where: a.Where = None,
        as_of: a.AsOf = None,
        include_superseded: a.IncludeEnded = False,
        budget: a.Budget = budget.DEFAULT,
        cursor: a.Cursor = None,
    ) -> Annotated[CallToolResult, results.MemoriesResult]:
        """Find the memories that answer a question, best first, by meaning and by words.

        Use it at the start of a task, and whenever the user refers to something from before ("as last time", "my
        usual"), before you ask them. An empty result means that nothing is known: say so, do not guess.

        Example: {"query": "Which test framework does Ana prefer?", "limit": 5}
        """
        hits = self._mind.recall(
            query,
            limit=limit,
            min_score=min_score,
            tier=tier,
            where=where,
            as_of=as_of,
            include_superseded=include_superseded,
        )
        start = _start_of(cursor)
        rest = [
            results.memory_result(
                hit.memory, budget // _SHARE, score=round(hit.score, 4), reasons=list(hit.reasons) or None
            )
            for hit in hits[start:]
        ]
        shown = list(_fitting(rest, budget))
        more = str(start + len(shown)) if len(shown) < len(rest) else None
        return _memories(shown, more, "Nothing is remembered about that.")

    def list_memories(
        self,
        *,
        tier: a.OnlyTier = None,
        where: a.Where = None,
        as_of: a.AsOf = None,
        include_superseded: a.IncludeEnded = False,
        budget: a.Budget = budget.DEFAULT,
        cursor: a.Cursor = None,
    ) -> Annotated[CallToolResult, results.MemoriesResult]:
        """List memories in the order in which they were stored, all of them or those that a filter selects.

        Use it to review or clean up memories; to answer a question, use recall.

        Example: {"where": {"category": "decision", "created_at": {"gte": "2026-01-01"}}}
        """
        options: dict[str, Any] = {
            "tier": tier,
            "where": where,
            "as_of": as_of,
            "include_superseded": include_superseded,
        }
        _start_of(cursor)
        page = next(self._mind.pages(size=_PAGE, after=cursor, **options), None)
        shown = list(_fitting(_memory_results(page or (), budget), budget))
        if page and len(shown) < len(page):
            page = next(self._mind.pages(size=len(shown), after=cursor, **options), None)
            shown = _memory_results(page or (), budget)
        return _memories(shown, page.next if page else None, "There are no such memories.")

    def get_memory(
        self,
        id: a.Id,
        part: Annotated[
            Literal["memory", "history"], Field(description="The memory itself, or all its changes.")
        ] = "memory",
        budget: a.Budget = budget.DEFAULT,
        cursor: a.Cursor = None,
    ) -> Annotated[CallToolResult, results.OneMemoryResult]:
        """Get one memory by its id with its full text, or its history, oldest change first.

        Use it when another tool returned a shortened text, or to see how a fact changed.

        Example: {"id": "0198c7e2-5b1f-7cc3-98c4-dc0c0c07398f", "part": "history"}
        """
        start = _start_of(cursor)
        if part == "history":
            return _history(self._mind.history(id), start, budget)
        return _whole(self._mind.get(id), start, budget)

    def revise_memory(
        self,
        id: a.Id,
        text: Annotated[str | None, Field(description="The corrected text.")] = None,
        tier: Annotated[Tier | None, Field(description="The new tier.")] = None,
        category: a.Category = None,
        importance: a.Importance = None,
        tags: a.Tags = None,
        metadata: a.Metadata = None,
        occurred_at: a.OccurredAt = None,
        expires_at: a.ExpiresAt = None,
        clear: a.Clear = None,
        expect_revision: Annotated[
            int | None, Field(description="Change it only if its revision is still this one.", ge=1)
        ] = None,
    ) -> Annotated[CallToolResult, results.OneMemoryResult]:
        """Correct the text or other fields of a memory. Fields that you leave out stay; the history keeps old values.

        Use it when a memory is wrong or badly worded. When something changed and the memory was right until then, use
        remember with supersedes instead.

        Example: {"id": "0198c7e2-5b1f-7cc3-98c4-dc0c0c07398f", "importance": 9, "clear": ["expires_at"]}
        """
        values: dict[str, Any] = {
            "text": text,
            "tier": tier,
            "category": category,
            "importance": importance,
            "tags": tags,
            "metadata": metadata,
            "occurred_at": occurred_at,
            "expires_at": expires_at,
        }
        changes = {name: value for name, value in values.items() if value is not None}
        for name in clear or ():
            if name in changes:
                raise InvalidInput("clear", f"names {name}, which also has a new value; leave one of them out")
            changes[name] = [] if name == "tags" else None
        memory = self._mind.revise(id, expect=expect_revision, **changes)
        result = results.memory_result(memory, budget.DEFAULT // _SHARE)
        return results.answer(
            f"Memory {memory.id} is now at revision {memory.revision}.\n{results.lines_of([result])}",
            results.OneMemoryResult(memory=result),
        )

    def memory_stats(self) -> Annotated[CallToolResult, results.StatsResult]:
        """Count the memories: how many are current, how many have ended, and how many of each kind.

        Use it to learn which categories and tiers exist before you filter by them.

        Example: {}
        """
        current = self._mind.count()
        stats = results.StatsResult(
            scope=self._mind.keys,
            memories=current,
            ended=self._mind.count(include_superseded=True) - current,
            by_tier=self._tally("tier"),
            by_category=self._tally("category"),
            by_source=self._tally("source"),
        )
        return results.answer(stats.model_dump_json(), stats)

    def _tally(self, field: str) -> dict[str, int]:
        tally = self._mind.tally(field)
        return dict(islice(((name, count) for name, count in tally.items() if name is not None), MOST_NAMED))


def _start_of(cursor: str | None) -> int:
    return budget.start_of(cursor)


def _fitting(memories: Sequence[results.MemoryResult], most: int) -> Sequence[results.MemoryResult]:
    return budget.fitting(memories, most, lambda memory: budget.cost(memory.model_dump(exclude_none=True)))


def _memory_results(memories: Iterable[Memory], most: int) -> list[results.MemoryResult]:
    return [results.memory_result(memory, most // _SHARE) for memory in memories]


def _memories(shown: list[results.MemoryResult], more: str | None, if_none: str) -> CallToolResult:
    text = results.lines_of(shown) + results.more_hint(more) if shown else if_none
    return results.answer(text, results.MemoriesResult(memories=shown, next_cursor=more))


def _whole(memory: Memory, start: int, most: int) -> CallToolResult:
    """Return a memory with as much of its text from `start` on as fits."""
    rest = results.memory_result(memory, most // _SHARE).model_copy(update={"text": ""})
    room = budget.left_for_text(rest.model_dump(exclude_none=True), most)
    part = budget.shortened(memory.text[start:], room)
    end = start + len(part)
    more = str(end) if end < len(memory.text) else None
    cut = [name for name in rest.shortened or () if name != "text"]
    result = rest.model_copy(update={"text": part, "shortened": cut or None})
    text = results.lines_of([result]) + results.more_hint(more)
    return results.answer(text, results.OneMemoryResult(memory=result, next_cursor=more))


def _history(changes: list[Change], start: int, most: int) -> CallToolResult:
    rest = [_change(change, most // _SHARE) for change in changes[start:]]
    shown = list(budget.fitting(rest, most, budget.cost))
    more = str(start + len(shown)) if len(shown) < len(rest) else None
    lines = quoted((None, f"{change['at']} {change['kind']}: {_fields(change)}") for change in shown)
    return results.answer(
        (lines or "There are no more changes.") + results.more_hint(more),
        results.OneMemoryResult(history=shown, next_cursor=more),
    )


def _change(change: Change, most: int) -> dict[str, Any]:
    before, after = (budget.brief(fields, most) for fields in (change.before, change.after))
    return {"kind": change.kind, "at": change.at.isoformat(), "before": before, "after": after}


def _fields(change: dict[str, Any]) -> str:
    """Return what a change did: each field before and after."""
    before, after = change["before"], change["after"]
    names = dict.fromkeys((*before, *after))
    if not before or not after:
        values = after or before
        return str(values.get("text", "")) or ", ".join(f"{name} {values[name]}" for name in names)
    return "; ".join(f"{name} {before.get(name)} → {after.get(name)}" for name in names if name != "revision")
