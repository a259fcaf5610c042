"""Messages in the shapes that agent frameworks use"""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Message
from mnemic.errors import InvalidInput


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"role": "user", "content": "hi"}, Message("user", "hi")),
        ({"role": "user", "content": "hi", "name": "Ana", "id": "msg_1", "x": 3}, Message("user", "hi", "Ana")),
        ({"role": "assistant", "content": None, "tool_calls": [{}]}, Message("assistant", "")),
        ({"role": "user", "content": ["a", {"type": "text", "text": "b"}, {"type": "image"}]}, Message("user", "a\nb")),
        (Message("tool", "42"), Message("tool", "42")),
    ],
)
def test_a_message_is_read_from_the_usual_dict(given: Any, message: Message) -> None:
    assert Message.of(given) == message


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("hi", "message: must be a Message or a dict, not str"),
        ({"role": "user"}, "content: is missing"),
        ({"role": None, "content": "x"}, "role: is None"),
        ({"role": "user", "content": 3}, "content: must be a string, not int"),
        ({"role": "user", "content": [3]}, r"content\[0\]: must be a text or a part"),
        ({"role": "user", "content": "a\0"}, "content: contains a NUL"),
        ({"role": "user", "content": "x" * 250_001}, "content: has 250,001 characters"),
        ({"role": "user", "content": "x", "name": ""}, "name: is blank"),
    ],
)
def test_a_wrong_message_names_the_field(given: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        Message.of(given)
