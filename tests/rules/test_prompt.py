from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.rules.prompt import pack, quoted, tokens, unquoted

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
def test_with_room_enough_every_memory_is_packed(texts: list[str]) -> None:
    packed = pack([memory(f"{place} {text}") for place, text in enumerate(texts)], budget=100_000)
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


def test_what_is_said_in_the_same_words_is_told_once() -> None:
    packed = pack([memory("Ana lives in Lisbon"), memory("ana LIVES in Lisbon!")], budget=500)
    assert packed.count("- [") == 1


def test_turns_of_a_session_stand_together_in_the_order_of_time() -> None:
    def turn(text: str, session: str | None, minute: int) -> Memory:
        at = datetime(2026, 5, 1, 9, minute, tzinfo=UTC)
        return Memory(id="id", text=text, scope=Scope(user="ana", session=session), created_at=at, occurred_at=at)

    ranked = [turn("second", "a", 2), turn("alone", None, 9), turn("other", "b", 1), turn("first", "a", 1)]
    packed = pack(ranked, budget=500)
    assert [line.split()[-1] for line in packed.splitlines()[2:-1]] == ["first", "second", "alone", "other"]


def test_the_best_are_chosen_before_they_are_put_in_order() -> None:
    def turn(text: str, minute: int) -> Memory:
        at = datetime(2026, 5, 1, 9, minute, tzinfo=UTC)
        return Memory(id="id", text=text, scope=Scope(session="a"), created_at=at, occurred_at=at)

    best, worse = turn("the best one " + "x" * 80, 2), turn("a worse one " + "y" * 80, 1)
    assert "best" in pack([best, worse], budget=80)
    assert "worse" not in pack([best, worse], budget=80)
