"""Ranking: BM25 and cosine fused into one score, then adjusted by neighbours, sessions, time and preferences."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mnemic.rules.language.speech import ROLES, is_short_question, speaker
from mnemic.rules.language.terms import query_words, stem, terms
from mnemic.rules.recall.sessions import EXACT_MATCH, session_boosts
from mnemic.rules.strength import Decay, strength

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from mnemic.model.memory import Memory
    from mnemic.model.session_rows import SessionRows
    from mnemic.rules.recall.question import Question
    from mnemic.rules.recall.times import DateRange, Order

COSINE_SHARE = 0.5
"""The share of the cosine in the fused score; the rest is BM25."""
BEFORE, AFTER = 0.7, 0.3
"""The share of the previous and the next turn's score that a very short turn gains: an answer follows its question."""
NAMED_SPEAKER = 0.2
"""Added to a turn whose speaker is named in the query."""
SHORT_QUESTION = 0.25
"""Subtracted from a turn that is a short question, which is rarely an answer."""
LONG_TEXT = 0.05
"""Subtracted from a long text, times the logarithm of its excess length: long texts match many queries."""
STANDING_WISH = 0.2
"""Added to a standing wish when the query asks for advice."""
TIME_MATCH = 0.2
"""Added to a memory from the time that the query names."""
ORDER_MATCH = 0.1
"""Added to a memory from before, or after, the event that the query names."""
STRENGTH = 0.02
"""Added per unit of strength, which grows with importance and use and decays with time."""

_MIN_COSINE_RANGE = 0.2
"""A smaller range of cosines is not stretched to [0, 1]: their order says little."""
_TOP_LEXICAL = 0.95
"""The share of the top BM25 score from which a long text is not down-weighted."""
_SHORT_TEXT = 400
_HALF_GAIN_LENGTH = 40
"""The number of terms at which a turn gains half as much from its neighbours."""
_DECAY = Decay()
_WISH = re.compile(
    r"\b(always|never|prefer|preferences?|whenever|from now on|i (?:really |do not |don't |dis)?like)\b", re.IGNORECASE
)
_WISH_SEARCHED = 400


Neighbours: TypeAlias = "Mapping[int, tuple[int | None, int | None]]"
"""The turns before and after each turn in its session, all by number."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The search results by the number of the memory: cosines, fused scores, and scores with neighbours and sessions.

    `literal` are the top BM25 hits, `neighbours` the cosines of adjacent turns, weighted as in `neighbour_scores`,
    `recent` the turns for which no later session answers better.
    """

    literal: frozenset[int]
    cosines: Mapping[int, float]
    fused: Mapping[int, float]
    scores: Mapping[int, float]
    neighbours: Mapping[int, float] = field(default_factory=dict)
    recent: frozenset[int] = frozenset()


class Evidence(NamedTuple):
    """One candidate with its ranking score and the signals for its reasons and its probability."""

    number: int
    memory: Memory
    score: float
    cosine: float | None
    neighbours: float | None
    """The weighted cosine of the adjacent turns; None outside sessions."""
    time_words: str | None
    """The words of the query for the time that the memory matches."""
    names_speaker: bool
    """Whether the query names the speaker."""
    is_recent: bool
    is_standing_wish: bool


def fuse(
    lexical: Sequence[tuple[int, float]], cosines: Mapping[int, float], full_score: float = 0.0
) -> dict[int, float]:
    """Return the fused score of every candidate: BM25 relative to the top score, cosines stretched to [0, 1].

    `lexical` is sorted by score; if its top score is below `full_score`, BM25 is down-weighted.
    """
    fused: dict[int, float] = {}
    if cosines:
        low, high = min(cosines.values()), max(cosines.values())
        slope = COSINE_SHARE / max(high - low, _MIN_COSINE_RANGE)
        fused = {number: slope * (cosine - low) for number, cosine in cosines.items()}
    if lexical:
        scale = (1 - COSINE_SHARE) / (max(full_score, lexical[0][1]) or 1.0)
        for number, score in lexical:
            fused[number] = fused.get(number, 0.0) + scale * score
    return fused


def neighbour_scores(scores: Mapping[int, float], neighbours: Neighbours, rows: SessionRows) -> dict[int, float]:
    """Return what each turn gains from the scores of its neighbours; short turns gain most."""
    lengths = dict(zip(rows.numbers.tolist(), rows.lengths.tolist(), strict=True))
    return {
        number: _HALF_GAIN_LENGTH
        / (_HALF_GAIN_LENGTH + lengths[number])
        * (BEFORE * _score(scores, before) + AFTER * _score(scores, after))
        for number, (before, after) in neighbours.items()
    }


