"""Importance: how much a memory matters, from 1 to 10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.rules.learning.importance import weight
from mnemic.upkeep.llm import RULES, ask, without_orders

if TYPE_CHECKING:
    from mnemic.ports import Llm

TASK = """\
Say how important it is to remember the text for years, from 1 (small talk, gone tomorrow) over 5 (useful) to 10 (vital:
health, family, safety, a lasting instruction), and why in a few words."""


_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Scored:
    """Hold an importance from 1 to 10, the reasons, who gave it, and what went wrong with the model."""

    score: float
    reasons: tuple[str, ...]
    by: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How important a text is."""

    importance: float
    reason: str


def importance(text: str, *, llm: Llm | None = None) -> Scored:
    """Return how important a text is; the rules answer when there is no model, or it fails."""
    checks.text("text", text)
    problem = None
    if llm is not None and (told := without_orders(text)):
        judged, problem = ask(llm, TASK, [told], Judgement)
        if judged is not None:
            try:
                return Scored(checks.importance(judged.importance), (judged.reason[:_LONGEST],), llm.name)
            except InvalidInput as error:
                problem = f"{llm.name} answered wrongly: {error}"
    score, reasons = weight(text)
    return Scored(score, reasons, RULES, problem)
