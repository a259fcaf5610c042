"""Remember experiences, without end or so many, and print each path.

As a program: experiencer.py ROOT NAME [COUNT] [--many]
"""

from __future__ import annotations

import sys
from itertools import count, islice

from mnemic.experience import MemoryEngine


def main() -> None:
    """Work as the command line says."""
    root, name, *rest = (argument for argument in sys.argv[1:] if argument != "--many")
    numbers = islice(count(), int(rest[0])) if rest else count()
    step = 25 if "--many" in sys.argv else 1
    with MemoryEngine(root) as engine:
        while batch := list(islice(numbers, step)):
            told = [
                {
                    "content": f"token{name}x{number} was remembered by {name}",
                    "outcome": "failure",
                    "tool": "unknown",
                    "summary": "same",
                    "occurred_at": "2026-01-01T00:00:00Z",
                }
                for number in batch
            ]
            paths = engine.remember_many(told) if step > 1 else [engine.remember(**told[0])]
            sys.stdout.write("".join(f"{number} {path}\n" for number, path in zip(batch, paths, strict=True)))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
