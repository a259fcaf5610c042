from __future__ import annotations

from datetime import date

import pytest

from mnemic.rules.recall.question import MAX_WORDS, read, search_terms, without_common_names

TODAY = date(2026, 5, 20)


@pytest.mark.parametrize(
    ("text", "is_message"),
    [
        ("Where does Ana live?", False),
        ("What did I say about the garden?", False),
        ("garden plans", False),
        ("Tell me about the garden", False),
        ("Can you list what I planted, in order? Mention only three.", False),
        ("Ready for the garden. What is next?", True),
        ("Hi. I'm back. What's next?", True),
        ("I would like to continue with the wine course", True),
    ],
)
def test_a_message_is_distinguished_from_a_single_question(text: str, is_message: bool) -> None:
    assert read(text, TODAY).is_message is is_message


@pytest.mark.parametrize(
    ("text", "asks_for_advice"),
    [
        ("How should I format my CV?", True),
        ("Can you show me a recipe?", True),
        ("What would you recommend?", True),
        ("When did Ana move?", False),
        ("how should I " + " ".join(f"word{n}" for n in range(50)), False),
    ],
)
def test_asking_for_advice_is_recognised(text: str, asks_for_advice: bool) -> None:
    assert read(text, TODAY).asks_for_advice is asks_for_advice


def test_very_many_words_are_cut_to_the_longest() -> None:
    question = read(" ".join(f"w{n:0{n % 7 + 1}}" for n in range(20_000)), TODAY)
    assert len(question.words) == MAX_WORDS
    assert min(map(len, question.words)) >= 6


def test_terms_are_distinct_stems() -> None:
    assert read("cats and a cat", TODAY).terms == ["cat"]


def test_in_a_small_mind_every_word_is_searched() -> None:
    assert search_terms(["a", "b"], 1_000, {"a": 900, "b": 1}) == ["a", "b"]


def test_in_a_large_mind_common_words_give_way_to_rarer_ones() -> None:
    assert search_terms(["a", "b"], 50_000, {"a": 9_000, "b": 1}) == ["b"]
    assert search_terms(["a", "b"], 50_000, {"a": 9_000, "b": 0}) == ["a", "b"]
    assert search_terms(["a"], 50_000, {"a": 9_000}) == ["a"]


@pytest.mark.parametrize(
    ("text", "counts", "left"),
    [
        ("When did Ana's dog run?", {"ana": 60, "dog": 3, "run": 0}, "When did  dog run?"),
        ("Où José est allé ?", {"ou": 0, "jose": 60, "est": 0, "all": 1}, "Où  est allé ?"),
        ("When did Ana run?", {"ana": 30, "run": 2}, "When did Ana run?"),
        ("Ana?", {"ana": 60}, "Ana?"),
        ("where is the garage of the gate?", {"garag": 60, "gate": 1}, "where is the garage of the gate?"),
    ],
)
def test_a_name_in_half_of_the_memories_is_ignored(text: str, counts: dict[str, float], left: str) -> None:
    assert without_common_names(text, read(text, TODAY), 100, counts) == left


def test_among_few_memories_every_word_counts() -> None:
    assert without_common_names("Ana ran", read("Ana ran", TODAY), 10, {"ana": 10, "ran": 1}) == "Ana ran"
