"""Open text as clauses: who, does what, whether it holds, and when. English; what is not understood is left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mnemic.rules.claims.predicates import predicate
from mnemic.rules.language.words import ADVERBS, CHANGE_WORDS, INVARIANT, is_finite, lemma, sentences, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemic.rules.claims.predicates import Aspect

SPEAKER = "i"
"""The subject of whoever speaks, or of the user that a note is about."""

UNKNOWN = "?"
"""A subject of whom nothing is known: a pronoun without a name before it."""

_IMPERATIVES = INVARIANT - {"quit", "split"}
_AUXILIARIES = frozenset(
    "am is are was were be been has have had do does did will would can could may might should must shall".split()
)
_PRONOUNS = {"i": SPEAKER, "we": SPEAKER, **dict.fromkeys(("he", "she", "they", "it", "you"), UNKNOWN)}
_NOBODY = frozenset(
    "everyone everybody nobody someone somebody people no anyone this that these those there what who which something "
    "nothing everything one most many some all a an if when where how why whether maybe perhaps".split()
)
_OPENERS = ADVERBS | frozenset(
    "well oh hey ok okay yes yeah no update fyi btw note and but so because although".split()
)
_TIME_OPENERS = frozenset("in on at since after last this next as by from for during until before until these".split())
_HYPOTHETICAL = frozenset("if unless whether suppose imagine when once maybe perhaps".split())
_ADJECTIVES = frozenset("new current own dear little big older younger elder best old first second".split())

_JOINTS = frozenset(
    (",", ":", "(", ")", "—", "–", "and", "but", "so", "because", "then", "although", "though", "while", "yet")
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Hold one statement: a subject, the verb in its base form, the words after it."""

    subject: str
    verb: str
    rest: tuple[str, ...]
    negated: bool = False
    aspect: Aspect = "now"
    changed: bool = False
    """Whether it says that things were otherwise before."""

    definite: bool = False
    """Whether the subject is a certain thing: "the key", "my key", "Ana's key"."""

    progressive: bool = False
    """Whether it is under way: "is seeing", "was learning"."""

    sentence: int = 0
    cased: bool = False
    """Whether its text has capitals, so that a name would have one."""


def clauses(text: str, verbs: frozenset[str]) -> list[Clause]:
    """Return the clauses of a text; `verbs` are the base forms by which a verb after a name is known."""
    found: list[Clause] = []
    named: str | None = None
    cased = text != text.lower()
    for number, sentence in enumerate(sentences(text)):
        last: str | None = SPEAKER
        for part in _parts(words_of(sentence), verbs):
            part_is_elided = is_finite(part[0], verbs)
            clause = _clause(part, verbs, before=last, named=named)
            if clause is None:
                last = None
            else:
                if found and not found[-1].rest and found[-1].subject == clause.subject and part_is_elided:
                    found[-1] = replace(found[-1], rest=clause.rest)
                last = clause.subject
                named = clause.subject if clause.subject not in (SPEAKER, UNKNOWN) else named
                found.append(replace(clause, sentence=number, cased=cased))
    return found


def _parts(words: Sequence[str], verbs: frozenset[str]) -> Iterator[list[str]]:
    """Cut a sentence where a new clause begins."""
    part: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        pair = word == "and" and len(part) == 1 and part[0][:1].isupper()
        if word.lower() in _JOINTS and part and not pair and _begins_clause(words[place + 1 :], verbs):
            yield part
            part = []
        elif word not in ("(", ")", "—", "–", ":"):
            part.append(word)
        place += 1
    if part:
        yield part


def _begins_clause(words: Sequence[str], verbs: frozenset[str]) -> bool:
    rest = [word for word in words[:8] if word.lower() not in _OPENERS and word != ","]
    if not rest:
        return False
    return rest[0].lower() in _AUXILIARIES or _subject_end(rest, verbs) is not None


