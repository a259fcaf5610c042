"""RecallGuard: keeps recalled memories from being stored again as if they were news."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mnemic.rules.language.sentences import sentences
from mnemic.rules.language.terms import STOP_WORDS, terms
from mnemic.rules.prompt import unquoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mnemic.model.message import Message

MOST = 500
"""How many recalled texts are tracked; the oldest are dropped."""

_WORDS = re.compile(r"\w+")
_QUOTING = frozenset(
    terms(
        "according earlier knew know memories memory mentioned noted previously recall remember said saying tell told"
    )
)
"""Stems of the words with which an agent refers to its memory."""

_FEW = 3
_SHARE = 0.9


class RecallGuard:
    """The texts that were recalled lately, and a filter that removes them from new messages.

    A user's sentence repeats a memory if the memory contains its words in the same order, so that "I do not live in
    Porto" is not taken for "I live in Porto". An agent rewords what it recalls, so there the content words decide.
    """

    def __init__(self) -> None:
        self._recalled: dict[str, tuple[str, frozenset[str]]] = {}

    @property
    def ids(self) -> list[str]:
        """Return the ids of the recalled memories."""
        return [id for id, _ in self._recalled.values()]

    def note(self, recalled: Iterable[tuple[str, str]]) -> None:
        """Note that memories with these ids and texts were recalled."""
        for id, text in recalled:
            words = _words(text)
            self._recalled.pop(words, None)
            self._recalled[words] = id, _content(text)
        while len(self._recalled) > MOST:
            del self._recalled[next(iter(self._recalled))]

    def drop(self, ids: Collection[str]) -> None:
        """Drop memories that are no longer current: repeating them is news."""
        self._recalled = {words: (id, content) for words, (id, content) in self._recalled.items() if id not in ids}

    def news(self, message: Message) -> str:
        """Return what a message says beyond what was recalled, "" if nothing."""
        content = unquoted(message.content).strip()
        said = sentences(content)
        fresh = [sentence for sentence in said if not self.repeats(sentence, by_agent=message.role == "assistant")]
        return content if len(fresh) == len(said) else "\n".join(fresh)

    def repeats(self, text: str, *, by_agent: bool = False) -> bool:
        """Return whether a text only repeats what was recalled."""
        words = _words(text)
        if words in self._recalled:
            return True
        if len(words.split()) >= _FEW and any(words in known for known in self._recalled):
            return True
        content = _content(text) - _QUOTING
        return (
            by_agent
            and bool(content)
            and any(len(content & known) >= _SHARE * len(content) for _, known in self._recalled.values())
        )


def _words(text: str) -> str:
    """Return the words of a text in lower case, with a blank before and after each."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def _content(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if term not in STOP_WORDS)
