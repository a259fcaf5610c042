"""Filters: the `where` language, parsed once into small values.

A filter is one JSON-able dict. `{"category": "opinion", "metadata.year": {"gte": 2023}}` requires both;
`{"or": [...]}`, `{"and": [...]}` and `{"not": {...}}` combine filters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from mnemic.errors import InvalidInput
from mnemic.model import checks
from mnemic.model.memory import FIELD_TYPES
from mnemic.model.time import end_of, stamp

if TYPE_CHECKING:
    from mnemic.model.memory import Tier
    from mnemic.model.scope import Scope
    from mnemic.model.time import When

Operator = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains", "exists"]
OPERATORS: tuple[str, ...] = get_args(Operator)
Kind = Literal["text", "number", "time", "tags", "metadata"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("str", "str | None", "Tier"), "text"),
    **dict.fromkeys(("float", "int"), "number"),
    **dict.fromkeys(("datetime", "datetime | None", "When | None"), "time"),
    "tuple[str, ...]": "tags",
}
FIELD_KINDS = {name: _KINDS[type_] for name, type_ in FIELD_TYPES.items() if name != "metadata"}
"""The fields that a filter may name, besides metadata keys, and the kinds of their values."""
OPERATORS_OF: dict[Kind, frozenset[str]] = {
    "text": frozenset(OPERATORS),
    "number": frozenset(OPERATORS) - {"contains"},
    "time": frozenset(OPERATORS) - {"contains", "in"},
    "tags": frozenset({"contains", "exists"}),
    "metadata": frozenset(OPERATORS),
}
MAX_DEPTH = 16
MAX_TESTS = 200

Value: TypeAlias = "None | bool | int | float | str | TimeRange | tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The first and the last stored time that belong to a day or an instant.

    Times are compared as text. A date without a time sorts before every instant of that day, so it stands for the
    day's first instant.
    """

    first: str
    last: str

    @classmethod
    def of(cls, when: When) -> TimeRange:
        """Return the range of a day, or of one instant."""
        last = end_of(when)
        if not isinstance(when, datetime):
            return cls(when.isoformat(), stamp(last))
        midnight = when.astimezone(UTC).time() == datetime.min.time()
        return cls(when.astimezone(UTC).date().isoformat() if midnight else stamp(when), stamp(last))


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of one field with one value."""

    __test__ = False

    field: str
    kind: Kind
    path: tuple[str, ...]
    operator: Operator
    value: Value


@dataclass(frozen=True, slots=True)
class All:
    """A filter that passes when every part does."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """A filter that passes when at least one part does."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """A filter that passes when its part does not."""

    part: Filter


Filter: TypeAlias = Test | All | Any | Not


@dataclass(frozen=True, slots=True)
class Selection:
    """The memories that an operation applies to: by scope, tier, filter and time.

    A scope of None selects all scopes. Memories that have expired or are superseded at `now` are left out. With `as_of`
    that time decides instead, and memories that began later are left out too.
    """

    scope: Scope | None
    now: datetime
    tier: Tier | None = None
    where: Filter | None = None
    as_of: When | None = None
    include_superseded: bool = False

    @property
    def moment(self) -> datetime:
        """Return the time that decides which memories have ended."""
        return self.now if self.as_of is None else end_of(self.as_of)

    def narrowed(self, part: Filter) -> Selection:
        """Return the selection of the memories that also pass a filter."""
        return replace(self, where=part if self.where is None else All((self.where, part)))


def has_id(id: str) -> Test:
    """Return the filter for the memory with an id."""
    return Test("id", "text", (), "eq", id)


def parse(where: object) -> Filter | None:
    """Return the filter that `where` describes; None for None."""
    if where is None:
        return None
    parsed = _parse(where, at="where", depth=0)
    if _size(parsed) > MAX_TESTS:
        raise InvalidInput("where", f"has more than {MAX_TESTS} conditions; split the filter")
    return parsed


def _parse(where: object, *, at: str, depth: int) -> Filter:
    if not isinstance(where, Mapping):
        raise InvalidInput(at, f'must be a dict such as {{"category": "opinion"}}, not {checks.shown(where)}')
    if not where:
        raise InvalidInput(at, "is empty; leave it out to select everything")
    if depth > MAX_DEPTH:
        raise InvalidInput(at, f"is nested more than {MAX_DEPTH} deep")
    parts: list[Filter] = []
    for key, value in where.items():
        here = f"{at}.{key}"
        if key in ("and", "or"):
            if not isinstance(value, (list, tuple)) or not value:
                raise InvalidInput(here, "must be a list of filters")
            inner = tuple(_parse(part, at=f"{here}[{index}]", depth=depth + 1) for index, part in enumerate(value))
            parts.append(All(inner) if key == "and" else Any(inner))
        elif key == "not":
            parts.append(Not(_parse(value, at=here, depth=depth + 1)))
        else:
            parts.extend(_tests(key, value, at=here))
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _tests(field: object, value: object, *, at: str) -> list[Test]:
    kind, path = _field(field, at=at)
    operations: Mapping[object, object] = value if isinstance(value, Mapping) else {"eq": value}
    if not operations:
        raise InvalidInput(at, f"needs an operator: {', '.join(OPERATORS)}")
    tests = []
    for operator, operand in operations.items():
        if operator not in OPERATORS_OF[kind]:
            known = ", ".join(name for name in OPERATORS if name in OPERATORS_OF[kind])
            raise InvalidInput(at, f"does not support the operator {checks.shown(operator)}; use {known}")
        checked = _operand(kind, operator, operand, at=f"{at}.{operator}")  # type: ignore[arg-type]
        tests.append(Test(str(field), kind, path, operator, checked))  # type: ignore[arg-type]
    return tests


def _field(field: object, *, at: str) -> tuple[Kind, tuple[str, ...]]:
    if isinstance(field, str) and field in FIELD_KINDS:
        return FIELD_KINDS[field], ()
    if isinstance(field, str) and field.startswith("metadata."):
        path = tuple(checks.storable(at, field).split(".")[1:])
        if all(path) and not any(char in '"\\' or ord(char) < 32 for part in path for char in part):
            return "metadata", path
        raise InvalidInput(at, "names a metadata key with an empty part, a quote, a backslash or a control character")
    raise InvalidInput(at, f"is not a field; use metadata.KEY or one of {', '.join(sorted(FIELD_KINDS))}")


def _operand(kind: Kind, operator: Operator, value: object, *, at: str) -> Value:
    if operator == "exists":
        return checks.flag(at, value)
    if operator == "in":
        if not isinstance(value, (list, tuple)) or not value:
            raise InvalidInput(at, "must be a list with at least one value")
        return tuple(_scalar(kind, item, at=f"{at}[{index}]") for index, item in enumerate(value))
    if value is None and operator in ("eq", "ne"):
        return None
    if kind == "metadata" and operator in ("gt", "gte", "lt", "lte") and isinstance(value, bool):
        raise InvalidInput(at, "must be a number or text")
    return _scalar("text" if kind == "tags" else kind, value, at=at)


def _scalar(kind: Kind, value: object, *, at: str) -> Value:
    if kind == "time":
        return TimeRange.of(checks.when(at, value))
    if isinstance(value, str) and kind != "number":
        return checks.storable(at, value)
    if isinstance(value, bool) and kind == "metadata":
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and kind != "text":
        if value != value or abs(value) == float("inf") or (isinstance(value, int) and abs(value) >= 2**63):
            raise InvalidInput(
                at, f"must be a finite number, and an integer must fit in 64 bits, not {checks.shown(value)}"
            )
        return value
    expected = {"text": "text", "number": "a number", "metadata": "text, a number, true or false"}[kind]
    raise InvalidInput(at, f"must be {expected}, not {checks.shown(value)}")


def _size(filter: Filter) -> int:
    if isinstance(filter, Test):
        return len(filter.value) if isinstance(filter.value, tuple) else 1
    if isinstance(filter, Not):
        return _size(filter.part)
    return sum(_size(part) for part in filter.parts)
