"""The predicate of a clause: its main verb, and whether it is negated, past, planned, or a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mnemic.rules.language.words import ADVERBS, CHANGE_WORDS, INVARIANT, is_gerund, is_past_form, lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

Tense = Literal["now", "past", "planned"]

_MODAL_VERBS = frozenset("would could might may should must".split())
_TENTATIVE_VERBS = frozenset("need try dream consid think afford expect".split())
_PLANNING_VERBS = frozenset("plan intend decid aim schedul book arrang promis want hope wish".split())
_WISHING_VERBS = frozenset("want hope wish".split())
_STOPPING_VERBS = frozenset("stop quit ceas finish".split())
_STARTING_VERBS = frozenset("start begin".split())
_GERUNDS_AHEAD = frozenset("moving relocating leaving joining getting selling flying".split())
"""Verbs whose progressive form means the future: "is moving to Lisbon"."""

_SOON = frozenset("tomorrow tonight next soon".split())
_PRESENT_FORMS = frozenset("been being having goes has does am is are lying dying".split())


@dataclass(slots=True)
class VerbForm:
    """What the words around the main verb say about it."""

    negated: bool = False
    changed: bool = False
    past: bool = False
    planned: bool = False
    progressive: bool = False

    @property
    def tense(self) -> Tense:
        """Return when the clause holds."""
        return "planned" if self.planned else "past" if self.past else "now"


def predicate(words: Sequence[str], verbs: frozenset[str]) -> tuple[str, tuple[str, ...], VerbForm] | None:
    """Return the main verb, the words after it and its form; None for wishes and guesses, which claim nothing."""
    form = VerbForm()
    rest = [*words]
    while rest:
        taken = _read_before_main_verb(rest, verbs, form)
        if taken is None:
            return None
        if taken == 0:
            break
        rest = rest[taken:]
    if not rest:
        return None
    main, *after = rest
    form.past = form.past or _is_past(main, words[: len(words) - len(rest)])
    while lemma(main) == "be" and after and (taken := _read_negation(after, form) or _read_adverb(after, form)):
        after = after[taken:]
    kept = tuple(word for word in after if word.lower() not in CHANGE_WORDS)
    form.changed = form.changed or len(kept) != len(after)
    return lemma(main), kept, form


def _read_before_main_verb(words: Sequence[str], verbs: frozenset[str], form: VerbForm) -> int | None:
    """Return how many words before the main verb were read, 0 at the main verb, None if nothing is claimed."""
    word, verb = words[0].lower(), lemma(words[0])
    after = [word.lower() for word in words[1:4]]
    if word in _MODAL_VERBS or (word in ("have", "has") and after[:1] == ["to"]):
        return None
    if verb in _TENTATIVE_VERBS and after[:1] and after[0] in ("to", "about", "of"):
        return None
    if verb in _WISHING_VERBS and form.negated:
        return None
    return (
        _read_negation(words, form)
        or _read_adverb(words, form)
        or _read_auxiliary(words, verbs, form)
        or _read_phase_verb(word, verb, after, form)
    )


def _read_negation(words: Sequence[str], form: VerbForm) -> int:
    first_two = [word.lower() for word in words[:2]]
    if first_two == ["no", "longer"]:
        form.negated = form.changed = True
        return 2
    if first_two[0] in ("not", "never"):
        form.negated = True
        return 1
    return 0


def _read_adverb(words: Sequence[str], form: VerbForm) -> int:
    word = words[0].lower()
    if word not in ADVERBS:
        return 0
    form.changed = form.changed or word in CHANGE_WORDS
    return 1


def _read_auxiliary(words: Sequence[str], verbs: frozenset[str], form: VerbForm) -> int:
    """Read an auxiliary verb: will, can, do, have, be before another verb."""
    word, verb = words[0].lower(), lemma(words[0])
    after = [word.lower() for word in words[1:4]]
    following = next(
        (word for word in after if word not in ADVERBS and word not in ("not", "never", "no", "longer")), ""
    )
    if word in ("will", "shall"):
        form.planned = True
        return 1
    if word == "can":
        return 1
    if word == "had" and after[:1] == ["to"]:
        form.past = True
        return 2
    if verb == "do" and ("not" in after or lemma(following) in verbs) and following:
        form.past = form.past or word == "did"
        return 1 if "not" in after[:1] or lemma(following) in verbs else 0
    if verb == "have" and (is_past_form(following) or following in ("become", "come", "run")) and len(following) > 2:
        form.past = form.past or word == "had"
        return 1
    if verb == "be" and after[:2] in (["going", "to"], ["about", "to"], ["due", "to"]):
        form.planned = True
        return 3
    if verb == "be" and is_gerund(following):
        form.progressive = True
        form.past = form.past or word in ("was", "were")
        ahead = not _GERUNDS_AHEAD.isdisjoint(after) or not _SOON.isdisjoint(word.lower() for word in words)
        form.planned = form.planned or (not form.past and ahead)
        return 1
    return 0


def _read_phase_verb(word: str, verb: str, after: Sequence[str], form: VerbForm) -> int:
    """Read a verb that says how another one begins, ends or is meant: used to, plan to, stop, start."""
    if word == "used" and after[:1] == ["to"]:
        form.negated = form.changed = True
        return 2
    if verb in _PLANNING_VERBS and "to" in after[:2]:
        form.planned = True
        form.negated = form.negated or after[0] == "not"
        return 2 + (after[0] == "not")
    up = 1 if after[:1] == ["up"] else 0
    before_gerund = len(after) > up and is_gerund(after[up])
    if before_gerund and (verb in _STOPPING_VERBS or (verb == "give" and up)):
        form.negated = form.changed = True
        return 1 + up
    if verb in _STARTING_VERBS and (before_gerund or after[:1] == ["to"]):
        form.changed = True
        return 2 if after[:1] == ["to"] else 1
    return 0


def _is_past(main: str, before: Sequence[str]) -> bool:
    verb = main.lower()
    auxiliaries = {word.lower() for word in before}
    if auxiliaries & {"have", "has", "do", "does", "am", "is", "are", "will", "to"} or verb in _PRESENT_FORMS:
        return False
    return "did" in auxiliaries or verb in INVARIANT or is_past_form(verb)
