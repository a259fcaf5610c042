"""The table of routes: which tool and key each outcome needs, and the folder it is filed in."""

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
"""The fields of every experience, whatever its route."""

RESERVED = frozenset({*FIELDS, "memory_id"})
_ARGUMENTS = frozenset(
    "self query since until limit min_score budget cursor path before everything purge metadata".split()
)
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,49}")
_COLUMNS = frozenset({"outcome", "tool", "key", "values"})


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table: an outcome, the tool and the key it needs, and the values of the key."""

    outcome: str
    tool: str | None = None
    key: str | None = None
    values: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The route in words."""
        return self.outcome if self.tool is None else f"{self.outcome} with {self.tool}"

    def folders(self) -> list[Place]:
        """Return the places of this route."""
        return [Place(self.outcome, self.tool, self.key, value) for value in self.values or (None,)]


@dataclass(frozen=True, slots=True)
class Place:
    """Where one experience is filed: its route, and the value of the route's key."""

    outcome: str
    tool: str | None = None
    key: str | None = None
    value: str | None = None

    @property
    def folder(self) -> str:
        """The folder of the place, below the root of the tree."""
        return "/".join(part for part in (self.outcome, self.tool, self.value) if part is not None)


class Routes:
    """The table, and the checks by it."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Take the lines of the table, and refuse lines that conflict."""
        self.routes = tuple(routes)
        if not self.routes:
            raise InvalidInput("routes", "are empty; add at least one line")
        for line in self.routes:
            _check_line(line)
        self._by_tool: dict[str, dict[str | None, Route]] = {}
        for line in self.routes:
            tools = self._by_tool.setdefault(line.outcome, {})
            if line.tool in tools or (tools and None in (line.tool, *tools)):
                raise InvalidInput("routes", f"{line.name} conflicts with another line; remove one of them")
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
        """All outcomes, in the order of the table."""
        return tuple(self._by_tool)

    @property
    def tools(self) -> tuple[str, ...]:
        """All tools, in the order of the table."""
        return tuple(dict.fromkeys(line.tool for line in self.routes if line.tool))

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """All routing keys with their values, in the order of the table."""
        return {key: tuple(values) for key, values in self._values.items()}

    @property
    def places(self) -> tuple[Place, ...]:
        """All places of the table."""
        return tuple(self._by_folder.values())

    def in_folder(self, folder: str) -> Place | None:
        """Return the place of a folder, or None when the table has none."""
        return self._by_folder.get(folder)

    def place(self, outcome: object, tool: object, metadata: Mapping[str, object]) -> Place:
        """Return the place of an experience, or refuse it with the first problem."""
        for problem in self.problems(outcome, tool, metadata):
            raise problem
        line = self._by_tool[outcome][tool]  # type: ignore[index]
        return Place(line.outcome, line.tool, line.key, metadata[line.key] if line.key else None)  # type: ignore[arg-type]

    def problems(self, outcome: object, tool: object, metadata: Mapping[str, object]) -> list[InvalidInput]:
        """Return everything that is wrong with a route, each with its field and the allowed values."""
        if not isinstance(outcome, str) or outcome not in self._by_tool:
            return [_not_one_of("outcome", outcome, self.outcomes)]
        tools = self._by_tool[outcome]
        if None in tools and tool is not None:
            return [InvalidInput("tool", f"is {checks.shown(tool)}, but {outcome} takes no tool; leave it out")]
        if None not in tools and (not isinstance(tool, str) or tool not in tools):
            return [_not_one_of("tool", tool, [str(name) for name in tools], of=outcome)]
        line = tools[tool]  # type: ignore[index]
        problems = []
        if line.key and not _is_one_of(metadata.get(line.key), line.values):
            problems.append(_not_one_of(line.key, metadata.get(line.key), line.values, of=line.name))
        return problems + [self._foreign_key(key, line) for key in self._values if key != line.key and key in metadata]

    def _foreign_key(self, key: str, line: Route) -> InvalidInput:
        owners = ", ".join(other.name for other in self.routes if other.key == key)
        allowed = f"which takes {line.key}: {', '.join(line.values)}" if line.key else "which takes no routing key"
        return InvalidInput(key, f"belongs to {owners}, not to {line.name}, {allowed}; leave {key} out")

    def narrowed(
        self, *, outcome: str | None = None, tool: str | None = None, keys: Mapping[str, object] | None = None
    ) -> list[Place]:
        """Return the places that match, and refuse names and combinations that the table lacks."""
        keys = keys or {}
        if outcome is not None and not _is_one_of(outcome, self.outcomes):
            raise _not_one_of("outcome", outcome, self.outcomes)
        if tool is not None and tool not in self.tools:
            raise _not_one_of("tool", tool, self.tools)
        for key, value in keys.items():
            if key not in self.keys:
                raise InvalidInput(checks.shown(key)[1:-1], f"is not a routing key; use {', '.join(self.keys)}")
            if not _is_one_of(value, self.keys[key]):
                raise _not_one_of(key, value, self.keys[key])
        matching = [
            place
            for place in self.places
            if outcome in (None, place.outcome)
            and tool in (None, place.tool)
            and all((place.key, place.value) == pair for pair in keys.items())
        ]
        if not matching:
            criteria = {"outcome": outcome, "tool": tool, **keys}
            combination = ", ".join(f"{name} {value}" for name, value in criteria.items() if value is not None)
            raise InvalidInput("route", f"no line of the table has {combination} together")
        return matching

    def schema(self) -> dict[str, Json]:
        """Return a JSON schema of an experience, for tools that a language model calls.

        It is flat, because many models ignore conditions; the descriptions say which values go together.
        """
        properties: dict[str, Json] = {
            "content": {"type": "string", "description": "What happened, specific enough to be useful later."},
            "outcome": {"type": "string", "enum": list(self.outcomes), "description": "How it went."},
            "tool": {"type": "string", "enum": list(self.tools), "description": self._tools_in_words()},
            "summary": {"type": "string", "pattern": SUMMARY.pattern, "description": SUMMARY_RULE},
            "occurred_at": {"type": "string", "description": "When it happened, ISO 8601; now when left out."},
        }
        if not self.tools:
            del properties["tool"]
        for key, values in self.keys.items():
            needed = "; ".join(f"{line.name}: {', '.join(line.values)}" for line in self.routes if line.key == key)
            properties[key] = {"type": "string", "enum": list(values), "description": f"Required for {needed}."}
        return {"type": "object", "properties": properties, "required": ["content", "outcome"]}

    def _tools_in_words(self) -> str:
        phrases = []
        for outcome, tools in self._by_tool.items():
            names = ", ".join(name for name in tools if name)
            phrases.append(f"{outcome}: {names or 'none, leave it out'}")
        return f"Required for {'; '.join(phrases)}."

    def table(self) -> str:
        """Return the table in Markdown."""
        lines = ["| outcome | tool | key and its values |", "|---|---|---|"]
        for line in self.routes:
            key = f"`{line.key}`: {', '.join(line.values)}" if line.key else "none"
            lines.append(f"| {line.outcome} | {line.tool or 'none'} | {key} |")
        return "\n".join(lines)

    def to_list(self) -> list[Json]:
        """Return the lines as JSON-able values, as in the file of a table."""
        return [
            {
                "outcome": line.outcome,
                **({"tool": line.tool} if line.tool else {}),
                **({"key": line.key, "values": list(line.values)} if line.key else {}),
            }
            for line in self.routes
        ]

    @classmethod
    def from_list(cls, value: object) -> Routes:
        """Build a table from a list like that of `to_list`."""
        if not isinstance(value, list):
            raise InvalidInput("routes", f"must be a list of lines, not {checks.shown(value)}")
        lines = []
        for number, line in enumerate(value):
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


