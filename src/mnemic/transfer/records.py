"""Records as JSON-able values, and back, with every field checked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_args

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.model.change import Change, ChangeKind, Link, Record
from mnemic.model.draft import memory_from_dict
from mnemic.rules.history import FIELD_CHANGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.model.checks import Json
    from mnemic.model.memory import Memory

_RECORD_FIELDS = frozenset({"memory", "history", "links"})
_CREATION_FIELDS = frozenset({"kind", "at"})
_CHANGE_FIELDS = _CREATION_FIELDS | {"before", "after"}
_LINK_FIELDS = frozenset({"to_id", "relation", "created_at"})
_KINDS = tuple(kind for kind in get_args(ChangeKind) if kind not in ("forgotten", "purged"))


def to_dict(record: Record) -> dict[str, Json]:
    """Return a record as JSON-able values."""
    return {
        "memory": record.memory.to_dict(),
        "history": [_change_to_dict(change) for change in record.history],
        "links": [
            {"to_id": link.to_id, "relation": link.relation, "created_at": link.created_at.isoformat()}
            for link in record.links
        ],
    }


def _change_to_dict(change: Change) -> dict[str, Json]:
    """Leave out what the memory was when it was created: undoing the later changes tells it."""
    told: dict[str, Json] = {"kind": change.kind, "at": change.at.isoformat()}
    return told if change.kind == "created" else told | {"before": change.before, "after": change.after}


def from_dict(given: dict[str, Any]) -> Record:
    """Build a record from what `to_dict` returned."""
    checks.fields("a record", given, _RECORD_FIELDS)
    with _inside("memory"):
        memory = memory_from_dict(as_object("", given.get("memory")))
    history = tuple(
        _change(memory.id, f"history[{place}]", one) for place, one in enumerate(_list("history", given.get("history")))
    )
    _check_history(memory, history)
    links = tuple(
        _link(memory.id, f"links[{place}]", one) for place, one in enumerate(_list("links", given.get("links")))
    )
    return Record(memory, history, links)


def as_object(field: str, value: object) -> dict[str, Any]:
    """Return `value` as a JSON object."""
    if not isinstance(value, dict):
        raise InvalidInput(field, "is missing" if value is None else f"must be an object, not {value!r:.60}")
    return value


def _list(field: str, value: object) -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise InvalidInput(field, f"must be a list, not {value!r:.60}")
    return value or []


def _change(memory_id: str, place: str, given: object) -> Change:
    with _inside(place):
        given = as_object("", given)
        if given.get("kind") not in _KINDS:
            raise InvalidInput("kind", f"must be one of {', '.join(_KINDS)}, not {given.get('kind')!r:.60}")
        created = given["kind"] == "created"
        checks.fields("a creation" if created else "a change", given, _CREATION_FIELDS if created else _CHANGE_FIELDS)
        at = checks.instant("at", given.get("at"))
        return Change(0, memory_id, given["kind"], at, _state("before", given), _state("after", given))


def _state(field: str, given: dict[str, Any]) -> dict[str, Json]:
    try:
        return checks.metadata(given.get(field))
    except InvalidInput as error:
        raise InvalidInput(field, error.problem) from None


def _check_history(memory: Memory, history: tuple[Change, ...]) -> None:
    """Undo the changes one by one: that must lead to a memory that could have been created."""
    if [place for place, change in enumerate(history) if change.kind == "created"] != [0][: len(history)]:
        raise InvalidInput("history", 'must start with the one change whose kind is "created"')
    undone: dict[str, Json] = {}
    for change in reversed(history):
        if change.kind in FIELD_CHANGES:
            undone |= change.before
    if undone:
        with _inside("history"):
            memory_from_dict(memory.to_dict() | undone)


def _link(from_id: str, place: str, given: object) -> Link:
    with _inside(place):
        given = as_object("", given)
        checks.fields("a link", given, _LINK_FIELDS)
        to_id = checks.identifier("to_id", given.get("to_id"))
        if to_id == from_id:
            raise InvalidInput("to_id", "is the same memory; a link needs two")
        relation = checks.name("relation", given.get("relation"))
        return Link(from_id, to_id, relation, checks.instant("created_at", given.get("created_at")))


@contextmanager
def _inside(place: str) -> Iterator[None]:
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{place}.{error.field}".rstrip("."), error.problem) from None
