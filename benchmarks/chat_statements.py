"""Statements of users about themselves in the chats of RealMem and BEAM, where one hardly ever closes another."""

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
    """Return the statements of each user who makes at least 20, from the datasets that are in the folder."""
    users = []
    for load, folder in ((realmem.load, data / "realmem"), (beam.load, data / "beam-100k")):
        for chat in load(folder).chats if folder.is_dir() else ():
            messages = (turn.text.removeprefix("User: ") for turn in chat.turns if turn.text.startswith("User: "))
            sentences = (sentence.strip() for text in messages for sentence in re.split(r"(?<=[.!?])\s+", text))
            users.append(list(dict.fromkeys(filter(_is_statement, sentences))))
    return [sentences for sentences in users if len(sentences) >= _FEWEST]


def _is_statement(sentence: str) -> bool:
    """Return whether a sentence is a short statement of its speaker about themselves."""
    return (
        len(sentence.split()) in _WORDS and not sentence.endswith("?") and frame_of(sentence).owners[:1] == (SPEAKER,)
    )
