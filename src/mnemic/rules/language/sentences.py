"""Sentences of a text, without code, quoted memories and markup."""

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
    """Return the sentences of a text in order, without code, quoted lines, headings and recalled memories."""
    plain = _QUOTED_LINE.sub("", _CODE.sub("\n", _MEMORIES.sub("\n", text)))
    found: list[str] = []
    for line in plain.splitlines():
        if not line.lstrip().startswith("#"):
            found.extend(_split(_BULLET.sub("", _EMPHASIS.sub("", line)).strip()))
    return found


def _split(line: str) -> list[str]:
    parts: list[str] = []
    for part in _END.split(line):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        elif part.strip():
            parts.append(part.strip())
    return parts
