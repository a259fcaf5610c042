"""Comparing claims: whether a newer text updates an older one, or contradicts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mnemic.rules.claims.attributes import TRIPS
from mnemic.rules.claims.facts import ANYONE, OUTDATED, PLAN, Fact
from mnemic.rules.claims.opposites import opposition
from mnemic.rules.claims.reader import facts_of
from mnemic.rules.claims.values import content_of, number_of
from mnemic.rules.language.terms import stem
from mnemic.rules.language.words import declarative_sentences, lemma, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mnemic.rules.claims.values import Value

Relation = Literal["updates", "contradicts"]

_WORDS_LEFT = 8
"""A text is closed as a whole if at most so many of its words lie outside the closed claims."""

_PERIODS = frozenset(map(stem, "hour day night week month quarter year time".split()))
_ENDS_WITH = {
    "possession": frozenset(("activity", "to")),
    "activity": frozenset(("taste", "to")),
    "taste": frozenset(("activity", "to")),
    "to": frozenset(("activity", "taste", "to")),
}
"""The attributes that end together with another one; "to" is any verb outside of the table of attributes."""

_FULFILLING_VERBS = frozenset(
    map(lemma, "go come attend join take visit do make finish complete enjoy travel fly return spend see run".split())
)
"""The verbs that say that a plan has happened, besides its own."""

_RETURNING_VERBS = frozenset(map(lemma, "come return".split()))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a newer text does to an older one, why, and whether to the whole of it."""

    relation: Relation
    reason: str
    whole: bool = True


def compare(
    older: str, newer: str, *, later: bool, speaker: str | None = None, newer_speaker: str | None = None
) -> Comparison | None:
    """Compare a newer text with an older one; `later` says that enough time passed for things to change.

    The speakers are the names of whoever says "I" in each text.
    """
    replaced = compare_replacement(older, newer, speaker=speaker, replacement_speaker=newer_speaker)
    if replaced is not None:
        return replaced
    older_facts, newer_facts = facts_of(older, speaker), facts_of(newer, newer_speaker)
    closed: list[Fact] = []
    contradiction: str | None = None
    reason = ""
    for old in older_facts:
        for new in newer_facts:
            comparison = compare_facts(old, new, later=later)
            if comparison is None:
                continue
            if comparison.relation == "updates":
                closed.append(old)
                reason = reason or comparison.reason
            else:
                contradiction = contradiction or comparison.reason
    if closed:
        return Comparison("updates", reason, _closes_whole(older, older_facts, closed))
    return Comparison("contradicts", contradiction) if contradiction else None


def compare_replacement(
    outdated: str, replacement: str, *, speaker: str | None = None, replacement_speaker: str | None = None
) -> Comparison | None:
    """Compare a text that says what replaced it with another text, whichever is newer."""
    stems = frozenset(content_of(words_of(replacement)))
    also_replaced = [fact.value for fact in facts_of(replacement, replacement_speaker) if fact.attribute == OUTDATED]
    for fact in facts_of(outdated, speaker):
        named = fact.value.parts
        if (
            fact.attribute == OUTDATED
            and named
            and named <= stems
            and not any(named <= value.parts for value in also_replaced)
        ):
            return Comparison("updates", f"says itself that it was replaced by {' '.join(fact.words)}")
    return None


def contradiction(text: str, other: str) -> str | None:
    """Return why two texts about the same thing, written at the same time, cannot both be true."""
    for first, second in ((text, other), (other, text)):
        comparison = compare(first, second, later=False)
        if comparison is not None and comparison.relation == "contradicts":
            return comparison.reason
    return opposition(text, other)


def compare_facts(older: Fact, newer: Fact, *, later: bool) -> Comparison | None:
    """Compare a newer fact with an older one; `later` says that enough time passed for things to change.

    Two facts that exclude one another, with no word of change and no time between them, are a contradiction.
    """
    if newer.subject not in (older.subject, ANYONE) or older.tense == "past" or older.attribute == OUTDATED:
        return None
    if _fulfils(older, newer):
        return Comparison("updates", f"the plan has happened: {newer.description}")
    clash = _clash(older, newer)
    if clash is None or newer.tense == "past":
        return None
    if older.fixed:
        return Comparison("contradicts", f"{clash}, and that never changes")
    if newer.changed or later:
        return Comparison("updates", clash)
    return Comparison("contradicts", f"{clash}, stated at the same time")


