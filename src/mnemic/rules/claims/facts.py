"""Facts: what a clause claims about a subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemic.rules.claims.predicates import Tense
    from mnemic.rules.claims.values import Value

ANY = "any"
"""The attribute of a replacement that does not say what it is a value of."""

PLAN = "plan"
ANYONE = ""
"""The subject of what was cancelled by nobody in particular."""

OUTDATED = "outdated"
"""The attribute of a text that says of itself that something replaced it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One claim: a subject, an attribute, its value, and whether and when that holds."""

    subject: str
    attribute: str
    value: Value
    holds: bool = True
    changed: bool = False
    """Whether it says that things were different before."""

    tense: Tense = "now"
    single: bool = False
    """Whether the subject has only one value of the attribute at a time."""

    fixed: bool = False
    """Whether the value can never change."""

    ends_all: bool = False
    """Whether it ends the attribute whatever its value is: "I quit my job"."""

    instead_of: Value | None = None
    sentence: int = 0
    verb: str = ""
    words: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """Return the claim as a person reads it."""
        value = " ".join(self.words)
        return f"{self.subject}, {self.attribute}: {'' if self.holds else 'not '}{value}".strip()
