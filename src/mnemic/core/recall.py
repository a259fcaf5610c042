"""Recall: candidates from BM25 and vector search, ranked and calibrated."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mnemic.core.rerank import MAX_RERANKED, rerank_scores
from mnemic.core.vectors import vectors_of
from mnemic.errors import InvalidInput, with_extra
from mnemic.model import filter as filters
from mnemic.model.filter import Selection
from mnemic.model.hit import Explanation, Hit
from mnemic.model.memory import ENDED_BECAUSE
from mnemic.rules.recall import rank
from mnemic.rules.recall.calibration import POOR_MEAN, RERANKED_THRESHOLD, UNREACHABLE, term_weight
from mnemic.rules.recall.hits import Ranking, hits, mismatches, shared_words
from mnemic.rules.recall.passages import passage
from mnemic.rules.recall.question import read, search_terms, without_common_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemic.model.memory import Memory
    from mnemic.ports import Embedder, Reranker, Store
    from mnemic.rules.recall.question import Question
    from mnemic.rules.recall.rank import Evidence
    from mnemic.rules.recall.times import DateRange

MAX_LIMIT = 10_000
_MAX_PERIODS = 3
_CANDIDATES = 50
_TURN_CANDIDATES = 150
"""The number of candidates for a question among turns, which are scored together with their neighbours."""
_MESSAGE_CANDIDATES = 300
"""The number of candidates for a message among turns: it matches whole sessions, each through many turns."""
_FULL_COVERAGE = 0.6
"""A top BM25 hit that covers less of the query's term weight is down-weighted, for a question among turns.

