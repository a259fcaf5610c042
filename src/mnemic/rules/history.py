"""What a change did, and what a memory was before it."""

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
    """Return the fields that differ, as they were and as they are."""
    old, new = before.to_dict(), after.to_dict()
    changed = [
        name for name in old if old[name] != new[name] or (name == "metadata" and _written(old) != _written(new))
    ]
    return {name: old[name] for name in changed}, {name: new[name] for name in changed}


def _written(value: dict[str, Json]) -> str:
    """Return metadata as text, in which 1, 1.0 and true are not the same."""
    return json.dumps(value["metadata"], sort_keys=True)


def tell(changes: Iterable[Change], last_states: Mapping[int, Memory]) -> list[Change]:
    """Return the changes of one memory in full.

    The store keeps what a change altered and, by the sequence number of its creation, each life's last state.
    From that the first state is worked out backwards.
    """
    told: list[Change] = []
    life: dict[str, Json] = {}
    for change in sorted(changes, key=lambda change: change.seq, reverse=True):
        if change.kind == "forgotten":
            life = _last_state(change.seq, last_states)
            told.append(dataclasses.replace(change, before=dict(life)))
        elif change.kind == "created":
            life = life or _last_state(change.seq + 1, last_states)
            told.append(dataclasses.replace(change, after=dict(life)))
            life = {}
        else:
            if change.kind in FIELD_CHANGES:
                life = (life or _last_state(change.seq, last_states)) | change.before
            told.append(change)
    return told[::-1]


FIELD_CHANGES = frozenset({"repeated", "revised", "superseded", "unsuperseded"})


def _last_state(before_seq: int, last_states: Mapping[int, Memory]) -> dict[str, Json]:
    born = max((seq for seq in last_states if seq < before_seq), default=None)
    return {} if born is None else last_states[born].to_dict()
