"""Experiences as a caller gives them, checked against the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput
from mnemic.experience.experience import Experience
from mnemic.experience.format import SUFFIX
from mnemic.experience.routes import RESERVED
from mnemic.experience.summary import checked_summary, made_summary
from mnemic.model import checks
from mnemic.model.batches import weighed_batches
from mnemic.model.draft import new_id
from mnemic.model.time import start_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from mnemic.experience.routes import Place, Routes

_BATCH = 2_000
_BATCH_CHARACTERS = 8_000_000


def checked(fields: Mapping[str, Any], routes: Routes, now: datetime) -> Experience:
    """Check the fields of an experience against the table, and give it an id and a path."""
    metadata = {key: value for key, value in fields.items() if key not in RESERVED}
    if "memory_id" in fields:
        raise InvalidInput("memory_id", "is chosen by the engine; leave it out")
    content = checks.text("content", fields.get("content"))
    place = routes.place(fields.get("outcome"), fields.get("tool"), metadata)
    occurred_at = checks.when("occurred_at", now if fields.get("occurred_at") is None else fields["occurred_at"])
    summary = fields.get("summary")
    if summary is None:
        summary = made_summary(content, default=place.folder.rpartition("/")[2])
    else:
        checked_summary(summary)
    return Experience(
        content=content,
        place=place,
        summary=summary,
        occurred_at=occurred_at,
        metadata=checks.metadata({key: value for key, value in metadata.items() if key != place.key}),
        memory_id=new_id(now),
        path=_path(place, summary, start_of(occurred_at)),
    )


def checked_item(number: int, fields: object, routes: Routes, now: datetime) -> Experience:
    """Check one experience of a list; an error names its number."""
    try:
        if not isinstance(fields, Mapping):
            raise InvalidInput("experience", f"must be a dict, not {checks.shown(fields)}")
        return checked(fields, routes, now)
    except InvalidInput as error:
        raise InvalidInput(f"experiences[{number}].{error.field}", error.problem) from None


def batches(experiences: Iterable[Experience]) -> Iterator[list[Experience]]:
    """Yield experiences in batches that fit into memory."""
    return weighed_batches(
        experiences, _BATCH, weight=lambda experience: len(experience.content), limit=_BATCH_CHARACTERS
    )


def with_new_path(experience: Experience) -> Experience:
    """Return an experience with another path, since its own is taken."""
    return dataclasses.replace(experience, path=_path(experience.place, experience.summary, experience.began_at))


def _path(place: Place, summary: str, began_at: datetime) -> str:
    """Return a path that is almost certainly free."""
    return f"{place.folder}/{began_at.date().isoformat()}_{summary}_{token_hex(4)}{SUFFIX}"
