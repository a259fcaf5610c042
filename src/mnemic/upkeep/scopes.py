"""Scopes as arguments of a mind's verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mnemic.model.memory import Memory
    from mnemic.model.scope import Scope

KEYS = ("agent", "user", "session")


def keys_of(scope: Scope | None) -> dict[str, Any]:
    """Return the arguments that reach a scope; None is everywhere."""
    if scope is None:
        return {"everywhere": True}
    return {key: value for key in KEYS if (value := getattr(scope, key)) is not None}


def exactly(scope: Scope) -> dict[str, Any]:
    """Return a filter that leaves out narrower scopes: a user's own memories, without those of the sessions."""
    return {key: {"exists": False} for key in KEYS if getattr(scope, key) is None}


def same_person(one: Memory, other: Memory) -> bool:
    """Tell whether two memories belong to the same agent and user; sessions matter only where there is neither."""
    mine, theirs = one.scope, other.scope
    if (mine.agent, mine.user) != (theirs.agent, theirs.user):
        return False
    return mine.session == theirs.session or not (mine.agent is None and mine.user is None)
