"""Frames: a sentence as its words, the values and names among them, and the person it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from mnemic.rules.claims.attributes import OCCUPATIONS
from mnemic.rules.claims.clauses import SPEAKER
from mnemic.rules.claims.values import COLOURS, DAYS, MONTHS, NUMBERS, content_of, number_of
from mnemic.rules.language import lexicon
from mnemic.rules.language.terms import STOP_WORDS, stem
from mnemic.rules.language.words import ADVERBS, is_past_form, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 30
"""How many words of a sentence are read."""

OWNER, NAME = "owner", "name"
KINDS = (NAME, "number", "clock", "day", "colour", "trade", "field")
"""The kinds of values among words; the owner, whom a sentence is about, is not a value."""

_FIRST_PERSON = frozenset("i my me mine we our us myself".split())
_POSSESSIVE = frozenset("my our".split())
_LEAD_IN = re.compile(
    r"^(?:(?:well|oh|hey|ok|okay|so|and|but|also|fyi|btw|by the way|you know|guess what|turns out|it turns out|update|"
    r"correction|big news|news|honestly|apparently|as far as i know|as i heard|i heard|i think|i believe|i guess|"
    r"i learned|i was told|did you know|just so you know|believe it or not|(?:[A-Z]\w+|he|she|they) "
    r"(?:told me|tells me|says|said|mentioned)(?: to me)?)(?: that)?[,:!]?\s+)+",
    re.IGNORECASE,
)
_TITLES = frozenset("dr mr mrs ms prof professor doctor".split())
_NOT_NAMES = (
    STOP_WORDS
    | ADVERBS
    | DAYS
    | MONTHS
    | NUMBERS.keys()
    | frozenset(
        "may since someone somebody everyone everybody nobody people home after guess turns today big news good great "
        "sorry thanks please yes no finally unfortunately sadly luckily apparently professionally originally thieves "
        "movers".split()
    )
    | _TITLES
)
_AUXILIARY = frozenset("am is are was were has have had does did will would can could may might must should".split())
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\b[DdMm][rs]\.)(?<!\b[Mm]rs\.)(?<!\b[Pp]rof\.)\s+")
_LONGEST_TEXT = 4_000
_ORDINALS = frozenset("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split())
_PERIODS = frozenset("year month week day hour minute decade".split())
_PREPOSITIONS_OF_PLACE = frozenset("in at from to into through near via by on onto towards around".split())
_MEETINGS = frozenset(
    map(
        stem,
        "meeting appointment lesson class session rehearsal interview call date breakfast lunch dinner coffee".split(),
    )
)
_DETERMINERS = frozenset("the my our his her their a an".split())


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence: for each word its stem and its kind of value, empty where it has none."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    kinds: tuple[str, ...]
    owners: tuple[str, ...]
    """The people it may be about, the likeliest first."""

    people: frozenset[str]
    """All names, and the speaker if present."""

    content: frozenset[str]
    """All stems but the speaker's."""

    def names(self, person: str) -> bool:
        """Return whether a person is named, in lower case too."""
        return person in self.people or person in map(bare_word, self.words)

    @property
    def meetings(self) -> dict[str, set[str]]:
        """Return the names of the people met, by the kind of meeting: a lesson, a call."""
        tokens = [
            token for token in zip(self.words, self.stems, self.kinds, strict=True) if token[0].lower() not in _TITLES
        ]
        people: dict[str, set[str]] = {}
        for index, ((_, meeting, _), (preposition, _, _)) in enumerate(pairwise(tokens), start=2):
            names = {stem for _, stem, _ in takewhile(lambda token: token[2] == NAME, tokens[index:])}
            if meeting in _MEETINGS and preposition.lower() == "with" and names:
                people.setdefault(meeting, set()).update(names)
        return people

    def values(self, kind: str) -> frozenset[str]:
        """Return the values of a kind."""
        return frozenset(stem for stem, other in zip(self.stems, self.kinds, strict=True) if other == kind)


@lru_cache(maxsize=5_000)
def frames(text: str, speaker: str | None = None) -> tuple[Frame, ...]:
    """Return the sentences of a text as frames; one that names nobody is joined to the one before it."""
    sentences: list[str] = []
    for sentence in _SENTENCE_END.split(text[:_LONGEST_TEXT]):
        if sentences and not frame_of(sentence, speaker).people:
            sentences[-1] = f"{sentences[-1]} {sentence}"
        else:
            sentences.append(sentence)
    return tuple(frame_of(sentence, speaker) for sentence in sentences)


@lru_cache(maxsize=5_000)
def frame_of(text: str, speaker: str | None = None) -> Frame:
    """Return a sentence as a frame; `speaker` is the name by which others call whoever says "I"."""
    without_lead_in = _LEAD_IN.sub("", text)
    frame = _frame(without_lead_in, speaker)
    return frame if frame.owners or without_lead_in == text else _frame(text, speaker)


