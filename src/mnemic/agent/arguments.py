"""Arguments of a tool call, checked against the tool's JSON schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.model import checks

_TYPES: dict[str, tuple[type, str]] = {
    "string": (str, "text"),
    "integer": (int, "a whole number"),
    "array": (list, "a list"),
}


def arguments_of(schema: Mapping[str, Any], given: object) -> dict[str, Any]:
    """Return the arguments if they fit a schema of texts, whole numbers and lists; else name the one that does not."""
    if not isinstance(given, Mapping):
        raise InvalidInput("arguments", f"must be an object, not {checks.shown(given)}")
    properties = schema["properties"]
    for name in given:
        if name not in properties:
            raise InvalidInput(checks.shown(name), f"is no argument; use {', '.join(properties)}")
    for name in schema["required"]:
        if name not in given:
            raise InvalidInput(name, f"is missing: {properties[name]['description']}")
    for name, value in given.items():
        _check(name, properties[name], value)
    return dict(given)


def _check(name: str, schema: Mapping[str, Any], value: object) -> None:
    kind, told = _TYPES[schema["type"]]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInput(name, f"must be {told}, not {checks.shown(value)}")
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            raise InvalidInput(name, "is empty; give at least one item")
        for place, item in enumerate(value):
            _check(f"{name}[{place}]", schema["items"], item)
    if isinstance(value, str) and len(value.strip()) < schema.get("minLength", 0):
        raise InvalidInput(name, "is blank")
    if isinstance(value, int):
        checks.whole(name, value, least=schema["minimum"], most=schema["maximum"])
