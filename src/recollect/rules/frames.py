"""Frames: a sentence as whom it is about, the values it names, and the words that say something of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from recollect.rules import lexicon
from recollect.rules.attributes import OCCUPATIONS
from recollect.rules.clauses import SPEAKER
from recollect.rules.text import STOP_WORDS
from recollect.rules.values import COLOURS, DAYS, MONTHS, NUMBERS, content_of, number_of
from recollect.rules.verbs import ADVERBS, CHANGE_WORDS, sentences, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FIRST_PERSON = frozenset("i my me mine we our us myself".split())
_LEADS = re.compile(
    r"^(?:(?:well|oh|hey|ok|okay|so|and|but|also|fyi|btw|by the way|you know|guess what|turns out|it turns out|update|"
    r"correction|big news|news|honestly|apparently|as far as i know|as i heard|i heard|i think|i believe|i guess|"
    r"i learned|i was told|did you know|just so you know|believe it or not|(?:[A-Z]\w+|he|she|they) "
    r"(?:told me|tells me|says|said|mentioned)(?: to me)?)(?: that)?[,:!]?\s+)+",
    re.IGNORECASE,
)
_NO_NAMES = (
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
)
_BEING = frozenset("am is are was were be been not".split())
_PERIODS = frozenset("year month week day hour minute decade".split())
_PLACING = frozenset("in at near behind under inside outside from".split())
_DETERMINERS = frozenset("the my our his her their a an".split())


@dataclass(frozen=True, slots=True)
class Frame:
    """Hold one sentence: the people in their order, the values by kind, the words and which of them carry meaning."""

    people: tuple[str, ...]
    names: frozenset[str]
    values: frozenset[tuple[str, str]]
    words: tuple[str, ...]
    stems: tuple[str, ...]
    """One for each word; empty where it carries no meaning."""

    @property
    def topics(self) -> frozenset[str]:
        """Return what may be the thing that is spoken of, without what only says where."""
        return frozenset(
            stem
            for place, stem in enumerate(self.stems)
            if stem and not (self.words[place].islower() and (_places(self.words, place) or _acts(self.words, place)))
        )

    def of_kind(self, *kinds: str) -> frozenset[str]:
        """Return the values of some kinds."""
        return frozenset(value for kind, value in self.values if kind in kinds)

    def owns(self, person: str) -> bool:
        """Tell whether somebody is spoken of as an owner: "Ana's"."""
        return any(word.lower() == f"{person}'s" for word in self.words)

    def leads(self, names: Collection[str]) -> frozenset[str]:
        """Return the words that stand right before some names."""
        small = [word.lower().removesuffix("'s") for word in self.words]
        return frozenset(before for before, word in pairwise(small) if word in names)

    @property
    def tells_change(self) -> bool:
        """Tell whether a word says that things were otherwise before."""
        return not CHANGE_WORDS.isdisjoint(word.lower() for word in self.words)

    def repeats(self, other: Frame) -> bool:
        """Tell whether this says the same as another sentence but for the values."""
        mine, theirs = self._plain, other._plain
        return bool(theirs) and theirs <= mine and len(mine - theirs) <= 1

    @property
    def _plain(self) -> frozenset[str]:
        """Return what carries meaning besides names, values and words of change."""
        values = {value for _, value in self.values}
        return frozenset(
            stem
            for word, stem in zip(self.words, self.stems, strict=True)
            if stem and stem not in self.names and word.lower() not in values and word.lower() not in ADVERBS
        )

    def without(self, topics: Collection[str]) -> str:
        """Return the words that are left without people, values and topics."""
        values = {value for _, value in self.values}
        return " ".join(
            word.lower()
            for word, stem in zip(self.words, self.stems, strict=True)
            if word.lower().removesuffix("'s") not in values
            and word.lower().removesuffix("s") not in values
            and word.lower().removesuffix("'s") not in self.people
            and word.lower() not in _FIRST_PERSON
            and stem not in topics
        )


@lru_cache(maxsize=5_000)
def frames(text: str, speaker: str | None = None) -> tuple[Frame, ...]:
    """Return the sentences of a text as frames; `speaker` is the name by which others call whoever says "I"."""
    return tuple(_frame(words_of(_LEADS.sub("", sentence)), speaker) for sentence in sentences(text))


def _frame(words: Sequence[str], speaker: str | None) -> Frame:
    people: dict[str, None] = {}
    names: dict[str, None] = {}
    values: dict[tuple[str, str], None] = {}
    for place, word in enumerate(words):
        small = word.lower().removesuffix("'s")
        if small in _FIRST_PERSON or (speaker is not None and small == speaker.lower()):
            people.setdefault(SPEAKER)
        elif word[:1].isupper() and small not in _NO_NAMES:
            people.setdefault(small)
            names.setdefault(small)
        elif (kind := _kind(words, place)) is not None:
            values.setdefault((kind, small if kind in ("clock", "number") else small.removesuffix("s")))
    stems = tuple(
        small if (small := word.lower().removesuffix("'s")) in names else (content_of([word]) or [""])[0]
        for word in words
    )
    return Frame(tuple(people), frozenset(names), frozenset(values), tuple(words), stems)


def _kind(words: Sequence[str], place: int) -> str | None:
    """Return what kind of value a word is; how long something lasts, and a year, are no values."""
    word = words[place].lower()
    one = word.removesuffix("s")
    if one in DAYS:
        return "day"
    if word in COLOURS or lexicon.is_a("colour", word):
        return "colour"
    if (one in OCCUPATIONS or lexicon.is_a("trade", one)) and not _is_certain(words, place):
        return "trade"
    if lexicon.is_a("field", word):
        return "field"
    if ":" in word and word[:1].isdigit():
        return "clock"
    number = number_of(word)
    if number is None or (1900 <= number <= 2100 and len(word) == 4):
        return None
    following = words[place + 1].lower() if place + 1 < len(words) else ""
    return None if following.removesuffix("s") in _PERIODS else "number"


def _is_certain(words: Sequence[str], place: int) -> bool:
    """Tell whether a noun is a certain one, as in "the baker" or "Ana's baker", rather than what somebody is."""
    led = (word.lower() for word in reversed(words[max(0, place - 3) : place]))
    first = next((word for word in led if word in _DETERMINERS or word.endswith("'s")), "a")
    return first not in ("a", "an")


def _places(words: Sequence[str], place: int) -> bool:
    """Tell whether a noun only says where something is: "in the cellar"."""
    before = [word.lower() for word in words[max(0, place - 2) : place]]
    return len(before) == 2 and before[0] in _PLACING and (before[1] in _DETERMINERS or before[1].endswith("'s"))


def _acts(words: Sequence[str], place: int) -> bool:
    """Tell whether a word is a verb, as far as one can see: "works", "is going"."""
    led = next((word.lower() for word in reversed(words[:place]) if word.lower() not in ADVERBS), "")
    return lexicon.is_verb(words[place]) or (words[place].endswith("ing") and led in _BEING)


def shared_topics(older: Frame, newer: Frame) -> frozenset[str]:
    """Return the things that both sentences speak of, besides the person they are about."""
    person = older.people[:1]
    return frozenset(
        stem
        for stem in older.topics & newer.topics
        if stem not in person and not (_modifies(older, stem) and _modifies(newer, stem))
    )


def _modifies(frame: Frame, stem: str) -> bool:
    """Tell whether a word only describes the one after it, as "soft" in "soft drink"."""
    place = frame.stems.index(stem)
    if place + 1 == len(frame.stems) or not frame.stems[place + 1] or frame.words[place + 1].lower() in ADVERBS:
        return False
    return lexicon.is_a("adjective", frame.words[place])
