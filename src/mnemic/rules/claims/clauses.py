"""Clauses: the subject, verb, negation and tense of each statement in an English text; the rest is left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mnemic.rules.claims.predicates import predicate
from mnemic.rules.language.words import (
    ADVERBS,
    CHANGE_WORDS,
    INVARIANT,
    declarative_sentences,
    is_finite,
    lemma,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemic.rules.claims.predicates import Tense

SPEAKER = "i"
"""The subject for the speaker, or for the user that a note is about."""

UNKNOWN = "?"
"""The subject for a pronoun without a name before it."""

_IMPERATIVES = INVARIANT - {"quit", "split"}
_AUXILIARIES = frozenset(
    "am is are was were be been has have had do does did will would can could may might should must shall".split()
)
_PRONOUNS = {"i": SPEAKER, "we": SPEAKER, **dict.fromkeys(("he", "she", "they", "it", "you"), UNKNOWN)}
_NO_SUBJECTS = frozenset(
    "everyone everybody nobody someone somebody people no anyone this that these those there what who which something "
    "nothing everything one most many some all a an if when where how why whether maybe perhaps".split()
)
_OPENERS = ADVERBS | frozenset(
    "well oh hey ok okay yes yeah no update fyi btw note and but so because although".split()
)
_TIME_OPENERS = frozenset("in on at since after last this next as by from for during until before until these".split())
_HYPOTHETICAL = frozenset("if unless whether suppose imagine when once maybe perhaps".split())
_ADJECTIVES = frozenset("new current own dear little big older younger elder best old first second".split())

_CONJUNCTIONS = frozenset(
    (",", ":", "(", ")", "—", "–", "and", "but", "so", "because", "then", "although", "though", "while", "yet")
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement: a subject, the lemma of the verb, and the words after it."""

    subject: str
    verb: str
    rest: tuple[str, ...]
    negated: bool = False
    tense: Tense = "now"
    changed: bool = False
    """Whether it says that things were different before."""

    definite: bool = False
    """Whether the subject is a certain thing: "the key", "my key", "Ana's key"."""

    progressive: bool = False
    """Whether the verb is progressive: "is seeing", "was learning"."""

    sentence: int = 0
    cased: bool = False
    """Whether the text has capitals, so that a name would have one."""


def clauses(text: str, verbs: frozenset[str]) -> list[Clause]:
    """Return the clauses of a text; `verbs` are the lemmas that mark the end of a subject."""
    found: list[Clause] = []
    last_named: str | None = None
    cased = text != text.lower()
    for number, sentence in enumerate(declarative_sentences(text)):
        previous: str | None = SPEAKER
        for part in _split(words_of(sentence), verbs):
            has_no_subject = is_finite(part[0], verbs)
            clause = _clause(part, verbs, previous=previous, last_named=last_named)
            if clause is None:
                previous = None
            else:
                if found and not found[-1].rest and found[-1].subject == clause.subject and has_no_subject:
                    found[-1] = replace(found[-1], rest=clause.rest)
                previous = clause.subject
                last_named = clause.subject if clause.subject not in (SPEAKER, UNKNOWN) else last_named
                found.append(replace(clause, sentence=number, cased=cased))
    return found


def _split(words: Sequence[str], verbs: frozenset[str]) -> Iterator[list[str]]:
    """Split a sentence where a new clause begins."""
    part: list[str] = []
    for index, word in enumerate(words):
        joins_names = word == "and" and len(part) == 1 and part[0][:1].isupper()
        if word.lower() in _CONJUNCTIONS and part and not joins_names and _begins_clause(words[index + 1 :], verbs):
            yield part
            part = []
        elif word not in ("(", ")", "—", "–", ":"):
            part.append(word)
    if part:
        yield part


def _begins_clause(words: Sequence[str], verbs: frozenset[str]) -> bool:
    rest = [word for word in words[:8] if word.lower() not in _OPENERS and word != ","]
    if not rest:
        return False
    return rest[0].lower() in _AUXILIARIES or _subject_end(rest, verbs) is not None


def _clause(
    words: Sequence[str], verbs: frozenset[str], *, previous: str | None, last_named: str | None
) -> Clause | None:
    """Read one clause; `previous` is the subject of the clause before it, `last_named` the last named subject."""
    opening = [word.lower() for word in words]
    start = next((index for index, word in enumerate(opening) if word not in _OPENERS and word != ","), len(words))
    opening, words = opening[:start], words[start:]
    if words and words[0].lower() in _TIME_OPENERS:
        indexes = range(1, min(len(words), 8))
        begin = next((index for index in indexes if _subject_begins(words, index, verbs)), len(words))
        opening, words = [*opening, *(word.lower() for word in words[:begin])], words[begin:]
    if not words or not _HYPOTHETICAL.isdisjoint((*opening, words[0].lower())):
        return None
    end = _subject_end(words, verbs)
    if end is None:
        return None
    subject = _subject(words[:end], previous, last_named)
    parts = predicate(words[end:], verbs)
    if subject is None or parts is None:
        return None
    verb, rest, form = parts
    subject_words = [word.lower() for word in words[:end]]
    changed = form.changed or "new" in subject_words or not CHANGE_WORDS.isdisjoint(opening)
    former = form.tense == "now" and not form.changed and not {"previously", "formerly"}.isdisjoint(opening)
    definite = bool(subject_words) and (subject_words[0] in ("my", "our", "the") or subject_words[0].endswith("'s"))
    return Clause(
        subject, verb, rest, form.negated, "past" if former else form.tense, changed, definite, form.progressive
    )


