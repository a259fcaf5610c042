"""The routes of experience: which outcome needs which tool and which key, and where it is filed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.errors import InvalidInput
from mnemic.model import checks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mnemic.model.checks import Json

FIELDS = ("content", "outcome", "tool", "summary", "occurred_at")
"""What an experience is told with, whatever its route."""

RESERVED = frozenset({*FIELDS, "memory_id"})
_ARGUMENTS = frozenset(
    "self query since until limit min_score budget cursor path before everything purge metadata".split()
)
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,49}")
_COLUMNS = frozenset({"outcome", "tool", "key", "values"})


@dataclass(frozen=True, slots=True)
class Route:
    """Hold one line of the table: an outcome, the tool it needs, the key it needs and that key's values."""

    outcome: str
    tool: str | None = None
    key: str | None = None
    values: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name the route as a person reads it."""
        return self.outcome if self.tool is None else f"{self.outcome} with {self.tool}"

    def folders(self) -> list[Place]:
        """Return the places that experiences of this route are filed under."""
        return [Place(self.outcome, self.tool, self.key, value) for value in self.values or (None,)]


@dataclass(frozen=True, slots=True)
class Place:
    """Say where one experience belongs: its route, and the value of the route's key."""

    outcome: str
    tool: str | None = None
    key: str | None = None
    value: str | None = None

    @property
    def folder(self) -> str:
        """Return the place as a path below the root of the tree."""
        return "/".join(part for part in (self.outcome, self.tool, self.value) if part is not None)


