"""Judging: what a language model says of newer and older memories, taken only if the memories bear it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mnemic.rules.claims.compare import Finding
from mnemic.upkeep.asking import ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.ports import Llm

TASK = """\
Line [1] is a new note. The other lines are older notes about the same person. For each older note that the new one
affects, give its number and one relation: "updates" when the new note says that what the older one says has changed or
ended; "contradicts" when both cannot be true and nothing says that anything changed. Leave out notes that can both be
true, that are about another subject, or of which several can be true at once (languages, pets, hobbies). Copy the words
of the old note that no longer hold into old_words and the words of the new note that say so into new_words, exactly."""

_MOST = 3
"""How many older notes one note may close; a model that closes more has misread, or obeyed what it read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the new note does to an older one."""

    note: int
    relation: Literal["updates", "contradicts"]
    old_words: str
    new_words: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the new note does to the older ones."""

    verdicts: list[Verdict] = field(default_factory=list)


def judged(llm: Llm, newer: str, older: Sequence[str]) -> tuple[dict[int, Finding] | None, str | None]:
    """Return what a model finds for the older texts, by place; or None and what is wrong with its answer."""
    answer, problem = ask(llm, TASK, [newer, *older], Verdicts)
    if answer is None:
        return None, problem
    wrong = _wrong(answer, newer, older)
    if wrong:
        return None, f"{llm.name} gave a judgement that cannot be used: {wrong}"
    return {
        verdict.note - 2: Finding(
            verdict.relation,
            verdict.reason or f"{verdict.old_words} / {verdict.new_words}",
            whole=len(_plain(verdict.old_words)) * 2 >= len(_plain(older[verdict.note - 2]))
            or len(older[verdict.note - 2]) < 120,
        )
        for verdict in answer.verdicts
    }, None


def _wrong(answer: Verdicts, newer: str, older: Sequence[str]) -> str | None:
    places = [verdict.note - 2 for verdict in answer.verdicts]
    if len(set(places)) != len(places):
        return "a note is judged twice"
    if len(places) > _MOST:
        return f"{len(places)} notes are closed by one"
    for place, verdict in zip(places, answer.verdicts, strict=True):
        if not 0 <= place < len(older):
            return f"there is no older note {verdict.note}"
        old, new = _plain(verdict.old_words), _plain(verdict.new_words)
        if not old or old not in _plain(older[place]) or not new or new not in _plain(newer):
            return f"the words quoted for note {verdict.note} do not stand in the notes"
        if old == new:
            return f"the words quoted for note {verdict.note} are the same"
    return None


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .\"'")
