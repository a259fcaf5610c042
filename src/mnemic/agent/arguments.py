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


def checked_arguments(schema: Mapping[str, Any], arguments: object) -> dict[str, Any]:
    """Return the arguments if they match a schema of texts, whole numbers and lists."""
    if not isinstance(arguments, Mapping):
        raise InvalidInput("arguments", f"must be an object, not {checks.shown(arguments)}")
    properties = schema["properties"]
    for name in arguments:
        if name not in properties:
            raise InvalidInput(checks.shown(name), f"is not an argument; use {', '.join(properties)}")
    for name in schema["required"]:
        if name not in arguments:
            raise InvalidInput(name, f"is missing: {properties[name]['description']}")
    for name, value in arguments.items():
        _check(name, properties[name], value)
    return dict(arguments)


def _check(name: str, schema: Mapping[str, Any], value: object) -> None:
    kind, noun = _TYPES[schema["type"]]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidInput(name, f"must be {noun}, not {checks.shown(value)}")
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            raise InvalidInput(name, "is empty; give at least one item")
        for index, item in enumerate(value):
            _check(f"{name}[{index}]", schema["items"], item)
    if isinstance(value, str) and len(value.strip()) < schema.get("minLength", 0):
        raise InvalidInput(name, "is blank")
    if isinstance(value, int):
        checks.integer(name, value, minimum=schema["minimum"], maximum=schema["maximum"])
