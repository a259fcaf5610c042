"""The summary of an experience, which is part of the name of its file."""

from __future__ import annotations

import re
import unicodedata

from mnemic.errors import InvalidInput
from mnemic.experience.routes import SUMMARY
from mnemic.model import checks
from mnemic.rules.language.terms import STOP_WORDS

_WORD = re.compile("[a-z0-9]+")
_LONGEST = 49
_ENOUGH_WORDS = 6
_ENOUGH_TEXT = 2_000


def checked_summary(value: object) -> str:
    """Return a summary that is safe as a file name; refuse any other and suggest a safe one."""
    if isinstance(value, str) and SUMMARY.match(value) and not value.endswith("\n"):
        return value
    better = made_summary(value, default="jwt_auth_impl") if isinstance(value, str) else "jwt_auth_impl"
    raise InvalidInput(
        "summary",
        f"must be lower-case letters, digits, _ and -, under 50 characters, such as {better}, "
        f"not {checks.shown(value)}",
    )


def made_summary(content: str, *, default: str) -> str:
    """Return a summary of the first words that are not stop words; the default when no word is safe in a file name."""
    plain = unicodedata.normalize("NFKD", content[:_ENOUGH_TEXT]).encode("ascii", "ignore").decode().lower()
    words = _WORD.findall(plain)
    chosen = [word for word in words if word not in STOP_WORDS] or words
    summary = ""
    for word in chosen[:_ENOUGH_WORDS]:
        longer = f"{summary}_{word}" if summary else word[:_LONGEST]
        if len(longer) > _LONGEST:
            break
        summary = longer
    return summary or default