def _not_one_of(field: str, value: object, allowed: Sequence[str], *, of: str | None = None) -> InvalidInput:
    for_what = f" for {of}" if of else ""
    if value is None:
        return InvalidInput(field, f"is missing; it must be one of {', '.join(allowed)}{for_what}")
    return InvalidInput(field, f"must be one of {', '.join(allowed)}{for_what}, not {checks.shown(value)}")


def _check_line(line: Route) -> None:
    _check_name("outcome", line.outcome)
    if line.tool is not None:
        _check_name("tool", line.tool)
    if (line.key is None) != (not line.values):
        raise InvalidInput("key", "and its values go together; give both or neither")
    if line.key is not None:
        _check_name("key", line.key)
        if line.key in RESERVED:
            raise InvalidInput("key", f"{line.key} is a field of every experience; choose another name")
        if line.key in _ARGUMENTS:
            raise InvalidInput("key", f"{line.key} is an argument of recall or forget; choose another name")
    for value in line.values:
        _check_name("values", value)
    if len(set(line.values)) != len(line.values):
        raise InvalidInput("values", f"contain repeats: {', '.join(line.values)}; remove them")


def _check_name(field: str, value: object) -> None:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise InvalidInput(
            field,
            f"must be at most 50 lower-case letters, digits, _ and -, starting with a letter, "
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
"""The default table."""
