"""Weight: how important a text is, by rules that say why."""

from __future__ import annotations

import re

DEFAULT = 3.0


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE | re.VERBOSE)


_RULES = (
    (
        3.0,
        "health or safety",
        _pattern(
            r"\b(?:allerg\w+|diagnos\w+|cancer|diabet\w+|pregnan\w+|surgery|medication|hospital|emergency|suicid\w+|epilep\w+|asthma)\b"
        ),
    ),
    (
        2.5,
        "a change in someone's life",
        _pattern(
            r"\b(?:married|wedding|divorc\w+|engaged|born|died|death|funeral|moved\ to|graduat\w+|promoted|fired|laid\ off|retire\w*|new\ job|quit)\b"
        ),
    ),
    (
        2.0,
        "a standing instruction",
        _pattern(r"\b(?:always|never|from\ now\ on|call\ me|remember\ that|don't\ ever)\b"),
    ),
    (
        2.0,
        "who someone is",
        _pattern(
            r"\b(?:my\ name\ is|i'm\ called|i\ (?:live|work)\ (?:in|at|as|for)|born\ in|my\ (?:wife|husband|partner|son|daughter|mother|father|mum|mom|dad|brother|sister|boss|birthday))\b"
        ),
    ),
    (1.5, "a preference", _pattern(r"\b(?:prefer|love|hate|favou?rite|dislike|can't\ stand|enjoy)\w*\b")),
    (
        1.5,
        "a decision or a goal",
        _pattern(
            r"\b(?:decided|decision|goal|plan(?:s|ned|ning)?|deadline|promise[ds]?|agreed|commit(?:ted)?|chose)\b"
        ),
    ),
    (1.0, "a date, an amount or a number", re.compile(r"\d")),
    (0.5, "a name", re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]+")),
)
_LESS = (
    (-1.0, "a question", re.compile(r"\?\s*$")),
    (
        -2.0,
        "small talk",
        _pattern(
            r"^\W*(?:[\w ]{1,30}:\s*)?(?:hi|hello|hey|thanks|thank\ you|ok|okay|yes|no|sure|bye|lol|haha)\b\W*(?:\w+\W*){0,3}$"
        ),
    ),
)


def weight(text: str) -> tuple[float, tuple[str, ...]]:
    """Return an importance from 1 to 10 and the reasons for it."""
    score = DEFAULT
    reasons = [f"{DEFAULT:g} to start with"]
    for points, reason, pattern in (*_RULES, *_LESS):
        found = pattern.search(text)
        if found:
            score += points
            reasons.append(f"{points:+g} {reason}: {found.group().strip()[:40]}")
    return min(10.0, max(1.0, score)), tuple(reasons)
