from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.language.terms import query_words, stem, terms

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  !?_-", []),
        ("The cats were running", ["the", "cat", "were", "run"]),
        ("don't snake_case 3.14", ["don", "t", "snake", "case", "3", "14"]),
        ("CAFÉ cafe\u0301", ["cafe", "cafe"]),
        ("Straße", ["strass"]),
        ("İstanbul", ["istanbul"]),
        ("🐈", ["sign1f408"]),
        ("猫", ["猫"]),
    ],
)
def test_terms_are_plain_stemmed_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_scripts_without_spaces_give_pairs() -> None:
    assert {"里斯", "斯本"} <= set(terms("里斯本"))


def test_a_word_has_the_same_term_whatever_stands_around_it() -> None:
    assert terms("running é")[0] == terms("running")[0] == stem("running")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does Ana live?", ["ana", "live"]),
        ("cat CAT Cat", ["cat"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("?!", []),
    ],
)
def test_query_words_leave_out_repeats_and_stop_words(question: str, expected: list[str]) -> None:
    assert query_words(question) == expected


@given(TEXT)
def test_terms_hold_nothing_that_the_index_would_split(text: str) -> None:
    for term in terms(text):
        assert term
        assert all(char.isalnum() or not char.isascii() for char in term)
        assert term == term.lower() or not term.isascii()


@given(TEXT)
def test_every_word_of_a_question_is_found_in_the_same_text(text: str) -> None:
    assert {stem(word) for word in query_words(text)} <= set(terms(text))


@given(TEXT)
def test_case_does_not_matter(text: str) -> None:
    if text.isascii():
        assert terms(text.upper()) == terms(text.lower())
