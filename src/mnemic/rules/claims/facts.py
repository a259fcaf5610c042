"""What a text claims: subject, attribute, value, and whether it holds; and what two claims mean for one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mnemic.rules.claims.attributes import TRIPS
from mnemic.rules.claims.values import content_of, number_of
from mnemic.rules.language.terms import stem
from mnemic.rules.language.words import lemma

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mnemic.rules.claims.predicates import Aspect
    from mnemic.rules.claims.values import Value

Relation = Literal["updates", "contradicts"]

ANY = "any"
"""The attribute of a replacement that does not say what it is a value of."""

PLAN = "plan"
ANYONE = ""
"""The subject of what was cancelled by nobody in particular."""

OUTDATED = "outdated"
"""The attribute of a text that says of itself that something took its place."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Hold one claim."""

    subject: str
    attribute: str
    value: Value
    holds: bool = True
    changed: bool = False
    """Whether it says that things were otherwise before."""

    aspect: Aspect = "now"
    one: bool = False
    fixed: bool = False
    ends_all: bool = False
    instead_of: Value | None = None
    sentence: int = 0
    verb: str = ""
    words: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """Return what the claim is about, as a person reads it."""
        value = " ".join(self.words)
        return f"{self.subject}, {self.attribute}: {'' if self.holds else 'not '}{value}".strip()


@dataclass(frozen=True, slots=True)
class Judgement:
    """Say what a newer claim does to an older one, and why."""

    relation: Relation
    reason: str


def judge(older: Fact, newer: Fact, *, later: bool) -> Judgement | None:
    """Say what a newer claim means for an older one; `later` tells that time enough passed for things to change.

    Without a word of change and without time between them, two claims that exclude one another are a contradiction.
    """
    if newer.subject not in (older.subject, ANYONE) or older.aspect == "past" or older.attribute == OUTDATED:
        return None
    if _fulfils(older, newer):
        return Judgement("updates", f"the plan has happened: {newer.about}")
    clash = _clash(older, newer)
    if clash is None or newer.aspect == "past":
        return None
    if older.fixed:
        return Judgement("contradicts", f"{clash}, and that never changes")
    if newer.changed or later:
        return Judgement("updates", clash)
    return Judgement("contradicts", f"{clash}, told at the same time")


def _clash(older: Fact, newer: Fact) -> str | None:
    """Return why two claims exclude one another."""
    told = f"{older.about} / {newer.about}"
    if newer.instead_of is not None and older.holds and _named_by(newer.instead_of, older.value):
        return f"replaced: {told}"
    if older.attribute == PLAN and older.holds and not newer.holds and newer.changed:
        named = newer.value.parts
        enough = named and named <= older.value.parts and len(named) * 2 >= len(older.value.parts)
        return f"will not happen: {told}" if enough else None
    if older.aspect == "planned":
        return None
    if older.attribute != newer.attribute:
        return f"over: {told}" if _is_over(older, newer) else None
    if older.holds and newer.holds:
        is_other = older.one and older.value.excludes(newer.value) and not count_different_things(older, newer)
        return f"another value: {told}" if is_other else None
    if older.holds == newer.holds:
        return None
    if not newer.holds and newer.ends_all and older.one:
        return f"ended: {told}"
    positive, negative = (older, newer) if older.holds else (newer, older)
    definite = not newer.holds and newer.changed
    return f"the opposite: {told}" if _denies(negative.value, positive.value, definite=definite) else None


def count_different_things(older: Fact, newer: Fact) -> bool:
    """Tell whether two amounts belong to different things: "pay 40 euros for the gym", "pay 30 euros for the phone"."""
    if not older.attribute.startswith("to ") or older.value.kind != "number":
        return False
    counted, other = (
        {word for word in content_of(fact.words) if number_of(word) is None} - {fact.value.head} - _PERIODS
        for fact in (older, newer)
    )
    return bool(counted and other) and counted.isdisjoint(other)


_PERIODS = frozenset(map(stem, "hour day night week month quarter year time".split()))


def _is_over(older: Fact, newer: Fact) -> bool:
    """Tell whether the end of one tie to a thing is the end of another: who no longer eats it no longer orders it."""
    ended, tie = (fact.attribute.split(" ")[0] for fact in (newer, older))
    if newer.holds or not newer.changed or not older.holds:
        return False
    if older.attribute == "job" and len(newer.value.parts) < 2:
        done = newer.value.head or newer.verb
        return older.value.head in (done, f"{done}r", f"{done}er", f"{done}or")
    if tie not in _ENDS_WITH.get(ended, ()):
        return False
    return _denies(newer.value, older.value, definite=False)


_ENDS_WITH = {
    "possession": frozenset(("activity", "to")),
    "activity": frozenset(("taste", "to")),
    "taste": frozenset(("activity", "to")),
    "to": frozenset(("activity", "taste", "to")),
}
"""The ties to a thing that end with another tie to it; "to" is any verb outside of the table."""


def _denies(negative: Value, positive: Value, *, definite: bool) -> bool:
    """Tell whether denying one value denies the other: no coffee means no iced coffee, but not the reverse.

    The end of a definite thing may name it more closely than its beginning did.
    """
    if negative.is_empty or positive.is_empty:
        return negative.is_empty and positive.is_empty
    if negative.kind != "words" or positive.kind != "words":
        return negative.same_as(positive)
    if negative.parts == positive.parts:
        return True
    if negative.head != positive.head:
        return False
    return negative.parts <= positive.parts or (definite and positive.parts <= negative.parts)


def _named_by(replaced: Value, value: Value) -> bool:
    return not replaced.is_empty and replaced.parts <= value.parts


def _fulfils(older: Fact, newer: Fact) -> bool:
    if older.attribute != PLAN or not older.holds or not newer.holds or newer.attribute == PLAN:
        return False
    if newer.aspect != "past" or newer.verb not in (*_CARRIED_OUT, older.verb):
        return False
    wanted = older.value.parts - TRIPS or older.value.parts
    shared = len(wanted & (newer.value.parts | frozenset(content_of(newer.words))))
    returned = newer.verb in _RETURNED and bool(wanted.intersection(content_of(_after("from", newer.words))))
    enough = shared >= 2 or (shared == 1 and (returned or older.verb == newer.verb))
    return enough and shared * 3 >= len(wanted) * 2


_CARRIED_OUT = frozenset(
    map(lemma, "go come attend join take visit do make finish complete enjoy travel fly return spend see run".split())
)
"""The verbs by which a plan is told to have happened, besides its own."""


_RETURNED = frozenset(map(lemma, "come return".split()))


def _after(word: str, words: Sequence[str]) -> Sequence[str]:
    """Return the word that follows another one."""
    return next((words[place + 1 : place + 2] for place, one in enumerate(words) if one == word), ())


def outdated_by(claims: Iterable[Fact], others: Iterable[Fact], other_words: Sequence[str]) -> str | None:
    """Return why a text that says what took its place gives way to another text, which tells of that."""
    stems = frozenset(content_of(other_words))
    given_up = [fact.value for fact in others if fact.attribute == OUTDATED]
    for fact in claims:
        named = fact.value.parts
        if (
            fact.attribute == OUTDATED
            and named
            and named <= stems
            and not any(named <= gone.parts for gone in given_up)
        ):
            return f"says itself that it was replaced by {' '.join(fact.words)}"
    return None
