"""Paraphrases: whether anything that matters differs between two texts, and which words do."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mnemic.rules.claims.opposites import opposition
from mnemic.rules.claims.reader import facts_of
from mnemic.rules.claims.values import DAY_PARTS, DAYS, MONTHS, number_of
from mnemic.rules.language.terms import STOP_WORDS, stem
from mnemic.rules.language.words import lemma, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_PRONOUNS = {
    **dict.fromkeys(("i", "me", "my", "mine", "we", "us", "our", "ours", "user"), "first"),
    **dict.fromkeys(("you", "your", "yours"), "second"),
    **dict.fromkeys(("he", "him", "his"), "he"),
    **dict.fromkeys(("she", "her", "hers"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs"), "they"),
}
_NEGATIONS = frozenset("not no never nobody none nothing without neither nor cannot".split())
_MODES = frozenset(
    "will would could might may should must can if unless maybe perhaps want hope plan used longer stop stopped quit "
    "almost only except sometimes rarely never always until before after still yet again".split()
)
_RELATIONS = {
    stem(word): words
    for words in (
        "child=kid=children mother=mum=mom=mommy father=dad=daddy sister brother sibling cousin uncle aunt "
        "nephew niece son daughter wife husband partner girlfriend boyfriend friend colleague=coworker "
        "neighbour=neighbor boss manager grandmother=grandma grandfather=grandpa parent man=men woman=women "
        "boy girl teacher student doctor landlord"
    ).split()
    for word in words.split("=")
}
"""People by their relation to someone, each with its synonyms."""

_TIMES = DAYS | MONTHS | DAY_PARTS | frozenset("yesterday week weekend month year spring summer autumn winter".split())
_DIRECTIONS = frozenset("from to before after over under than by".split())
_LIGHT_WORDS = frozenset(
    "really very quite pretty just also actually truly totally honestly absolutely definitely basically currently now "
    "nowadays lately personally certainly simply indeed well oh hey please thanks always be do get go have "
    "thing".split()
)


def disagreement(text: str, other: str) -> str | None:
    """Return what keeps two texts from saying the same, or None."""
    words, others = words_of(text), words_of(other)
    for name, left, right in (
        ("numbers", _numbers(words), _numbers(others)),
        ("names", _names(words), _names(others)),
        ("denial", _among(words, _NEGATIONS), _among(others, _NEGATIONS)),
        ("persons", _persons(words), _persons(others)),
        ("times", _among(words, _TIMES), _among(others, _TIMES)),
        ("modes", _among(words, _MODES), _among(others, _MODES)),
        ("directions", _directions(words), _directions(others)),
        ("question", text.rstrip().endswith("?"), other.rstrip().endswith("?")),
        ("tenses", *_tenses(text, other)),
    ):
        if left != right:
            return f"different {name}"
    reason = opposition(text, other)
    return f"opposites: {reason}" if reason else None


def unshared_words(text: str, other: str) -> tuple[list[str], list[str]]:
    """Return the content words of each text that the other text has in no form."""
    mine, theirs = _content(text), _content(other)
    return (
        [word for key, word in mine.items() if key not in theirs],
        [word for key, word in theirs.items() if key not in mine],
    )


def _content(text: str) -> dict[str, str]:
    return {
        lemma(word): word.lower()
        for word in words_of(text)
        if word[0].isalnum()
        and word.lower() not in STOP_WORDS
        and lemma(word) not in _LIGHT_WORDS
        and word.lower() not in _LIGHT_WORDS
    }


def _numbers(words: Sequence[str]) -> list[float]:
    return sorted(number for word in words if (number := number_of(word)) is not None)


def _names(words: Sequence[str]) -> list[str]:
    """Return the names in order, because who does what to whom matters."""
    names = (
        word
        for index, word in enumerate(words)
        if word[:1].isupper() and word != "I" and (index or _begins_with_name(words))
    )
    return [word.lower().removesuffix("'s") for word in names if word.lower() not in STOP_WORDS | _TIMES]


def _begins_with_name(words: Sequence[str]) -> bool:
    """Return whether the first word is a name, and not only capitalised because it is the first."""
    following = words[1] if len(words) > 1 else ""
    return words[0].endswith("'s") or following[:1].isupper() or following.endswith(("s", "ed"))


def _among(words: Sequence[str], chosen: frozenset[str]) -> frozenset[str]:
    return frozenset(word.lower() for word in words if word.lower() in chosen)


def _persons(words: Sequence[str]) -> frozenset[str]:
    lower = [word.lower().removesuffix("'s") for word in words]
    return frozenset(_PRONOUNS[word] for word in lower if word in _PRONOUNS) | {
        _RELATIONS[stem(word)] for word in lower if stem(word) in _RELATIONS
    }


def _directions(words: Sequence[str]) -> frozenset[tuple[str, str]]:
    lower = [word.lower() for word in words if word.lower() not in ("the", "a", "an", "my")]
    names = {word.lower() for word in words if word[:1].isupper()}
    return frozenset((first, second) for first, second in pairwise(lower) if first in _DIRECTIONS and second in names)


def _tenses(*texts: str) -> list[frozenset[tuple[bool, str]]]:
    """Return whether and when the facts of each text hold; nothing where one text has no facts to compare."""
    tenses = [frozenset((fact.holds, str(fact.tense)) for fact in facts_of(text)) for text in texts]
    return tenses if all(tenses) else [frozenset()] * len(texts)
