"""What a model's answers used: requests, tokens and money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests, tokens, and US dollars where prices are known; `estimated` requests reported no tokens."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None
    estimated: int = 0

    @property
    def tokens(self) -> int:
        """Return all tokens, in and out."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Spent) -> Spent:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Spent(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(costs[1:], costs[0]) if costs else None,
            self.estimated + other.estimated,
        )
