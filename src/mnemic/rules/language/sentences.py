"""Sentences in what people write: without code, quoted memories and markup."""

from __future__ import annotations

import re

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MEMORIES = re.compile(r"<\s*memories\b[^>]{0,100}>.*?(?:<\s*/\s*memories\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,3}[.)])\s+")
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\sa-z])|(?<=[。！？])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|approx|No|Nr|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
    r"|\b[a-z]\.[a-z])\.$"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order; code, quoted lines, headings and recalled memories are left out."""
    plain = _QUOTED_LINE.sub("", _CODE.sub("\n", _MEMORIES.sub("\n", text)))
    found = []
    for line in plain.splitlines():
        if not line.lstrip().startswith("#"):
            found.extend(_of_line(_BULLET.sub("", _EMPHASIS.sub("", line)).strip()))
    return found


def _of_line(line: str) -> list[str]:
    found: list[str] = []
    for piece in _END.split(line):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        elif piece.strip():
            found.append(piece.strip())
    return found
