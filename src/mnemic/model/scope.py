"""Scopes: which agent, user and session a memory belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from mnemic.errors import InvalidInput
from mnemic.model import checks


class Unset(Enum):
    """The value of an argument that was left out, as opposed to one given as None."""

    UNSET = "left out"


UNSET: Final = Unset.UNSET
Name = str | Unset
KEYS = ("agent", "user", "session")
"""The keys of a scope, in order."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose a memory is: an agent's, a user's, a session's, or any combination."""

    agent: str | None = None
    user: str | None = None
    session: str | None = None

    @classmethod
    def of(cls, *, agent: Name = UNSET, user: Name = UNSET, session: Name = UNSET) -> Scope:
        """Build a scope from keys, refusing None and blank names."""
        return cls(
            None if agent is UNSET else checks.name("agent", agent),
            None if user is UNSET else checks.name("user", user),
            None if session is UNSET else checks.name("session", session),
        )

    @property
    def is_nobody(self) -> bool:
        """Return whether no key is set."""
        return self.agent is None and self.user is None and self.session is None

    def covers(self, other: Scope) -> bool:
        """Return whether a query in this scope may see a memory of the other."""
        if self.is_nobody:
            return other.is_nobody
        return (
            self.agent in (None, other.agent)
            and self.user in (None, other.user)
            and self.session in (None, other.session)
        )


def search_scope(
    *, agent: Name = UNSET, user: Name = UNSET, session: Name = UNSET, everywhere: bool = False
) -> Scope | None:
    """Return the scope to search in, or None for all scopes."""
    scope = Scope.of(agent=agent, user=user, session=session)
    if not checks.flag("everywhere", everywhere):
        return scope
    if not scope.is_nobody:
        raise InvalidInput("everywhere", "cannot be combined with agent, user or session; leave one of them out")
    return None
