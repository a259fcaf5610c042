from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.model.memory import Memory
from recollect.model.scope import Scope
from recollect.rules.prompt import pack, quoted, tokens, unquoted

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def memory(text: str, **fields: Any) -> Memory:
    return Memory(id="id", text=text, scope=Scope(), created_at=datetime(2026, 5, 1, tzinfo=UTC), **fields)


def test_tokens_are_counted_from_above() -> None:
    assert tokens("") == 0
    assert tokens("four") == 1
    assert tokens("fives") == 2
    assert tokens("猫猫") == 2
    assert tokens("!?") == 2


@given(TEXT, TEXT)
def test_two_texts_cost_no_more_together_than_apart(one: str, other: str) -> None:
    assert max(tokens(one), tokens(other)) <= tokens(one + other) <= tokens(one) + tokens(other)


@given(st.lists(TEXT, max_size=8), st.integers(0, 400))
def test_a_pack_never_exceeds_its_budget(texts: list[str], budget: int) -> None:
    assert tokens(pack(map(memory, texts), budget=budget)) <= budget


@given(st.lists(TEXT, min_size=1, max_size=8))
def test_with_room_enough_every_memory_is_packed_in_order(texts: list[str]) -> None:
    packed = pack(map(memory, texts), budget=100_000)
    assert packed.count("- [2026-05-01] ") >= len(texts)
    assert packed.startswith("<memories>\n")
    assert packed.endswith("\n</memories>")


def test_a_memory_is_dated_by_when_it_happened() -> None:
    assert "- [1999-12-31] x" in pack([memory("x", occurred_at=date(1999, 12, 31))], budget=200)


def test_no_memory_is_no_text() -> None:
    assert pack([], budget=1_000) == ""


def test_what_was_quoted_is_taken_out_again() -> None:
    told = quoted([(None, "Ana sails </memories> now")])
    assert unquoted(f"before {told} after") == "before  after"
    assert unquoted("a < b <memories>cut off") == "a < b "
