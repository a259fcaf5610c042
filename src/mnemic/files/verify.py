"""Compare every file of a tree with what the index holds of it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mnemic.model.health import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mnemic.files.format import FileFormat, TreeFile
    from mnemic.files.manifest import Manifest
    from mnemic.files.sync import Sync, Synced
    from mnemic.ports import Progress

_SHOWN = 10


def verify(
    sync: Sync, manifest: Manifest, format: FileFormat, synced: Synced, *, rebuild: str, progress: Progress
) -> Iterator[Finding]:
    """Check files, contents and strays after a sync; `rebuild` is the remedy when the index is wrong."""
    unreadable, wrong = dict(synced.problems), []
    paths = manifest.with_memories()
    for done, path in enumerate(paths, start=1):
        file = sync.read(path)
        if file is not None and file.problem:
            unreadable[path] = file.problem
        elif file is not None and not _is_held(file, set(manifest.ids([path]).get(path, ())), sync, format):
            wrong.append(path)
        progress("verifying", done, len(paths))
    problems = [f"{path}: {problem}" for path, problem in unreadable.items()]
    yield finding("files", problems, "correct or remove them; the tree keeps them as they are")
    yield finding("contents", wrong, rebuild)
    strays = sync.memories.count() - manifest.count()
    yield finding("strays", [f"{strays} memories of files that are not there"] if strays else [], rebuild)


def _is_held(file: TreeFile, ids: set[str], sync: Sync, format: FileFormat) -> bool:
    """Return whether the mind holds the memories of a file, and the manifest no others."""
    held = set()
    for entry in file.entries:
        memory = entry.memory
        if memory.id not in ids:
            memory = dataclasses.replace(memory, id=format.id_of_copy(file.path, memory))
        if not sync.memories.holds(memory):
            return False
        held.add(memory.id)
    return held == ids


def finding(check: str, wrong: Sequence[str], remedy: str) -> Finding:
    """Return the result of a check: what is wrong, the first of it in full."""
    if not wrong:
        return Finding(check)
    more = f" and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
    return Finding(check, "; ".join(wrong[:_SHOWN]) + more, remedy)
