"""Batches: sequences split into parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield consecutive batches of a sequence; the last may be shorter."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def weighed_batches(
    items: Iterable[Item], size: int, *, weight: Callable[[Item], int], limit: int
) -> Iterator[list[Item]]:
    """Yield consecutive batches of at most `size` items, shorter once their total weight reaches the limit."""
    batch: list[Item] = []
    total = 0
    for item in items:
        batch.append(item)
        total += weight(item)
        if len(batch) >= size or total >= limit:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch
