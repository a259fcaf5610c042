"""SQL conditions for selections and filters; every value is a bound parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mnemic.model import filter as f
from mnemic.model.filter import TimeRange
from mnemic.model.time import stamp
from mnemic.stores.sqlite.rows import BEGAN_AT

if TYPE_CHECKING:
    from mnemic.model.filter import Filter, Selection, Test, Value
    from mnemic.model.scope import Scope

_COMPARISON = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_NUMBER = "('integer', 'real')"
_HAD_BEGUN = f"{BEGAN_AT} <= ?"
_HAD_NOT_ENDED = (
    f"(superseded_at IS NULL OR superseded_at > max(?, {BEGAN_AT})) AND (expires_at IS NULL OR expires_at > ?)"
)


class Condition:
    """An SQL condition and its bound values."""

    def __init__(self, selection: Selection) -> None:
        self.values: list[Any] = []
        parts = self._scope(selection.scope) + self._time(selection)
        if selection.tier is not None:
            parts.append(f"tier = {self._bind(selection.tier)}")
        if selection.where is not None:
            parts.append(self._filter(selection.where))
        self.sql = " AND ".join(parts) or "TRUE"

    def _bind(self, value: object) -> str:
        self.values.append(value)
        return "?"

    def _scope(self, scope: Scope | None) -> list[str]:
        if scope is None:
            return []
        if scope.is_nobody:
            return ["agent IS NULL AND user IS NULL AND session IS NULL"]
        keys = (("agent", scope.agent), ("user", scope.user), ("session", scope.session))
        return [f"{column} = {self._bind(name)}" for column, name in keys if name is not None]

    def _time(self, selection: Selection) -> list[str]:
        parts = []
        moment = stamp(selection.moment)
        if selection.as_of is not None:
            parts.append(_HAD_BEGUN)
            self.values.append(moment)
        if not selection.include_superseded:
            parts.append(_HAD_NOT_ENDED)
            self.values += (moment, moment)
        return parts

    def _filter(self, where: Filter) -> str:
        match where:
            case f.All(parts):
                return "(" + " AND ".join(self._filter(part) for part in parts) + ")"
            case f.Any(parts):
                return "(" + " OR ".join(self._filter(part) for part in parts) + ")"
            case f.Not(part):
                return f"NOT {self._filter(part)}"
            case f.Test():
                return "(" + self._test(where) + ")"

    def _test(self, test: Test) -> str:
        if test.operator == "ne":
            return f"NOT ({self._compare(test, 'eq', test.value)})"
        if test.operator == "in":
            assert isinstance(test.value, tuple)  # noqa: S101 - the parser made it one
            return " OR ".join(f"({self._compare(test, 'eq', value)})" for value in test.value)
        return self._compare(test, test.operator, test.value)

    def _compare(self, test: Test, operator: str, value: Value) -> str:
        if test.kind == "metadata":
            return self._metadata("$" + "".join(f'."{key}"' for key in test.path), operator, value)
        column = test.field
        if test.kind == "tags":
            if operator == "exists":
                return f"(tags != '[]') IS {'TRUE' if value else 'FALSE'}"
            return f"EXISTS (SELECT 1 FROM json_each(tags) WHERE value = {self._bind(value)})"
        if operator == "exists":
            return f"{column} IS {'NOT ' if value else ''}NULL"
        if value is None:
            return f"{column} IS NULL"
        if operator == "contains":
            return f"coalesce(instr({column}, {self._bind(value)}) > 0, FALSE)"
        if isinstance(value, TimeRange):
            return self._time_range(column, operator, value)
        if operator == "eq":
            return f"{column} IS {self._bind(value)}"
        return f"coalesce({column} {_COMPARISON[operator]} {self._bind(value)}, FALSE)"

    def _time_range(self, column: str, operator: str, range_: TimeRange) -> str:
        if operator == "eq":
            return f"coalesce({column} BETWEEN {self._bind(range_.first)} AND {self._bind(range_.last)}, FALSE)"
        bound = range_.first if operator in ("gte", "lt") else range_.last
        return f"coalesce({column} {_COMPARISON[operator]} {self._bind(bound)}, FALSE)"

    def _metadata(self, path: str, operator: str, value: Value) -> str:
        def kind() -> str:
            return f"json_type(metadata, {self._bind(path)})"

        def extract() -> str:
            return f"json_extract(metadata, {self._bind(path)})"

        if operator == "exists":
            return f"{kind()} IS {'NOT ' if value else ''}NULL"
        if operator == "contains":
            item = (
                f"EXISTS (SELECT 1 FROM json_each(metadata, {self._bind(path)}) AS item "
                f"WHERE {kind()} = 'array' AND {self._item_is(value)})"
            )
            if not isinstance(value, str):
                return item
            return f"{item} OR coalesce({kind()} = 'text' AND instr({extract()}, {self._bind(value)}) > 0, FALSE)"
        if value is None:
            return f"coalesce({kind()}, 'null') = 'null'"
        if isinstance(value, bool):
            return f"{kind()} IS '{'true' if value else 'false'}'"
        type_test = f"{kind()} = 'text'" if isinstance(value, str) else f"{kind()} IN {_NUMBER}"
        comparison = "=" if operator == "eq" else _COMPARISON[operator]
        return f"coalesce({type_test} AND {extract()} {comparison} {self._bind(value)}, FALSE)"

    def _item_is(self, value: Value) -> str:
        if isinstance(value, bool):
            return f"item.type = '{'true' if value else 'false'}'"
        type_test = "item.type = 'text'" if isinstance(value, str) else f"item.type IN {_NUMBER}"
        return f"{type_test} AND item.value = {self._bind(value)}"
