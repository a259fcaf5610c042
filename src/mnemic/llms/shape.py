"""Shape: a dataclass filled from JSON, with every field checked."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from mnemic.errors import InvalidInput
from mnemic.model.checks import shown

T = TypeVar("T")


def shaped(type_: type[T], value: object) -> T:
    """Return a JSON value as a dataclass of this type; an error names the field that does not fit."""
    built: T = _shaped(type_, value, "answer")
    return built


def _shaped(type_: Any, value: object, field: str) -> Any:  # noqa: ANN401
    origin = get_origin(type_)
    if dataclasses.is_dataclass(type_):
        return _dataclass(type_, value, field)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(type_), value, field)
    if origin is Literal:
        if value not in get_args(type_):
            raise InvalidInput(field, f"must be one of {', '.join(map(str, get_args(type_)))}, not {shown(value)}")
        return value
    if origin in (list, tuple):
        if not isinstance(value, (list, tuple)):
            raise InvalidInput(field, f"must be a list, not {shown(value)}")
        return origin(_shaped(get_args(type_)[0], part, f"{field}[{index}]") for index, part in enumerate(value))
    if type_ is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, type_) and not (isinstance(value, bool) and type_ is not bool):
        return value
    raise InvalidInput(field, f"must be {type_.__name__}, not {shown(value)}")


def _dataclass(type_: Any, value: object, field: str) -> Any:  # noqa: ANN401
    if isinstance(value, type_):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be an object, not {shown(value)}")
    hints = get_type_hints(type_)
    values = {}
    for part in dataclasses.fields(type_):
        if part.name in value:
            values[part.name] = _shaped(hints[part.name], value[part.name], f"{field}.{part.name}")
        elif part.default is dataclasses.MISSING and part.default_factory is dataclasses.MISSING:
            raise InvalidInput(f"{field}.{part.name}", "is missing")
    return type_(**values)


def _one_of(types_: tuple[Any, ...], value: object, field: str) -> Any:  # noqa: ANN401
    for type_ in types_:
        try:
            return _shaped(type_, value, field)
        except InvalidInput:
            continue
    raise InvalidInput(field, f"does not fit: {shown(value)}")
