"""Checks for what callers pass in: each returns the clean value or names the field and the fix."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

When: TypeAlias = date | datetime
"""A day (`date`) or an instant (aware UTC `datetime`)."""

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

MAX_TEXT = 16 * 1024 * 1024
MAX_NAME = 500


def storable(field: str, value: object) -> str:
    """Return `value` as a string every store can keep exactly."""
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


def text(field: str, value: object) -> str:
    """Return `value` as memory text: not blank, at most 16 MiB characters."""
    value = storable(field, value)
    if not value or value.isspace():
        raise InvalidInput(field, "is blank; give the words to remember")
    if len(value) > MAX_TEXT:
        raise InvalidInput(field, f"has {len(value):,} characters; split it, at most {MAX_TEXT:,} fit in one memory")
    return value


def name(field: str, value: object) -> str:
    """Return `value` as a short name: a scope key, a tag, a category, a relation."""
    if value is None:
        raise InvalidInput(field, "is None; leave it out, or give a name (a lost variable?)")
    value = storable(field, value)
    if not value or value.isspace():
        raise InvalidInput(field, "is blank; leave it out, or give a name (a lost variable?)")
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
        shown = value if not isinstance(value, str) or len(value) <= 60 else value[:60] + "…"
        raise InvalidInput(field, f"must be a UUID, not {shown!r}") from None


def importance(value: object) -> float:
    """Return `value` as an importance from 1 to 10."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput("importance", f"must be a number from 1 to 10, not {value!r}")
    if not math.isfinite(value) or not 1 <= value <= 10:
        raise InvalidInput("importance", f"must lie between 1 and 10, not {value!r}")
    return float(value)


def when(field: str, value: object) -> When:
    """Return `value` as a day or an aware UTC instant; ISO 8601 text is read."""
    if isinstance(value, str):
        value = _parsed_time(field, value)
    if isinstance(value, datetime):
        return instant(field, value)
    if isinstance(value, date):
        return value
    raise InvalidInput(field, f"must be a date, an aware datetime or ISO 8601 text, not {value!r}")


def instant(field: str, value: object) -> datetime:
    """Return `value` as an aware UTC datetime."""
    if isinstance(value, str):
        value = _parsed_time(field, value)
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be an aware datetime or ISO 8601 text with a time, not {value!r}")
    if value.utcoffset() is None:
        raise InvalidInput(field, f"{value.isoformat()} has no time zone; add one, for instance tzinfo=UTC")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, f"{value.isoformat()} cannot be expressed in UTC") from None


def _parsed_time(field: str, value: str) -> When:
    try:
        return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    except ValueError:
        shown = value if len(value) <= 40 else value[:40] + "…"
        raise InvalidInput(field, f"{shown!r} is not ISO 8601, such as 2026-03-01 or 2026-03-01T09:30:00Z") from None


def metadata(value: object) -> tuple[dict[str, Json], str]:
    """Return `value` as JSON metadata, with the text it is stored as."""
    if value is None:
        return {}, "{}"
    if not isinstance(value, dict):
        raise InvalidInput("metadata", f"must be a dict, not {type(value).__name__}")
    if not value:
        return {}, "{}"
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        written.encode()
    except UnicodeEncodeError:
        raise InvalidInput("metadata", "contains a lone surrogate; decode it as proper Unicode first") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("metadata", f"cannot be written as JSON: {error}") from None
    if "\\u0000" in written and _has_nul(value):
        raise InvalidInput("metadata", "contains a NUL character; remove it")
    if (copy := json.loads(written)) != value:
        raise InvalidInput("metadata", "would change when stored as JSON; use text keys, and lists for tuples")
    return copy, written


def _has_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(_has_nul(part) for part in value)


def tags(value: object) -> tuple[str, ...]:
    """Return `value` as tags, in order and without repeats."""
    if not value and isinstance(value, (list, tuple, set, frozenset)):
        return ()
    if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)):
        raise InvalidInput("tags", f"must be a list of strings, not {value!r}")
    ordered = value if isinstance(value, (list, tuple)) else sorted(value)
    return tuple(dict.fromkeys(name(f"tags[{place}]", tag) for place, tag in enumerate(ordered)))


def whole(field: str, value: object, *, least: int, most: int) -> int:
    """Return `value` as a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, f"must be a whole number, not {value!r}")
    if not least <= value <= most:
        raise InvalidInput(field, f"must lie between {least:,} and {most:,}, not {value}")
    return value


def fields(what: str, given: Mapping[str, object], known: frozenset[str]) -> None:
    """Refuse names that `what` does not have."""
    for key in given:
        if key not in known:
            raise InvalidInput(str(key), f"is not a field of {what}; known are {', '.join(sorted(known))}")
