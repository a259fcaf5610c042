"""The name of an experience: what its file is called, and what it is about at a glance."""

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


def checked_summary(given: object) -> str:
    """Return a summary that is safe as a file name, or refuse it with one that would be."""
    if isinstance(given, str) and SUMMARY.match(given) and not given.endswith("\n"):
        return given
    better = made_summary(given, otherwise="jwt_auth_impl") if isinstance(given, str) else "jwt_auth_impl"
    raise InvalidInput(
        "summary",
        f"must be lower-case letters, digits, _ and -, under 50 characters, such as {better}, "
        f"not {checks.shown(given)}",
    )


def made_summary(content: str, *, otherwise: str) -> str:
    """Return a summary of the first words that matter; `otherwise` when none can stand in a file name."""
    plain = unicodedata.normalize("NFKD", content[:_ENOUGH_TEXT]).encode("ascii", "ignore").decode().lower()
    words = _WORD.findall(plain)
    told = [word for word in words if word not in STOP_WORDS] or words
    summary = ""
    for word in told[:_ENOUGH_WORDS]:
        longer = f"{summary}_{word}" if summary else word[:_LONGEST]
        if len(longer) > _LONGEST:
            break
        summary = longer
    return summary or otherwise
