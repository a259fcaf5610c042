"""Asking a language model for something that a rule can also do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import ModelError
from recollect.model.message import Message
from recollect.rules.fence import NOTE, fenced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.ports import Llm, Shape


def ask(llm: Llm, task: str, data: Iterable[str], type_: type[Shape]) -> tuple[Shape | None, str | None]:
    """Return what a model makes of fenced data, or None and what went wrong."""
    conversation = [Message("system", f"{task}\n\n{NOTE}"), Message("user", fenced(data))]
    try:
        return llm.structured(conversation, type_), None
    except ModelError as error:
        return None, str(error)
