"""The figures of the benchmark, on small streams."""

from __future__ import annotations

from benchmarks.fact_changes import KINDS
from benchmarks.upkeep import consolidation, updates


def test_known_words_leave_nothing_stale_and_close_nothing_else() -> None:
    stale, current, closed_wrongly = (figure.readings["value"] for figure in updates("known words", KINDS, 1))
    assert (stale, closed_wrongly) == (0, 0)
    assert current >= 90


def test_paraphrases_merge_and_nothing_else_does() -> None:
    merged, _, wrong = (figure.readings["value"] for figure in consolidation(100))
    assert merged >= 90
    assert wrong == 0
