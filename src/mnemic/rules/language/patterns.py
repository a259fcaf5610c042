"""Patterns written as lists of words."""

from __future__ import annotations

import re


def words(listed: str) -> str:
    """Return a pattern for one of the listed words; in a word, _ stands for a space and * for an ending."""
    return "(?:" + "|".join(word.replace("_", " ").replace("*", r"\w*") for word in listed.split()) + ")"


def phrase(*parts: str) -> re.Pattern[str]:
    """Return a pattern for any of the parts, whatever the case; a space stands for white space."""
    return re.compile("|".join(part.replace(" ", r"\s+") for part in parts), re.IGNORECASE)


def plain(sentence: str) -> str:
    """Return a sentence with plain apostrophes, as the patterns are written."""
    return sentence.replace("’", "'")
