"""Checks of arguments: each returns the clean value, or raises an error that names the field and the fix."""

from __future__ import annotations

import json
import os
import reprlib
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from mnemic.errors import InvalidInput
from mnemic.model.time import When, read_when

if TYPE_CHECKING:
    from collections.abc import Mapping

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

MAX_TEXT = 16 * 1024 * 1024
MAX_NAME = 500
MAX_DEPTH = 100


def shown(value: object) -> str:
    """Return a short representation of any value, for an error message."""
    try:
        return reprlib.repr(value)
    except (ValueError, RecursionError):
        return f"a huge {type(value).__name__}"


def flag(field: str, value: object) -> bool:
    """Return `value` as a bool."""
    if not isinstance(value, bool):
        raise InvalidInput(field, f"must be True or False, not {shown(value)}")
    return value


def path(field: str, value: object) -> Path:
    """Return `value` as a path that the file system accepts."""
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        raise InvalidInput(field, f"must be a path, not {shown(value)}")
    return Path(storable(field, os.fsdecode(value)))


def storable(field: str, value: object) -> str:
    """Return `value` as a string that every store can keep unchanged."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be a string, not {type(value).__name__}")
    if "\0" in value:
        raise InvalidInput(field, "contains a NUL character; remove it")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                field,
                f"contains a lone surrogate at position {error.start}; decode it as proper Unicode first",
            ) from None
    return value


def text(field: str, value: object, *, remedy: str = "give the words to remember") -> str:
    """Return `value` as memory text: not blank, at most 16 MiB characters."""
    value = storable(field, value)
    if not value or value.isspace():
        raise InvalidInput(field, f"is blank; {remedy}")
    if len(value) > MAX_TEXT:
        raise InvalidInput(field, f"has {len(value):,} characters; split it, at most {MAX_TEXT:,} fit in one memory")
    return value


def name(field: str, value: object) -> str:
    """Return `value` as a short name: a scope key, a tag, a category, a relation."""
    if value is None:
        raise InvalidInput(field, "is None; leave it out, or give a name (is a variable unset?)")
    value = storable(field, value)
    if not value or value.isspace():
        raise InvalidInput(field, "is blank; leave it out, or give a name (is a variable unset?)")
    if len(value) > MAX_NAME:
        raise InvalidInput(field, f"has {len(value):,} characters; at most {MAX_NAME} fit in a name")
    return value


def identifier(field: str, value: object) -> str:
    """Return `value` as the canonical text of a UUID."""
    if isinstance(value, UUID):
        return str(value)
    try:
        return str(UUID(storable(field, value)))
    except ValueError:
        raise InvalidInput(field, f"must be a UUID, not {shown(value)}") from None


def importance(value: object) -> float:
    """Return `value` as an importance from 1 to 10."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput("importance", f"must be a number from 1 to 10, not {shown(value)}")
    if not 1 <= value <= 10:
        raise InvalidInput("importance", f"must be between 1 and 10, not {shown(value)}")
    return float(value)


def when(field: str, value: object) -> When:
    """Return `value` as a day or an aware UTC instant; ISO 8601 text is read."""
    moment = _parsed_time(field, value) if isinstance(value, str) else value
    if isinstance(moment, datetime):
        return instant(field, value)
    if isinstance(moment, date):
        return moment
    raise InvalidInput(field, f"must be a date, an aware datetime or ISO 8601 text, not {shown(value)}")


def instant(field: str, value: object) -> datetime:
    """Return `value` as an aware UTC datetime."""
    is_text = isinstance(value, str)
    if isinstance(value, str):
        value = _parsed_time(field, value)
    if is_text and not isinstance(value, datetime):
        raise InvalidInput(field, f"{value} is a day; give a time with its zone, such as {value}T00:00:00Z")
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be an aware datetime or ISO 8601 text with a time, not {shown(value)}")
    if value.tzinfo is UTC:
        return value
    if value.utcoffset() is None:
        zone = f"{value.isoformat()}Z" if is_text else "tzinfo=UTC"
        raise InvalidInput(field, f"{value.isoformat()} has no time zone; add one, such as {zone}")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, f"{value.isoformat()} cannot be expressed in UTC") from None


def _parsed_time(field: str, value: str) -> When:
    try:
        return read_when(value)
    except ValueError:
        raise InvalidInput(
            field, f"{shown(value)} is not ISO 8601, such as 2026-03-01 or 2026-03-01T09:30:00Z"
        ) from None


def metadata(value: object) -> dict[str, Json]:
    """Return a copy of `value` as JSON metadata."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput("metadata", f"must be a dict, not {type(value).__name__}")
    if not value:
        return {}
    _check_json("metadata", value, 0)
    try:
        encoded = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        encoded.encode()
    except UnicodeEncodeError:
        raise InvalidInput("metadata", "contains a lone surrogate; decode it as proper Unicode first") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("metadata", f"cannot be written as JSON: {error}") from None
    copy: dict[str, Json] = json.loads(encoded)
    if copy != value:
        raise InvalidInput("metadata", "would change when stored as JSON; use text keys, and lists for tuples")
    return copy


def _check_json(field: str, value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise InvalidInput(field, f"is nested more than {MAX_DEPTH} deep")
    if isinstance(value, str) and "\0" in value:
        raise InvalidInput(field, "contains a NUL character; remove it")
    if isinstance(value, dict):
        for key, item in value.items():
            _check_json(field, key, depth)
            _check_json(field, item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check_json(field, item, depth + 1)


def tags(value: object) -> tuple[str, ...]:
    """Return `value` as tags, in order and without duplicates."""
    if not value and isinstance(value, (list, tuple, set, frozenset)):
        return ()
    if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)):
        raise InvalidInput("tags", f"must be a list of strings, not {shown(value)}")
    ordered = value if isinstance(value, (list, tuple)) else sorted(value, key=str)
    return tuple(dict.fromkeys(name(f"tags[{index}]", tag) for index, tag in enumerate(ordered)))


def integer(field: str, value: object, *, minimum: int, maximum: int) -> int:
    """Return `value` as an integer within bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, f"must be a whole number, not {shown(value)}")
    if not minimum <= value <= maximum:
        raise InvalidInput(field, f"must be between {minimum:,} and {maximum:,}, not {shown(value)}")
    return value


def fields(owner: str, values: Mapping[str, object], known: frozenset[str]) -> None:
    """Refuse keys that are not fields of the owner."""
    for key in values:
        if key not in known:
            raise InvalidInput(
                shown(key) if not isinstance(key, str) else key[:60],
                f"is not a field of {owner}; known are {', '.join(sorted(known))}",
            )
