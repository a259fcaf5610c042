"""History: the difference a change made, and the full changes rebuilt from what the store keeps."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mnemic.model.change import Change
    from mnemic.model.checks import Json
    from mnemic.model.memory import Memory


def difference(before: Memory, after: Memory) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the fields that differ, with their old and their new values."""
    old, new = before.to_dict(), after.to_dict()
    changed = [
        name
        for name in old
        if old[name] != new[name] or (name == "metadata" and _metadata_text(old) != _metadata_text(new))
    ]
    return {name: old[name] for name in changed}, {name: new[name] for name in changed}


def _metadata_text(fields: dict[str, Json]) -> str:
    """Return metadata as JSON text, in which 1, 1.0 and true differ."""
    return json.dumps(fields["metadata"], sort_keys=True)


def full_changes(changes: Iterable[Change], last_states: Mapping[int, Memory]) -> list[Change]:
    """Return the changes of one memory with all fields at its creation and deletion, oldest first.

    The store keeps only the fields that a change altered, and the last state of the memory for each time it was created
    (an id can be created again after it was forgotten). The first state is computed backwards from the last.
    """
    full: list[Change] = []
    state: dict[str, Json] = {}
    for change in sorted(changes, key=lambda change: change.seq, reverse=True):
        if change.kind == "forgotten":
            state = _last_state(change.seq, last_states)
            full.append(dataclasses.replace(change, before=dict(state)))
        elif change.kind == "created":
            state = state or _last_state(change.seq + 1, last_states)
            full.append(dataclasses.replace(change, after=dict(state)))
            state = {}
        else:
            if change.kind in FIELD_CHANGES:
                state = (state or _last_state(change.seq, last_states)) | change.before
            full.append(change)
    return full[::-1]


FIELD_CHANGES = frozenset({"repeated", "revised", "superseded", "unsuperseded"})
"""The kinds of changes that alter fields."""


def _last_state(before_seq: int, last_states: Mapping[int, Memory]) -> dict[str, Json]:
    created = max((seq for seq in last_states if seq < before_seq), default=None)
    return {} if created is None else last_states[created].to_dict()
