"""Whether two texts may say the same: whatever must not differ does not, and the words that differ are listed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mnemic.rules.claims.compare import claims
from mnemic.rules.claims.opposites import opposed
from mnemic.rules.claims.values import DAY_PARTS, DAYS, MONTHS, number_of
from mnemic.rules.language.terms import STOP_WORDS, stem
from mnemic.rules.language.words import lemma, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_PERSONS = {
    **dict.fromkeys(("i", "me", "my", "mine", "we", "us", "our", "ours", "user"), "first"),
    **dict.fromkeys(("you", "your", "yours"), "second"),
    **dict.fromkeys(("he", "him", "his"), "he"),
    **dict.fromkeys(("she", "her", "hers"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs"), "they"),
}
_DENIALS = frozenset("not no never nobody none nothing without neither nor cannot".split())
_MODES = frozenset(
    "will would could might may should must can if unless maybe perhaps want hope plan used longer stop stopped quit "
    "almost only except sometimes rarely never always until before after still yet again".split()
)
_KIN = {
    stem(word): words
    for words in (
        "child=kid=children mother=mum=mom=mommy father=dad=daddy sister brother sibling cousin uncle aunt "
        "nephew niece son daughter wife husband partner girlfriend boyfriend friend colleague=coworker "
        "neighbour=neighbor boss manager grandmother=grandma grandfather=grandpa parent man=men woman=women "
        "boy girl teacher student doctor landlord"
    ).split()
    for word in words.split("=")
}
"""People by what they are to someone; each stands for its synonyms."""

_TIMES = DAYS | MONTHS | DAY_PARTS | frozenset("yesterday week weekend month year spring summer autumn winter".split())
_LEADING = frozenset("from to before after over under than by".split())
_LIGHT = frozenset(
    "really very quite pretty just also actually truly totally honestly absolutely definitely basically currently now "
    "nowadays lately personally certainly simply indeed well oh hey please thanks always be do get go have "
    "thing".split()
)


def disagreement(one: str, other: str) -> str | None:
    """Return what keeps two texts from saying the same, if anything does."""
    words, others = words_of(one), words_of(other)
    for what, told, told_there in (
        ("numbers", _numbers(words), _numbers(others)),
        ("names", _names(words), _names(others)),
        ("denial", _among(words, _DENIALS), _among(others, _DENIALS)),
        ("persons", _persons(words), _persons(others)),
        ("times", _among(words, _TIMES), _among(others, _TIMES)),
        ("modes", _among(words, _MODES), _among(others, _MODES)),
        ("directions", _directions(words), _directions(others)),
        ("question", one.rstrip().endswith("?"), other.rstrip().endswith("?")),
        ("aspects", *_aspects(one, other)),
    ):
        if told != told_there:
            return f"different {what}"
    reason = opposed(one, other)
    return f"opposites: {reason}" if reason else None


def unshared(one: str, other: str) -> tuple[list[str], list[str]]:
    """Return the words that carry meaning in one text and have no other form of themselves in the other."""
    mine, theirs = _content(one), _content(other)
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
        and lemma(word) not in _LIGHT
        and word.lower() not in _LIGHT
    }


def _numbers(words: Sequence[str]) -> list[float]:
    return sorted(number for word in words if (number := number_of(word)) is not None)


def _names(words: Sequence[str]) -> list[str]:
    """Return the names in their order: who does what to whom must not change."""
    named = (
        word for place, word in enumerate(words) if word[:1].isupper() and word != "I" and (place or _opens(words))
    )
    return [word.lower().removesuffix("'s") for word in named if word.lower() not in STOP_WORDS | _TIMES]


def _opens(words: Sequence[str]) -> bool:
    """Tell whether a text opens with a name, rather than with a word that is only written so."""
    following = words[1] if len(words) > 1 else ""
    return words[0].endswith("'s") or following[:1].isupper() or following.endswith(("s", "ed"))


def _among(words: Sequence[str], kind: frozenset[str]) -> frozenset[str]:
    return frozenset(word.lower() for word in words if word.lower() in kind)


def _persons(words: Sequence[str]) -> frozenset[str]:
    small = [word.lower().removesuffix("'s") for word in words]
    return frozenset(_PERSONS[word] for word in small if word in _PERSONS) | {
        _KIN[stem(word)] for word in small if stem(word) in _KIN
    }


def _directions(words: Sequence[str]) -> frozenset[tuple[str, str]]:
    small = [word.lower() for word in words if word.lower() not in ("the", "a", "an", "my")]
    names = {word.lower() for word in words if word[:1].isupper()}
    return frozenset((first, second) for first, second in pairwise(small) if first in _LEADING and second in names)


def _aspects(*texts: str) -> list[frozenset[tuple[bool, str]]]:
    """Return when and whether the claims of texts hold; nothing where one of them has no claims to compare."""
    found = [frozenset((fact.holds, str(fact.aspect)) for fact in claims(text)) for text in texts]
    return found if all(found) else [frozenset()] * len(texts)
