"""Recall: what a store holds by the words and the meaning of a question, ranked by all that speaks for it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mnemic.core.rerank import RERANKED, judged
from mnemic.core.vectors import vectors_of
from mnemic.errors import InvalidInput
from mnemic.model import filter as filters
from mnemic.model.filter import Selection
from mnemic.model.hit import Explanation, Hit
from mnemic.model.memory import ENDED_BECAUSE
from mnemic.rules.recall import rank
from mnemic.rules.recall.calibration import NOTHING, POOR, RERANKED_CUT, rarity
from mnemic.rules.recall.hits import Ranking, hits, shared_words, shortcomings
from mnemic.rules.recall.passages import passage
from mnemic.rules.recall.question import read, told_apart, worth_searching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemic.model.memory import Memory
    from mnemic.ports import Embedder, Reranker, Store
    from mnemic.rules.recall.question import Question
    from mnemic.rules.recall.rank import Evidence
    from mnemic.rules.recall.times import DateRange

MAX_LIMIT = 10_000
_MAX_TIMES = 3
_CANDIDATES = 50
_CANDIDATE_TURNS = 150
"""How many candidates a question gets among turns, which answer together with those around them."""
_WIDE = 300
"""How many candidates a message among sessions gets: it is about whole sessions, and those show in many turns."""
_ENOUGH = 0.6
"""The share of the rarity of a question's words that a turn must hold for the best by words to count in full.

