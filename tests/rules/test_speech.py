from __future__ import annotations

import pytest

from mnemic.rules.language.speech import only_asks, said, speaker


@pytest.mark.parametrize(
    ("text", "who", "what"),
    [
        ("Ana: I moved", "Ana", "I moved"),
        ("user: hello", "user", "hello"),
        ("Kim Ji-young: later", "Kim Ji-young", "later"),
        ("José O'Brien: later", "José O'Brien", "later"),
        ("[8 May 2023] Ana: I moved", "Ana", "I moved"),
        ("(9:30) Ana: I moved: at last", "Ana", "I moved: at last"),
    ],
)
def test_who_speaks_and_what_is_said(text: str, who: str, what: str) -> None:
    assert (speaker(text), said(text)) == (who, what)


@pytest.mark.parametrize(
    "text",
    [
        "I moved",
        "https://example.org: a page",
        "at 9:30 I left",
        "Wifi password: x",
        "The answer is: 42",
        "Step 1: go",
        "",
    ],
)
def test_nobody_is_named(text: str) -> None:
    assert speaker(text) is None
    assert said(text) == text


def test_a_short_turn_that_ends_in_a_question_only_asks() -> None:
    assert only_asks("Ana: What did it cost? ")
    assert not only_asks("Ana: Fifteen euros.")
    assert not only_asks("Ana: " + "I bought it at the market, and then we went home. " * 4 + "Did you?")
