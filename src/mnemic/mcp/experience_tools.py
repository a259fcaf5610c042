"""The tools for experiences: remember_experience, recall_experience, reflect, topology."""

import inspect
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from mcp_types import CallToolResult
from pydantic import Field

from mnemic import wiring
from mnemic.errors import InvalidInput
from mnemic.experience import MemoryEngine
from mnemic.experience.route_file import table_of
from mnemic.experience.routes import FIELDS, Route, Routes
from mnemic.mcp import arguments as a
from mnemic.mcp import budget, results
from mnemic.rules.prompt import quoted

_SHARE = 4
_REMEMBER = """\
Store what worked, what failed or what you learned while working, filed by outcome and tool.

Use it after a task or a tool call that went notably well or badly, and when you learn something about how to work. Be \
specific: the error message, the cause, the fix. The table shows what each outcome needs:

{table}

Example: {example}"""


class LazyEngine:
    """The experience tree of one scope, opened when it is first needed."""

    def __init__(self, root: Path, settings: wiring.Settings | None = None) -> None:
        self._root = root
        self._settings = settings
        self.routes = table_of(root)
        self._lock = threading.Lock()
        self._engine: MemoryEngine | None = None

    @property
    def engine(self) -> MemoryEngine:
        """Return the open tree."""
        with self._lock:
            if self._engine is None:
                self._engine = MemoryEngine(self._root, settings=self._settings)
            return self._engine

    def close(self) -> None:
        """Close the tree if it was opened."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None


class ExperienceTools:
    """The tools that read and write experiences; their arguments follow the routes of the tree."""

    def __init__(self, tree: LazyEngine) -> None:
        self._tree = tree
        self._routes = routes = tree.routes
        self.remember_experience = _with_arguments("remember_experience", self._remember, _remember_arguments(routes))
        self.recall_experience = _with_arguments("recall_experience", self._recall, _recall_arguments(routes))
        self.remember_experience.__doc__ = _REMEMBER.format(
            table=routes.table(), example=json.dumps(_example(routes.routes[0]))
        )

    def remember_schema(self) -> dict[str, Any]:
        """Return the JSON schema of remember_experience, made from the routes."""
        schema: dict[str, Any] = self._routes.schema()
        names = _remember_arguments(self._routes)
        properties = {name: described for name, described in schema["properties"].items() if name in names}
        metadata = {"type": "object", "description": "Anything else worth storing, as a JSON object."}
        return schema | {"properties": properties | {"metadata": metadata}}

    def _remember(
        self,
        metadata: dict[str, Any] | None,
        **arguments: Any,  # noqa: ANN401
    ) -> Annotated[CallToolResult, results.ExperienceResult]:
        for key in metadata or {}:
            if key in arguments or key in FIELDS:
                raise InvalidInput("metadata", f"holds {key}, which is an argument of its own; move it there")
        filled = {name: value for name, value in arguments.items() if value is not None}
        engine = self._tree.engine
        file = engine.remember(**{"content": None, "outcome": None} | filled, **metadata or {})
        path = file.relative_to(engine.root).as_posix()
        return results.answer(f"Filed as {path}.", results.ExperienceResult(path=path))

    def _recall(
        self,
        *,
        query: str | None,
        outcome: str | None,
        since: str | None,
        until: str | None,
        limit: int,
        budget: int,
        cursor: str | None,
        tool: str | None = None,
        **keys: str | None,
    ) -> Annotated[CallToolResult, results.ExperiencesResult]:
        """Find earlier experiences by meaning, route and time; without a query, the newest.

        Use it before a task that resembles earlier ones, and when something fails: it may have failed before.

        Example: {"query": "timeout while parsing a large file", "limit": 5}
        """
        route: dict[str, Any] = {key: value for key, value in keys.items() if value is not None}
        recalled = self._tree.engine.recall(
            query, outcome=outcome, tool=tool, since=since, until=until, limit=limit, **route
        )
        return _experiences([experience.to_dict() for experience in recalled], cursor, budget)

    def reflect(
        self, budget: a.Budget = budget.DEFAULT, cursor: a.Cursor = None
    ) -> Annotated[CallToolResult, results.SectionsResult]:
        """Summarise all experiences: how tasks went, where they fail, what works, and the newest ones.

        Use it at the end of a longer piece of work, or when the user asks how you are doing.

        Example: {}
        """
        return sections(self._tree.engine.reflect().to_dict(), cursor, budget)

    def topology(
        self, budget: a.Budget = budget.DEFAULT, cursor: a.Cursor = None
    ) -> Annotated[CallToolResult, results.SectionsResult]:
        """Analyse all experiences: success rates by route, recurrent failures, lessons after failures, contradictions.

        Use it to decide what to change in the way you work; reflect is the shorter summary.

        Example: {"budget": 8000}
        """
        topology = self._tree.engine.topology().to_dict()
        branches: Any = topology.pop("branches")
        first = {"total": topology.pop("total"), "insights": topology.pop("insights")}
        return sections(first | topology | {"branches": [one for one in branches if one["count"]]}, cursor, budget)


def sections(result: dict[str, Any], cursor: str | None, most: int) -> CallToolResult:
    """Return as many entries of a result, section by section, as fit."""
    entries = [
        (name, entry if not isinstance(entry, dict) else budget.brief(entry, most // _SHARE))
        for name, value in result.items()
        for entry in (value if isinstance(value, list) else [value])
    ]
    start = budget.start_of(cursor)
    fitting = budget.fitting(entries[start:], most, budget.cost)
    more = str(start + len(fitting)) if start + len(fitting) < len(entries) else None
    shown: dict[str, Any] = {}
    for name, entry in fitting:
        if isinstance(result[name], list):
            shown.setdefault(name, []).append(entry)
        else:
            shown[name] = entry
    text = quoted((None, f"{name}: {_plain(entry)}") for name, entry in fitting)
    return results.answer(
        (text or "There is no more.") + results.more_hint(more),
        results.SectionsResult(sections=shown, next_cursor=more),
    )


def _experiences(hits: list[dict[str, Any]], cursor: str | None, most: int) -> CallToolResult:
    start = budget.start_of(cursor)
    rest = [hit | {"experience": budget.brief(hit["experience"], most // _SHARE)} for hit in hits[start:]]
    shown = list(budget.fitting(rest, most, budget.cost))
    more = str(start + len(shown)) if len(shown) < len(rest) else None
    lines = quoted((None, _line(hit)) for hit in shown)
    return results.answer(
        (lines or "There is no such experience.") + results.more_hint(more),
        results.ExperiencesResult(experiences=shown, next_cursor=more),
    )


def _line(hit: dict[str, Any]) -> str:
    experience = hit["experience"]
    score = "" if hit["score"] is None else f" score {hit['score']:.2f}"
    return f"{experience['path']} [{experience['occurred_at'][:10]}{score}] {experience['content']}"


def _plain(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items() if part not in (None, [], {}))
    return str(value)


def _remember_arguments(routes: Routes) -> dict[str, tuple[Any, Any]]:
    """Return name, type and default of each argument that the routes need."""
    optional = (*(["tool"] if routes.tools else []), "summary", "occurred_at", *routes.keys)
    return {
        "content": (str, inspect.Parameter.empty),
        "outcome": (str, inspect.Parameter.empty),
        **dict.fromkeys(optional, (str | None, None)),
        "metadata": (dict[str, Any] | None, None),
    }


def _recall_arguments(routes: Routes) -> dict[str, tuple[Any, Any]]:
    def text(description: str, values: tuple[str, ...] = ()) -> tuple[Any, Any]:
        extra: dict[str, Any] = {"json_schema_extra": {"enum": [*values, None]}} if values else {}
        return Annotated[str | None, Field(description=description, **extra)], None

    return {
        "query": text("A question or a topic; without it, the newest come first."),
        "outcome": text("Only this outcome.", routes.outcomes),
        **({"tool": text("Only this tool.", routes.tools)} if routes.tools else {}),
        **{key: text(f"Only this {key}.", values) for key, values in routes.keys.items()},
        "since": text("Not before this time, ISO 8601."),
        "until": text("Not after this time, ISO 8601."),
        "limit": (a.Limit, 10),
        "budget": (a.Budget, budget.DEFAULT),
        "cursor": (a.Cursor, None),
    }


def _example(line: Route) -> dict[str, str]:
    arguments = {
        "content": "Parsing the 2 GB export took 40 s; reading it line by line instead of at once made it 6 s",
        "outcome": line.outcome,
        "tool": line.tool,
        line.key: line.values[0] if line.values else None,
    }
    return {name: value for name, value in arguments.items() if name is not None and value is not None}


def _with_arguments(
    name: str, work: Callable[..., CallToolResult], arguments: dict[str, tuple[Any, Any]]
) -> Callable[..., CallToolResult]:
    """Return a function as a tool with these arguments in place of its own."""

    def tool(**values: Any) -> CallToolResult:  # noqa: ANN401
        return work(**values)

    tool.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(argument, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for argument, (kind, default) in arguments.items()
        ],
        return_annotation=inspect.signature(work).return_annotation,
    )
    tool.__annotations__ = {argument: kind for argument, (kind, _) in arguments.items()}
    tool.__name__, tool.__doc__ = name, inspect.getdoc(work)
    return tool
