"""Richer texts from a language model, checked by the same rules as the generated ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from mnemic.errors import ModelError
from mnemic.experience.dataset.formats import DatasetEntry
from mnemic.experience.dataset.validate import entry_problems
from mnemic.experience.routes import ROUTES
from mnemic.model.message import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mnemic.ports import Llm

WRITTEN_BY = "written_by"
_BATCH = 10
_TASK = """\
You write the memory of a coding agent. Rewrite each text below so that it is richer: name concrete functions, files,
errors and figures, keep what happened and its outcome, one or two sentences each. Answer with as many texts as given,
in the same order."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The texts of the model, in the order of the originals."""

    contents: list[str]


def enriched(entries: Iterable[dict[str, Any]], llm: Llm) -> Iterator[dict[str, Any]]:
    """Let a language model rewrite the contents; `written_by` names it.

    Where it fails, or its text breaks a rule, the original stays.
    """
    remaining = iter(entries)
    while batch := list(islice(remaining, _BATCH)):
        contents = _rewritten(batch, llm)
        for entry, content in zip(batch, contents, strict=True):
            richer = {**entry, "content": content, WRITTEN_BY: llm.name}
            is_unusable = content == entry["content"] or any(entry_problems(DatasetEntry(1, richer), ROUTES))
            yield entry if is_unusable else richer


def _rewritten(batch: Sequence[dict[str, Any]], llm: Llm) -> Sequence[str]:
    originals = [entry["content"] for entry in batch]
    prompt = [{name: entry[name] for name in ("content", "outcome", "tool") if name in entry} for entry in batch]
    messages = [Message("system", _TASK), Message("user", json.dumps(prompt, ensure_ascii=False))]
    try:
        contents = llm.structured(messages, Rewritten).contents
    except ModelError:
        return originals
    return contents if len(contents) == len(originals) else originals
