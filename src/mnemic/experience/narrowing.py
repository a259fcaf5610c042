"""The route and the span of time that a search is narrowed to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemic.model import checks
from mnemic.model.filter import TimeRange

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemic.experience.routes import Place, Routes
    from mnemic.model.time import When


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The places of a route and a span of time, for the manifest; the same as a filter, for the mind."""

    places: list[Place]
    where: dict[str, Any] | None
    since: str | None
    until: str | None

    @classmethod
    def of(
        cls,
        routes: Routes,
        *,
        outcome: str | None,
        tool: str | None,
        keys: Mapping[str, str],
        since: When | str | None,
        until: When | str | None,
    ) -> Narrowing:
        """Check the arguments of a search against the table."""
        places = routes.narrowed(outcome=outcome, tool=tool, keys=keys)
        first = None if since is None else checks.when("since", since)
        last = None if until is None else checks.when("until", until)
        where: dict[str, Any] = {"category": outcome, "metadata.tool": tool}
        for key, value in keys.items():
            where |= {"metadata.key": key, "metadata.value": value}
        bounds = {name: bound for name, bound in (("gte", first), ("lte", last)) if bound is not None}
        where["occurred_at"] = bounds or None
        return cls(
            places,
            {name: test for name, test in where.items() if test is not None} or None,
            first_stamp(first),
            None if last is None else TimeRange.of(last).last,
        )


def first_stamp(when: When | None) -> str | None:
    """Return the start of a time as the manifest stores it."""
    return None if when is None else TimeRange.of(when).first
