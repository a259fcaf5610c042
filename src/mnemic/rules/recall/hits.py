"""Ranked candidates as hits: the chance of relevance, and the reasons in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.model.hit import Hit
from mnemic.rules.language.terms import distinct_terms
from mnemic.rules.recall.calibration import CUT, NOTHING, chance, falling, is_poor, prior, rarity, reranked
from mnemic.rules.recall.synonyms import KINDRED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from mnemic.model.memory import Memory
    from mnemic.rules.recall.question import Question
    from mnemic.rules.recall.rank import Evidence

_MENTIONED = 10
_NEAR = 0.1
_KINDRED = 0.5
"""What a word that asks for the same is worth beside the word itself."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates for a question, best first, each with its terms and its chance of being relevant.

    Of the `total` memories that are selected, `counts` tells how many hold each term of the question.
    """

    question: Question
    candidates: Sequence[Evidence]
    total: int
    counts: Mapping[str, int]
    terms: Sequence[Set[str]]
    chances: Sequence[float]

    @classmethod
    def of(cls, question: Question, candidates: Sequence[Evidence], total: int, counts: Mapping[str, int]) -> Ranking:
        """Work out the terms and the chance of each candidate."""
        held = [distinct_terms(candidate.memory.text) for candidate in candidates]
        chances = [
            chance(told, goes_on=question.goes_on) for told in features(question, candidates, held, total, counts)
        ]
        return cls(question, candidates, total, counts, held, chances)

    @property
    def priors(self) -> list[float]:
        """The odds of each candidate before a reranker has read it."""
        return [
            prior(plain, candidate.score, len(candidate.memory.text))
            for candidate, plain in zip(self.candidates, self.chances, strict=True)
        ]

    def cut(self, first: int) -> float:
        """Return the measured cut; `NOTHING` where a lone question finds turns alone, and the first are poor."""
        is_asked_of_turns = not self.question.goes_on and all(
            candidate.beside is not None for candidate in self.candidates[:first]
        )
        return NOTHING if is_asked_of_turns and is_poor(self.chances[:first]) else CUT


def hits(ranking: Ranking, verdicts: Sequence[float] | None = None) -> list[Hit]:
    """Return ranked candidates as hits, best first.

    `verdicts`, what a reranker says of the first ones, rank these anew; the rest keep their places behind them.
    """
    candidates = ranking.candidates
    scores = falling(ranking.chances)
    order: Sequence[int] = range(len(candidates))
    if verdicts is not None:
        read = list(map(reranked, ranking.priors, verdicts))
        lowest = min(read, default=1.0)
        scores = read + [min(plain, lowest) for plain in falling(ranking.chances[len(read) :])]
        order = sorted(order, key=lambda index: -scores[index])
    shown = dict(enumerate(verdicts or ()))
    return [
        Hit(
            candidates[index].memory,
            round(scores[index], 4),
            tuple(_reasons(ranking.question, candidates[index], ranking.terms[index], shown.get(index))),
        )
        for index in order
    ]


def features(
    question: Question,
    ranked: Sequence[Evidence],
    held: Sequence[Set[str]],
    total: int,
    counts: Mapping[str, int],
) -> Iterator[tuple[float, float, float | None, bool]]:
    """Yield what the chance of each candidate is judged by.

    That is its cosine, the share of the question it holds, how near the turns beside it are, and whether the question
    names who speaks. The share is that of the question's terms, weighted by rarity; kindred words count in part. A
    memory without a vector is taken for as near as memories of that share usually are.
    """
    rarities = {term: rarity(total, counts.get(term, 0)) for term in question.terms}
    kindred = rarities.keys() & KINDRED.keys()
    whole = sum(rarities.values()) or 1.0
    for one, words in zip(ranked, held, strict=True):
        told = sum([worth for term, worth in rarities.items() if term in words])
        for term in kindred:
            if term not in words and not KINDRED[term].isdisjoint(words):
                told += _KINDRED * rarities[term]
        share = told / whole
        yield (0.2 + 0.4 * share if one.cosine is None else one.cosine), share, one.beside, one.is_spoken


def _reasons(question: Question, one: Evidence, held: Set[str], verdict: float | None) -> Iterator[str]:
    if words := [word for word, term in question.words.items() if term in held]:
        yield "words: " + ", ".join(words)
    if one.cosine is not None:
        yield f"meaning: {one.cosine:.2f}"
    if one.when is not None:
        yield f"time: {one.when}"
    if one.beside is not None and one.beside > _NEAR:
        yield "neighbour: a turn beside it answers too"
    if one.is_spoken:
        yield "speaker: the question names who speaks"
    if one.is_standing:
        yield "standing wish"
    if one.is_recent:
        yield "recent: no later session answers better"
    if verdict is not None:
        yield f"reranked: {verdict:.2f}"


def shared_words(question: Question, text: str) -> set[str]:
    """Return the words of a question that a text holds, in any of their forms."""
    held = distinct_terms(text)
    return {word for word, term in question.words.items() if term in held}


def shortcomings(question: Question, memory: Memory) -> Iterator[str]:
    """Yield what a memory lacks as an answer to a question: words it does not hold, the time it did not happen."""
    shared = shared_words(question, memory.text)
    if missing := [word for word in question.words if word not in shared]:
        yield "missing words: " + ", ".join(missing[:_MENTIONED]) + (", …" if len(missing) > _MENTIONED else "")
    day = memory.began_at.date()
    for span in question.times:
        if memory.occurred_at is None:
            yield f"when it happened is not known, and the question says {span.words}"
        elif not span.first <= day <= span.last:
            yield f"happened on {day.isoformat()}, and the question says {span.words}"
