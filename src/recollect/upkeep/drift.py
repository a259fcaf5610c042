"""Drift: what a newer sentence does to an older one of the same person, where no rule knows their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.rules.clauses import SPEAKER
from recollect.rules.contradiction import Finding
from recollect.rules.frames import frames, shared_topics
from recollect.rules.lexicon import is_a
from recollect.rules.text import stem
from recollect.upkeep.sense import sense

if TYPE_CHECKING:
    from recollect.model.memory import Memory
    from recollect.ports import Embedder
    from recollect.rules.frames import Frame
    from recollect.upkeep.sense import Sense

_LONGEST = 30
_HOLDS = 0.4
_ENDS = 0.6
_SURELY = 0.9
_REPLACES = 0.35
"""How surely a sentence must tell of a change when it names what was and what is."""

_ALIKE = 0.12
_SAME_KIND = 0.35
_AMOUNTS = ("number", "day", "clock")
_KINDRED = frozenset("with and love dating seeing left married engaged".split())
"""Words by which two people are told to be, or not to be, together."""

_UNITS = frozenset(map(stem, "euro dollar pound month year week day people hour home job life time moment".split()))
"""What many sentences share that speak of different things."""

_KINDS_OF = {
    "name": ("home", "employer", "partner", "name", "tool", "phone"),
    "trade": ("job",),
    "colour": ("colour",),
    "field": ("studies",),
    "number": ("pay",),
    "clock": ("schedule",),
    "day": (),
}
"""The kinds of fact of which there is one at a time, by the values that they have."""

_PLACING, _OTHER_LEADS = "in", frozenset(("with", "at", "and"))
"""What stands before a place, and never before one: whoever lives with Ana does not live in Ana."""

_OTHERWISE = ("none", "language", "plan", "taste")
"""What a sentence with such a value may speak of instead."""


def drifted(embedder: Embedder, older: Memory, newer: Memory) -> Finding | None:
    """Say whether a newer memory ends or replaces what an older one of one sentence says of the same person."""
    told = frames(older.text, older.scope.user)
    if len(told) != 1 or len(told[0].words) > _LONGEST:
        return None
    for frame in frames(newer.text, newer.scope.user):
        reason = _reason(embedder, told[0], frame)
        if reason is not None:
            return Finding("updates", f"{reason}: {older.text} / {newer.text}")
    return None


def _reason(embedder: Embedder, older: Frame, newer: Frame) -> str | None:
    topics = shared_topics(older, newer)
    if not _of_one_person(older, newer, topics) or len(newer.words) > _LONGEST:
        return None
    things = topics - _UNITS
    was, now = sense(embedder, older.without(things)), sense(embedder, newer.without(things))
    if was is None or now is None:
        return None
    over = now.roles["end"] + now.roles["change"]
    if was.roles["hold"] + was.roles["change"] < (_HOLDS / 2 if things and over >= _SURELY else _HOLDS):
        return None
    if older.names - newer.names and newer.names - older.names and older.of_kind(*_AMOUNTS):
        return None
    other = _other_value(older, newer)
    replaced = bool(topics & older.names) and bool(newer.names - older.names)
    alike = _alike(was, now) >= _ALIKE or (over >= _SURELY and not things <= older.names)
    if things and alike and over >= (_REPLACES if replaced else _ENDS):
        return "ended" if now.roles["end"] > now.roles["change"] else "changed"
    if other is None or now.roles["other"] > 1 - _ENDS:
        return None
    if newer.tells_change and newer.repeats(older):
        return f"another {other}"
    if other in _AMOUNTS and things and now.roles["change"] >= _REPLACES:
        return f"another {other}"
    if over < _REPLACES and other != "trade":
        return None
    kind = _same_kind(was, now, other)
    return None if kind is None else f"another {kind}"


def _of_one_person(older: Frame, newer: Frame, topics: frozenset[str]) -> bool:
    """Tell whether the newer sentence is about the person of the older one, or tells what was done to them."""
    if not older.people or not newer.people:
        return False
    person, first = older.people[0], newer.people[0]
    if older.names and older.names <= newer.names and topics - older.names and first in (SPEAKER, *older.people):
        return not newer.owns(first) or first == person
    if person not in newer.people:
        return False
    return first == person or newer.owns(person) or (first in topics and _KINDRED.isdisjoint(newer.words))


def _alike(one: Sense, other: Sense) -> float:
    return sum(min(chance, other.kinds[kind]) for kind, chance in one.kinds.items())


def _same_kind(one: Sense, other: Sense, value: str) -> str | None:
    """Return the kind of fact that both sentences speak of, among those that have such a value."""
    kinds = _KINDS_OF[value]
    rivals = (*kinds, *_OTHERWISE)
    shares = {
        kind: min(told.kinds[kind] / sum(told.kinds[rival] for rival in rivals) for told in (one, other))
        for kind in kinds
    }
    return next((kind for kind in kinds if shares[kind] >= max(_SAME_KIND, *shares.values())), None)


def _other_value(older: Frame, newer: Frame) -> str | None:
    """Return the kind of value of which both sentences name one, and not the same."""
    for kind in ("trade", "colour", "field", *_AMOUNTS):
        before, after = older.of_kind(kind), newer.of_kind(kind)
        if before and after and not before & after:
            return kind
    was, now = older.names - {older.people[0]}, newer.names - {older.people[0]}
    if not was or not now or was & now or _are_languages(was) != _are_languages(now):
        return None
    leads, other_leads = older.leads(was), newer.leads(now)
    return None if _PLACING in leads ^ other_leads and _OTHER_LEADS & (leads | other_leads) else "name"


def _are_languages(names: frozenset[str]) -> bool:
    return any(is_a("language", name) for name in names)
