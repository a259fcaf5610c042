"""Summaries of several texts, by a language model or by rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.rules.learning.digest import digest, topic
from mnemic.rules.learning.grounding import ungrounded
from mnemic.rules.learning.statements import overrides
from mnemic.upkeep.llm import RULES, ask, without_orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.model.time import When
    from mnemic.ports import Llm

TASK = """\
Summarise the texts in one paragraph of at most {length} characters. Name the people and things that are meant. Keep
numbers, dates and decisions as they are. Use only what the texts say."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, who wrote it, and what went wrong with the model."""

    text: str
    by: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The answer of a language model."""

    summary: str


def summarise(
    texts: Sequence[str],
    *,
    llm: Llm | None = None,
    about: str | None = None,
    times: Sequence[When] = (),
    length: int = 800,
) -> Summary:
    """Return a summary of texts in at most `length` characters, with its topic and dates.

    `about` is the topic, by default the most frequent words. The first and the last of `times` give the dates.
    """
    checked = _checked(texts)
    checks.integer("length", length, minimum=100, maximum=100_000)
    if about is not None:
        checks.name("about", about)
    days = [checks.when(f"times[{index}]", time) for index, time in enumerate(times)]
    head = _head(about or topic(checked), days, length)
    room = length - len(head) - 2
    problem = None
    if llm is not None and (data := [clean for text in checked if (clean := without_orders(text))]):
        answer, problem = ask(llm, TASK.format(length=room), data, Paragraph)
        if answer is not None:
            problem = _problem(answer.summary.strip(), data, longest=room)
            if problem is None:
                return Summary(f"{head}: {answer.summary.strip()}", llm.name)
            problem = f"{llm.name} wrote a summary that cannot be used: {problem}"
    return Summary(f"{head}: {digest(checked, length=room)}".rstrip(": "), RULES, problem)


def _checked(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str) or not isinstance(texts, (list, tuple)) or not texts:
        raise InvalidInput("texts", f"must be a list of at least one text, not {checks.shown(texts)}")
    return [checks.text(f"texts[{index}]", text) for index, text in enumerate(texts)]


def _head(about: str, times: Sequence[When], length: int) -> str:
    days = sorted({time.isoformat()[:10] for time in times})
    dates = f" ({days[0]})" if len(days) == 1 else f" ({days[0]} to {days[-1]})" if days else ""
    return f"{about[: length // 3].strip() or 'Summary'}{dates}"


def _problem(summary: str, texts: Sequence[str], *, longest: int) -> str | None:
    if not summary or "\0" in summary:
        return "it is empty"
    if overrides(summary):
        return "it is an order, not a summary"
    if len(summary) > longest:
        return f"it has {len(summary):,} characters, more than {longest:,}"
    return ungrounded(summary, texts)