def _frame(text: str, speaker: str | None) -> Frame:
    words = words_of(text)
    kinds = tuple(_kind(words, index, speaker) for index in range(len(words)))
    stems = tuple(map(_stem, words, kinds))
    people = [index for index, kind in enumerate(kinds) if kind in (OWNER, NAME)]
    possessors = [index for index in people if _is_possessor(words, index)]
    actors = [index for index in people if not (index and _is_place_or_value(words, index))]
    owners = dict.fromkeys(stems[index] for index in (*possessors, *actors))
    content = frozenset(stem for stem, kind in zip(stems, kinds, strict=True) if stem and kind != OWNER)
    return Frame(tuple(words), stems, kinds, tuple(owners), frozenset(stems[index] for index in people), content)


def _is_possessor(words: Sequence[str], index: int) -> bool:
    """Return whether a person is named as an owner: "Ana's", "my", "is the boss of Ana"."""
    if words[index].lower() in _POSSESSIVE or words[index].endswith("'s"):
        return True
    before = [word.lower() for word in words[max(0, index - 4) : index]]
    return len(before) == 4 and before[0] in ("is", "was", "am") and before[1] == "the" and before[3] == "of"


def _is_place_or_value(words: Sequence[str], index: int) -> bool:
    """Return whether a name says where or what something is: "in Porto", "the new chair is Ana"."""
    before = words[index - 1].lower()
    return before in _PREPOSITIONS_OF_PLACE or (before in ("is", "are", "was") and words[0].lower() == "the")


def bare_word(word: str) -> str:
    """Return a word in lower case, without the possessive 's."""
    return word.lower().removesuffix("'s")


def _stem(word: str, kind: str) -> str:
    """Return what identifies a word: the value itself, or the stem of a word that is no value."""
    if kind == OWNER:
        return SPEAKER
    if kind:
        return bare_word(word).removesuffix("s") if kind == "day" else bare_word(word)
    return (content_of([word]) or [""])[0]


def _kind(words: Sequence[str], index: int, speaker: str | None) -> str:
    """Return the kind of value that a word is; durations and years are not values."""
    word, name = words[index].lower(), bare_word(words[index])
    if name in _FIRST_PERSON or (speaker is not None and name == speaker.lower()) or _is_the_user(words, index):
        return OWNER
    singular = word.removesuffix("s")
    if singular in DAYS:
        return "day"
    if words[index][:1].isupper() and name not in _NOT_NAMES and not (index == 0 and _begins_without_name(words)):
        return NAME
    if word in COLOURS or lexicon.is_a("colour", word):
        return "colour"
    if (singular in OCCUPATIONS or lexicon.is_a("trade", singular)) and not _is_definite(words, index):
        return "trade"
    if lexicon.is_a("field", word):
        return "field"
    if ":" in word and word[:1].isdigit():
        return "clock"
    number = number_of(word)
    if number is None and (word[:1].isdigit() or word in _ORDINALS):
        return "number"
    if number is None or (1900 <= number <= 2100 and len(word) == 4):
        return ""
    following = words[index + 1].lower() if index + 1 < len(words) else ""
    return "" if following.removesuffix("s") in _PERIODS else "number"


def _is_the_user(words: Sequence[str], index: int) -> bool:
    """Return whether a word names the user that an agent's note is about: "the user prefers", "User's city"."""
    if bare_word(words[index]) != "user" or (index and words[index - 1].lower() != "the"):
        return False
    following = words[index + 1].lower() if index + 1 < len(words) else ""
    return words[index].endswith("'s") or not lexicon.is_a("noun", following) or lexicon.is_verb(following)


def _begins_without_name(words: Sequence[str]) -> bool:
    """Return whether the capitalised first word is no name: "Friends call", "Choir practice", "Sold it"."""
    first, second = words[0].lower(), (words[1] if len(words) > 1 else "")
    if words[0].endswith("'s"):
        return False
    if first.endswith("s") and lexicon.is_a("noun", first.removesuffix("s")):
        return True
    if second.lower() in _AUXILIARY or is_past_form(second) or lexicon.is_verb(second):
        return False
    if is_past_form(first) and lexicon.is_verb(first):
        return True
    return lexicon.is_a("noun", second) or any(lexicon.is_a(kind, first) for kind in ("noun", "verb", "adjective"))


def _is_definite(words: Sequence[str], index: int) -> bool:
    """Return whether a noun is definite, as in "the baker" or "Ana's baker", and so says nobody's occupation."""
    before = (word.lower() for word in reversed(words[max(0, index - 3) : index]))
    determiner = next((word for word in before if word in _DETERMINERS or word.endswith("'s")), "a")
    return determiner not in ("a", "an")
