"""Blocks of sentences: an older one, a question about it (`?`), newer ones that close it (`>`) or leave it (`-`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Block:
    """An older sentence with its questions and the newer sentences that follow it."""

    older: str
    questions: list[str] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def read(file: Path) -> list[Block]:
    """Return the blocks of a file: a blank line ends a block, and lines that begin with # are comments."""
    blocks = (
        [line for line in block.splitlines() if line and not line.startswith("#")]
        for block in file.read_text().split("\n\n")
    )
    return [_block(*lines) for lines in blocks if lines]


def _block(older: str, *lines: str) -> Block:
    block = Block(older)
    for line in lines:
        mark, _, text = line.partition(" ")
        {"?": block.questions, ">": block.closing, "-": block.others}[mark].append(text)
    return block
