"""A command that was run, and how to run one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Outcome:
    """Hold what a command returned and printed."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Return the JSON objects that were printed, one on each line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def object(self) -> dict[str, Any]:
        """Return the only JSON object that was printed."""
        (value,) = self.objects
        return value


class Mnemic(Protocol):
    """Run a command; it must succeed unless another exit code is expected."""

    def __call__(self, *arguments: str, stdin: str = "", code: int = 0) -> Outcome: ...
