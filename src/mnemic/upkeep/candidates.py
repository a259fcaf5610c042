"""Candidates: the few memories that a new one is compared with, found by recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.core.scoped import keys_of
from mnemic.rules.claims.attributes import ATTRIBUTES
from mnemic.rules.claims.clauses import SPEAKER
from mnemic.rules.claims.reader import facts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.rules.claims.facts import Fact

_LIMIT = 20
_LONGEST = 2_000
"""How many characters of a text are used as a query."""

_VERBS = {
    attribute.name: " ".join(
        dict.fromkeys(word for pattern in (*attribute.states, *attribute.starts)[:14] for word in pattern)
    )
    for attribute in ATTRIBUTES
}


def similar_memories(mind: Mind, memory: Memory, arrival: Mapping[str, int]) -> list[Memory]:
    """Return the current memories of the same person that are most similar to a memory, best first.

    `arrival` gives the order of memories in the same batch; later ones are left out, they are compared afterwards.
    """
    return _recall(mind, memory, arrival, [memory.text[:_LONGEST]])


def memories_on_same_attributes(mind: Mind, memory: Memory, arrival: Mapping[str, int]) -> list[Memory]:
    """Return the current memories of the same person that may state the same attributes as a memory."""
    queries = dict.fromkeys(filter(None, map(_query, facts_of(memory.text, memory.scope.user))))
    return _recall(mind, memory, arrival, queries)


def _recall(mind: Mind, memory: Memory, arrival: Mapping[str, int], queries: Iterable[str]) -> list[Memory]:
    keys = keys_of(memory.scope)
    if "agent" in keys or "user" in keys:
        keys.pop("session", None)
    recalled: dict[str, Memory] = {}
    for query in queries:
        for hit in mind.recall(query, **keys, limit=_LIMIT, min_score=0):
            recalled.setdefault(hit.memory.id, hit.memory)
    return [
        other
        for other in recalled.values()
        if other.id != memory.id
        and other.superseded_at is None
        and _same_person(memory, other)
        and not _is_later(other, memory, arrival)
    ]


def _same_person(memory: Memory, other: Memory) -> bool:
    """Return whether two memories have the same agent and user, or, if they have neither, the same session."""
    mine, theirs = memory.scope, other.scope
    if (mine.agent, mine.user) != (theirs.agent, theirs.user):
        return False
    return mine.session == theirs.session or not (mine.agent is None and mine.user is None)


def _is_later(other: Memory, memory: Memory, arrival: Mapping[str, int]) -> bool:
    if memory.id not in arrival:
        return False
    return arrival.get(other.id, -1) > arrival[memory.id] or other.created_at > memory.created_at


def _query(fact: Fact) -> str | None:
    """Return words that find older statements of the same attribute; other verbs are found by the text itself."""
    replaced = "" if fact.instead_of is None else " ".join(fact.instead_of.parts)
    if not replaced and fact.attribute.startswith("to "):
        return None
    subject = "" if fact.subject == SPEAKER else fact.subject
    verbs = _VERBS.get(fact.attribute, fact.attribute)
    return f"{subject} {verbs} {'' if fact.single else ' '.join(fact.words)} {replaced}".strip()