Such a turn contains a common word or two by chance. Messages are exempt: they have more words than any turn.
"""
_MIN_SCORED = 10
"""The minimum number of candidates that are scored together, so that a smaller limit changes no score."""
_RANKED_FOR_RERANKING = 2 * MAX_RERANKED
_LOADED_TURNS = 40
_EXTRA_LOADED = 4
"""The number of extra candidates loaded when their time, order or wish may raise their score."""
_CONFIDENT = 0.05
"""If the best score is lower, superseded memories are searched too."""


class Recaller:
    """The search of a store for the memories that answer a query."""

    def __init__(self, store: Store, embedder: Embedder, reranker: Reranker | None) -> None:
        self._store = store
        self._embedder = embedder
        self._reranker = reranker

    def answers(
        self, query: str, selection: Selection, limit: int, min_score: float | None, *, rerank: bool = False
    ) -> list[Hit]:
        """Return the hits with at least `min_score`, by default the calibrated threshold, best first.

        If their scores are low, the successors of superseded memories that match better are added.
        """
        ranked, threshold = self.ranked(query, selection, limit, rerank=rerank)
        answers = [hit for hit in ranked if hit.score >= (threshold if min_score is None else min_score)]
        is_current = selection.as_of is None and not selection.include_superseded
        if min_score != 0 and is_current and (not answers or answers[0].score < _CONFIDENT):
            return self._with_successors(query, selection, answers, limit, min_score)
        return answers

    def ranked(self, query: str, selection: Selection, limit: int, *, rerank: bool = False) -> tuple[list[Hit], float]:
        """Return the best candidates as hits, best first, whatever their score, and the default `min_score`."""
        ranking = self.ranking(query, selection, max(limit, _RANKED_FOR_RERANKING if rerank else _MIN_SCORED))
        scores = self._rerank_scores(query, ranking, selection) if rerank else None
        threshold = ranking.threshold(_MIN_SCORED) if scores is None else RERANKED_THRESHOLD
        return hits(ranking, scores)[:limit], threshold

    def explanation(
        self, query: str, memory: Memory, selection: Selection, limit: int, min_score: float | None
    ) -> Explanation:
        """Explain why a memory is, or is not, among the answers."""
        position, hit = _find(memory, self.answers(query, selection, limit, min_score))
        if hit is not None:
            return Explanation(memory, True, position, hit.score, hit.reasons)
        ranked, threshold = self.ranked(query, selection, limit)
        position, hit = _find(memory, ranked)
        if hit is None:
            position, hit = _find(memory, self.ranked(query, selection, MAX_LIMIT)[0])
            position = max(position, limit + 1)
        question = read(query, selection.now.date())
        if hit is None:
            return Explanation(memory, False, None, 0.0, tuple(self._exclusions(query, question, memory, selection)))
        min_score = threshold if min_score is None else min_score
        shortfalls = list(_shortfalls(question, hit, position, limit, min_score))
        shortfalls = shortfalls or ["the successor of a superseded memory ranks before it"]
        return Explanation(memory, False, position, hit.score, (*hit.reasons, *shortfalls))

    def _exclusions(self, query: str, question: Question, memory: Memory, selection: Selection) -> Iterator[str]:
        """Yield why a memory is not a candidate."""
        moment = selection.moment
        if not selection.include_superseded:
            if memory.superseded_at is not None and memory.is_superseded(moment):
                yield f"superseded by {memory.superseded_by} at {memory.superseded_at.isoformat()}"
            if memory.expires_at is not None and memory.is_expired(moment):
                why = memory.metadata.get(ENDED_BECAUSE)
                yield f"expired at {memory.expires_at.isoformat()}" + (f": {why}" if why else "")
        if selection.as_of is not None and memory.began_at > moment:
            yield f"began at {memory.began_at.isoformat()}, after as_of"
        if selection.tier not in (None, memory.tier):
            yield f"its tier is {memory.tier}, not {selection.tier}"
        only_this = Selection(scope=None, now=selection.now, include_superseded=True, where=selection.where)
        if not self._store.count(only_this.narrowed(filters.has_id(memory.id))):
            yield "the filter leaves it out"
        if not shared_words(question, memory.text):
            query_vector, vector = vectors_of(self._embedder, [query, memory.text])
            cosine = float(query_vector @ vector)
            yield f"no word in common with the question, and its meaning is not near: {cosine:.2f}"

    def ranking(self, query: str, selection: Selection, limit: int) -> Ranking:
        """Return the best candidates for a query, best first."""
        question = read(query, selection.now.date())
        with self._store.view() as view:
            total, counts = view.frequencies(question.terms, selection)
            vector = vectors_of(self._embedder, [without_common_names(query, question, total, counts)])[0]
            has_turns = view.has_turns(selection)
            count = max(limit, _candidate_count(question, has_turns=has_turns))
            terms = search_terms(question.terms, total, counts)
            lexical = view.by_words(terms, selection, count) if terms else []
            cosines = dict(view.by_vector(vector, selection, count, [number for number, _ in lexical]))
            for period in question.times[:_MAX_PERIODS]:
                cosines |= dict(view.by_vector(vector, _within(selection, period), count))
            full_score = 0.0
            if has_turns and not question.is_message:
                full_score = _FULL_COVERAGE * sum([term_weight(total, counts[term]) for term in question.terms])
            fused = rank.fuse(lexical, cosines, full_score)
            neighbours = view.neighbours(list(fused)) if fused else {}
            rows = view.session_rows(list(fused), vectors=question.is_message) if neighbours else None
            candidates = rank.combine(question, lexical, cosines, fused, neighbours, rows)
            extra = _EXTRA_LOADED if question.times or question.order or question.asks_for_advice else 0
            loaded = max(limit, _LOADED_TURNS) if candidates.neighbours else limit + extra
            numbers = rank.top(candidates.scores, loaded)
            memories = view.memories(numbers, selection) if numbers else {}
        evidence = rank.ranked(question, candidates, memories, limit, selection.now)
        return Ranking.of(question, evidence, total, counts)

    def _with_successors(
        self, query: str, selection: Selection, answers: Sequence[Hit], limit: int, min_score: float | None
    ) -> list[Hit]:
        """Add the successors of superseded memories that match: a query for the old fact finds the new one."""
        with_superseded = dataclasses.replace(selection, include_superseded=True)
        with self._store.view() as view:
            if view.frequencies((), with_superseded)[0] == view.frequencies((), selection)[0]:
                return list(answers)
        best = {hit.memory.id: hit for hit in answers}
        ranked, threshold = self.ranked(query, with_superseded, limit)
        min_score = threshold if min_score is None else min_score
        for hit in ranked:
            successor = self._successor(hit.memory) if hit.score >= min_score else None
            if successor is None or not self._store.count(selection.narrowed(filters.has_id(successor.id))):
                continue
            if successor.id not in best or best[successor.id].score < hit.score:
                best[successor.id] = Hit(successor, hit.score, (*hit.reasons, f"took the place of {hit.memory.id}"))
        return sorted(best.values(), key=lambda hit: -hit.score)[:limit]

    def _successor(self, memory: Memory) -> Memory | None:
        """Return the memory at the end of a chain of superseded ones; None if this one is not superseded."""
        seen = {memory.id}
        newest: Memory | None = memory
        while newest is not None and newest.superseded_by is not None and newest.superseded_by not in seen:
            seen.add(newest.superseded_by)
            newest = self._store.get(newest.superseded_by)
        return None if newest is memory else newest

    def _rerank_scores(self, query: str, ranking: Ranking, selection: Selection) -> list[float] | None:
        """Return the reranker's scores of the first candidates; None for a message among turns.

        Such a message matches whole sessions, so no single turn answers it.
        """
        reranker = self._required_reranker()
        question, candidates = ranking.question, ranking.candidates[:MAX_RERANKED]
        if question.is_message and any(candidate.neighbours is not None for candidate in ranking.candidates):
            return None
        passages = [passage(candidate.memory.text, frozenset(question.terms)) for candidate in candidates]
        previous = self.previous_turns(candidates, selection)
        return rerank_scores(reranker, query, passages, previous, ranking.priors)

    def previous_turns(self, candidates: Sequence[Evidence], selection: Selection) -> list[str | None]:
        """Return the text of the turn before each candidate in its session, if it is selected."""
        with self._store.view() as view:
            neighbours = view.neighbours([candidate.number for candidate in candidates])
            numbers = {number: before for number, (before, _) in neighbours.items() if before is not None}
            memories = view.memories(list(numbers.values()), selection) if numbers else {}
        turns = [memories.get(numbers.get(candidate.number, -1)) for candidate in candidates]
        return [None if turn is None else turn.text for turn in turns]

    def _required_reranker(self) -> Reranker:
        if self._reranker is None:
            raise InvalidInput(
                "rerank",
                f"needs a reranker: {with_extra('onnx')}, run `mnemic models fetch ms-marco-minilm`, then "
                "set MNEMIC_RERANKER=onnx:ms-marco-minilm, or give Mind(..., reranker=...)",
            )
        return self._reranker


def _find(memory: Memory, hits: Sequence[Hit]) -> tuple[int, Hit | None]:
    """Return the position of a memory among hits, counted from 1, and its hit; (0, None) if it is not there."""
    matches = ((position, hit) for position, hit in enumerate(hits, start=1) if hit.memory.id == memory.id)
    return next(matches, (0, None))


def _shortfalls(question: Question, hit: Hit, position: int, limit: int, min_score: float) -> Iterator[str]:
    """Yield why a candidate is not recalled."""
    if position > limit:
        yield f"ranked {position}, below the limit of {limit}"
    if min_score == UNREACHABLE:
        yield f"no turn is recalled: the best ones score under {POOR_MEAN:.3f} on average"
    elif hit.score < min_score:
        yield f"score {hit.score:.3f} is under min_score {min_score:.3f}"
    if position > limit or hit.score < min_score:
        yield from mismatches(question, hit.memory)


def _candidate_count(question: Question, *, has_turns: bool) -> int:
    if not has_turns:
        return _CANDIDATES
    return _MESSAGE_CANDIDATES if question.is_message else _TURN_CANDIDATES


def _within(selection: Selection, period: DateRange) -> Selection:
    """Narrow a selection to memories that happened in a period."""
    is_within = filters.parse({"occurred_at": {"gte": period.first, "lte": period.last}})
    assert is_within is not None  # noqa: S101 - the filter is not empty
    return selection.narrowed(is_within)