A turn with less holds a common word or two by chance. A message has more words than any turn that belongs to it.
"""
_SCORED = 10
"""At least so many are scored together, so that a smaller limit changes no score."""
_TO_RERANK = 2 * RERANKED
"""So many are ranked for a reranker, so that the best of them are read."""
_LOADED_TURNS = 40
_LOADED_TO_LIFT = 4
"""So many more are loaded where what they say may lift them: their time, their order, a standing wish."""
_SURE = 0.05
"""Under this score, the best that was found is so poor that what was replaced is asked as well."""


class Recaller:
    """The search of a store for what answers a question."""

    def __init__(self, store: Store, embedder: Embedder, reranker: Reranker | None) -> None:
        self._store = store
        self._embedder = embedder
        self._reranker = reranker

    def answers(
        self, query: str, selection: Selection, limit: int, least: float | None, *, rerank: bool = False
    ) -> list[Hit]:
        """Return the hits that have at least a score, by default that of the measured cut, best first.

        Where they are poor, what took the place of memories that answer better is one of them.
        """
        ranked, cut = self.ranked(query, selection, limit, rerank=rerank)
        kept = [hit for hit in ranked if hit.score >= (cut if least is None else least)]
        is_present = selection.as_of is None and not selection.include_superseded
        if least != 0 and is_present and (not kept or kept[0].score < _SURE):
            return self._with_successors(query, selection, kept, limit, least)
        return kept

    def ranked(self, query: str, selection: Selection, limit: int, *, rerank: bool = False) -> tuple[list[Hit], float]:
        """Return the best candidates as hits, best first, whatever their score, and the cut measured for them.

        The cut is `NOTHING` where a question finds turns alone, and poor ones.
        """
        ranking = self.ranking(query, selection, max(limit, _TO_RERANK if rerank else _SCORED))
        verdicts = self._verdicts(query, ranking, selection) if rerank else None
        cut = ranking.cut(_SCORED) if verdicts is None else RERANKED_CUT
        return hits(ranking, verdicts)[:limit], cut

    def explanation(
        self, query: str, memory: Memory, selection: Selection, limit: int, least: float | None
    ) -> Explanation:
        """Explain why a memory is, or is not, among the answers."""
        place, hit = _placed(memory, self.answers(query, selection, limit, least))
        if hit is not None:
            return Explanation(memory, True, place, hit.score, hit.reasons)
        ranked, cut = self.ranked(query, selection, limit)
        place, hit = _placed(memory, ranked)
        if hit is None:
            place, hit = _placed(memory, self.ranked(query, selection, MAX_LIMIT)[0])
            place = max(place, limit + 1)
        question = read(query, selection.now.date())
        if hit is None:
            return Explanation(memory, False, None, 0.0, tuple(self._absences(query, question, memory, selection)))
        against = list(_against(question, hit, place, limit, cut if least is None else least))
        against = against or ["what took the place of another memory stands before it"]
        return Explanation(memory, False, place, hit.score, (*hit.reasons, *against))

    def _absences(self, query: str, question: Question, memory: Memory, selection: Selection) -> Iterator[str]:
        """Yield what kept a memory from being a candidate."""
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
            asked, told = vectors_of(self._embedder, [query, memory.text])
            yield f"no word in common with the question, and its meaning is not near: {float(asked @ told):.2f}"

    def ranking(self, query: str, selection: Selection, limit: int) -> Ranking:
        """Return the best candidates for a question, best first."""
        question = read(query, selection.now.date())
        with self._store.view() as view:
            total, counts = view.frequencies(question.terms, selection)
            vector = vectors_of(self._embedder, [told_apart(query, question, total, counts)])[0]
            is_among_turns = view.has_turns(selection)
            reach = max(limit, _candidates(question, has_turns=is_among_turns))
            searched = worth_searching(question.terms, total, counts)
            lexical = view.by_words(searched, selection, reach) if searched else []
            cosines = dict(view.by_vector(vector, selection, reach, [number for number, _ in lexical]))
            for span in question.times[:_MAX_TIMES]:
                cosines |= dict(view.by_vector(vector, _within(selection, span), reach))
            enough = 0.0
            if is_among_turns and not question.goes_on:
                enough = _ENOUGH * sum([rarity(total, counts[term]) for term in question.terms])
            own = rank.fuse(lexical, cosines, enough)
            neighbours = view.neighbours(list(own)) if own else {}
            rows = view.session_rows(list(own), vectors=question.goes_on) if neighbours else None
            found = rank.gather(question, lexical, cosines, own, neighbours, rows)
            spare = _LOADED_TO_LIFT if question.times or question.order or question.wants_help else 0
            best = rank.best(found.lent, max(limit, _LOADED_TURNS) if found.beside else limit + spare)
            memories = view.memories(best, selection) if best else {}
        candidates = rank.settle(question, found, memories, limit, selection.now)
        return Ranking.of(question, candidates, total, counts)

    def _with_successors(
        self, query: str, selection: Selection, kept: Sequence[Hit], limit: int, least: float | None
    ) -> list[Hit]:
        """Add what took the place of memories that answer better: who asks for the old thing is told of the new one."""
        with_replaced = dataclasses.replace(selection, include_superseded=True)
        with self._store.view() as view:
            if view.frequencies((), with_replaced)[0] == view.frequencies((), selection)[0]:
                return list(kept)
        found = {hit.memory.id: hit for hit in kept}
        ranked, cut = self.ranked(query, with_replaced, limit)
        for hit in ranked:
            successor = self._successor(hit.memory) if hit.score >= (cut if least is None else least) else None
            if successor is None or not self._store.count(selection.narrowed(filters.has_id(successor.id))):
                continue
            if successor.id not in found or found[successor.id].score < hit.score:
                found[successor.id] = Hit(successor, hit.score, (*hit.reasons, f"took the place of {hit.memory.id}"))
        return sorted(found.values(), key=lambda hit: -hit.score)[:limit]

    def _successor(self, memory: Memory) -> Memory | None:
        """Return the current memory at the end of the line that replaced another one."""
        seen = {memory.id}
        newest: Memory | None = memory
        while newest is not None and newest.superseded_by is not None and newest.superseded_by not in seen:
            seen.add(newest.superseded_by)
            newest = self._store.get(newest.superseded_by)
        return None if newest is memory else newest

    def _verdicts(self, query: str, ranking: Ranking, selection: Selection) -> list[float] | None:
        """Return what the reranker says of the first candidates.

        A message among sessions is not a question that a turn answers: it is about whole sessions, and is not reranked.
        """
        reranker = self._needed_reranker()
        question, candidates = ranking.question, ranking.candidates
        if question.goes_on and any(candidate.beside is not None for candidate in candidates):
            return None
        passages = [passage(candidate.memory.text, frozenset(question.terms)) for candidate in candidates[:RERANKED]]
        before = self.turns_before(candidates[:RERANKED], selection)
        return judged(reranker, query, passages, before, ranking.priors)

    def turns_before(self, candidates: Sequence[Evidence], selection: Selection) -> list[str | None]:
        """Return the turn before each candidate in its session, of those that are selected."""
        with self._store.view() as view:
            around = view.neighbours([candidate.number for candidate in candidates])
            numbers = {number: before for number, (before, _) in around.items() if before is not None}
            memories = view.memories(list(numbers.values()), selection) if numbers else {}
        turns = [memories.get(numbers.get(candidate.number, -1)) for candidate in candidates]
        return [None if turn is None else turn.text for turn in turns]

    def _needed_reranker(self) -> Reranker:
        if self._reranker is None:
            raise InvalidInput(
                "rerank",
                "needs a reranker: `pip install 'mnemic[onnx]'`, run `mnemic models fetch ms-marco-minilm`, then "
                "set MNEMIC_RERANKER=onnx:ms-marco-minilm, or give Mind(..., reranker=...)",
            )
        return self._reranker


def _placed(memory: Memory, found: Sequence[Hit]) -> tuple[int, Hit | None]:
    """Return the place of a memory among hits, and its hit."""
    hits_of_it = ((place, hit) for place, hit in enumerate(found, start=1) if hit.memory.id == memory.id)
    return next(hits_of_it, (0, None))


def _against(question: Question, hit: Hit, place: int, limit: int, least: float) -> Iterator[str]:
    """Yield what kept a candidate from being recalled."""
    if place > limit:
        yield f"ranked {place}, below the limit of {limit}"
    if least == NOTHING:
        yield f"no turn is recalled: the best ones score under {POOR:.3f} on average"
    elif hit.score < least:
        yield f"score {hit.score:.3f} is under min_score {least:.3f}"
    if place > limit or hit.score < least:
        yield from shortcomings(question, hit.memory)


def _candidates(question: Question, *, has_turns: bool) -> int:
    if not has_turns:
        return _CANDIDATES
    return _WIDE if question.goes_on else _CANDIDATE_TURNS


def _within(selection: Selection, span: DateRange) -> Selection:
    """Narrow a selection to what happened in a span of days."""
    inside = filters.parse({"occurred_at": {"gte": span.first, "lte": span.last}})
    assert inside is not None  # noqa: S101 - the filter is not empty
    return selection.narrowed(inside)
