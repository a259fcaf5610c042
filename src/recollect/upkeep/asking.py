"""Asking a language model for something that a rule can also do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import ModelError
from recollect.model.message import Message
from recollect.rules.fence import NOTE, fenced
from recollect.rules.sentences import sentences
from recollect.rules.statements import overrides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.ports import Llm, Shape

RULES = "rules"
"""Who answered when no language model did."""

LONGEST = 60_000
"""The most characters that a model is asked about at once."""


def ask(llm: Llm, task: str, data: Sequence[str], type_: type[Shape]) -> tuple[Shape | None, str | None]:
    """Return what a model makes of fenced data, or None and what went wrong."""
    length = sum(map(len, data))
    if length > LONGEST:
        return None, f"{length:,} characters are too many to ask {llm.name} about; at most {LONGEST:,} are sent"
    conversation = [Message("system", f"{task}\n\n{NOTE}"), Message("user", fenced(data))]
    try:
        return llm.structured(conversation, type_), None
    except ModelError as error:
        return None, str(error)


def telling(text: str) -> str:
    """Return what a text tells, without what gives orders to its reader."""
    return " ".join(sentence for sentence in sentences(text) if not overrides(sentence))
