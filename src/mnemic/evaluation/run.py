"""Ask a system every question of a dataset, letting it see only what came before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.evaluation.metrics import judge, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mnemic.evaluation.dataset import Chat, Dataset, Question, Unit
    from mnemic.evaluation.metrics import Estimate
    from mnemic.evaluation.systems import System

DEPTHS = (5, 10)
_TURNS_PER_SESSION = 10


@dataclass(frozen=True, slots=True)
class Result:
    """Hold what one system reached on one dataset at one depth."""

    dataset: str
    unit: Unit
    system: str
    depth: int
    questions: int
    metrics: dict[str, Estimate]
    recall_by_kind: dict[str, float]
    unanswerable: int
    returned_for_nothing: float | None
    """How many units an unanswerable question got on average; None when there was none."""


def run(dataset: Dataset, name: str, make: Callable[[], System], depths: Sequence[int] = DEPTHS) -> list[Result]:
    """Return what a system reaches on a dataset; a new system is made for each chat."""
    asked = [one for chat in dataset.chats for one in _ask(chat, make, dataset.unit, max(depths))]
    return [_result(dataset, name, depth, asked) for depth in depths]


def _ask(chat: Chat, make: Callable[[], System], unit: Unit, depth: int) -> Iterator[tuple[Question, list[str]]]:
    """Yield each question with the units that were found for it."""
    limit = depth * (_TURNS_PER_SESSION if unit == "session" else 1)
    system = make()
    told = 0
    for question in sorted(chat.questions, key=lambda question: question.seen):
        if question.seen > told:
            system.remember(chat.turns[told : question.seen])
            told = question.seen
        yield question, list(dict.fromkeys(chat.unit_of.get(id, id) for id in system.search(question, limit)))
    system.close()


def _result(dataset: Dataset, name: str, depth: int, asked: Sequence[tuple[Question, list[str]]]) -> Result:
    judged = [(question.kind, judge(found, question.gold, depth)) for question, found in asked if question.gold]
    nothing = [len(found[:depth]) for question, found in asked if not question.gold]
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
