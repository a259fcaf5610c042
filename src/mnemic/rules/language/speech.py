"""Messages that begin with their speaker, such as "Ana: I moved"."""

from __future__ import annotations

import re

ROLES = frozenset({"user", "assistant", "system", "human", "ai"})
_SPEAKER = re.compile(r"(?:[\[(][^\])\n]{1,60}[\])] ?)?([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2}): ")
"""A speaker and a colon, perhaps after a time in brackets."""
_SHORT = 120


def speaker(text: str) -> str | None:
    """Return the name or role that a message begins with, if any: "Ana" for "Ana: I moved"."""
    return _split(text)[0]


def without_speaker(text: str) -> str:
    """Return a message without the speaker that it begins with."""
    return _split(text)[1]


def is_short_question(text: str) -> bool:
    """Return whether a message is a short question, which seldom answers another one."""
    return len(text) < _SHORT and text.rstrip().endswith("?")


def _split(text: str) -> tuple[str | None, str]:
    match = _SPEAKER.match(text)
    if match is None or not (match[1].lower() in ROLES or all(word[0].isupper() for word in match[1].split())):
        return None, text
    return match[1], text[match.end() :]
