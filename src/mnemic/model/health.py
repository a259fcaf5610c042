"""The outcome of a check of a store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemic.model.checks import Json


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check: its name, the problem if any, and the remedy."""

    check: str
    problem: str | None = None
    remedy: str | None = None
    mended: bool = False

    @property
    def ok(self) -> bool:
        """Return whether there is no problem, or it was mended."""
        return self.problem is None or self.mended

    def to_dict(self) -> dict[str, Json]:
        """Return the finding as JSON-able values."""
        return {"check": self.check, "problem": self.problem, "remedy": self.remedy, "mended": self.mended}
