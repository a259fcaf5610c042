"""What one user's memories must look like after the steps that were acknowledged."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mnemic.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mnemic import Mind

Step = dict[str, Any]


@dataclass
class Expected:
    """Hold what is known of one memory."""

    text: str
    kinds: list[str] = field(default_factory=lambda: ["created"])
    revision: int = 1
    evidence: int = 1
    superseded_by: str | None = None

    @property
    def forgotten(self) -> bool:
        return self.kinds[-1] == "forgotten"


class Ledger:
    """Follow the steps of one user, and compare a mind with them."""

    def __init__(self, user: str, steps: Iterable[Step] = ()) -> None:
        self.user = user
        self.memories: dict[str, Expected] = {}
        self.links: set[tuple[str, str]] = set()
        for step in steps:
            self.apply(step)

    def apply(self, step: Step) -> None:
        """Follow one step."""
        match step["verb"]:
            case "remember":
                for id, text in step["memories"]:
                    self.memories[id] = Expected(text)
            case "repeat":
                self.memories[step["id"]].evidence += 1
                self._record(step["id"], "repeated")
            case "revise":
                self.memories[step["id"]].text = step["text"]
                self._record(step["id"], "revised")
            case "supersede":
                self.memories[step["old_id"]].superseded_by = step["new_id"]
                self._record(step["old_id"], "superseded")
            case "link":
                self.links.add((step["from_id"], step["to_id"]))
                self._record(step["from_id"], "linked")
            case "forget":
                self._record(step["id"], "forgotten")

    def _record(self, id: str, kind: str) -> None:
        self.memories[id].kinds.append(kind)
        self.memories[id].revision += kind in ("revised", "superseded")

    def alive(self) -> list[str]:
        """Return the ids of the memories that are not forgotten."""
        return [id for id, memory in self.memories.items() if not memory.forgotten]

    def current(self) -> list[str]:
        """Return the ids of the memories that are neither forgotten nor superseded."""
        return [id for id in self.alive() if self.memories[id].superseded_by is None]

    def differences(self, mind: Mind) -> list[str]:
        """Tell in what the mind differs from the ledger."""
        return list(self._differences(mind))

    def agrees_with(self, mind: Mind) -> bool:
        """Return whether the mind does not differ."""
        return next(self._differences(mind), None) is None

    def _differences(self, mind: Mind) -> Iterator[str]:
        pages = mind.pages(user=self.user, include_superseded=True, size=1000)
        stored = {memory.id: memory for page in pages for memory in page}
        alive = set(self.alive())
        for id in stored.keys() ^ alive:
            yield f"{id} is {'missing' if id in alive else 'too many'}"
        for id in stored.keys() & alive:
            memory, expected = stored[id], self.memories[id]
            for name in ("text", "revision", "evidence", "superseded_by"):
                if getattr(memory, name) != getattr(expected, name):
                    yield f"{id}: {name} is {getattr(memory, name)!r}, not {getattr(expected, name)!r}"
        for id, expected in self.memories.items():
            if (kinds := _kinds(mind, id)) != expected.kinds:
                yield f"{id}: its history is {kinds}, not {expected.kinds}"
        for from_id, to_id in self.links:
            if {from_id, to_id} <= stored.keys() and to_id not in [link.to_id for link in mind.links(from_id)]:
                yield f"{from_id} is not linked to {to_id}"
        for id in self.current()[-20:]:
            token = self.memories[id].text.split()[0]
            if id not in [hit.memory.id for hit in mind.recall(token, user=self.user)]:
                yield f"{id} is not found by {token}"


def _kinds(mind: Mind, id: str) -> list[str]:
    try:
        return [change.kind for change in mind.history(id)]
    except NotFound:
        return []


def read_log(path: Path) -> tuple[list[Step], Step | None]:
    """Return the steps that were acknowledged, and the one that was under way when the program died."""
    acknowledged: list[Step] = []
    pending: Step | None = None
    for line in path.read_text().splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        if line == "done\n":
            assert pending is not None
            acknowledged.append(pending)
            pending = None
        else:
            pending = json.loads(line)
    return acknowledged, pending


def differences_after(mind: Mind, user: str, acknowledged: list[Step], pending: Step | None) -> list[str]:
    """Tell in what a mind differs from what was acknowledged; the pending step may be there or not, but whole."""
    found = Ledger(user, acknowledged).differences(mind)
    if found and pending is not None:
        found = Ledger(user, [*acknowledged, pending]).differences(mind)
    return found