def _clause(words: Sequence[str], verbs: frozenset[str], *, before: str | None, named: str | None) -> Clause | None:
    """Read one clause; `before` is the subject of the clause before it, `named` the last one with a name."""
    opening = [word.lower() for word in words]
    start = next((place for place, word in enumerate(opening) if word not in _OPENERS and word != ","), len(words))
    opening, words = opening[:start], words[start:]
    if words and words[0].lower() in _TIME_OPENERS:
        places = range(1, min(len(words), 8))
        begin = next((place for place in places if _begins_here(words, place, verbs)), len(words))
        opening, words = [*opening, *(word.lower() for word in words[:begin])], words[begin:]
    if not words or not _HYPOTHETICAL.isdisjoint((*opening, words[0].lower())):
        return None
    end = _subject_end(words, verbs)
    if end is None:
        return None
    subject = _subject(words[:end], before, named)
    found = predicate(words[end:], verbs)
    if subject is None or found is None:
        return None
    verb, rest, tone = found
    told = [word.lower() for word in words[:end]]
    changed = tone.changed or "new" in told or not CHANGE_WORDS.isdisjoint(opening)
    former = tone.aspect == "now" and not tone.changed and not {"previously", "formerly"}.isdisjoint(opening)
    definite = bool(told) and (told[0] in ("my", "our", "the") or told[0].endswith("'s"))
    return Clause(
        subject, verb, rest, tone.negated, "past" if former else tone.aspect, changed, definite, tone.progressive
    )


def _subject(words: Sequence[str], before: str | None, named: str | None) -> str | None:
    """Return the subject that words name; without words, the one before."""
    if not words:
        return before
    pronoun = words[0].lower()
    if pronoun not in _PRONOUNS:
        return _noun_subject(words)
    known = {"it": before, "you": None}.get(pronoun, named) if _PRONOUNS[pronoun] == UNKNOWN else SPEAKER
    return UNKNOWN if known is None or (known == SPEAKER and pronoun not in ("i", "we")) else known


def _begins_here(words: Sequence[str], place: int, verbs: frozenset[str]) -> bool:
    """Tell whether the subject begins at a place, after words that tell a time."""
    if words[place].lower() in ("i", "we", "he", "she", "they"):
        return True
    return words[place][:1].isupper() and place + 1 < len(words) and is_finite(words[place + 1], verbs)


def _subject_end(words: Sequence[str], verbs: frozenset[str]) -> int | None:
    """Return where the verb begins: after the subject, or at once where it is left out."""
    small = [word.lower() for word in words]
    if not words or small[0] in _NOBODY - {"no"}:
        return None
    if small[0] in _PRONOUNS:
        return 1
    if (is_finite(words[0], verbs) and small[0] not in _IMPERATIVES) or small[:2] == ["no", "longer"]:
        return 0
    owned = small[0] in ("my", "our", "the", "his", "her", "their", "your") or small[0].endswith("'s")
    favourite = any(word in ("favourite", "favorite") for word in small[:4])
    told: int | None = None
    for place in range(2 if owned else 1, min(len(words), 8)):
        word = small[place]
        begin = place if told is None else told
        if word in _AUXILIARIES or (word == "no" and small[place + 1 : place + 2] == ["longer"]):
            return begin
        if word in ADVERBS or word == "never":
            told = begin
            continue
        if not favourite and (is_finite(words[place], verbs) or (place == 1 and _is_action(words))):
            return begin
        if not favourite and lemma(word) in verbs and (owned or small[1] == "and") and _is_plural(small[place - 1]):
            return begin
        if words[0][:1].isupper() and _joins(words, place):
            continue
        if (
            word in (",", "and", "or", "that", "who", "which")
            or (word == "to" and not owned)
            or (place >= 2 and not owned and words[place].islower())
        ):
            return None
    return None


def _joins(words: Sequence[str], place: int) -> bool:
    """Tell whether a word belongs to a second person of the subject: "Ana and Ben", "Ana and the children"."""
    if words[1].lower() != "and" or place > 3:
        return False
    return place == 1 or words[2].lower() in ("the", "her", "his") or words[2][:1].isupper()


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") or noun in ("children", "people", "men", "women", "folks", "family")


def _is_action(words: Sequence[str]) -> bool:
    """Tell whether a text opens with a name and what its bearer did: "Ana packed"."""
    return words[0][:1].isupper() and words[1].islower() and words[1].endswith("ed") and len(words[1]) > 4


def _noun_subject(words: Sequence[str]) -> str | None:
    small = [word.lower() for word in words if word.lower() not in ADVERBS]
    if small[0] in ("his", "her", "their", "your"):
        return UNKNOWN
    if small in (["user"], ["the", "user"]):
        return SPEAKER
    if small[0] in ("my", "our"):
        named = [word.lower() for word in words[2:] if word[:1].isupper()]
        if named and "'s" not in " ".join(small):
            return " ".join(named)
        return "my " + " ".join(word for word in small[1:] if word not in _ADJECTIVES)
    if small[0] == "the":
        return " ".join(word for word in small[1:] if word not in _ADJECTIVES)
    if "and" in small and not all(word[:1].isupper() or word == "and" for word in words):
        small = small[: small.index("and")]
    return " ".join(word for place, word in enumerate(small) if not place or word not in _ADJECTIVES)
