"""The reader of facts: one function for each way to state a fact; the first one that understands a clause reads it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from mnemic.rules.claims import attributes as table
from mnemic.rules.claims.clauses import SPEAKER, UNKNOWN, Clause, clauses
from mnemic.rules.claims.facts import ANY, ANYONE, OUTDATED, PLAN, Fact
from mnemic.rules.claims.objects import (
    bare_object,
    before_preposition,
    destination_first,
    object_of,
    particle_first,
    split_at,
    times_in,
    worded_value,
)
from mnemic.rules.claims.properties import (
    SKIPPED,
    fact_from,
    read_amount,
    read_favourite,
    read_identity,
    read_new_value,
    read_possession,
)
from mnemic.rules.claims.values import DAYS, NOTHING, Value, content_of, value_of
from mnemic.rules.language.words import is_gerund, lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORK = frozenset(map(lemma, "job work company firm employer position".split()))
_ATTRIBUTE_NOUNS = {
    "employer": _WORK,
    "job": _WORK,
    "partner": frozenset(map(lemma, "partner husband wife girlfriend boyfriend spouse".split())),
}
"""The words that name an attribute rather than its value: "I quit my job" ends any job."""

_LEAVING = lemma("leave")
_TEMPORARY_VERBS = frozenset(map(lemma, "stay join".split()))
_QUOTED = re.compile(
    r"""(\b(?:said|says|wrote|writes|texted|replied|asked|answered|shouted)\b)(?:\s*:|,?\s*["“])[^.!?\n]*"""
)
_WITHOUT_PARTNER = ("single", "divorced", "separated", "widowed")
_LONGEST = 4_000
"""The characters at the beginning of a text that are read; a longer text is no note of a fact."""


@lru_cache(maxsize=5_000)
def facts_of(text: str, speaker: str | None = None) -> tuple[Fact, ...]:
    """Return the facts that a text states, without what it quotes.

    `speaker` is the name by which others call whoever says "I".
    """
    unquoted = _QUOTED.sub(r"\1", text[:_LONGEST])
    facts = [fact for clause in clauses(unquoted, table.VERBS) for fact in _read(clause) if fact.subject != UNKNOWN]
    if speaker is None:
        return tuple(facts)
    return tuple(replace(fact, subject=SPEAKER) if fact.subject == speaker.lower() else fact for fact in facts)


def _read(clause: Clause) -> list[Fact]:
    for reader in _READERS:
        facts = reader(clause)
        if facts:
            return [replace(fact, sentence=clause.sentence) for fact in (*_read_state(clause), *facts)]
    return []


def _read_plan(clause: Clause) -> list[Fact]:
    """Read what is going to happen, or no longer is."""
    booked = not clause.negated and any(
        (clause.verb, *clause.rest)[: len(pattern)] == pattern for pattern in table.BOOKING
    )
    if not (clause.tense == "planned" or booked) or (clause.verb == "be" and clause.definite):
        return []
    words = (clause.verb, *object_of(clause.rest))
    content = frozenset(content_of(words)) - times_in(words) - table.LIGHT_VERBS
    if not content:
        return []
    changed = clause.changed or clause.negated
    return [fact_from(clause, PLAN, Value("words", content), words, changed=changed, tense="planned")]


def _read_cancellation(clause: Clause) -> list[Fact]:
    """Read what is not going to happen: "I called off the trip", "the trip was cancelled"."""
    rest, subject = particle_first(clause.rest), clause.subject
    called_off = next(
        (len(words) for verb, *words in table.CALLING_OFF if verb == clause.verb and [*rest[: len(words)]] == words), 0
    )
    if clause.verb == "be" and rest and (lemma(rest[0]) in table.CANCELLING or rest[:2] == ("called", "off")):
        words, person = clause.subject.split(), split_at(list(rest), "for")[1]
        subject = " ".join(person).lower().replace("me", SPEAKER) if person else ANYONE
    elif clause.verb == "fall" and rest[:1] == ("through",):
        words, subject = clause.subject.split(), ANYONE
    elif called_off or clause.verb in table.CANCELLING:
        words = object_of(rest[called_off:])
    else:
        return []
    content = frozenset(content_of(words)) - times_in(words) - table.LIGHT_VERBS
    if clause.negated or not content or content & table.SUBSCRIPTIONS:
        return []
    value = Value("words", content)
    return [fact_from(clause, PLAN, value, words, subject=subject, holds=False, changed=True, tense="now")]


def _read_replacement(clause: Clause) -> list[Fact]:
    """Read "switched from A to B", "replaced A with B", "A was replaced by B", "use B instead of A"."""
    verb, rest = clause.verb, list(clause.rest)
    if verb == "be" and rest[:1] == ["replaced"]:
        verb, rest = "replac", rest[1:]
    if clause.negated:
        return []
    if verb not in table.REPLACING:
        new, old = split_at(rest, "instead")
        return [_replacement(clause, new, old[1:])] if old[:1] == ["of"] else []
    if verb == "replac" and rest[:1] == ["by"]:
        new = object_of(rest[1:])
        value = Value("words", frozenset(content_of(before_preposition(new))))
        return [fact_from(clause, OUTDATED, value, new, changed=True)]
    for separator in ("with", "for", "by", "to"):
        old, new = split_at(rest, separator)
        if new and old[:1] == ["from"]:
            return [_replacement(clause, new, old[1:])]
        if new:
            return [_replacement(clause, new, old)] if verb in table.SWAPPING else []
    if verb == "replac" and rest:
        new = [] if clause.subject == SPEAKER else clause.subject.split()
        return [_replacement(replace(clause, subject=SPEAKER), new, rest)]
    return []


def _replacement(clause: Clause, new: Sequence[str], old: Sequence[str]) -> Fact:
    replaced = Value("words", frozenset(content_of(before_preposition(object_of(old)))))
    words = object_of(new)
    value = Value("words", frozenset(content_of(words)))
    return fact_from(
        clause, ANY, value, (*words, "instead", "of", *old), changed=True, tense="now", instead_of=replaced
    )


def _read_attribute(clause: Clause) -> list[Fact]:
    """Read the verbs of the table: the longest pattern decides; one verb may belong to several attributes."""
    clause = replace(clause, rest=particle_first(destination_first(clause.rest)))
    by_length: dict[int, list[Fact]] = {}
    for attribute in table.ATTRIBUTES:
        for role, patterns in attribute.roles:
            for pattern in patterns:
                taken = _match(pattern, clause)
                if taken is not None:
                    fact = _attribute_fact(attribute, role, clause, clause.rest[taken:])
                    by_length.setdefault(len(pattern), []).extend([] if fact is None else [fact])
    longest = max((length for length, facts in by_length.items() if facts), default=0)
    return by_length.get(longest, [])


def _match(pattern: table.Pattern, clause: Clause) -> int | None:
    """Return how many words after the verb a pattern takes, None if it does not match."""
    progressive = (
        clause.progressive
        and pattern[0] == "be"
        and is_gerund("".join(pattern[1:2]))
        and lemma(pattern[1]) == clause.verb
    )
    if pattern[0] != clause.verb and not progressive:
        return None
    lower = [word.lower() for word in clause.rest]
    taken = 0
    for expected in pattern[2 if progressive else 1 :]:
        while taken < len(lower) and lower[taken] in SKIPPED and lower[taken] != expected:
            taken += 1
        if taken == len(lower) or lemma(lower[taken]) != lemma(expected):
            return None
        taken += 1
    return taken


def _attribute_fact(attribute: table.Attribute, role: str, clause: Clause, rest: Sequence[str]) -> Fact | None:
    begins_or_ends = role in ("starts", "ends")
    unbearable = clause.verb in ("stand", "bear")
    if clause.negated if begins_or_ends else unbearable and not clause.negated:
        return None
    words, old = split_at(object_of(rest), "from")
    if role == "ends" and attribute.named_values and not old:
        words, _ = split_at(words, "for")
    holds = not unbearable and (role in ("states", "starts")) != clause.negated
    if words and words[0].lower() == "no":
        holds, words = not holds, words[1:]
    if attribute.name == "taste" and words and lemma(words[0]) in table.CONSUMING | {"to"}:
        words = [word for word in words if lemma(word) not in table.CONSUMING and word != "to"]
    if clause.verb == _LEAVING and words and not any(word[:1].isupper() for word in before_preposition(words)):
        words = before_preposition(words)
    if _is_temporary(clause, attribute, rest) or _is_left_behind(clause, rest):
        return None
    value = value_of(words, names=True, cased=clause.cased) if attribute.named_values else worded_value(words)
    head = content_of(before_preposition(words))[-1:]
    ends_all = (
        role == "ends" and attribute.ends_all and (not words or not _ATTRIBUTE_NOUNS[attribute.name].isdisjoint(head))
    )
    if not ends_all and (value.is_empty or (attribute.named_values and value.kind not in ("name", "country"))):
        return None
    lasting = begins_or_ends or attribute.fixed or (clause.negated and clause.changed)
    return fact_from(
        clause,
        attribute.name,
        NOTHING if ends_all else value,
        words,
        holds=holds,
        changed=clause.changed or begins_or_ends,
        tense="now" if lasting else clause.tense,
        single=attribute.single,
        fixed=attribute.fixed,
        ends_all=ends_all,
        instead_of=value_of(old, names=True) if old and attribute.named_values else None,
    )


def _is_temporary(clause: Clause, attribute: table.Attribute, rest: Sequence[str]) -> bool:
    """Return whether a fact holds only at times: no meat on Fridays, Berlin for the weekend, joined for lunch."""
    if _is_negated_at_times(clause):
        return True
    return attribute.named_values and clause.verb in _TEMPORARY_VERBS and not {"for", "this"}.isdisjoint(rest)


def _is_left_behind(clause: Clause, rest: Sequence[str]) -> bool:
    """Return whether a thing was only left somewhere: "she left her inhaler at school"."""
    object_words = object_of(rest)
    thing = before_preposition(object_words)
    has_name = any(word[:1].isupper() for word in thing)
    has_place = object_words[len(thing) : len(thing) + 1] in (["at"], ["in"], ["on"])
    return clause.verb == _LEAVING and has_place and not has_name and _WORK.isdisjoint(content_of(thing))


def _is_negated_at_times(clause: Clause) -> bool:
    days = any(word.lower().removesuffix("s") in DAYS for word in clause.rest)
    return clause.negated and not clause.changed and (days or bool(times_in(clause.rest)))


def _read_couple(clause: Clause) -> list[Fact]:
    """Read that two people are together or part: "Ana and Ben are together", "Ana and Ben broke up"."""
    couple = clause.subject.split(" and ")
    parting = clause.verb in table.PARTING and not clause.negated
    pairing = clause.verb in ("be", "get", "date") and (
        clause.verb == "date" or not table.PAIRED.isdisjoint(clause.rest)
    )
    if len(couple) != 2 or not (parting or pairing):
        return []
    holds = pairing and not clause.negated
    names = [SPEAKER if name in ("i", "me") else name for name in couple]
    return [
        fact_from(
            clause,
            "partner",
            Value("name", frozenset((partner,))),
            (partner,),
            subject=person,
            holds=holds,
            changed=clause.changed or parting,
            tense="now" if parting else clause.tense,
            single=True,
        )
        for person, partner in (names, names[::-1])
    ]


def _read_loss(clause: Clause) -> list[Fact]:
    """Read "my bike was stolen", "Ana's dog died"."""
    lost = clause.verb in table.GOING or (
        clause.verb in ("be", "get") and clause.rest[:1] and lemma(clause.rest[0]) in table.GONE
    )
    if not lost or clause.negated or not clause.definite:
        return []
    first, _, noun = clause.subject.partition(" ")
    owner = first.removesuffix("'s") if first.endswith("'s") and noun else SPEAKER
    words = (noun if owner != SPEAKER else clause.subject.removeprefix("my ")).split()
    value = worded_value(words)
    return [fact_from(clause, "possession", value, words, subject=owner, holds=False, changed=True, tense="now")]


def _read_state(clause: Clause) -> list[Fact]:
    """Read a state that excludes the others of its group: "I am single", "I got divorced", "The shop is closed"."""
    if clause.verb not in ("be", "becom", "get", "retir", "divorc") or clause.tense == "planned":
        return []
    words = {"retir": ["retired"], "divorc": ["divorced"]}.get(clause.verb, bare_object(clause.rest))
    state = next((word for word in words[:2] if word in table.GROUPS), None)
    if state is None or (state in ("on", "off") and len(words) > 1) or (words[0] != state and len(words) > 2):
        return []
    value = Value("words", frozenset((state,)), state)
    fact = fact_from(clause, table.GROUPS[state], value, (state,), single=True)
    if clause.verb != "be":
        fact = replace(fact, changed=True, tense="now")
    if state not in _WITHOUT_PARTNER or clause.negated:
        return [fact]
    return [fact, replace(fact, attribute="partner", value=NOTHING, holds=False, ends_all=True)]


def _read_other_verb(clause: Clause) -> list[Fact]:
    """Read any other verb: only its own negation closes it."""
    words = object_of(clause.rest)
    value = worded_value(words)
    if clause.negated and clause.changed:
        clause = replace(clause, tense="now")
    if value.is_empty and (words or clause.verb in ("be", "have", "do")):
        return []
    if _is_negated_at_times(clause):
        return []
    fact = fact_from(clause, f"to {clause.verb}", value, (clause.verb, *words))
    if value.is_empty and clause.negated and clause.changed:
        activity = Value("words", frozenset((clause.verb,)), clause.verb)
        return [fact, replace(fact, attribute="activity", value=activity)]
    return [fact]


_READERS = (
    _read_plan,
    _read_cancellation,
    _read_replacement,
    _read_couple,
    read_possession,
    _read_loss,
    read_favourite,
    read_new_value,
    read_amount,
    _read_attribute,
    read_identity,
    _read_other_verb,
)
