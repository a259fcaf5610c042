from __future__ import annotations

import pytest

from mnemic.rules.language.speech import is_short_question, speaker, without_speaker


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
def test_the_speaker_and_the_message_are_told_apart(text: str, who: str, what: str) -> None:
    assert (speaker(text), without_speaker(text)) == (who, what)


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
def test_a_text_without_a_speaker_stays_whole(text: str) -> None:
    assert speaker(text) is None
    assert without_speaker(text) == text


def test_a_short_message_that_ends_in_a_question_is_a_short_question() -> None:
    assert is_short_question("Ana: What did it cost? ")
    assert not is_short_question("Ana: Fifteen euros.")
    assert not is_short_question("Ana: " + "I bought it at the market, and then we went home. " * 4 + "Did you?")