def _subject(words: Sequence[str], previous: str | None, last_named: str | None) -> str | None:
    """Return the subject that words name; without words, the previous one."""
    if not words:
        return previous
    pronoun = words[0].lower()
    if pronoun not in _PRONOUNS:
        return _noun_subject(words)
    known = {"it": previous, "you": None}.get(pronoun, last_named) if _PRONOUNS[pronoun] == UNKNOWN else SPEAKER
    return UNKNOWN if known is None or (known == SPEAKER and pronoun not in ("i", "we")) else known


def _subject_begins(words: Sequence[str], index: int, verbs: frozenset[str]) -> bool:
    """Return whether the subject begins at an index, after words that name a time."""
    if words[index].lower() in ("i", "we", "he", "she", "they"):
        return True
    return words[index][:1].isupper() and index + 1 < len(words) and is_finite(words[index + 1], verbs)


def _subject_end(words: Sequence[str], verbs: frozenset[str]) -> int | None:
    """Return the index of the verb phrase: after the subject, or 0 if the subject is left out."""
    lower = [word.lower() for word in words]
    if not words or lower[0] in _NO_SUBJECTS - {"no"}:
        return None
    if lower[0] in _PRONOUNS:
        return 1
    if (is_finite(words[0], verbs) and lower[0] not in _IMPERATIVES) or lower[:2] == ["no", "longer"]:
        return 0
    possessed = lower[0] in ("my", "our", "the", "his", "her", "their", "your") or lower[0].endswith("'s")
    favourite = any(word in ("favourite", "favorite") for word in lower[:4])
    first_adverb: int | None = None
    for index in range(2 if possessed else 1, min(len(words), 8)):
        word = lower[index]
        begin = index if first_adverb is None else first_adverb
        if word in _AUXILIARIES or (word == "no" and lower[index + 1 : index + 2] == ["longer"]):
            return begin
        if word in ADVERBS or word == "never":
            first_adverb = begin
            continue
        if not favourite and (is_finite(words[index], verbs) or (index == 1 and _is_name_and_past_verb(words))):
            return begin
        if not favourite and lemma(word) in verbs and (possessed or lower[1] == "and") and _is_plural(lower[index - 1]):
            return begin
        if words[0][:1].isupper() and _is_second_person(words, index):
            continue
        if (
            word in (",", "and", "or", "that", "who", "which")
            or (word == "to" and not possessed)
            or (index >= 2 and not possessed and words[index].islower())
        ):
            return None
    return None


def _is_second_person(words: Sequence[str], index: int) -> bool:
    """Return whether a word belongs to the second person of a subject: "Ana and Ben", "Ana and the children"."""
    if words[1].lower() != "and" or index > 3:
        return False
    return index == 1 or words[2].lower() in ("the", "her", "his") or words[2][:1].isupper()


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") or noun in ("children", "people", "men", "women", "folks", "family")


def _is_name_and_past_verb(words: Sequence[str]) -> bool:
    """Return whether a text begins with a name and a regular past form: "Ana packed"."""
    return words[0][:1].isupper() and words[1].islower() and words[1].endswith("ed") and len(words[1]) > 4


def _noun_subject(words: Sequence[str]) -> str | None:
    lower = [word.lower() for word in words if word.lower() not in ADVERBS]
    if lower[0] in ("his", "her", "their", "your"):
        return UNKNOWN
    if lower in (["user"], ["the", "user"]):
        return SPEAKER
    if lower[0] in ("my", "our"):
        names = [word.lower() for word in words[2:] if word[:1].isupper()]
        if names and "'s" not in " ".join(lower):
            return " ".join(names)
        return "my " + " ".join(word for word in lower[1:] if word not in _ADJECTIVES)
    if lower[0] == "the":
        return " ".join(word for word in lower[1:] if word not in _ADJECTIVES)
    if "and" in lower and not all(word[:1].isupper() or word == "and" for word in words):
        lower = lower[: lower.index("and")]
    return " ".join(word for index, word in enumerate(lower) if not index or word not in _ADJECTIVES)
