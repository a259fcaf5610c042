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
    """Leave out the first state of a memory: undoing the later changes gives it back."""
    values: dict[str, Json] = {"kind": change.kind, "at": change.at.isoformat()}
    return values if change.kind == "created" else values | {"before": change.before, "after": change.after}


def from_dict(values: dict[str, Any]) -> Record:
    """Build a record from what `to_dict` returned."""
    checks.fields("a record", values, _RECORD_FIELDS)
    with _inside("memory"):
        memory = memory_from_dict(as_object("", values.get("memory")))
    changes, links = _list("history", values.get("history")), _list("links", values.get("links"))
    history = tuple(_change(memory.id, f"history[{index}]", change) for index, change in enumerate(changes))
    _check_history(memory, history)
    return Record(memory, history, tuple(_link(memory.id, f"links[{index}]", link) for index, link in enumerate(links)))


def as_object(field: str, value: object) -> dict[str, Any]:
    """Return `value` as a JSON object."""
    if not isinstance(value, dict):
        raise InvalidInput(field, "is missing" if value is None else f"must be an object, not {value!r:.60}")
    return value


def _list(field: str, value: object) -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise InvalidInput(field, f"must be a list, not {value!r:.60}")
    return value or []


def _change(memory_id: str, field: str, value: object) -> Change:
    with _inside(field):
        values = as_object("", value)
        kind: Any = values.get("kind")
        if kind not in _KINDS:
            raise InvalidInput("kind", f"must be one of {', '.join(_KINDS)}, not {kind!r:.60}")
        created = kind == "created"
        checks.fields("a creation" if created else "a change", values, _CREATION_FIELDS if created else _CHANGE_FIELDS)
        at = checks.instant("at", values.get("at"))
        return Change(0, memory_id, kind, at, _state("before", values), _state("after", values))


def _state(field: str, values: dict[str, Any]) -> dict[str, Json]:
    try:
        return checks.metadata(values.get(field))
    except InvalidInput as error:
        raise InvalidInput(field, error.problem) from None


def _check_history(memory: Memory, history: tuple[Change, ...]) -> None:
    """Refuse a history whose changes, undone one by one, do not lead to a valid memory."""
    if [index for index, change in enumerate(history) if change.kind == "created"] != [0][: len(history)]:
        raise InvalidInput("history", 'must start with the only change of kind "created"')
    undone: dict[str, Json] = {}
    for change in reversed(history):
        if change.kind in FIELD_CHANGES:
            undone |= change.before
    if undone:
        with _inside("history"):
            memory_from_dict(memory.to_dict() | undone)


def _link(from_id: str, field: str, value: object) -> Link:
    with _inside(field):
        values = as_object("", value)
        checks.fields("a link", values, _LINK_FIELDS)
        to_id = checks.identifier("to_id", values.get("to_id"))
        if to_id == from_id:
            raise InvalidInput("to_id", "is the same memory; a link needs two")
        relation = checks.name("relation", values.get("relation"))
        return Link(from_id, to_id, relation, checks.instant("created_at", values.get("created_at")))


@contextmanager
def _inside(field: str) -> Iterator[None]:
    """Put the name of a field before the names in errors."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{field}.{error.field}".rstrip("."), error.problem) from None
