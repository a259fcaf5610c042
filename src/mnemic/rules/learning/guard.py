"""The guard against remembering what was only just recalled."""

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
"""How many recalled texts are kept in mind; the oldest make room."""

_WORDS = re.compile(r"\w+")
_QUOTING = frozenset(
    terms(
        "according earlier knew know memories memory mentioned noted previously recall remember said saying tell told"
    )
)
"""Words by which an agent refers to what it was told, in their stems."""

_FEW = 3
_SHARE = 0.9


class RecallGuard:
    """Know what was recalled lately, and take it out of what is about to be remembered.

    A sentence of the user repeats a memory when its words stand in it in the same order, so that "I do not live in
    Porto" is never taken for "I live in Porto". What the agent says is its own wording of what it was given: there
    the content words decide.
    """

    def __init__(self) -> None:
        self._recalled: dict[str, tuple[str, frozenset[str]]] = {}

    @property
    def ids(self) -> list[str]:
        """Return the ids of what was recalled lately."""
        return [id for id, _ in self._recalled.values()]

    def note(self, recalled: Iterable[tuple[str, str]]) -> None:
        """Know that these ids and texts were recalled."""
        for id, text in recalled:
            told = _told(text)
            self._recalled.pop(told, None)
            self._recalled[told] = id, _content(text)
        while len(self._recalled) > MOST:
            del self._recalled[next(iter(self._recalled))]

    def drop(self, ids: Collection[str]) -> None:
        """Let go of what no longer holds: whoever says it again says something new."""
        self._recalled = {told: (id, content) for told, (id, content) in self._recalled.items() if id not in ids}

    def news(self, message: Message) -> str:
        """Return what a message says beyond what was recalled, "" if it is nothing."""
        content = unquoted(message.content).strip()
        said = sentences(content)
        fresh = [sentence for sentence in said if not self.repeats(sentence, by_agent=message.role == "assistant")]
        return content if len(fresh) == len(said) else "\n".join(fresh)

    def repeats(self, text: str, *, by_agent: bool = False) -> bool:
        """Tell whether a text only says again what was recalled."""
        told = _told(text)
        if told in self._recalled:
            return True
        if len(told.split()) >= _FEW and any(told in known for known in self._recalled):
            return True
        content = _content(text) - _QUOTING
        return (
            by_agent
            and bool(content)
            and any(len(content & known) >= _SHARE * len(content) for _, known in self._recalled.values())
        )


def _told(text: str) -> str:
    """Return the words of a text, each between blanks, without marks and capitals."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def _content(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if term not in STOP_WORDS)
