"""From the subject to the main verb: whether it is denied, past, planned, or told as a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mnemic.rules.language.words import ADVERBS, CHANGE_WORDS, INVARIANT, is_gerund, is_past_form, lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

Aspect = Literal["now", "past", "planned"]

_UNSURE = frozenset("would could might may should must".split())
_GUESSES = frozenset("need try dream consid think afford expect".split())
_PLANS = frozenset("plan intend decid aim schedul book arrang promis want hope wish".split())
_WISHES = frozenset("want hope wish".split())
_STOPS = frozenset("stop quit ceas finish".split())
_STARTS = frozenset("start begin".split())
_ARRIVING = frozenset("moving relocating leaving joining getting selling flying".split())
_SOON = frozenset("tomorrow tonight next soon".split())
_PRESENT_FORMS = frozenset("been being having goes has does am is are lying dying".split())


@dataclass(slots=True)
class Tone:
    """Collect what the words before the main verb say about it."""

    negated: bool = False
    changed: bool = False
    past: bool = False
    planned: bool = False
    progressive: bool = False

    @property
    def aspect(self) -> Aspect:
        """Tell when the clause holds."""
        return "planned" if self.planned else "past" if self.past else "now"


def predicate(words: Sequence[str], verbs: frozenset[str]) -> tuple[str, tuple[str, ...], Tone] | None:
    """Return the main verb, the words after it and their tone; None for wishes and guesses, which claim nothing."""
    tone = Tone()
    rest = [*words]
    while rest:
        taken = _step(rest, verbs, tone)
        if taken is None:
            return None
        if taken == 0:
            break
        rest = rest[taken:]
    if not rest:
        return None
    main, *after = rest
    tone.past = tone.past or _is_past(main, words[: len(words) - len(rest)])
    while lemma(main) == "be" and after and (taken := _deny(after, tone) or _pass_adverb(after, tone)):
        after = after[taken:]
    told = tuple(word for word in after if word.lower() not in CHANGE_WORDS)
    tone.changed = tone.changed or len(told) != len(after)
    return lemma(main), told, tone


def _step(words: Sequence[str], verbs: frozenset[str], tone: Tone) -> int | None:
    """Return how many words before the main verb were read, 0 at the main verb, None when nothing is claimed."""
    small, verb = words[0].lower(), lemma(words[0])
    after = [word.lower() for word in words[1:4]]
    if small in _UNSURE or (small in ("have", "has") and after[:1] == ["to"]):
        return None
    if verb in _GUESSES and after[:1] and after[0] in ("to", "about", "of"):
        return None
    if verb in _WISHES and tone.negated:
        return None
    return (
        _deny(words, tone)
        or _pass_adverb(words, tone)
        or _assist(words, verbs, tone)
        or _turn(small, verb, after, tone)
    )


def _deny(words: Sequence[str], tone: Tone) -> int:
    small = [word.lower() for word in words[:2]]
    if small == ["no", "longer"]:
        tone.negated = tone.changed = True
        return 2
    if small[0] in ("not", "never"):
        tone.negated = True
        return 1
    return 0


def _pass_adverb(words: Sequence[str], tone: Tone) -> int:
    small = words[0].lower()
    if small not in ADVERBS:
        return 0
    tone.changed = tone.changed or small in CHANGE_WORDS
    return 1


def _assist(words: Sequence[str], verbs: frozenset[str], tone: Tone) -> int:
    """Read an auxiliary: will, can, do, have, be before another verb."""
    small, verb = words[0].lower(), lemma(words[0])
    after = [word.lower() for word in words[1:4]]
    following = next(
        (word for word in after if word not in ADVERBS and word not in ("not", "never", "no", "longer")), ""
    )
    if small in ("will", "shall"):
        tone.planned = True
        return 1
    if small == "can":
        return 1
    if small == "had" and after[:1] == ["to"]:
        tone.past = True
        return 2
    if verb == "do" and ("not" in after or lemma(following) in verbs) and following:
        tone.past = tone.past or small == "did"
        return 1 if "not" in after[:1] or lemma(following) in verbs else 0
    if verb == "have" and (is_past_form(following) or following in ("become", "come", "run")) and len(following) > 2:
        tone.past = tone.past or small == "had"
        return 1
    if verb == "be" and after[:2] in (["going", "to"], ["about", "to"], ["due", "to"]):
        tone.planned = True
        return 3
    if verb == "be" and is_gerund(following):
        tone.progressive = True
        tone.past = tone.past or small in ("was", "were")
        coming = not _ARRIVING.isdisjoint(after) or not _SOON.isdisjoint(word.lower() for word in words)
        tone.planned = tone.planned or (not tone.past and coming)
        return 1
    return 0


def _turn(small: str, verb: str, after: Sequence[str], tone: Tone) -> int:
    """Read a verb that says how another verb begins, ends or is meant: used to, plan to, stop, start."""
    if small == "used" and after[:1] == ["to"]:
        tone.negated = tone.changed = True
        return 2
    if verb in _PLANS and "to" in after[:2]:
        tone.planned = True
        tone.negated = tone.negated or after[0] == "not"
        return 2 + (after[0] == "not")
    up = 1 if after[:1] == ["up"] else 0
    acting = len(after) > up and is_gerund(after[up])
    if acting and (verb in _STOPS or (verb == "give" and up)):
        tone.negated = tone.changed = True
        return 1 + up
    if verb in _STARTS and (acting or after[:1] == ["to"]):
        tone.changed = True
        return 2 if after[:1] == ["to"] else 1
    return 0


def _is_past(main: str, before: Sequence[str]) -> bool:
    small = main.lower()
    led = {word.lower() for word in before}
    if led & {"have", "has", "do", "does", "am", "is", "are", "will", "to"} or small in _PRESENT_FORMS:
        return False
    return "did" in led or small in INVARIANT or is_past_form(small)
