"""The object of a verb: which of the words after the verb belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.rules.claims.values import DAYS, MONTHS, Value, content_of, number_of, value_of
from mnemic.rules.language.words import lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

DETERMINERS = frozenset("a an the my our his her their your this that these those some any".split())
_OBJECT_ENDS = frozenset(
    "since because when until till which who that whose where during while ago again anymore though although if as "
    "after before last every each once twice next but".split()
)
_PREPOSITIONS = frozenset("in on at to for with of from by about into over near under between without through".split())
_SEASONS = frozenset("spring summer autumn winter week weekends month year christmas".split())
_PARTICLES = frozenset("away up off out back in down on".split())


def object_of(words: Sequence[str]) -> list[str]:
    """Return the object at the beginning of the words after a verb, without times."""
    object_words: list[str] = []
    for index, word in enumerate(words):
        lower = word.lower()
        following = words[index + 1] if index + 1 < len(words) else ""
        if word == "," and following[:1].isupper():
            continue
        if (
            lower in _OBJECT_ENDS
            or word in (",", "(")
            or (lower in ("and", "but", "or") and following.lower() in ("i", "my"))
        ):
            break
        is_preposition = lower == "for" or (object_words and lower in ("in", "on", "from", "by", "this", "at"))
        if is_preposition and _begins_time(lower, words[index + 1 :]):
            break
        object_words.append(word)
    return object_words


def _begins_time(preposition: str, words: Sequence[str]) -> bool:
    following = [word.lower() for word in words if word.lower() not in DETERMINERS][:2]
    if not following or words[0] == "May":
        return bool(following)
    if preposition == "for":
        return (
            following[0] in ("good", "ever")
            or number_of(following[0]) is not None
            or following[0] in ("years", "months", "now", "ages", "while", "christmas")
        )
    return is_time(following[0]) or following[0].removesuffix("s") in DAYS


def is_time(word: str) -> bool:
    """Return whether a word names a month, a season or a year."""
    number = number_of(word)
    return word in MONTHS or word in _SEASONS or (number is not None and 1900 <= number <= 2100)


def times_in(words: Sequence[str]) -> frozenset[str]:
    """Return the lemmas of the words that name a time."""
    return frozenset(
        lemma(word) for word in words if word == "May" or is_time(word.lower()) or value_of([word]).kind == "time"
    )


def bare_object(words: Sequence[str]) -> list[str]:
    """Return the object of a verb in lower case, without determiners."""
    return [word.lower() for word in object_of(words) if word.lower() not in DETERMINERS]


def before_preposition(words: Sequence[str]) -> list[str]:
    """Return the words before the first preposition."""
    for index, word in enumerate(words):
        if index and word.lower() in _PREPOSITIONS:
            return list(words[:index])
    return list(words)


def worded_value(words: Sequence[str]) -> Value:
    """Return words as a value whose head is the last content word before a preposition."""
    content = content_of(before_preposition(words))
    return Value("words", frozenset(content_of(words)), content[-1] if content else "")


def destination_first(words: Sequence[str]) -> tuple[str, ...]:
    """Turn "from Porto to Lisbon" into "to Lisbon from Porto"."""
    lower = [word.lower() for word in words]
    if lower[:1] != ["from"] or "to" not in lower:
        return tuple(words)
    cut = lower.index("to")
    end = next((index for index, word in enumerate(lower) if index > cut and word in _OBJECT_ENDS), len(words))
    return (*words[cut:end], *words[:cut], *words[end:])


def particle_first(words: Sequence[str]) -> tuple[str, ...]:
    """Turn "the bike away" into "away the bike", so that a particle follows its verb."""
    object_words = object_of(words)
    if len(object_words) < 2 or object_words[-1].lower() not in _PARTICLES:
        return tuple(words)
    return (object_words[-1], *object_words[:-1], *words[len(object_words) :])


def split_at(words: list[str], separator: str) -> tuple[list[str], list[str]]:
    """Return the words before a separator and those after it."""
    lower = [word.lower() for word in words]
    if separator not in lower:
        return words, []
    cut = lower.index(separator)
    return words[:cut], words[cut + 1 :]
