"""Frames: a sentence as its words, the values and names among them, and whom it is about."""

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
"""The words of a sentence that are read."""

OWNER, NAME = "owner", "name"
KINDS = (NAME, "number", "clock", "day", "colour", "trade", "field")
"""What a word may be a value of; the owner, whom a sentence is about, is none."""

_FIRST_PERSON = frozenset("i my me mine we our us myself".split())
_POSSESSIVE = frozenset("my our".split())
_LEADS = re.compile(
    r"^(?:(?:well|oh|hey|ok|okay|so|and|but|also|fyi|btw|by the way|you know|guess what|turns out|it turns out|update|"
    r"correction|big news|news|honestly|apparently|as far as i know|as i heard|i heard|i think|i believe|i guess|"
    r"i learned|i was told|did you know|just so you know|believe it or not|(?:[A-Z]\w+|he|she|they) "
    r"(?:told me|tells me|says|said|mentioned)(?: to me)?)(?: that)?[,:!]?\s+)+",
    re.IGNORECASE,
)
_TITLES = frozenset("dr mr mrs ms prof professor doctor".split())
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
    | _TITLES
)
_AUXILIARY = frozenset("am is are was were has have had does did will would can could may might must should".split())
_ENDS = re.compile(r"(?<=[.!?])(?<!\b[DdMm][rs]\.)(?<!\b[Mm]rs\.)(?<!\b[Pp]rof\.)\s+")
_LONGEST_TEXT = 4_000
_ORDINALS = frozenset("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split())
_PERIODS = frozenset("year month week day hour minute decade".split())
_PLACING = frozenset("in at from to into through near via by on onto towards around".split())
_MEETINGS = frozenset(
    map(
        stem,
        "meeting appointment lesson class session rehearsal interview call date breakfast lunch dinner coffee".split(),
    )
)
_DETERMINERS = frozenset("the my our his her their a an".split())


@dataclass(frozen=True, slots=True)
class Frame:
    """Hold a sentence: for each word its stem and the kind of value it is, both empty where there is none."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    kinds: tuple[str, ...]
    owners: tuple[str, ...]
    """Whom it may be about, the likeliest first."""

    people: frozenset[str]
    """All names, and the speaker."""

    content: frozenset[str]
    """All stems but the speaker's."""

    def names(self, somebody: str) -> bool:
        """Tell whether somebody is named, in small letters too."""
        return somebody in self.people or somebody in map(small, self.words)

    @property
    def meetings(self) -> dict[str, set[str]]:
        """Return the names of those whom one meets, by what the meeting is: a lesson, a call."""
        told = [word for word in zip(self.words, self.stems, self.kinds, strict=True) if word[0].lower() not in _TITLES]
        found: dict[str, set[str]] = {}
        for place, ((_, meeting, _), (link, _, _)) in enumerate(pairwise(told), start=2):
            names = {stem for _, stem, _ in takewhile(lambda word: word[2] == NAME, told[place:])}
            if meeting in _MEETINGS and link.lower() == "with" and names:
                found.setdefault(meeting, set()).update(names)
        return found

    def values(self, kind: str) -> frozenset[str]:
        """Return the values of a kind."""
        return frozenset(stem for stem, own in zip(self.stems, self.kinds, strict=True) if own == kind)


@lru_cache(maxsize=5_000)
def frames(text: str, speaker: str | None = None) -> tuple[Frame, ...]:
    """Return the sentences of a text as frames; one that names nobody goes with the one before it."""
    found: list[str] = []
    for sentence in _ENDS.split(text[:_LONGEST_TEXT]):
        if found and not frame_of(sentence, speaker).people:
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence)
    return tuple(frame_of(sentence, speaker) for sentence in found)


@lru_cache(maxsize=5_000)
def frame_of(text: str, speaker: str | None = None) -> Frame:
    """Return a sentence as a frame; `speaker` is the name by which others call whoever says "I"."""
    short = _LEADS.sub("", text)
    found = _framed(short, speaker)
    return found if found.owners or short == text else _framed(text, speaker)


