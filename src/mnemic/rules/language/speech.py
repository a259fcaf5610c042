"""Turns of a conversation: who speaks, what is said, and whether it only asks."""

from __future__ import annotations

import re

ROLES = frozenset({"user", "assistant", "system", "human", "ai"})
_SPEAKER = re.compile(r"(?:[\[(][^\])\n]{1,60}[\])] ?)?([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2}): ")
"""Who speaks, in front of what is said, perhaps behind a time in brackets."""
_SHORT = 120


def speaker(text: str) -> str | None:
    """Return who speaks in a turn, if it says so by a name or a role: "Ana" for "Ana: I moved"."""
    return _split(text)[0]


def said(text: str) -> str:
    """Return what is said in a turn, without who says it."""
    return _split(text)[1]


def only_asks(text: str) -> bool:
    """Tell whether a turn is a short question, which seldom answers another one."""
    return len(text) < _SHORT and text.rstrip().endswith("?")


def _split(text: str) -> tuple[str | None, str]:
    named = _SPEAKER.match(text)
    if named is None or not (named[1].lower() in ROLES or all(word[0].isupper() for word in named[1].split())):
        return None, text
    return named[1], text[named.end() :]