def top(scores: Mapping[int, float], count: int) -> list[int]:
    """Return the numbers with the highest scores, best first; of equals, the newest first."""
    return sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[:count]


def combine(
    question: Question,
    lexical: Sequence[tuple[int, float]],
    cosines: Mapping[int, float],
    fused: Mapping[int, float],
    neighbours: Neighbours,
    rows: SessionRows | None,
) -> Candidates:
    """Add the scores of neighbours and sessions to the fused scores.

    If there are neighbours, `rows` must contain every candidate.
    """
    top_score = lexical[0][1] if lexical else 0.0
    literal = frozenset([number for number, score in lexical if score >= _TOP_LEXICAL * top_score])
    if not neighbours or rows is None:
        return Candidates(literal, cosines, fused, fused)
    gains = neighbour_scores(fused, neighbours, rows)
    highest_gain = max(gains.values())
    boosts, recent = session_boosts(fused, rows, is_message=question.is_message, literal=literal)
    scores = {
        number: score + (gains.get(number, 0.0) if score < EXACT_MATCH else highest_gain) + boosts.get(number, 0.0)
        for number, score in fused.items()
    }
    return Candidates(literal, cosines, fused, scores, neighbour_scores(cosines, neighbours, rows), recent)


def ranked(
    question: Question, candidates: Candidates, memories: Mapping[int, Memory], limit: int, now: datetime
) -> list[Evidence]:
    """Return the best of the loaded candidates with their evidence, best first."""
    timed = _time_matches(question.times, memories) if question.times else {}
    ordered = _order_matches(question.order, candidates.fused, memories) if question.order else {}
    evidence = []
    for number, memory in memories.items():
        neighbours = candidates.neighbours.get(number)
        time_words = timed.get(number) or ordered.get(number)
        names_speaker = neighbours is not None and _names_speaker(question, memory)
        is_recent = number in candidates.recent
        is_standing_wish = question.asks_for_advice and _is_standing_wish(memory)
        score = candidates.scores[number] + STRENGTH * strength(memory, now=now, decay=_DECAY)
        if len(memory.text) > _SHORT_TEXT and number not in candidates.literal:
            score -= LONG_TEXT * math.log(len(memory.text) / _SHORT_TEXT)
        if names_speaker:
            score += NAMED_SPEAKER
        if neighbours is not None and is_short_question(memory.text):
            score -= SHORT_QUESTION
        if is_standing_wish:
            score += STANDING_WISH
        if number in timed:
            score += TIME_MATCH
        if number in ordered:
            score += ORDER_MATCH
        cosine = candidates.cosines.get(number)
        evidence.append(
            Evidence(number, memory, score, cosine, neighbours, time_words, names_speaker, is_recent, is_standing_wish)
        )
    evidence.sort(key=attrgetter("score", "number"), reverse=True)
    return evidence[:limit]


def _score(scores: Mapping[int, float], number: int | None) -> float:
    return 0.0 if number is None else scores.get(number, 0.0)


def _names_speaker(question: Question, memory: Memory) -> bool:
    name = speaker(memory.text)
    return name is not None and name.lower() not in ROLES and not question.words.keys().isdisjoint(query_words(name))


def _is_standing_wish(memory: Memory) -> bool:
    return _WISH.search(memory.text, 0, _WISH_SEARCHED) is not None


def _time_matches(periods: Sequence[DateRange], memories: Mapping[int, Memory]) -> dict[int, str]:
    """Return the memories from a period that the query names, with the query's words for it."""
    days = {number: memory.began_at.date() for number, memory in memories.items() if memory.occurred_at is not None}
    return {
        number: period.words
        for period in reversed(periods)
        for number, day in days.items()
        if period.first <= day <= period.last
    }


def _order_matches(order: Order, fused: Mapping[int, float], memories: Mapping[int, Memory]) -> dict[int, str]:
    """Return the memories before, or after, the event: the candidate with most of the event's words."""
    event_terms = set(map(stem, query_words(order.event)))
    dated = [number for number, memory in memories.items() if memory.occurred_at is not None]
    overlaps = {number: len(event_terms.intersection(terms(memories[number].text))) for number in dated}
    if not any(overlaps.values()):
        return {}
    event = max(dated, key=lambda number: (overlaps[number], fused[number]))
    at = memories[event].began_at
    return {
        number: order.words
        for number in dated
        if (memories[number].began_at < at if order.is_before else memories[number].began_at > at)
    }
