"""Asking a language model for something that the rules can also do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.errors import ModelError
from mnemic.model import checks
from mnemic.model.message import Message
from mnemic.rules.language.sentences import sentences
from mnemic.rules.learning.statements import overrides
from mnemic.rules.prompt import NOTE, fenced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.ports import Llm, Shape

RULES = "rules"
"""The value of `by` when no language model answered."""

LONGEST = 60_000
"""The most characters that are sent to a model at once."""


def ask(llm: Llm, task: str, data: Sequence[str], type_: type[Shape]) -> tuple[Shape | None, str | None]:
    """Return a model's answer about fenced data, or None and what went wrong."""
    length = sum(map(len, data))
    if length > LONGEST:
        return None, f"{length:,} characters are too many to ask {llm.name} about; at most {LONGEST:,} are sent"
    conversation = [Message("system", f"{task}\n\n{NOTE}"), Message("user", fenced(data))]
    try:
        answer = llm.structured(conversation, type_)
    except ModelError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - a user's own model may raise anything
        return None, f"{llm.name} failed: {type(error).__name__}: {error}"
    if not isinstance(answer, type_):
        return None, f"{llm.name} did not answer with a {type_.__name__}: {checks.shown(answer)}"
    return answer, None


def without_orders(text: str) -> str:
    """Return a text without the sentences that give orders to whoever reads it."""
    return " ".join(sentence for sentence in sentences(text) if not overrides(sentence))
