"""Comparing memories with a language model; an answer counts only if the memories contain the words it quotes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mnemic.rules.claims.compare import Comparison
from mnemic.upkeep.llm import ask

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
"""How many older notes one note may close; a model that closes more misread them, or obeyed them."""

_SHORT = 120
"""An older note with fewer characters is closed as a whole."""


@dataclass(frozen=True, slots=True)
class NoteRelation:
    """What the new note does to an older one."""

    note: int
    relation: Literal["updates", "contradicts"]
    old_words: str
    new_words: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NoteRelations:
    """What the new note does to the older ones."""

    verdicts: list[NoteRelation] = field(default_factory=list)


def compare_with_llm(llm: Llm, newer: str, older: Sequence[str]) -> tuple[dict[int, Comparison] | None, str | None]:
    """Return a model's comparisons by the index of the older text, or None and what is wrong with its answer."""
    answer, problem = ask(llm, TASK, [newer, *older], NoteRelations)
    if answer is None:
        return None, problem
    problem = _problem(answer, newer, older)
    if problem:
        return None, f"{llm.name} gave a judgement that cannot be used: {problem}"
    return {relation.note - 2: _comparison(relation, older[relation.note - 2]) for relation in answer.verdicts}, None


def _comparison(relation: NoteRelation, older: str) -> Comparison:
    closes_most = len(_normalised(relation.old_words)) * 2 >= len(_normalised(older))
    return Comparison(
        relation.relation,
        relation.reason or f"{relation.old_words} / {relation.new_words}",
        whole=closes_most or len(older) < _SHORT,
    )


def _problem(answer: NoteRelations, newer: str, older: Sequence[str]) -> str | None:
    indexes = [relation.note - 2 for relation in answer.verdicts]
    if len(set(indexes)) != len(indexes):
        return "a note is judged twice"
    if len(indexes) > _MOST:
        return f"{len(indexes)} notes are closed by one"
    for index, relation in zip(indexes, answer.verdicts, strict=True):
        if not 0 <= index < len(older):
            return f"there is no older note {relation.note}"
        old, new = _normalised(relation.old_words), _normalised(relation.new_words)
        if not old or old not in _normalised(older[index]) or not new or new not in _normalised(newer):
            return f"the words quoted for note {relation.note} are not in the notes"
        if old == new:
            return f"the words quoted for note {relation.note} are the same"
    return None


def _normalised(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .\"'")
