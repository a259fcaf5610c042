"""Importance: how much a memory matters, from 1 to 10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.rules.learning.importance import importance_of
from mnemic.upkeep.llm import RULES, ask, without_orders

if TYPE_CHECKING:
    from mnemic.ports import Llm

TASK = """\
Say how important it is to remember the text for years, from 1 (small talk, gone tomorrow) over 5 (useful) to 10 (vital:
health, family, safety, a lasting instruction), and why in a few words."""

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Scored:
    """An importance from 1 to 10, the reasons, who gave it (rules, or a model's name), and what the model did wrong."""

    score: float
    reasons: tuple[str, ...]
    by: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ImportanceAnswer:
    """How important a text is."""

    importance: float
    reason: str


def importance(text: str, *, llm: Llm | None = None) -> Scored:
    """Return how important a text is; the rules answer when there is no model, or when it fails."""
    checks.text("text", text)
    problem = None
    if llm is not None and (words := without_orders(text)):
        answer, problem = ask(llm, TASK, [words], ImportanceAnswer)
        if answer is not None:
            try:
                return Scored(checks.importance(answer.importance), (answer.reason[:_LONGEST],), llm.name)
            except InvalidInput as error:
                problem = f"{llm.name} gave a wrong answer: {error}"
    score, reasons = importance_of(text)
    return Scored(score, reasons, RULES, problem)