class Routes:
    """Hold the table, and judge by it."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Take the lines of the table, refusing one that contradicts another."""
        self.routes = tuple(routes)
        if not self.routes:
            raise InvalidInput("routes", "are empty; give at least one line")
        for line in self.routes:
            _check_line(line)
        self._by_tool: dict[str, dict[str | None, Route]] = {}
        for line in self.routes:
            tools = self._by_tool.setdefault(line.outcome, {})
            if line.tool in tools or (tools and None in (line.tool, *tools)):
                raise InvalidInput("routes", f"{line.name} collides with another line of {line.outcome}")
            tools[line.tool] = line
        self._by_folder = {place.folder: place for line in self.routes for place in line.folders()}
        self._values: dict[str, dict[str, None]] = {}
        for line in self.routes:
            if line.key:
                self._values.setdefault(line.key, {}).update(dict.fromkeys(line.values))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Routes) and self.routes == other.routes

    def __hash__(self) -> int:
        return hash(self.routes)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Return every outcome, in the order of the table."""
        return tuple(self._by_tool)

    @property
    def tools(self) -> tuple[str, ...]:
        """Return every tool, in the order of the table."""
        return tuple(dict.fromkeys(line.tool for line in self.routes if line.tool))

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """Return every routing key with all its values, in the order of the table."""
        return {key: tuple(values) for key, values in self._values.items()}

    @property
    def places(self) -> tuple[Place, ...]:
        """Return every place that something can be filed under."""
        return tuple(self._by_folder.values())

    def in_folder(self, folder: str) -> Place | None:
        """Return the place whose folder this is."""
        return self._by_folder.get(folder)

    def place(self, outcome: object, tool: object, metadata: Mapping[str, object]) -> Place:
        """Return where an experience belongs, or refuse what is wrong with it."""
        for problem in self.problems(outcome, tool, metadata):
            raise problem
        line = self._by_tool[outcome][tool]  # type: ignore[index]
        return Place(line.outcome, line.tool, line.key, metadata[line.key] if line.key else None)  # type: ignore[arg-type]

    def problems(self, outcome: object, tool: object, metadata: Mapping[str, object]) -> list[InvalidInput]:
        """Return everything that keeps an experience from being filed, each with its field and the allowed values."""
        if not isinstance(outcome, str) or outcome not in self._by_tool:
            return [_unlike("outcome", outcome, self.outcomes)]
        tools = self._by_tool[outcome]
        if None in tools and tool is not None:
            return [InvalidInput("tool", f"is {checks.shown(tool)}, but {outcome} takes no tool; leave it out")]
        if None not in tools and (not isinstance(tool, str) or tool not in tools):
            return [_unlike("tool", tool, [str(name) for name in tools], of=outcome)]
        line = tools[tool]  # type: ignore[index]
        wrong = []
        if line.key and not _is_one_of(metadata.get(line.key), line.values):
            wrong.append(_unlike(line.key, metadata.get(line.key), line.values, of=line.name))
        return wrong + [self._foreign(key, line) for key in self._values if key != line.key and key in metadata]

    def _foreign(self, key: str, line: Route) -> InvalidInput:
        owners = ", ".join(other.name for other in self.routes if other.key == key)
        allowed = f"which takes {line.key}: {', '.join(line.values)}" if line.key else "which takes no routing key"
        return InvalidInput(key, f"belongs to {owners}, not to {line.name}, {allowed}; leave {key} out")

    def narrowed(
        self, *, outcome: str | None = None, tool: str | None = None, keys: Mapping[str, object] | None = None
    ) -> list[Place]:
        """Return the places that agree with what is given, refusing names and combinations that the table lacks."""
        keys = keys or {}
        if outcome is not None and not _is_one_of(outcome, self.outcomes):
            raise _unlike("outcome", outcome, self.outcomes)
        if tool is not None and tool not in self.tools:
            raise _unlike("tool", tool, self.tools)
        for key, value in keys.items():
            if key not in self.keys:
                raise InvalidInput(checks.shown(key)[1:-1], f"is no routing key; known are {', '.join(self.keys)}")
            if not _is_one_of(value, self.keys[key]):
                raise _unlike(key, value, self.keys[key])
        agreeing = [
            place
            for place in self.places
            if outcome in (None, place.outcome)
            and tool in (None, place.tool)
            and all((place.key, place.value) == pair for pair in keys.items())
        ]
        if not agreeing:
            asked = {"outcome": outcome, "tool": tool, **keys}
            told = ", ".join(f"{name} {value}" for name, value in asked.items() if value is not None)
            raise InvalidInput("route", f"no line of the table has {told} together")
        return agreeing

    def schema(self) -> dict[str, Json]:
        """Return a JSON schema of what can be remembered, for tools that a language model calls.

        It is flat, because many models take no conditions; what belongs together stands in the descriptions.
        """
        properties: dict[str, Json] = {
            "content": {"type": "string", "description": "What happened, specific enough to be of use later."},
            "outcome": {"type": "string", "enum": list(self.outcomes), "description": "How it went."},
            "tool": {"type": "string", "enum": list(self.tools), "description": self._tools_told()},
            "summary": {"type": "string", "pattern": SUMMARY.pattern, "description": SUMMARY_RULE},
            "occurred_at": {"type": "string", "description": "When it happened, ISO 8601; now when left out."},
        }
        if not self.tools:
            del properties["tool"]
        for key, values in self.keys.items():
            needed = "; ".join(f"{line.name}: {', '.join(line.values)}" for line in self.routes if line.key == key)
            properties[key] = {"type": "string", "enum": list(values), "description": f"Required for {needed}."}
        return {"type": "object", "properties": properties, "required": ["content", "outcome"]}

    def _tools_told(self) -> str:
        told = []
        for outcome, tools in self._by_tool.items():
            names = ", ".join(name for name in tools if name)
            told.append(f"{outcome}: {names or 'none, leave it out'}")
        return f"Required for {'; '.join(told)}."

    def table(self) -> str:
        """Return the table in Markdown."""
        lines = ["| outcome | tool | key and its values |", "|---|---|---|"]
        for line in self.routes:
            key = f"`{line.key}`: {', '.join(line.values)}" if line.key else "none"
            lines.append(f"| {line.outcome} | {line.tool or 'none'} | {key} |")
        return "\n".join(lines)

    def to_list(self) -> list[Json]:
        """Return the lines as JSON-able values, as a table's file holds them."""
        return [
            {
                "outcome": line.outcome,
                **({"tool": line.tool} if line.tool else {}),
                **({"key": line.key, "values": list(line.values)} if line.key else {}),
            }
            for line in self.routes
        ]

    @classmethod
    def from_list(cls, given: object) -> Routes:
        """Build a table from what `to_list` returned, or a person wrote like it."""
        if not isinstance(given, list):
            raise InvalidInput("routes", f"must be a list of lines, not {checks.shown(given)}")
        lines = []
        for number, line in enumerate(given):
            try:
                if not isinstance(line, Mapping):
                    raise InvalidInput("line", f"must be an object, not {checks.shown(line)}")
                checks.fields("a line of the table", line, _COLUMNS)
                values = line.get("values", [])
                if not isinstance(values, (list, tuple)):
                    raise InvalidInput("values", f"must be a list, not {checks.shown(values)}")
                lines.append(Route(line.get("outcome"), line.get("tool"), line.get("key"), tuple(values)))  # type: ignore[arg-type]
                _check_line(lines[-1])
            except InvalidInput as error:
                raise InvalidInput(f"routes[{number}].{error.field}", error.problem) from None
        return cls(lines)


