"""Change and read a mind at random, writing each step to a log before it is taken and after it was acknowledged.

As a program: workload.py FOLDER LOG SEED [--steps N] [--seconds S] [--careless]
The user is the log's name without its ending; logs beside it are those of others at work in the same mind.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ledger import Ledger, Step

from mnemic import Mind

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = "river copper lantern window garden bridge winter market letter summer engine velvet harbour".split()
TAIL = 65536


def work(mind: Mind, log: Path, seed: int, *, go_on: Callable[[int], bool], reads: float = 0.0) -> None:
    """Take random steps while `go_on(number of steps)`; a share of them, `reads`, look instead of changing."""
    rng = random.Random(seed)
    ledger = Ledger(log.stem)
    steps = 0
    with log.open("ab", buffering=0) as lines:
        while go_on(steps):
            if rng.random() < reads:
                _look(mind, ledger, rng)
                _look_at_another(mind, log, rng)
                time.sleep(0.1 if rng.random() < 0.1 else 0.0)
                continue
            step = _choose(ledger, rng)
            lines.write(json.dumps(step).encode() + b"\n")
            _take(mind, ledger.user, step)
            lines.write(b"done\n")
            ledger.apply(step)
            steps += 1


def _choose(ledger: Ledger, rng: random.Random) -> Step:
    current = ledger.current()
    verb = rng.choice(["remember"] * 4 + ["many"] + ["repeat", "revise", "revise", "supersede", "link", "forget"])
    if len(current) < 4 or verb == "remember":
        return {"verb": "remember", "memories": [_draft(rng)]}
    one, other = rng.sample(current, 2)
    match verb:
        case "many":
            return {"verb": "remember", "memories": [_draft(rng) for _ in range(rng.randrange(2, 6))]}
        case "repeat":
            return {"verb": "repeat", "id": one, "text": ledger.memories[one].text}
        case "revise":
            return {"verb": "revise", "id": one, "text": _text(rng)}
        case "supersede":
            return {"verb": "supersede", "old_id": one, "new_id": other}
        case "link" if (one, other) not in ledger.links:
            return {"verb": "link", "from_id": one, "to_id": other}
        case _:
            return {"verb": "forget", "id": one}


def _draft(rng: random.Random) -> tuple[str, str]:
    return str(UUID(int=rng.getrandbits(128), version=4)), _text(rng)


def _text(rng: random.Random) -> str:
    length = 1500 if rng.random() < 0.02 else rng.randrange(3, 15)
    return f"token{rng.getrandbits(64):x} " + " ".join(rng.choices(WORDS, k=length))


def _take(mind: Mind, user: str, step: Step) -> None:
    match step:
        case {"verb": "remember", "memories": [(id, text)]}:
            assert mind.remember(text, id=id, user=user).created
        case {"verb": "remember", "memories": memories}:
            mind.remember_many([{"id": id, "text": text, "user": user} for id, text in memories])
        case {"verb": "repeat", "text": text}:
            assert not mind.remember(text, user=user).created
        case {"verb": "revise", "id": id, "text": text}:
            mind.revise(id, text=text)
        case {"verb": "supersede", "old_id": old_id, "new_id": new_id}:
            mind.supersede(old_id, new_id)
        case {"verb": "link", "from_id": from_id, "to_id": to_id}:
            mind.link(from_id, to_id, "next")
        case {"verb": "forget", "id": id}:
            assert mind.forget(id) == 1


def _look(mind: Mind, ledger: Ledger, rng: random.Random) -> None:
    """Check that this program sees its own writes."""
    current = ledger.current()
    assert mind.count(user=ledger.user) == len(current)
    if current:
        id = rng.choice(current)
        text = ledger.memories[id].text
        assert mind.get(id).text == text
        assert id in [hit.memory.id for hit in mind.recall(text.split()[0], user=ledger.user)]


def _look_at_another(mind: Mind, log: Path, rng: random.Random) -> None:
    """Check that this program sees the last memory another one was told is kept."""
    others = [other for other in log.parent.glob("*.log") if other != log]
    step = _last_remembered(rng.choice(others)) if others else None
    if step is not None:
        id, text = step["memories"][-1]
        assert mind.history(id)[0].after["text"] == text


def _last_remembered(log: Path) -> Step | None:
    with log.open("rb") as lines:
        lines.seek(max(0, log.stat().st_size - TAIL))
        tail = lines.read().split(b"\n")[1:-1]
    for line, following in zip(tail[-2::-1], tail[:0:-1], strict=True):
        if following == b"done" and line.startswith(b'{"verb": "remember"'):
            step: Step = json.loads(line)
            return step
    return None


class CarelessConnection(sqlite3.Connection):
    """Switch syncing off whatever the store asks for, to show that the tests would notice."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if "synchronous" in sql:
            sql = "PRAGMA synchronous = OFF"
        return super().execute(sql, *values)


def main() -> None:
    """Work as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("log", type=Path)
    parser.add_argument("seed", type=int)
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=10**9)
    parser.add_argument("--reads", type=float, default=0.0)
    parser.add_argument("--careless", action="store_true")
    given = parser.parse_args()
    if given.careless:
        connect = sqlite3.connect
        sqlite3.connect = lambda *a, **k: connect(*a, **k, factory=CarelessConnection)  # type: ignore[assignment]
    end = time.monotonic() + given.seconds
    with Mind(given.folder) as mind:
        work(
            mind,
            given.log,
            given.seed,
            go_on=lambda steps: steps < given.steps and time.monotonic() < end,
            reads=given.reads,
        )


if __name__ == "__main__":
    main()
