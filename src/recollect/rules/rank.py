"""How well memories answer a question: words and meaning fused, then adjusted by what surrounds them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.rules.text import stem, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recollect.model.memory import Memory
    from recollect.rules.question import Question
    from recollect.rules.times import Span

MEANING = 0.5
"""The share of meaning in the fused score; the rest is words."""
LEND = 0.25
"""What each neighbouring turn lends of its own score."""
SESSION = 0.3
"""What the evidence of its session adds to a turn."""
RECENT = 0.15
"""What a later session is worth to a message that goes on with a conversation."""
BRIEF = 0.05
"""What a text loses when it is e times as long as a short one: long texts touch on everything."""
STANDING = 0.2
"""What a standing wish gains when help is asked for."""
IN_TIME = 0.2
"""What a memory gains that happened when the question says."""
IMPORTANT = 0.02
"""What a memory gains by each degree of importance above the usual."""

_SPREAD = 0.2
"""Cosines that differ by less are not stretched to the full range: their order says little."""
_SHORT = 400
_USUAL_IMPORTANCE = 5.0
_SESSION_TURNS = 3
_STANDING = re.compile(
    r"\b(always|never|prefer|preferences?|whenever|from now on|i (?:really |do not |don't |dis)?like)\b", re.IGNORECASE
)
_STANDING_REACH = 400


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hold what speaks for one memory: everything its score and its reasons are made of."""

    number: int
    memory: Memory
    total: float
    own: float
    words: float
    cosine: float | None
    lender: int | None
    span: Span | None
    is_recent: bool
    is_standing: bool


def fuse(lexical: Sequence[tuple[int, float]], cosines: Mapping[int, float]) -> dict[int, float]:
    """Return the fused score of every candidate: BM25 as a share of the best, cosines stretched to [0, 1]."""
    fused: dict[int, float] = {}
    if cosines:
        low, high = min(cosines.values()), max(cosines.values())
        slope = MEANING / max(high - low, _SPREAD)
        fused = {number: slope * (cosine - low) for number, cosine in cosines.items()}
    if lexical:
        share = (1 - MEANING) / (max(score for _, score in lexical) or 1.0)
        for number, score in lexical:
            fused[number] = fused.get(number, 0.0) + share * score
    return fused


def lend(own: Mapping[int, float], neighbours: Mapping[int, tuple[int | None, int | None]]) -> dict[int, float]:
    """Return the scores with what the turns before and after lend to each candidate."""
    lent = dict(own)
    for number, (before, after) in neighbours.items():
        lent[number] += LEND * (_of(own, before) + _of(own, after))
    return lent


def best(scores: Mapping[int, float], count: int) -> list[int]:
    """Return the numbers with the best scores, best first, of equals the newest first."""
    return sorted(scores, key=lambda number: (-scores[number], -number))[:count]


def settle(
    question: Question,
    memories: Mapping[int, Memory],
    *,
    own: Mapping[int, float],
    lent: Mapping[int, float],
    words: Mapping[int, float],
    cosines: Mapping[int, float],
    neighbours: Mapping[int, tuple[int | None, int | None]],
) -> list[Evidence]:
    """Return the loaded candidates with all their evidence, best first."""
    sessions = _sessions(memories)
    support = {key: _support([own[number] for number in turns]) for key, turns in sessions.items()}
    ages = _ages(memories, sessions) if question.goes_on else {}
    settled = []
    for key, turns in sessions.items():
        for number in turns:
            memory = memories[number]
            span = _span(question.times, memory)
            standing = question.wants_help and _STANDING.search(memory.text, 0, _STANDING_REACH) is not None
            total = (
                lent[number]
                + SESSION * support[key]
                - RECENT * math.log1p(ages.get(key, 0))
                - BRIEF * math.log(max(1.0, len(memory.text) / _SHORT))
                + (STANDING if standing else 0.0)
                + (IN_TIME if span else 0.0)
                + IMPORTANT * (memory.importance - _USUAL_IMPORTANCE)
            )
            settled.append(
                Evidence(
                    number=number,
                    memory=memory,
                    total=total,
                    own=own[number],
                    words=words.get(number, 0.0),
                    cosine=cosines.get(number),
                    lender=_lender(own, neighbours.get(number)),
                    span=span,
                    is_recent=question.goes_on and ages.get(key) == 0,
                    is_standing=standing,
                )
            )
    return sorted(settled, key=lambda one: (-one.total, -one.number))


def shared_words(words: Sequence[str], text: str) -> list[str]:
    """Return the words of a question that a text holds, in any of their forms."""
    held = set(terms(text))
    return [word for word in words if stem(word) in held]


def _of(scores: Mapping[int, float], number: int | None) -> float:
    return 0.0 if number is None else scores.get(number, 0.0)


def _lender(own: Mapping[int, float], around: tuple[int | None, int | None] | None) -> int | None:
    """Return the neighbour that lends most, if any lends."""
    if around is None:
        return None
    before, after = around
    most = before if _of(own, before) >= _of(own, after) else after
    return most if _of(own, most) > 0 else None


def _sessions(memories: Mapping[int, Memory]) -> dict[object, list[int]]:
    """Return the candidates by session; a memory outside of sessions stands alone."""
    sessions: dict[object, list[int]] = {}
    for number, memory in memories.items():
        key = number if memory.scope.session is None else memory.scope
        sessions.setdefault(key, []).append(number)
    return sessions


def _support(scores: Sequence[float]) -> float:
    """Return how much a session speaks for its turns: the mean of its best, missing ones counting as nothing."""
    return sum(sorted(scores, reverse=True)[:_SESSION_TURNS]) / _SESSION_TURNS


def _ages(memories: Mapping[int, Memory], sessions: Mapping[object, Iterable[int]]) -> dict[object, int]:
    """Return how many of the sessions are later than each of them."""
    latest = {
        key: max((memories[number].began_at, number) for number in numbers) for key, numbers in sessions.items()
    }
    order = sorted(latest, key=lambda key: latest[key], reverse=True)
    return {key: place for place, key in enumerate(order)}


def _span(times: Sequence[Span], memory: Memory) -> Span | None:
    if not times or memory.occurred_at is None:
        return None
    day = memory.began_at.date()
    return next((span for span in times if span.first <= day <= span.last), None)
