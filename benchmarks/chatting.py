"""What people tell of themselves in the chats of RealMem and BEAM: one statement hardly ever closes another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mnemic.evaluation import beam, realmem
from mnemic.rules.claims.clauses import SPEAKER
from mnemic.rules.claims.frames import frame_of

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = range(4, 29)
_FEWEST = 20


def statements(data: Path) -> list[list[str]]:
    """Return the statements of each person who makes enough of them, as far as the chats are there."""
    found = []
    for load, folder in ((realmem.load, data / "realmem"), (beam.load, data / "beam-100k")):
        for chat in load(folder).chats if folder.is_dir() else ():
            said = (turn.text.removeprefix("User: ") for turn in chat.turns if turn.text.startswith("User: "))
            sentences = (sentence.strip() for text in said for sentence in re.split(r"(?<=[.!?])\s+", text))
            found.append(list(dict.fromkeys(filter(_states, sentences))))
    return [told for told in found if len(told) >= _FEWEST]


def _states(sentence: str) -> bool:
    """Tell whether a sentence is a short statement by which its speaker tells something of themselves."""
    return (
        len(sentence.split()) in _WORDS and not sentence.endswith("?") and frame_of(sentence).owners[:1] == (SPEAKER,)
    )
