from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.recall.passages import PASSAGE, passage

FILLER = "nothing to see here. " * 100


@given(st.text(max_size=3 * PASSAGE), st.frozensets(st.text(max_size=3)))
def test_a_passage_is_a_part_of_the_text(text: str, wanted: frozenset[str]) -> None:
    found = passage(text, wanted)
    assert found in text
    assert len(found) <= PASSAGE


def test_a_short_text_is_a_passage() -> None:
    assert passage("Miso is a cat", frozenset({"dog"})) == "Miso is a cat"


def test_the_passage_holds_most_of_the_wanted_terms() -> None:
    assert "Miso" in passage(FILLER + "The cat is called Miso. " + FILLER, frozenset({"cat", "call"}))
    assert "Miso" in passage(FILLER + "The cat is called Miso.", frozenset({"cat", "call"}))


def test_of_equal_passages_the_first_is_taken() -> None:
    assert passage("start " + FILLER, frozenset({"cat"})).startswith("start")
