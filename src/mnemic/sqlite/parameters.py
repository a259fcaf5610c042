"""Lists of parameters that are longer than one statement takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from mnemic.model.batches import batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Value = TypeVar("Value")
_MOST = 500


def parameter_batches(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Yield values in batches that one statement takes."""
    return batches(values, _MOST)


def placeholders(values: Sequence[object]) -> str:
    """Return one question mark for each value, for `IN (...)` or `VALUES (...)`."""
    return ", ".join("?" * len(values))
