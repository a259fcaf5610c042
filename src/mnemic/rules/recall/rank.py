"""How well memories answer a question: words and meaning fused, then adjusted by what surrounds them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mnemic.rules.language.speech import ROLES, is_short_question, speaker
from mnemic.rules.language.terms import query_words, stem, terms
from mnemic.rules.recall.sessions import EXACT, lift
from mnemic.rules.strength import Decay, strength

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from mnemic.model.memory import Memory
    from mnemic.model.session_rows import SessionRows
    from mnemic.rules.recall.question import Question
    from mnemic.rules.recall.times import DateRange, Order

MEANING = 0.5
"""The share of meaning in the fused score; the rest is words."""
BEFORE, AFTER = 0.7, 0.3
"""What the turns before and after lend of their own score to a very short turn: an answer leans on its question."""
SPOKEN = 0.2
"""What a turn gains when the question names who speaks."""
ASKS = 0.25
"""What a short turn loses that asks, and so seldom answers."""
BRIEF = 0.05
"""What a text loses when it is e times as long as a short one: long texts touch on everything."""
STANDING = 0.2
"""What a standing wish gains when help is asked for."""
IN_TIME = 0.2
"""What a memory gains that happened when the question says."""
IN_ORDER = 0.1
"""What a memory gains that came before, or after, what the question names."""
STRONG = 0.02
"""What a memory gains by each degree of its strength: by importance and use, less with time."""

_SPREAD = 0.2
"""Cosines that differ by less are not stretched to the full range: their order says little."""
_LITERAL = 0.95
"""The share of the best BM25 score from which a long text is not held against a memory."""
_SHORT = 400
_LEANS = 40
"""The number of terms at which a turn leans half as much on those around it."""
_FADING = Decay()
_STANDING = re.compile(
    r"\b(always|never|prefer|preferences?|whenever|from now on|i (?:really |do not |don't |dis)?like)\b", re.IGNORECASE
)
_STANDING_REACH = 400


Neighbours: TypeAlias = "Mapping[int, tuple[int | None, int | None]]"
"""The turns before and after each turn in its session, all by number."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches found, by the number of the memory: cosines, fused scores, and scores with loans.

    `literal` holds those that the words of the question fit best. `beside` holds how near the turns around each turn
    are, as far as it leans on them, `recent` the turns that no later session outdoes.
    """

    literal: frozenset[int]
    cosines: Mapping[int, float]
    own: Mapping[int, float]
    lent: Mapping[int, float]
    beside: Mapping[int, float] = field(default_factory=dict)
    recent: frozenset[int] = frozenset()


class Evidence(NamedTuple):
    """What speaks for one memory: the parts of its score and of its reasons."""

    number: int
    memory: Memory
    score: float
    """What the ranking makes of it, beside the others."""
    cosine: float | None
    beside: float | None
    """How near the turns before and after it are, as far as it leans on them; None outside of sessions."""
    when: str | None
    is_spoken: bool
    """Whether the question names who speaks."""
    is_recent: bool
    is_standing: bool


def fuse(lexical: Sequence[tuple[int, float]], cosines: Mapping[int, float], enough: float = 0.0) -> dict[int, float]:
    """Return the fused score of every candidate: BM25 as a share of the best, cosines stretched to [0, 1].

    `lexical` comes best first; a best that is not `enough` counts in part.
    """
    fused: dict[int, float] = {}
    if cosines:
        low, high = min(cosines.values()), max(cosines.values())
        slope = MEANING / max(high - low, _SPREAD)
        fused = {number: slope * (cosine - low) for number, cosine in cosines.items()}
    if lexical:
        share = (1 - MEANING) / (max(enough, lexical[0][1]) or 1.0)
        for number, score in lexical:
            fused[number] = fused.get(number, 0.0) + share * score
    return fused


def loans(scores: Mapping[int, float], neighbours: Neighbours, rows: SessionRows) -> dict[int, float]:
    """Return what the turns before and after lend of their scores to each turn, the more the shorter it is."""
    lengths = dict(zip(rows.numbers.tolist(), rows.lengths.tolist(), strict=True))
    return {
        number: _LEANS / (_LEANS + lengths[number]) * (BEFORE * _of(scores, before) + AFTER * _of(scores, after))
        for number, (before, after) in neighbours.items()
    }


def best(scores: Mapping[int, float], count: int) -> list[int]:
    """Return the numbers with the best scores, best first, of equals the newest first."""
    return sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[:count]


def gather(
    question: Question,
    lexical: Sequence[tuple[int, float]],
    cosines: Mapping[int, float],
    own: Mapping[int, float],
    neighbours: Neighbours,
    rows: SessionRows | None,
) -> Candidates:
    """Join what was found by words and by meaning with what the turns and sessions around it say.

    `own` holds the fused scores. Where there are neighbours, `rows` holds every candidate among its session.
    """
    best = lexical[0][1] if lexical else 0.0
    literal = frozenset([number for number, score in lexical if score >= _LITERAL * best])
    if not neighbours or rows is None:
        return Candidates(literal, cosines, own, own)
    lent = loans(own, neighbours, rows)
    most_lent = max(lent.values())
    lifts, recent = lift(own, rows, goes_on=question.goes_on, literal=literal)
    totals = {
        number: score + (lent.get(number, 0.0) if score < EXACT else most_lent) + lifts.get(number, 0.0)
        for number, score in own.items()
    }
    return Candidates(literal, cosines, own, totals, loans(cosines, neighbours, rows), recent)


def settle(
    question: Question, found: Candidates, memories: Mapping[int, Memory], limit: int, now: datetime
) -> list[Evidence]:
    """Return the best of the loaded candidates with their evidence, best first."""
    told = _told(question.times, memories) if question.times else {}
    ordered = _ordered(question.order, found.own, memories) if question.order else {}
    settled = []
    for number, memory in memories.items():
        beside = found.beside.get(number)
        when = told.get(number) or ordered.get(number)
        is_spoken = beside is not None and _speaks_of(question, memory)
        is_recent = number in found.recent
        is_standing = question.wants_help and _is_standing(memory)
        score = found.lent[number] + STRONG * strength(memory, now=now, decay=_FADING)
        if len(memory.text) > _SHORT and number not in found.literal:
            score -= BRIEF * math.log(len(memory.text) / _SHORT)
        if is_spoken:
            score += SPOKEN
        if beside is not None and is_short_question(memory.text):
            score -= ASKS
        if is_standing:
            score += STANDING
        if number in told:
            score += IN_TIME
        if number in ordered:
            score += IN_ORDER
        cosine = found.cosines.get(number)
        settled.append(Evidence(number, memory, score, cosine, beside, when, is_spoken, is_recent, is_standing))
    settled.sort(key=attrgetter("score", "number"), reverse=True)
    return settled[:limit]


def _of(scores: Mapping[int, float], number: int | None) -> float:
    return 0.0 if number is None else scores.get(number, 0.0)


def _speaks_of(question: Question, memory: Memory) -> bool:
    """Tell whether a question names who speaks in a turn."""
    name = speaker(memory.text)
    return name is not None and name.lower() not in ROLES and not question.words.keys().isdisjoint(query_words(name))


def _is_standing(memory: Memory) -> bool:
    return _STANDING.search(memory.text, 0, _STANDING_REACH) is not None


def _told(times: Sequence[DateRange], memories: Mapping[int, Memory]) -> dict[int, str]:
    """Return the memories whose time the question names, with its words for it."""
    days = {number: one.began_at.date() for number, one in memories.items() if one.occurred_at is not None}
    return {
        number: span.words for span in reversed(times) for number, day in days.items() if span.first <= day <= span.last
    }


def _ordered(order: Order, own: Mapping[int, float], memories: Mapping[int, Memory]) -> dict[int, str]:
    """Return the candidates on the right side of the event; it is the best one that holds most words of it."""
    wanted = set(map(stem, query_words(order.event)))
    dated = [number for number, memory in memories.items() if memory.occurred_at is not None]
    held = {number: len(wanted.intersection(terms(memories[number].text))) for number in dated}
    if not any(held.values()):
        return {}
    event = max(dated, key=lambda number: (held[number], own[number]))
    at = memories[event].began_at
    return {
        number: order.words
        for number in dated
        if (memories[number].began_at < at if order.is_before else memories[number].began_at > at)
    }
