"""mem0's filters, translated into scopes and filters of a mind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.model import checks

IDS = {"user_id": "user", "agent_id": "agent", "run_id": "session"}
"""mem0's ids, and the scope keys that they stand for."""

_FIELDS = IDS | {"created_at": "created_at", "memory": "text", "data": "text", "id": "id"}
_JOINS = {"AND": "and", "OR": "or", "$and": "and", "$or": "or"}
_SAME = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "contains")


def scope_of(
    ids: Mapping[str, object], filters: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the scope that ids and filters name, and the rest of the filters; at least one id is needed."""
    if filters is not None and not isinstance(filters, Mapping):
        raise InvalidInput("filters", f"must be a dict, not {checks.shown(filters)}")
    ids_in_filters, rest = _ids_and_rest(filters or {})
    scope: dict[str, Any] = {}
    for key, value in (*ids.items(), *ids_in_filters):
        if value is not None:
            name = _name(key, value)
            if scope.setdefault(IDS[key], name) != name:
                raise InvalidInput(key, "is given twice, with different names")
    if not scope:
        raise InvalidInput("filters", 'must name a user_id, an agent_id or a run_id: filters={"user_id": "ana"}')
    return scope, where_of(rest)


def _ids_and_rest(filters: Mapping[str, Any]) -> tuple[list[tuple[str, object]], dict[str, Any]]:
    """Return the ids that filters name, also inside an AND (the form of mem0's hosted service), and the rest."""
    ids = [(key, value) for key, value in filters.items() if key in IDS]
    rest = {key: value for key, value in filters.items() if key not in IDS}
    for joint in ("AND", "$and"):
        parts = rest.get(joint)
        if isinstance(parts, list) and all(isinstance(part, Mapping) for part in parts):
            named = [part for part in parts if len(part) == 1 and not IDS.keys().isdisjoint(part) and _is_plain(part)]
            ids += [pair for part in named for pair in part.items()]
            rest[joint] = [part for part in parts if part not in named]
            if named and not rest[joint]:
                del rest[joint]
    return ids, rest


def _is_plain(part: Mapping[str, Any]) -> bool:
    return all(isinstance(value, (str, int)) for value in part.values())


def where_of(filters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return mem0's filters as a filter of a mind; `*` is a text like any other."""
    parts = [_part(key, value) for key, value in filters.items()]
    return {"and": parts} if parts else None


def _part(key: str, value: Any) -> dict[str, Any]:  # noqa: ANN401
    if key in _JOINS:
        return {_JOINS[key]: [_whole(part, f"filters.{key}") for part in _list(key, value)]}
    if key in ("NOT", "$not"):
        return {"not": {"or": [_whole(part, f"filters.{key}") for part in _list(key, value)]}}
    field = _FIELDS.get(key, f"metadata.{key}")
    if isinstance(value, list):
        return {field: {"in": value}}
    if not isinstance(value, Mapping):
        return {field: value}
    return {"and": [_test(field, operator, operand) for operator, operand in value.items()]}


def _test(field: str, operator: str, operand: Any) -> dict[str, Any]:  # noqa: ANN401
    if operator == "nin":
        return {"not": {field: {"in": operand}}}
    if operator not in _SAME:
        raise InvalidInput(
            f"filters.{field}", f"has the unknown operator {checks.shown(operator)}; use {', '.join(_SAME)} or nin"
        )
    return {field: {operator: operand}}


def _whole(part: object, field: str) -> dict[str, Any]:
    if not isinstance(part, Mapping) or not part:
        raise InvalidInput(field, f"must be a list of filters, not {checks.shown(part)}")
    return {"and": [_part(key, value) for key, value in part.items()]}


def _list(key: str, value: object) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise InvalidInput(f"filters.{key}", f"must be a list of filters, not {checks.shown(value)}")
    return value


def _name(key: str, value: object) -> str:
    """Return an id as a name; numbers become text and blanks around it are trimmed, as in mem0."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return checks.name(key, value.strip() if isinstance(value, str) else value)
