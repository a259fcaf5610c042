"""Summarise: one text that stands for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput
from recollect.model import checks
from recollect.rules.digest import digest, topic
from recollect.rules.grounding import ungrounded
from recollect.upkeep.asking import ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.model.checks import When
    from recollect.ports import Llm

TASK = """\
Summarise the texts in one paragraph of at most {length} characters. Name the people and things that are meant. Keep
numbers, dates and decisions as they are. Use only what the texts say."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Hold a summary, who wrote it, and what went wrong with the model."""

    text: str
    by: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A summary."""

    summary: str


def summarise(
    texts: Sequence[str],
    *,
    llm: Llm | None = None,
    about: str | None = None,
    times: Sequence[When] = (),
    length: int = 800,
) -> Summary:
    """Return a summary of texts in at most `length` characters: what it is about, when it was, and what was said.

    `about` names the thing, else the words that come up most do. The first and the last of `times` date it.
    """
    if isinstance(texts, str) or not texts:
        raise InvalidInput("texts", "must be a list of at least one text")
    for place, text in enumerate(texts):
        checks.text(f"texts[{place}]", text)
    checks.whole("length", length, least=100, most=100_000)
    head = _head(about or topic(texts), [checks.when("times", time) for time in times], length)
    by_rule = f"{head}: {digest(texts, length=length - len(head) - 2)}".rstrip(": ")
    if llm is None:
        return Summary(by_rule, "rules")
    found, problem = ask(llm, TASK.format(length=length - len(head) - 2), texts, Paragraph)
    if found is not None:
        text = f"{head}: {found.summary.strip()}"
        problem = _wrong(found.summary, texts, longest=length - len(head) - 2)
        if problem is None:
            return Summary(text, llm.name)
        problem = f"{llm.name} wrote a summary that cannot be used: {problem}"
    return Summary(by_rule, "rules", problem)


def _head(about: str, times: Sequence[When], length: int) -> str:
    days = sorted({time.isoformat()[:10] for time in times})
    dates = f" ({days[0]})" if len(days) == 1 else f" ({days[0]} to {days[-1]})" if days else ""
    return f"{about[: length // 3].strip() or 'Summary'}{dates}"


def _wrong(summary: str, texts: Sequence[str], *, longest: int) -> str | None:
    if len(summary) > longest:
        return f"it has {len(summary):,} characters, more than {longest:,}"
    return ungrounded(summary, texts)
