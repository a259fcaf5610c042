"""Results within a budget of tokens, and a cursor for the rest."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.rules.prompt import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

DEFAULT, LEAST, MOST = 4_000, 500, 50_000
_LETTERS_PER_TOKEN = 4
_ENVELOPE = 80
"""The tokens for notice, cursor and punctuation."""


def cost(value: object) -> int:
    """Return an upper estimate of the tokens of a JSON-able value."""
    return tokens(json.dumps(value, ensure_ascii=False))


def fitting(items: Sequence[T], budget: int, cost_of: Callable[[T], int]) -> Sequence[T]:
    """Return the first items that fit into the budget of a result, at least one."""
    left = budget - _ENVELOPE

    def fits(item: T) -> bool:
        nonlocal left
        left -= cost_of(item)
        return left >= 0

    return items[: max(1, sum(1 for _ in takewhile(fits, items)))]


def shortened(text: str, budget: int) -> str:
    """Return as much of the start of a text as fits."""
    start = text[: budget * _LETTERS_PER_TOKEN]
    while start and (needed := cost(start)) > budget:
        start = start[: min(len(start) * budget // needed, len(start) - 1)]
    return start


def left_for_text(rest: object, budget: int) -> int:
    """Return how many tokens are left for a text beside the rest of its result."""
    return max(_ENVELOPE, budget - _ENVELOPE - cost(rest))


def brief(fields: dict[str, Any], budget: int) -> dict[str, Any]:
    """Return JSON-able fields, each shortened to a budget."""
    return {name: _brief(value, budget) for name, value in fields.items()}


def _brief(value: Any, budget: int) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        start = shortened(value, budget)
        return value if start == value else start + "…"
    if isinstance(value, (list, dict)) and cost(value) > budget:
        return f"… {len(value)} entries, too long for this budget"
    return value


def start_of(cursor: str | None) -> int:
    """Return the index at which a cursor continues, 0 without one."""
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 18:
        raise InvalidInput("cursor", f"must be the next_cursor of an earlier result, not {checks.shown(cursor)}")
    return int(cursor)
