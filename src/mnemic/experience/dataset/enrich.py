"""Richer texts from a language model, under the same rules as the plain ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from mnemic.errors import ModelError
from mnemic.experience.dataset.formats import Entry
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
    """Hold the texts that the model wrote, in the order of those it was given."""

    contents: list[str]


def enriched(entries: Iterable[dict[str, Any]], llm: Llm) -> Iterator[dict[str, Any]]:
    """Have a language model rewrite the contents, and say so in `written_by`.

    Where it fails, or its text breaks a rule, the plain one stays.
    """
    remaining = iter(entries)
    while batch := list(islice(remaining, _BATCH)):
        contents = _rewritten(batch, llm)
        for entry, content in zip(batch, contents, strict=True):
            richer = {**entry, "content": content, WRITTEN_BY: llm.name}
            kept = content == entry["content"] or any(entry_problems(Entry(1, richer), ROUTES))
            yield entry if kept else richer


def _rewritten(batch: Sequence[dict[str, Any]], llm: Llm) -> Sequence[str]:
    plain = [entry["content"] for entry in batch]
    told = [{name: entry[name] for name in ("content", "outcome", "tool") if name in entry} for entry in batch]
    messages = [Message("system", _TASK), Message("user", json.dumps(told, ensure_ascii=False))]
    try:
        contents = llm.structured(messages, Rewritten).contents
    except ModelError:
        return plain
    return contents if len(contents) == len(plain) else plain
