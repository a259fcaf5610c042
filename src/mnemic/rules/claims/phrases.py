"""Words after a verb: where its object ends, and what stands before a preposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.rules.claims.values import DAYS, MONTHS, Value, content_of, number_of, value_of
from mnemic.rules.language.words import lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

DETERMINERS = frozenset("a an the my our his her their your this that these those some any".split())
_CUTS = frozenset(
    "since because when until till which who that whose where during while ago again anymore though although if as "
    "after before last every each once twice next but".split()
)
_PREPOSITIONS = frozenset("in on at to for with of from by about into over near under between without through".split())
_SEASONS = frozenset("spring summer autumn winter week weekends month year christmas".split())


def object_of(words: Sequence[str]) -> list[str]:
    """Return the words after a verb up to where something else begins, without times."""
    found: list[str] = []
    for place, word in enumerate(words):
        small = word.lower()
        following = words[place + 1] if place + 1 < len(words) else ""
        if word == "," and following[:1].isupper():
            continue
        if small in _CUTS or word in (",", "(") or (small in ("and", "but", "or") and following.lower() in ("i", "my")):
            break
        preposition = small == "for" or (found and small in ("in", "on", "from", "by", "this", "at"))
        if preposition and _opens_time(small, words[place + 1 :]):
            break
        found.append(word)
    return found


def _opens_time(preposition: str, words: Sequence[str]) -> bool:
    following = [word.lower() for word in words if word.lower() not in DETERMINERS][:2]
    if not following or words[0] == "May":
        return bool(following)
    if preposition == "for":
        return (
            following[0] in ("good", "ever")
            or number_of(following[0]) is not None
            or following[0]
            in (
                "years",
                "months",
                "now",
                "ages",
                "while",
                "christmas",
            )
        )
    return is_time(following[0]) or following[0].removesuffix("s") in DAYS


def is_time(word: str) -> bool:
    """Tell whether a word names a month, a season or a year."""
    number = number_of(word)
    return word in MONTHS or word in _SEASONS or (number is not None and 1900 <= number <= 2100)


def times_in(words: Sequence[str]) -> frozenset[str]:
    """Return the words that tell a time, as they are looked up."""
    return frozenset(
        lemma(word) for word in words if word == "May" or is_time(word.lower()) or value_of([word]).kind == "time"
    )


def plain(words: Sequence[str]) -> list[str]:
    """Return the object of a verb in small letters, without articles."""
    return [word.lower() for word in object_of(words) if word.lower() not in DETERMINERS]


def before_preposition(words: Sequence[str]) -> list[str]:
    """Return the words up to the first preposition."""
    for place, word in enumerate(words):
        if place and word.lower() in _PREPOSITIONS:
            return list(words[:place])
    return list(words)


def as_words(words: Sequence[str]) -> Value:
    """Return words as a value whose head is the last word before a preposition."""
    content = content_of(before_preposition(words))
    return Value("words", frozenset(content_of(words)), content[-1] if content else "")


def to_first(words: Sequence[str]) -> tuple[str, ...]:
    """Turn "from Porto to Lisbon" into "to Lisbon from Porto"."""
    small = [word.lower() for word in words]
    if small[:1] != ["from"] or "to" not in small:
        return tuple(words)
    cut = small.index("to")
    end = next((place for place, word in enumerate(small) if place > cut and word in _CUTS), len(words))
    return (*words[cut:end], *words[:cut], *words[end:])


_PARTICLES = frozenset("away up off out back in down on".split())


def particle_first(words: Sequence[str]) -> tuple[str, ...]:
    """Turn "the bike away" into "away the bike": a verb and its particle belong together."""
    told = object_of(words)
    if len(told) < 2 or told[-1].lower() not in _PARTICLES:
        return tuple(words)
    return (told[-1], *told[:-1], *words[len(told) :])


def parted(words: list[str], joint: str) -> tuple[list[str], list[str]]:
    """Return the words before a joint and those after it."""
    small = [word.lower() for word in words]
    if joint not in small:
        return words, []
    cut = small.index(joint)
    return words[:cut], words[cut + 1 :]
