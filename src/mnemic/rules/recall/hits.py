"""Hits: ranked candidates with their probability of relevance and the reasons in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.model.hit import Hit
from mnemic.rules.language.terms import distinct_terms
from mnemic.rules.recall.calibration import (
    THRESHOLD,
    UNREACHABLE,
    is_poor,
    non_increasing,
    prior,
    probability,
    reranked,
    term_weight,
)
from mnemic.rules.recall.synonyms import SYNONYMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from mnemic.model.memory import Memory
    from mnemic.rules.recall.calibration import Features
    from mnemic.rules.recall.question import Question
    from mnemic.rules.recall.rank import Evidence

_MAX_MISSING_WORDS = 10
_NEIGHBOUR_REASON = 0.1
_SYNONYM = 0.5
"""The share of a term's weight that a synonym covers."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates for a query, best first, each with its terms and its probability of relevance.

    `counts` is the number of memories with each query term, out of the `total` selected.
    """

    question: Question
    candidates: Sequence[Evidence]
    total: int
    counts: Mapping[str, int]
    terms: Sequence[Set[str]]
    probabilities: Sequence[float]

    @classmethod
    def of(cls, question: Question, candidates: Sequence[Evidence], total: int, counts: Mapping[str, int]) -> Ranking:
        """Compute the terms and the probability of each candidate."""
        terms = [distinct_terms(candidate.memory.text) for candidate in candidates]
        probabilities = [
            probability(row, is_message=question.is_message)
            for row in features(question, candidates, terms, total, counts)
        ]
        return cls(question, candidates, total, counts, terms, probabilities)

    @property
    def priors(self) -> list[float]:
        """The log odds of each candidate before reranking."""
        return [
            prior(probability, candidate.score, len(candidate.memory.text))
            for candidate, probability in zip(self.candidates, self.probabilities, strict=True)
        ]

    def threshold(self, count: int) -> float:
        """Return the default `min_score`: `UNREACHABLE` if a question's best `count` are all turns, and poor ones."""
        is_question_for_turns = not self.question.is_message and all(
            candidate.neighbours is not None for candidate in self.candidates[:count]
        )
        return UNREACHABLE if is_question_for_turns and is_poor(self.probabilities[:count]) else THRESHOLD


def hits(ranking: Ranking, rerank_scores: Sequence[float] | None = None) -> list[Hit]:
    """Return ranked candidates as hits, best first.

    `rerank_scores`, the reranker's scores of the first candidates, reorder these; the rest follow in their order.
    """
    candidates = ranking.candidates
    scores = non_increasing(ranking.probabilities)
    order: Sequence[int] = range(len(candidates))
    if rerank_scores is not None:
        first = list(map(reranked, ranking.priors, rerank_scores))
        lowest = min(first, default=1.0)
        scores = first + [min(score, lowest) for score in non_increasing(ranking.probabilities[len(first) :])]
        order = sorted(order, key=lambda index: -scores[index])
    rerank_score = dict(enumerate(rerank_scores or ()))
    return [
        Hit(
            candidates[index].memory,
            round(scores[index], 4),
            tuple(_reasons(ranking.question, candidates[index], ranking.terms[index], rerank_score.get(index))),
        )
        for index in order
    ]


def features(
    question: Question,
    candidates: Sequence[Evidence],
    terms: Sequence[Set[str]],
    total: int,
    counts: Mapping[str, int],
) -> Iterator[Features]:
    """Yield the calibration features of each candidate.

    Synonyms cover a query term in part. Without a vector, the typical cosine for that coverage is assumed.
    """
    weights = {term: term_weight(total, counts.get(term, 0)) for term in question.terms}
    with_synonyms = weights.keys() & SYNONYMS.keys()
    total_weight = sum(weights.values()) or 1.0
    for candidate, words in zip(candidates, terms, strict=True):
        covered = sum([weight for term, weight in weights.items() if term in words])
        for term in with_synonyms:
            if term not in words and not SYNONYMS[term].isdisjoint(words):
                covered += _SYNONYM * weights[term]
        coverage = covered / total_weight
        cosine = 0.2 + 0.4 * coverage if candidate.cosine is None else candidate.cosine
        yield cosine, coverage, candidate.neighbours, candidate.names_speaker


def _reasons(question: Question, candidate: Evidence, terms: Set[str], rerank_score: float | None) -> Iterator[str]:
    if words := [word for word, term in question.words.items() if term in terms]:
        yield "words: " + ", ".join(words)
    if candidate.cosine is not None:
        yield f"meaning: {candidate.cosine:.2f}"
    if candidate.time_words is not None:
        yield f"time: {candidate.time_words}"
    if candidate.neighbours is not None and candidate.neighbours > _NEIGHBOUR_REASON:
        yield "neighbour: an adjacent turn matches too"
    if candidate.names_speaker:
        yield "speaker: the question names who speaks"
    if candidate.is_standing_wish:
        yield "standing wish"
    if candidate.is_recent:
        yield "recent: no later session answers better"
    if rerank_score is not None:
        yield f"reranked: {rerank_score:.2f}"


def shared_words(question: Question, text: str) -> set[str]:
    """Return the query words that occur in a text, in any inflection."""
    terms = distinct_terms(text)
    return {word for word, term in question.words.items() if term in terms}


def mismatches(question: Question, memory: Memory) -> Iterator[str]:
    """Yield how a memory does not match a query: missing words, a different time."""
    shared = shared_words(question, memory.text)
    if missing := [word for word in question.words if word not in shared]:
        shown = ", ".join(missing[:_MAX_MISSING_WORDS])
        yield f"missing words: {shown}" + (", …" if len(missing) > _MAX_MISSING_WORDS else "")
    day = memory.began_at.date()
    for period in question.times:
        if memory.occurred_at is None:
            yield f"when it happened is not known, and the question says {period.words}"
        elif not period.first <= day <= period.last:
            yield f"happened on {day.isoformat()}, and the question says {period.words}"
