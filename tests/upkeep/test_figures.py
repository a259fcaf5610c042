"""The figures of the benchmark on sentences that the networks were not trained with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.fact_changes import KINDS
from benchmarks.fact_changes_more import MORE_KINDS
from benchmarks.fact_changes_unseen import UNSEEN_KINDS
from benchmarks.upkeep import consolidation, everyday, updates
from training.changes import templates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.fact_changes import Kind

TRAINING = Path(templates.__file__).parent


def trained() -> set[str]:
    """Return the templates and sentences that the networks were trained with."""
    kinds = (*KINDS, *MORE_KINDS, *templates.KINDS)
    lines = (line for file in TRAINING.rglob("*.txt") for line in file.read_text().splitlines())
    return {normalised(text) for kind in kinds for text in (*kind.statements, *kind.changes)} | set(
        map(normalised, lines)
    )


def normalised(text: str) -> str:
    return text.strip().rstrip(".").lower()


def unseen_kinds() -> list[Kind]:
    """Return the kinds of facts with only the templates that the networks were not trained with."""
    known = trained()

    def without_known(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(text for text in texts if normalised(text) not in known)

    return [
        replace(kind, statements=without_known(kind.statements), changes=without_known(kind.changes))
        for kind in UNSEEN_KINDS
    ]


def test_changes_in_unseen_wording_are_found() -> None:
    kinds = unseen_kinds()
    assert all(kind.statements and kind.changes for kind in kinds)
    assert sum(len(kind.statements) + len(kind.changes) for kind in kinds) >= 40
    stale, current, closed_wrongly = (figure.readings["value"] for figure in updates("unseen wording", kinds, 2))
    assert stale <= 4
    assert current >= 95
    assert closed_wrongly <= 5


def test_most_everyday_changes_are_found_and_few_other_facts_are_closed() -> None:
    """On all of everyday.txt, 30 % stale facts are returned, 92 % current ones, and 7.8 % closed wrongly."""
    stale, current, closed_wrongly = (figure.readings["value"] for figure in everyday(step=3))
    assert stale <= 36
    assert current >= 90
    assert closed_wrongly <= 12


def test_paraphrases_merge_and_nothing_else_does() -> None:
    merged, _, wrong = (figure.readings["value"] for figure in consolidation(100))
    assert merged >= 90
    assert wrong == 0
