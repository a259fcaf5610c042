"""Extract: memories from messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from recollect.model import checks
from recollect.model.message import Message
from recollect.model.message import messages as checked_messages
from recollect.rules.days import dated
from recollect.rules.grounding import ungrounded
from recollect.rules.sentences import sentences
from recollect.rules.statements import SPEAKING, Statement, overrides, statements
from recollect.upkeep.asking import ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from recollect.ports import Llm

RULES = "rules"
"""Who answered when no language model did."""

Category = Literal["fact", "preference", "plan", "decision", "instruction"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Hold something worth remembering, and the place of the message it comes from."""

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
    """One thing worth remembering."""

    text: str
    category: Category
    message: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What is worth remembering of a conversation."""

    facts: list[Found]


TASK = """\
Write down what a person would want remembered of the conversation: statements about people, preferences, plans,
decisions, facts and standing instructions. Each is one short sentence that can be understood alone: name the speaker
and whoever is meant, and write out days. Use only what the messages say. Leave out greetings, questions, thanks and
general knowledge. Give the number of the message that each one comes from. An empty list is a good answer."""


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
    When the model fails, or invents, the rules answer.
    """
    conversation = checked_messages(messages)
    today = checks.instant("now", now).date()
    by_rule = [_fact(said) for said in statements(conversation, today=today, names=names, recalled=recalled)]
    if llm is None:
        return Extracted(by_rule, RULES)
    facts, problem = _by_model(llm, conversation, today, names or {}, recalled)
    return Extracted(by_rule, RULES, problem) if facts is None else Extracted(facts, llm.name, problem)


def _by_model(
    llm: Llm, conversation: Sequence[Message], today: date, names: Mapping[str, str], recalled: Sequence[str]
) -> tuple[list[Fact] | None, str | None]:
    sources = {
        place: f"{message.name or names.get(message.role, message.role)}: " + " ".join(said)
        for place, message in enumerate(conversation)
        if message.role in SPEAKING and (said := [s for s in sentences(message.content) if not overrides(s)])
    }
    if not sources:
        return [], None
    places = list(sources)
    data = [dated(source, today)[0] for source in sources.values()]
    found, problem = ask(llm, f"{TASK}\nThe conversation was held on {today.isoformat()}.", data, Findings)
    if found is None:
        return None, problem
    facts, refused = [], []
    known = {text.casefold() for text in recalled}
    for one in found.facts:
        if not 1 <= one.message <= len(places):
            refused.append(f"{one.text!r}: there is no message {one.message}")
        elif wrong := ungrounded(one.text, [*data[max(0, one.message - 2) : one.message], today.isoformat()]):
            refused.append(f"{one.text!r}: {wrong}")
        elif one.text.casefold() not in known:
            facts.append(Fact(one.text.strip(), one.category, places[one.message - 1]))
    problem = f"left out, as the messages do not say so: {'; '.join(refused)}" if refused else None
    return (None, problem) if refused and not facts else (facts, problem)


def _fact(said: Statement) -> Fact:
    return Fact(said.text, said.category, said.place, said.occurred_at)
