"""Reading claims from text: one reader for each way of telling a fact; the first that understands a clause reads it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mnemic.rules.claims import attributes as table
from mnemic.rules.claims.clauses import SPEAKER, UNKNOWN, Clause, clauses
from mnemic.rules.claims.facts import ANY, ANYONE, OUTDATED, PLAN, Fact
from mnemic.rules.claims.phrases import (
    as_words,
    before_preposition,
    object_of,
    parted,
    particle_first,
    plain,
    times_in,
    to_first,
)
from mnemic.rules.claims.things import SKIPPED, count, favourite, having, is_a, reset, told_by
from mnemic.rules.claims.values import DAYS, NOTHING, Value, content_of, value_of
from mnemic.rules.language.words import is_gerund, lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORK = frozenset(map(lemma, "job work company firm employer position".split()))
_WHOLE = {
    "employer": _WORK,
    "job": _WORK,
    "partner": frozenset(map(lemma, "partner husband wife girlfriend boyfriend spouse".split())),
}
"""The words that name an attribute rather than its value: "I quit my job" ends whatever job it was."""

_LEAVING = lemma("leave")
_PASSING = frozenset(map(lemma, "stay join".split()))
_QUOTED = re.compile(
    r"""(\b(?:said|says|wrote|writes|texted|replied|asked|answered|shouted)\b)(?:\s*:|,?\s*["“])[^.!?\n]*"""
)
_ALONE = ("single", "divorced", "separated", "widowed")


def facts(text: str, *, speaker: str | None = None) -> list[Fact]:
    """Return the claims of a text; `speaker` is the name by which others call whoever says "I".

    What the text quotes claims nothing.
    """
    found = [fact for clause in clauses(_QUOTED.sub(r"\1", text), table.VERBS) for fact in _read(clause)]
    known = (fact for fact in found if fact.subject != UNKNOWN)
    if speaker is None:
        return list(known)
    return [replace(fact, subject=SPEAKER) if fact.subject == speaker.lower() else fact for fact in known]


def _read(clause: Clause) -> list[Fact]:
    for reader in _READERS:
        found = reader(clause)
        if found:
            return [replace(fact, sentence=clause.sentence) for fact in (*_state(clause), *found)]
    return []


def _plan(clause: Clause) -> list[Fact]:
    """Read what is going to happen, or no longer is."""
    booked = not clause.negated and any(
        (clause.verb, *clause.rest)[: len(pattern)] == pattern for pattern in table.BOOKING
    )
    if not (clause.aspect == "planned" or booked) or (clause.verb == "be" and clause.definite):
        return []
    words = (clause.verb, *object_of(clause.rest))
    content = frozenset(content_of(words)) - times_in(words) - table.LIGHT_VERBS
    changed = clause.changed or clause.negated
    return [told_by(clause, PLAN, Value("words", content), words, changed=changed, aspect="planned")] if content else []


def _cancelled(clause: Clause) -> list[Fact]:
    """Read what is not going to happen: "I called off the trip", "the trip was cancelled"."""
    rest, who = particle_first(clause.rest), clause.subject
    off = next(
        (len(words) for verb, *words in table.CALLING_OFF if verb == clause.verb and [*rest[: len(words)]] == words), 0
    )
    if clause.verb == "be" and rest and (lemma(rest[0]) in table.CANCELLING or rest[:2] == ("called", "off")):
        words, person = clause.subject.split(), parted(list(rest), "for")[1]
        who = " ".join(person).lower().replace("me", SPEAKER) if person else ANYONE
    elif clause.verb == "fall" and rest[:1] == ("through",):
        words, who = clause.subject.split(), ANYONE
    elif off or clause.verb in table.CANCELLING:
        words = object_of(rest[off:])
    else:
        return []
    content = frozenset(content_of(words)) - times_in(words) - table.LIGHT_VERBS
    if clause.negated or not content or content & table.SUBSCRIPTIONS:
        return []
    return [told_by(clause, PLAN, Value("words", content), words, subject=who, holds=False, changed=True, aspect="now")]


def _replacement(clause: Clause) -> list[Fact]:
    """Read "switched from A to B", "replaced A with B", "A was replaced by B", "use B instead of A"."""
    verb, rest = clause.verb, list(clause.rest)
    if verb == "be" and rest[:1] == ["replaced"]:
        verb, rest = "replac", rest[1:]
    if clause.negated:
        return []
    if verb not in table.REPLACING:
        new, old = parted(rest, "instead")
        return [_swap(clause, new, old[1:])] if old[:1] == ["of"] else []
    if verb == "replac" and rest[:1] == ["by"]:
        new = object_of(rest[1:])
        value = Value("words", frozenset(content_of(before_preposition(new))))
        return [told_by(clause, OUTDATED, value, new, changed=True)]
    for joint in ("with", "for", "by", "to"):
        old, new = parted(rest, joint)
        if new and old[:1] == ["from"]:
            return [_swap(clause, new, old[1:])]
        if new:
            return [_swap(clause, new, old)] if verb in table.SWAPPING else []
    if verb == "replac" and rest:
        new = [] if clause.subject == SPEAKER else clause.subject.split()
        return [_swap(replace(clause, subject=SPEAKER), new, rest)]
    return []


def _swap(clause: Clause, new: Sequence[str], old: Sequence[str]) -> Fact:
    gone = Value("words", frozenset(content_of(before_preposition(object_of(old)))))
    words = object_of(new)
    value = Value("words", frozenset(content_of(words)))
    return told_by(clause, ANY, value, (*words, "instead", "of", *old), changed=True, aspect="now", instead_of=gone)


def _known(clause: Clause) -> list[Fact]:
    """Read the verbs of the table: the longest pattern decides; one verb may tell of several attributes."""
    clause = replace(clause, rest=particle_first(to_first(clause.rest)))
    found: dict[int, list[Fact]] = {}
    for attribute in table.ATTRIBUTES:
        for role, patterns in attribute.roles:
            for pattern in patterns:
                taken = _matched(pattern, clause)
                if taken is not None:
                    fact = _known_fact(attribute, role, clause, clause.rest[taken:])
                    found.setdefault(len(pattern), []).extend([] if fact is None else [fact])
    longest = max((length for length, told in found.items() if told), default=0)
    return found.get(longest, [])


def _matched(pattern: table.Pattern, clause: Clause) -> int | None:
    """Return how many words after the verb a pattern takes."""
    under_way = (
        clause.progressive
        and pattern[0] == "be"
        and is_gerund("".join(pattern[1:2]))
        and lemma(pattern[1]) == clause.verb
    )
    if pattern[0] != clause.verb and not under_way:
        return None
    small = [word.lower() for word in clause.rest]
    taken = 0
    for wanted in pattern[2 if under_way else 1 :]:
        while taken < len(small) and small[taken] in SKIPPED and small[taken] != wanted:
            taken += 1
        if taken == len(small) or lemma(small[taken]) != lemma(wanted):
            return None
        taken += 1
    return taken


def _known_fact(attribute: table.Attribute, role: str, clause: Clause, rest: Sequence[str]) -> Fact | None:
    begins_or_ends = role in ("starts", "ends")
    unbearable = clause.verb in ("stand", "bear")
    if clause.negated if begins_or_ends else unbearable and not clause.negated:
        return None
    words, old = parted(object_of(rest), "from")
    if role == "ends" and attribute.names and not old:
        words, _ = parted(words, "for")
    holds = not unbearable and (role in ("states", "starts")) != clause.negated
    if words and words[0].lower() == "no":
        holds, words = not holds, words[1:]
    if attribute.name == "taste" and words and lemma(words[0]) in table.CONSUMING | {"to"}:
        words = [word for word in words if lemma(word) not in table.CONSUMING and word != "to"]
    if clause.verb == _LEAVING and words and not any(word[:1].isupper() for word in before_preposition(words)):
        words = before_preposition(words)
    if _is_passing(clause, attribute, rest) or _is_left_behind(clause, rest):
        return None
    value = value_of(words, names=True, cased=clause.cased) if attribute.names else as_words(words)
    head = content_of(before_preposition(words))[-1:]
    over = role == "ends" and attribute.ends_all and (not words or not _WHOLE[attribute.name].isdisjoint(head))
    if not over and (value.is_empty or (attribute.names and value.kind not in ("name", "country"))):
        return None
    lasting = begins_or_ends or attribute.fixed or (clause.negated and clause.changed)
    return told_by(
        clause,
        attribute.name,
        NOTHING if over else value,
        words,
        holds=holds,
        changed=clause.changed or begins_or_ends,
        aspect="now" if lasting else clause.aspect,
        one=attribute.one,
        fixed=attribute.fixed,
        ends_all=over,
        instead_of=value_of(old, names=True) if old and attribute.names else None,
    )


def _is_passing(clause: Clause, attribute: table.Attribute, rest: Sequence[str]) -> bool:
    """Tell whether something is said only of a time: no meat on Fridays, Berlin for the weekend, joined for lunch."""
    if _is_denied_at_times(clause):
        return True
    return attribute.names and clause.verb in _PASSING and not {"for", "this"}.isdisjoint(rest)


def _is_left_behind(clause: Clause, rest: Sequence[str]) -> bool:
    """Tell whether a thing was only left somewhere: "she left her inhaler at school"."""
    told = object_of(rest)
    thing = before_preposition(told)
    named = any(word[:1].isupper() for word in thing)
    is_placed = told[len(thing) : len(thing) + 1] in (["at"], ["in"], ["on"])
    return clause.verb == _LEAVING and is_placed and not named and _WORK.isdisjoint(content_of(thing))


def _is_denied_at_times(clause: Clause) -> bool:
    days = any(word.lower().removesuffix("s") in DAYS for word in clause.rest)
    return clause.negated and not clause.changed and (days or bool(times_in(clause.rest)))


def _pair(clause: Clause) -> list[Fact]:
    """Read what two people are, or end: "Ana and Ben are together", "Ana and Ben broke up"."""
    pair = clause.subject.split(" and ")
    parting = clause.verb in table.PARTING and not clause.negated
    pairing = clause.verb in ("be", "get", "date") and (
        clause.verb == "date" or not table.PAIRED.isdisjoint(clause.rest)
    )
    if len(pair) != 2 or not (parting or pairing):
        return []
    holds = pairing and not clause.negated
    names = [SPEAKER if name in ("i", "me") else name for name in pair]
    return [
        told_by(
            clause,
            "partner",
            Value("name", frozenset((other,))),
            (other,),
            subject=one,
            holds=holds,
            changed=clause.changed or parting,
            aspect="now" if parting else clause.aspect,
            one=True,
        )
        for one, other in (names, names[::-1])
    ]


def _lost(clause: Clause) -> list[Fact]:
    """Read "my bike was stolen", "Ana's dog died"."""
    gone = clause.verb in table.GOING or (
        clause.verb in ("be", "get") and clause.rest[:1] and lemma(clause.rest[0]) in table.GONE
    )
    if not gone or clause.negated or not clause.definite:
        return []
    first, _, noun = clause.subject.partition(" ")
    owner = first.removesuffix("'s") if first.endswith("'s") and noun else SPEAKER
    words = (noun if owner != SPEAKER else clause.subject.removeprefix("my ")).split()
    value = as_words(words)
    return [told_by(clause, "possession", value, words, subject=owner, holds=False, changed=True, aspect="now")]


def _state(clause: Clause) -> list[Fact]:
    """Read a state that excludes the others of its group: "I am single", "I got divorced", "The shop is closed"."""
    if clause.verb not in ("be", "becom", "get", "retir", "divorc") or clause.aspect == "planned":
        return []
    words = {"retir": ["retired"], "divorc": ["divorced"]}.get(clause.verb, plain(clause.rest))
    state = next((word for word in words[:2] if word in table.GROUPS), None)
    if state is None or (state in ("on", "off") and len(words) > 1) or (words[0] != state and len(words) > 2):
        return []
    value = Value("words", frozenset((state,)), state)
    told = told_by(clause, table.GROUPS[state], value, (state,), one=True)
    if clause.verb != "be":
        told = replace(told, changed=True, aspect="now")
    if state not in _ALONE or clause.negated:
        return [told]
    return [told, replace(told, attribute="partner", value=NOTHING, holds=False, ends_all=True)]


def _general(clause: Clause) -> list[Fact]:
    """Read any other verb: only its own denial closes it."""
    words = object_of(clause.rest)
    value = as_words(words)
    if clause.negated and clause.changed:
        clause = replace(clause, aspect="now")
    if value.is_empty and (words or clause.verb in ("be", "have", "do")):
        return []
    if _is_denied_at_times(clause):
        return []
    told = told_by(clause, f"to {clause.verb}", value, (clause.verb, *words))
    if value.is_empty and clause.negated and clause.changed:
        return [told, replace(told, attribute="activity", value=Value("words", frozenset((clause.verb,)), clause.verb))]
    return [told]


_READERS = (_plan, _cancelled, _replacement, _pair, having, _lost, favourite, reset, count, _known, is_a, _general)
