"""A question, read once: its words, the times it names, and what kind of asking it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.rules.language.terms import query_words, stem, terms
from mnemic.rules.recall.times import DateRange, Order, order, spans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

MAX_WORDS = 200
_LONGEST = 2_000
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n+")
_TALK = re.compile(r"\b(i|i'm|i've|my|we|our|let's)\b")
_HELP = re.compile(
    r"\b(how (?:should|can|could|do|would)|(?:can|could|would) you|suggest|recommend|advise|should (?:i|we))\b"
)
_SHORT_REQUEST = 25
_WORD = re.compile(r"[^\W_]+(?:['’]s)?")
_EVERYWHERE = 0.4
_MANY = 50
_COMMON = 2_000
_COMMON_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Question:
    """What a question asks for; `words` are its words, each with its term.

    `goes_on` tells that it is a message of a running conversation, not a lone question: what was said lately matters
    more. `wants_help` tells that it asks for advice, where standing wishes of the user matter.
    """

    words: Mapping[str, str]
    terms: Sequence[str]
    times: Sequence[DateRange]
    order: Order | None
    goes_on: bool
    wants_help: bool


def read(text: str, today: date) -> Question:
    """Read a question that is asked on a day."""
    words = query_words(text)
    if len(words) > MAX_WORDS:
        words = sorted(words, key=len, reverse=True)[:MAX_WORDS]
    start = text[:_LONGEST].strip().lower()
    termed = {word: stem(word) for word in words}
    return Question(
        words=termed,
        terms=list(dict.fromkeys(termed.values())),
        times=spans(start, today),
        order=order(start),
        goes_on=_goes_on(start),
        wants_help=len(words) <= _SHORT_REQUEST and _HELP.search(start) is not None,
    )


def told_apart(text: str, question: Question, total: int, counts: Mapping[str, int]) -> str:
    """Return a question without the names that are in so many of the memories that they tell none apart.

    In the turns of two people these are the names of the two, which would make every short turn of one of them near.
    """
    common = {term for term in question.terms if counts[term] > _EVERYWHERE * total}
    if total < _MANY or not common or common.issuperset(question.terms):
        return text
    return _WORD.sub(
        lambda word: "" if word[0][0].isupper() and common.issuperset(terms(word[0])[:1]) else word[0], text
    )


def _goes_on(text: str) -> bool:
    """Tell whether a text opens with a statement and goes on, or talks of who talks other than by asking."""
    sentences = [sentence.rstrip() for sentence in _SENTENCES.split(text)]
    said = [sentence for sentence in sentences if not sentence.endswith("?")]
    return (len(sentences) > 1 and sentences[0] in said[:1]) or any(map(_TALK.search, said))


def worth_searching(asked: Sequence[str], total: int, counts: Mapping[str, int]) -> list[str]:
    """Leave out the terms that a large share of many memories hold, when rarer ones are held too."""
    often = max(_COMMON, _COMMON_SHARE * total)
    rare = [term for term in asked if counts.get(term, 0) <= often]
    return rare if any(counts.get(term, 0) for term in rare) else list(asked)
