"""Turns of a conversation: who speaks, what is said, and whether it only asks."""

from __future__ import annotations

import re

_SPEAKER = re.compile(r"(?:[\[(][^\])\n]{1,60}[\])] ?)?([^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,2}): ")
"""Who speaks, in front of what is said, perhaps behind a time in brackets."""
_SHORT = 120


def speaker(text: str) -> str | None:
    """Return who speaks in a turn, if it says so: "Ana" for "Ana: I moved"."""
    named = _SPEAKER.match(text)
    return None if named is None else named[1]


def said(text: str) -> str:
    """Return what is said in a turn, without who says it."""
    named = _SPEAKER.match(text)
    return text if named is None else text[named.end() :]


def only_asks(text: str) -> bool:
    """Tell whether a turn is a short question, which seldom answers another one."""
    return len(text) < _SHORT and text.rstrip().endswith("?")
