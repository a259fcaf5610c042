"""Questions: their words, the dates they mention, and whether they are messages or ask for advice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.rules.language.terms import query_words, stem, terms
from mnemic.rules.recall.times import DateRange, Order, date_ranges, order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

MAX_WORDS = 200
_MAX_LENGTH = 2_000
_SENTENCE_BREAK = re.compile(r"(?<=[.!?…])\s+|\n+")
_FIRST_PERSON = re.compile(r"\b(i|i'm|i've|my|we|our|let's)\b")
_ADVICE = re.compile(
    r"\b(how (?:should|can|could|do|would)|(?:can|could|would) you|suggest|recommend|advise|should (?:i|we))\b"
)
_MAX_ADVICE_WORDS = 25
_WORD = re.compile(r"[^\W_]+(?:['’]s)?")
_COMMON_NAME_SHARE = 0.4
_MIN_MEMORIES = 50
_COMMON_COUNT = 2_000
_COMMON_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question; `words` maps each of its words to its term.

    `is_message`: it is a message of a conversation and not a single question, so recent sessions rank higher.
    `asks_for_advice`: it asks for advice, so the standing wishes of the user rank higher.
    """

    words: Mapping[str, str]
    terms: Sequence[str]
    times: Sequence[DateRange]
    order: Order | None
    is_message: bool
    asks_for_advice: bool


def read(text: str, today: date) -> Question:
    """Parse a question; relative dates count from `today`."""
    words = query_words(text)
    if len(words) > MAX_WORDS:
        words = sorted(words, key=len, reverse=True)[:MAX_WORDS]
    start = text[:_MAX_LENGTH].strip().lower()
    term_of_word = {word: stem(word) for word in words}
    return Question(
        words=term_of_word,
        terms=list(dict.fromkeys(term_of_word.values())),
        times=date_ranges(start, today),
        order=order(start),
        is_message=_is_message(start),
        asks_for_advice=len(words) <= _MAX_ADVICE_WORDS and _ADVICE.search(start) is not None,
    )


def without_common_names(text: str, question: Question, total: int, counts: Mapping[str, int]) -> str:
    """Return a question without the names that occur in over 40 % of at least 50 memories.

    In a conversation of two people these are their own names, which would make every short turn of theirs similar.
    """
    common = {term for term in question.terms if counts[term] > _COMMON_NAME_SHARE * total}
    if total < _MIN_MEMORIES or not common or common.issuperset(question.terms):
        return text
    return _WORD.sub(
        lambda word: "" if word[0][0].isupper() and common.issuperset(terms(word[0])[:1]) else word[0], text
    )


def _is_message(text: str) -> bool:
    """Return whether a text starts with a statement and continues, or has a statement in the first person."""
    sentences = [sentence.rstrip() for sentence in _SENTENCE_BREAK.split(text)]
    statements = [sentence for sentence in sentences if not sentence.endswith("?")]
    return (len(sentences) > 1 and sentences[0] in statements[:1]) or any(map(_FIRST_PERSON.search, statements))


def search_terms(query_terms: Sequence[str], total: int, counts: Mapping[str, int]) -> list[str]:
    """Return the query terms without the very common ones, unless no other occurs in the memories."""
    limit = max(_COMMON_COUNT, _COMMON_SHARE * total)
    rare = [term for term in query_terms if counts.get(term, 0) <= limit]
    return rare if any(counts.get(term, 0) for term in rare) else list(query_terms)
