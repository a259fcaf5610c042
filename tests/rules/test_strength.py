"""Strength: what remains of an importance."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.errors import InvalidInput
from mnemic.model.change import Use
from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.rules.strength import STRONGEST, Decay, strength

TOLD_AT = datetime(2026, 1, 1, tzinfo=UTC)
MEMORY = Memory(id="0192f3c4-0000-7000-8000-000000000000", text="a", scope=Scope(), created_at=TOLD_AT, importance=4.0)

importances = st.floats(1, 10)
counts = st.integers(1, 10_000)
days = st.floats(0, 20_000)


def after(days: float) -> datetime:
    return TOLD_AT + timedelta(days=days)


def test_a_memory_just_told_is_as_strong_as_it_is_important() -> None:
    assert strength(MEMORY, now=TOLD_AT) == 4.0


def test_half_of_what_can_fade_is_gone_after_a_half_life() -> None:
    decay = Decay(half_life=10, floor=0.5)
    assert strength(MEMORY, now=after(10), decay=decay) == pytest.approx(4.0 * 0.75)


def test_use_makes_it_fresh_again() -> None:
    used = Use(1, after(80))
    assert strength(MEMORY, now=after(80), use=used) > strength(MEMORY, now=TOLD_AT)


@given(importances, counts, days, days)
def test_it_never_grows_by_itself_and_never_falls_below_its_floor(
    importance: float, evidence: int, one: float, other: float
) -> None:
    memory = replace(MEMORY, importance=importance, evidence=evidence)
    earlier, later = (strength(memory, now=after(age)) for age in sorted((one, other)))
    assert Decay().floor * importance <= later <= earlier <= STRONGEST


@given(importances, counts, counts, days)
def test_more_evidence_never_makes_it_weaker(importance: float, one: int, other: int, age: float) -> None:
    few, many = sorted((one, other))
    weak, strong = (strength(replace(MEMORY, importance=importance, evidence=n), now=after(age)) for n in (few, many))
    assert weak <= strong + 1e-9


@given(counts, counts, days)
def test_more_use_never_makes_it_weaker(one: int, other: int, age: float) -> None:
    few, many = sorted((one, other))
    weak, strong = (strength(MEMORY, now=after(age), use=Use(n, TOLD_AT)) for n in (few, many))
    assert weak <= strong + 1e-9


def test_a_clock_that_went_back_does_no_harm() -> None:
    assert strength(MEMORY, now=after(-5)) == strength(MEMORY, now=TOLD_AT)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("half_life", 0),
        ("half_life", float("nan")),
        ("half_life", "90"),
        ("floor", -0.1),
        ("floor", 1.1),
        ("floor", True),
        ("growth", float("inf")),
        ("growth", None),
    ],
)
def test_a_wrong_decay_is_named(field: str, wrong: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Decay(**{field: wrong})
    assert caught.value.field == field
