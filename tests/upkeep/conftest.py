"""What tests of upkeep share: telling a mind things on days, and what is current afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemic import Mind


@pytest.fixture
def tell(mind: Mind) -> Callable[..., str]:
    """Return a function that tells the mind something of Ana on a day, and returns the id."""

    def tell(text: str, day: str | None = None, *, user: str = "ana", **fields: Any) -> str:
        return mind.remember(text, user=user, occurred_at=day, **fields).memory.id

    return tell
