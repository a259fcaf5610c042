"""Runs of a system on a dataset: each question sees only the turns before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.evaluation.metrics import judge, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mnemic.evaluation.dataset import Chat, Dataset, GoldQuestion, Unit
    from mnemic.evaluation.metrics import Estimate
    from mnemic.evaluation.systems import System

DEPTHS = (5, 10)
_TURNS_PER_SESSION = 10


@dataclass(frozen=True, slots=True)
class Result:
    """The metrics of one system on one dataset at one depth."""

    dataset: str
    unit: Unit
    system: str
    depth: int
    questions: int
    metrics: dict[str, Estimate]
    recall_by_kind: dict[str, float]
    unanswerable: int
    returned_for_nothing: float | None
    """The mean number of units for an unanswerable question; None if the dataset has no such question."""


def run(dataset: Dataset, name: str, make: Callable[[], System], depths: Sequence[int] = DEPTHS) -> list[Result]:
    """Return the results of a system on a dataset, with a new system for each chat."""
    answers = [answer for chat in dataset.chats for answer in _ask(chat, make, dataset.unit, max(depths))]
    return [_result(dataset, name, depth, answers) for depth in depths]


def _ask(chat: Chat, make: Callable[[], System], unit: Unit, depth: int) -> Iterator[tuple[GoldQuestion, list[str]]]:
    """Yield each question with the units found for it."""
    limit = depth * (_TURNS_PER_SESSION if unit == "session" else 1)
    system = make()
    seen = 0
    for question in sorted(chat.questions, key=lambda question: question.seen):
        if question.seen > seen:
            system.remember(chat.turns[seen : question.seen])
            seen = question.seen
        yield question, list(dict.fromkeys(chat.unit_of.get(id, id) for id in system.search(question, limit)))
    system.close()


def _result(dataset: Dataset, name: str, depth: int, answers: Sequence[tuple[GoldQuestion, list[str]]]) -> Result:
    judged = [(question.kind, judge(units, question.gold, depth)) for question, units in answers if question.gold]
    nothing = [len(units[:depth]) for question, units in answers if not question.gold]
    by_kind: dict[str, list[float]] = {}
    for kind, row in judged:
        by_kind.setdefault(kind, []).append(row["recall"])
    return Result(
        dataset=dataset.name,
        unit=dataset.unit,
        system=name,
        depth=depth,
        questions=len(judged),
        metrics=summary([row for _, row in judged]),
        recall_by_kind={kind: sum(values) / len(values) for kind, values in by_kind.items()},
        unanswerable=len(nothing),
        returned_for_nothing=sum(nothing) / len(nothing) if nothing else None,
    )
