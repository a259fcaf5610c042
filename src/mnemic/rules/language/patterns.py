"""Regular expressions made from lists of words."""

from __future__ import annotations

import re


def words(listed: str) -> str:
    """Return a pattern for any of the listed words; in a word, _ is a space and * is any ending."""
    return "(?:" + "|".join(word.replace("_", " ").replace("*", r"\w*") for word in listed.split()) + ")"


def phrase(*parts: str) -> re.Pattern[str]:
    """Return a pattern for any of the parts that ignores case; a space matches any white space."""
    return re.compile("|".join(part.replace(" ", r"\s+") for part in parts), re.IGNORECASE)


def straight_quotes(sentence: str) -> str:
    """Return a sentence with straight apostrophes, as in the patterns."""
    return sentence.replace("’", "'")