def _framed(text: str, speaker: str | None) -> Frame:
    words = words_of(text)
    kinds = tuple(_kind(words, place, speaker) for place in range(len(words)))
    stems = tuple(map(_stem, words, kinds))
    people = [place for place, kind in enumerate(kinds) if kind in (OWNER, NAME)]
    owning = [place for place in people if _owns(words, place)]
    acting = [place for place in people if not (place and _only_tells(words, place))]
    owners = dict.fromkeys(stems[place] for place in (*owning, *acting))
    content = frozenset(stem for stem, kind in zip(stems, kinds, strict=True) if stem and kind != OWNER)
    return Frame(tuple(words), stems, kinds, tuple(owners), frozenset(stems[place] for place in people), content)


def _owns(words: Sequence[str], place: int) -> bool:
    """Tell whether somebody is spoken of as an owner: "Ana's", "my", "is the boss of Ana"."""
    if words[place].lower() in _POSSESSIVE or words[place].endswith("'s"):
        return True
    before = [word.lower() for word in words[max(0, place - 4) : place]]
    return len(before) == 4 and before[0] in ("is", "was", "am") and before[1] == "the" and before[3] == "of"


def _only_tells(words: Sequence[str], place: int) -> bool:
    """Tell whether a name says where or what something is: "in Porto", "the new chair is Ana"."""
    before = words[place - 1].lower()
    return before in _PLACING or (before in ("is", "are", "was") and words[0].lower() == "the")


def small(word: str) -> str:
    """Return a word in small letters, without the sign of an owner."""
    return word.lower().removesuffix("'s")


def _stem(word: str, kind: str) -> str:
    """Return what tells a word from others: who or what a value is, and else its stem."""
    if kind == OWNER:
        return SPEAKER
    if kind:
        return small(word).removesuffix("s") if kind == "day" else small(word)
    return (content_of([word]) or [""])[0]


def _kind(words: Sequence[str], place: int, speaker: str | None) -> str:
    """Return what kind of value a word is; how long something lasts, and a year, are no values."""
    word, name = words[place].lower(), small(words[place])
    if name in _FIRST_PERSON or (speaker is not None and name == speaker.lower()) or _is_the_user(words, place):
        return OWNER
    one = word.removesuffix("s")
    if one in DAYS:
        return "day"
    if words[place][:1].isupper() and name not in _NO_NAMES and not (place == 0 and _starts_plainly(words)):
        return NAME
    if word in COLOURS or lexicon.is_a("colour", word):
        return "colour"
    if (one in OCCUPATIONS or lexicon.is_a("trade", one)) and not _is_certain(words, place):
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
    following = words[place + 1].lower() if place + 1 < len(words) else ""
    return "" if following.removesuffix("s") in _PERIODS else "number"


def _is_the_user(words: Sequence[str], place: int) -> bool:
    """Tell whether a word names whoever an agent notes things of: "the user prefers", "User's city"."""
    if small(words[place]) != "user" or (place and words[place - 1].lower() != "the"):
        return False
    following = words[place + 1].lower() if place + 1 < len(words) else ""
    return words[place].endswith("'s") or not lexicon.is_a("noun", following) or lexicon.is_verb(following)


def _starts_plainly(words: Sequence[str]) -> bool:
    """Tell whether the first word, though it has a capital, is no name: "Friends call", "Choir practice", "Sold it"."""
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


def _is_certain(words: Sequence[str], place: int) -> bool:
    """Tell whether a noun is a certain one, as in "the baker" or "Ana's baker", rather than what somebody is."""
    led = (word.lower() for word in reversed(words[max(0, place - 3) : place]))
    first = next((word for word in led if word in _DETERMINERS or word.endswith("'s")), "a")
    return first not in ("a", "an")