SUMMARY = re.compile(r"^[a-z0-9][a-z0-9_-]{0,48}$")
SUMMARY_RULE = "A name for it under 50 characters: lower-case letters, digits, underscores and hyphens."


def _is_one_of(value: object, allowed: Sequence[str]) -> bool:
    return isinstance(value, str) and value in allowed


def _unlike(field: str, value: object, allowed: Sequence[str], *, of: str | None = None) -> InvalidInput:
    for_what = f" for {of}" if of else ""
    if value is None:
        return InvalidInput(field, f"is missing; it must be one of {', '.join(allowed)}{for_what}")
    return InvalidInput(field, f"must be one of {', '.join(allowed)}{for_what}, not {checks.shown(value)}")


def _check_line(line: Route) -> None:
    _check_name("outcome", line.outcome)
    if line.tool is not None:
        _check_name("tool", line.tool)
    if (line.key is None) != (not line.values):
        raise InvalidInput("key", "and its values need one another; give both or neither")
    if line.key is not None:
        _check_name("key", line.key)
        if line.key in RESERVED:
            raise InvalidInput("key", f"{line.key} is a field of every experience; choose another name")
        if line.key in _ARGUMENTS:
            raise InvalidInput("key", f"{line.key} is an argument of recalling and forgetting; choose another name")
    for value in line.values:
        _check_name("values", value)
    if len(set(line.values)) != len(line.values):
        raise InvalidInput("values", f"name {', '.join(line.values)}; leave out the repeats")


def _check_name(field: str, value: object) -> None:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise InvalidInput(
            field,
            f"must start with a lower-case letter and hold only those, digits, _ and -, at most 50, "
            f"not {checks.shown(value)}",
        )


ROUTES = Routes(
    (
        Route("success", "code_interpreter", "task_type", ("write", "debug", "refactor", "explain")),
        Route("success", "web_search", "domain", ("technical", "research", "general")),
        Route("success", "file_operation"),
        Route("success", "conversation"),
        Route("failure", "code_interpreter", "error_type", ("syntax", "runtime", "logic", "timeout")),
        Route("failure", "web_search", "reason", ("no_results", "blocked", "irrelevant")),
        Route("failure", "file_operation"),
        Route("failure", "unknown"),
        Route("learning", None, "insight_type", ("pattern", "correction", "preference", "fact")),
        Route("interaction", None, "sentiment", ("positive", "neutral", "negative")),
    )
)
"""The table unless another is given; everything else is derived from it."""