def count_different_things(older: Fact, newer: Fact) -> bool:
    """Return whether two amounts are of different things: "pay 40 euros for the gym", "pay 30 euros for the phone"."""
    if not older.attribute.startswith("to ") or older.value.kind != "number":
        return False
    counted, other = (
        {word for word in content_of(fact.words) if number_of(word) is None} - {fact.value.head} - _PERIODS
        for fact in (older, newer)
    )
    return bool(counted and other) and counted.isdisjoint(other)


def _clash(older: Fact, newer: Fact) -> str | None:
    """Return why two facts exclude one another."""
    both = f"{older.description} / {newer.description}"
    if newer.instead_of is not None and older.holds and _names(newer.instead_of, older.value):
        return f"replaced: {both}"
    if older.attribute == PLAN and older.holds and not newer.holds and newer.changed:
        named = newer.value.parts
        enough = named and named <= older.value.parts and len(named) * 2 >= len(older.value.parts)
        return f"will not happen: {both}" if enough else None
    if older.tense == "planned":
        return None
    if older.attribute != newer.attribute:
        return f"over: {both}" if _ends_another_attribute(older, newer) else None
    if older.holds and newer.holds:
        is_other = older.single and older.value.excludes(newer.value) and not count_different_things(older, newer)
        return f"another value: {both}" if is_other else None
    if older.holds == newer.holds:
        return None
    if not newer.holds and newer.ends_all and older.single:
        return f"ended: {both}"
    positive, negative = (older, newer) if older.holds else (newer, older)
    definite = not newer.holds and newer.changed
    return f"the opposite: {both}" if _denies(negative.value, positive.value, definite=definite) else None


def _ends_another_attribute(older: Fact, newer: Fact) -> bool:
    """Return whether the end of one attribute ends another: who no longer eats something no longer orders it."""
    ended, attribute = (fact.attribute.split(" ")[0] for fact in (newer, older))
    if newer.holds or not newer.changed or not older.holds:
        return False
    if older.attribute == "job" and len(newer.value.parts) < 2:
        activity = newer.value.head or newer.verb
        return older.value.head in (activity, f"{activity}r", f"{activity}er", f"{activity}or")
    if attribute not in _ENDS_WITH.get(ended, ()):
        return False
    return _denies(newer.value, older.value, definite=False)


def _denies(negative: Value, positive: Value, *, definite: bool) -> bool:
    """Return whether denying one value denies the other: no coffee means no iced coffee, but not the reverse.

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


def _names(replaced: Value, value: Value) -> bool:
    return not replaced.is_empty and replaced.parts <= value.parts


def _fulfils(older: Fact, newer: Fact) -> bool:
    """Return whether the newer fact says that the older plan has happened."""
    if older.attribute != PLAN or not older.holds or not newer.holds or newer.attribute == PLAN:
        return False
    if newer.tense != "past" or newer.verb not in (*_FULFILLING_VERBS, older.verb):
        return False
    planned = older.value.parts - TRIPS or older.value.parts
    shared = len(planned & (newer.value.parts | frozenset(content_of(newer.words))))
    returned = newer.verb in _RETURNING_VERBS and bool(
        planned.intersection(content_of(_word_after("from", newer.words)))
    )
    enough = shared >= 2 or (shared == 1 and (returned or older.verb == newer.verb))
    return enough and shared * 3 >= len(planned) * 2


def _word_after(word: str, words: Sequence[str]) -> Sequence[str]:
    return next((words[index + 1 : index + 2] for index, other in enumerate(words) if other == word), ())


def _closes_whole(text: str, facts: Iterable[Fact], closed: list[Fact]) -> bool:
    """Return whether nothing of a text remains when some of its facts are closed."""
    rest = [fact for fact in facts if fact not in closed and fact.attribute != OUTDATED]
    if any(fact.sentence not in {old.sentence for old in closed} for fact in rest):
        return False
    if len({fact.sentence for fact in closed}) < len(declarative_sentences(text)):
        return False
    covered = {word for fact in closed for word in content_of(fact.words)}
    return len([word for word in content_of(words_of(text)) if word not in covered]) <= _WORDS_LEFT
