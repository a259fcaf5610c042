"""Grounding: whether what a language model says stands in what it was given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.rules.text import STOP_WORDS, terms

if TYPE_CHECKING:
    from collections.abc import Iterable

SHARE = 0.6
"""The least share of a sentence's content words that its sources must hold."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w'’-]*[a-z]\b")


def ungrounded(text: str, sources: Iterable[str]) -> str | None:
    """Return what is wrong with a sentence that its sources do not bear out, or None if they do."""
    source = "\n".join(sources)
    held = set(terms(source))
    for kind, pattern in (("number", _NUMBER), ("name", _NAME)):
        for found in pattern.findall(text):
            if not set(terms(found)) <= held:
                return f"the {kind} {found} is not in the source"
    content = {term for term in terms(text) if term not in STOP_WORDS}
    if not content:
        return "it says nothing"
    missing = content - held
    if len(missing) > (1 - SHARE) * len(content):
        return f"{', '.join(sorted(missing)[:5])} are not in the source"
    return None
