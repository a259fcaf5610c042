"""Sequences in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Item = TypeVar("Item")


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield a sequence in order, in pieces of a size; the last may be shorter."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
