"""Extract: memories from messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.model.message import messages as checked_messages
from mnemic.rules.language.dates import dated
from mnemic.rules.learning.grounding import ungrounded
from mnemic.rules.learning.statements import SPEAKING, overrides, repeats, speaker_of, statements
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
class Fact:
    """Hold something worth remembering, its kind, the place of the message it comes from, and the day it tells of."""

    text: str
    category: str
    place: int
    occurred_at: date | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """Hold what was found, who found it (rules, or the name of a model), and what went wrong with the model."""

    facts: list[Fact]
    by: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One thing worth remembering, and the number of the message that says it."""

    text: str
    category: Category
    message: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What is worth remembering of a conversation."""

    facts: list[Found]


def extract(
    messages: Iterable[Message | Mapping[str, Any]],
    *,
    now: datetime,
    llm: Llm | None = None,
    names: Mapping[str, str] | None = None,
    recalled: Sequence[str] = (),
) -> Extracted:
    """Return what is worth remembering of a conversation, each with its speaker; `now` is when it was held.

    `names` gives the speaker of a role, such as {"user": "Ana"}; a message's own name comes first. What repeats a
    memory that was `recalled` for this conversation is left out, as are system messages and what tools returned.
    What a model finds must stand in the messages. When it fails, or finds nothing that does, the rules answer.
    """
    conversation = checked_messages(messages)
    today = checks.instant("now", now).date()
    known = _recalled(recalled)
    if llm is not None:
        facts, problem = _by_model(llm, conversation, today, names or {}, known)
        if facts is not None:
            return Extracted(facts, llm.name, problem)
    else:
        problem = None
    said = statements(conversation, today=today, names=names, recalled=known)
    return Extracted([Fact(one.text, one.category, one.place, one.occurred_at) for one in said], RULES, problem)


def _recalled(given: Sequence[str]) -> list[str]:
    if isinstance(given, str):
        raise InvalidInput("recalled", "must be a list of texts, not one text")
    return [checks.text(f"recalled[{place}]", text) for place, text in enumerate(given)]


def _by_model(
    llm: Llm, conversation: Sequence[Message], today: date, names: Mapping[str, str], recalled: Sequence[str]
) -> tuple[list[Fact] | None, str | None]:
    """Return what a model finds, and what is wrong with it; None when nothing of it can be used."""
    said = [
        (place, f"{speaker_of(message, names)}: {dated(told, today)[0]}")
        for place, message in enumerate(conversation)
        if message.role in SPEAKING and (told := without_orders(message.content))
    ]
    if not said:
        return [], None
    data = [words for _, words in said]
    found, problem = ask(llm, f"{TASK}\nThe conversation was held on {today.isoformat()}.", data, Findings)
    if found is None:
        return None, problem
    facts: dict[str, Fact] = {}
    refused = []
    for one in found.facts:
        if wrong := _wrong(one, data):
            refused.append(f"{one.text[:80]!r} ({wrong})")
        elif not repeats(one.text, recalled, exactly=False):
            text = one.text.strip()
            facts.setdefault(text, Fact(text, one.category, said[one.message - 1][0], _day(text, today)))
    if refused:
        problem = f"{llm.name} said what the messages do not: {'; '.join(refused[:5])}"
    return (None if refused and not facts else list(facts.values())), problem


def _wrong(one: Found, data: Sequence[str]) -> str | None:
    """Return why something that a model found cannot be kept."""
    if not 1 <= one.message <= len(data):
        return f"there is no message {one.message}"
    if len(one.text) > _LONGEST or "\0" in one.text:
        return f"it is not a sentence of at most {_LONGEST} characters"
    if overrides(one.text):
        return "it is an order, not something that was told"
    return ungrounded(one.text, data[max(0, one.message - 2) : one.message])


def _day(text: str, today: date) -> date | None:
    """Return the day that a text names, when it is the only one, and not ahead."""
    days = _DAY.findall(text)
    try:
        [day] = [date.fromisoformat(written) for written in days]
    except ValueError:
        return None
    return day if day <= today else None
