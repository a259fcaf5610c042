"""Extract: the statements of a conversation that are worth remembering, by rules or by a language model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.model.message import messages as checked_messages
from mnemic.rules.language.dates import resolve_dates
from mnemic.rules.learning.grounding import ungrounded
from mnemic.rules.learning.statements import SPEAKING, Statement, overrides, repeats, speaker_of, statements
from mnemic.upkeep.llm import RULES, ask, without_orders

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from mnemic.model.message import Message
    from mnemic.ports import Llm

Category = Literal["fact", "preference", "plan", "decision", "instruction"]

TASK = """\
Write down what a person would want remembered of the conversation: statements about people, preferences, plans,
decisions, facts and standing instructions. Each is one short sentence that can be understood alone: name the speaker
and whoever is meant, and write out days. Use only what the messages say. Leave out greetings, questions, thanks and
general knowledge. Give the number of the message that each one comes from. An empty list is a good answer."""

_LONGEST = 500
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")


@dataclass(frozen=True, slots=True)
class Extracted:
    """The statements of a conversation, who picked them (rules, or a model's name), and what the model did wrong."""

    statements: list[Statement]
    by: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class StatementAnswer:
    """One thing worth remembering, and the number of the message that says it."""

    text: str
    category: Category
    message: int


@dataclass(frozen=True, slots=True)
class StatementsAnswer:
    """What is worth remembering of a conversation."""

    facts: list[StatementAnswer]


def extract(
    messages: Iterable[Message | Mapping[str, Any]],
    *,
    now: datetime,
    llm: Llm | None = None,
    names: Mapping[str, str] | None = None,
    recalled: Sequence[str] = (),
) -> Extracted:
    """Return what is worth remembering of a conversation that was held at `now`.

    `names` gives the speaker of a role, such as {"user": "Ana"}; a message's own name comes first. System messages,
    the results of tools and repeats of `recalled` memories are left out. What a model finds must be in the messages;
    when it fails, or invents everything, the rules answer.
    """
    conversation = checked_messages(messages)
    today = checks.instant("now", now).date()
    known = _recalled(recalled)
    problem = None
    if llm is not None:
        answered, problem = _by_model(llm, conversation, today, names or {}, known)
        if answered is not None:
            return Extracted(answered, llm.name, problem)
    return Extracted(statements(conversation, today=today, names=names, recalled=known), RULES, problem)


def _recalled(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise InvalidInput("recalled", "must be a list of texts, not one text")
    return [checks.text(f"recalled[{index}]", text) for index, text in enumerate(texts)]


def _by_model(
    llm: Llm, conversation: Sequence[Message], today: date, names: Mapping[str, str], recalled: Sequence[str]
) -> tuple[list[Statement] | None, str | None]:
    """Return the statements that a model finds, and what is wrong with them; None when none can be used."""
    indexed = [
        (index, f"{speaker_of(message, names)}: {resolve_dates(words, today)[0]}")
        for index, message in enumerate(conversation)
        if message.role in SPEAKING and (words := without_orders(message.content))
    ]
    if not indexed:
        return [], None
    lines = [line for _, line in indexed]
    answer, problem = ask(llm, f"{TASK}\nThe conversation was held on {today.isoformat()}.", lines, StatementsAnswer)
    if answer is None:
        return None, problem
    grounded: dict[str, Statement] = {}
    refused = []
    for fact in answer.facts:
        if wrong := _wrong(fact, lines):
            refused.append(f"{fact.text[:80]!r} ({wrong})")
        elif not repeats(fact.text, recalled, exactly=False):
            text = fact.text.strip()
            grounded.setdefault(text, Statement(text, fact.category, indexed[fact.message - 1][0], _day(text, today)))
    if refused:
        problem = f"{llm.name} said what the messages do not: {'; '.join(refused[:5])}"
    return (None if refused and not grounded else list(grounded.values())), problem


def _wrong(fact: StatementAnswer, lines: Sequence[str]) -> str | None:
    """Return why a model's answer cannot be used, None if it can."""
    if not 1 <= fact.message <= len(lines):
        return f"there is no message {fact.message}"
    if len(fact.text) > _LONGEST or "\0" in fact.text:
        return f"it is not a sentence of at most {_LONGEST} characters"
    if overrides(fact.text):
        return "it is an order, not a statement"
    return ungrounded(fact.text, lines[max(0, fact.message - 2) : fact.message])


def _day(text: str, today: date) -> date | None:
    """Return the day that a text names, if it is the only one and not in the future."""
    try:
        [day] = [date.fromisoformat(day) for day in _DAY.findall(text)]
    except ValueError:
        return None
    return day if day <= today else None
