"""Sentences in blocks: an older one, a question for it (`?`), newer ones that close it (`>`) and that do not (`-`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Told:
    """Hold an older sentence, and what may be asked and told after it."""

    older: str
    questions: list[str] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def read(file: Path) -> list[Told]:
    """Return the blocks of a file; a blank line ends a block, and a line that begins with # is a remark."""
    blocks = (
        [line for line in block.splitlines() if line and not line.startswith("#")]
        for block in file.read_text().split("\n\n")
    )
    return [_block(*lines) for lines in blocks if lines]


def _block(older: str, *lines: str) -> Told:
    told = Told(older)
    for line in lines:
        mark, _, text = line.partition(" ")
        {"?": told.questions, ">": told.closing, "-": told.others}[mark].append(text)
    return told
