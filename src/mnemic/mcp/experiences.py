"""The tools over experiences: remember_experience, recall_experience, reflect, topology."""

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
Keep what worked, what failed or what was learned while working, filed by outcome and tool.

Use it after a task or a tool call that went notably well or badly, and when you learn something about how to work. Be \
specific: the error message, the cause, the fix. The table says what each outcome needs:

{table}

Example: {example}"""


class Experiences:
    """Hold the tree of one scope, opened when it is first needed."""

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
        """Let go of the tree."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None


class ExperienceTools:
    """Answer the calls that read and write experiences, by the table of their tree."""

    def __init__(self, experiences: Experiences) -> None:
        self._experiences = experiences
        self._routes = routes = experiences.routes
        self.remember_experience = _by_table("remember_experience", self._remember, _remembering(routes))
        self.recall_experience = _by_table("recall_experience", self._recall, _recalling(routes))
        self.remember_experience.__doc__ = _REMEMBER.format(
            table=routes.table(), example=json.dumps(_example(routes.routes[0]))
        )

    def remember_schema(self) -> dict[str, Any]:
        """Return the arguments of remember_experience, as the table gives them."""
        schema: dict[str, Any] = self._routes.schema()
        taken = _remembering(self._routes)
        properties = {name: told for name, told in schema["properties"].items() if name in taken}
        more = {"type": "object", "description": "Anything else worth keeping, as a JSON object."}
        return schema | {"properties": properties | {"metadata": more}}

    def _remember(
        self,
        metadata: dict[str, Any] | None,
        **told: Any,  # noqa: ANN401
    ) -> Annotated[CallToolResult, results.ExperienceResult]:
        for key in metadata or {}:
            if key in told or key in FIELDS:
                raise InvalidInput("metadata", f"holds {key}, which is an argument of its own; move it there")
        given = {name: value for name, value in told.items() if value is not None}
        engine = self._experiences.engine
        path = engine.remember(**{"content": None, "outcome": None} | given, **metadata or {})
        told_path = path.relative_to(engine.root).as_posix()
        return results.answer(f"Filed as {told_path}.", results.ExperienceResult(path=told_path))

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
        """Find earlier experiences by meaning, route and time; without a query, the newest of a route.

        Use it before a task that resembles earlier ones, and when something fails: it may have failed before.

        Example: {"query": "timeout while parsing a large file", "limit": 5}
        """
        asked: dict[str, Any] = {key: value for key, value in keys.items() if value is not None}
        found = self._experiences.engine.recall(
            query, outcome=outcome, tool=tool, since=since, until=until, limit=limit, **asked
        )
        return _experiences([one.to_dict() for one in found], cursor, budget)

    def reflect(
        self, budget: a.Budget = budget.DEFAULT, cursor: a.Cursor = None
    ) -> Annotated[CallToolResult, results.SectionsResult]:
        """Look back over all experiences: how things went, where they fail, what works, the newest ones.

        Use it at the end of a longer piece of work, or when the user asks how you are doing.

        Example: {}
        """
        return sections(self._experiences.engine.reflect().to_dict(), cursor, budget)

    def topology(
        self, budget: a.Budget = budget.DEFAULT, cursor: a.Cursor = None
    ) -> Annotated[CallToolResult, results.SectionsResult]:
        """See what the tree of experiences shows: success rates by route, recurrent failures, what was learned after
        which failure, what contradicts what.

        Use it to decide what to work on or to change in the way you work; reflect is the shorter look.

        Example: {"budget": 8000}
        """
        told = self._experiences.engine.topology().to_dict()
        filled: Any = told.pop("branches")
        first = {"total": told.pop("total"), "insights": told.pop("insights")}
        return sections(first | told | {"branches": [one for one in filled if one["count"]]}, cursor, budget)


def sections(told: dict[str, Any], cursor: str | None, most: int) -> CallToolResult:
    """Return as many entries of a result, section by section, as fit."""
    entries = [
        (name, one if not isinstance(one, dict) else budget.brief(one, most // _SHARE))
        for name, value in told.items()
        for one in (value if isinstance(value, list) else [value])
    ]
    start = budget.place(cursor)
    shown = budget.fitting(entries[start:], most, budget.cost)
    more = str(start + len(shown)) if start + len(shown) < len(entries) else None
    found: dict[str, Any] = {}
    for name, one in shown:
        if isinstance(told[name], list):
            found.setdefault(name, []).append(one)
        else:
            found[name] = one
    text = quoted((None, f"{name}: {_plain(one)}") for name, one in shown)
    return results.answer(
        (text or "There is no more.") + results.going_on(more), results.SectionsResult(sections=found, next_cursor=more)
    )


def _experiences(found: list[dict[str, Any]], cursor: str | None, most: int) -> CallToolResult:
    start = budget.place(cursor)
    told = [one | {"experience": budget.brief(one["experience"], most // _SHARE)} for one in found[start:]]
    shown = list(budget.fitting(told, most, budget.cost))
    more = str(start + len(shown)) if len(shown) < len(told) else None
    lines = quoted((None, _line(one)) for one in shown)
    return results.answer(
        (lines or "There is no such experience.") + results.going_on(more),
        results.ExperiencesResult(experiences=shown, next_cursor=more),
    )


def _line(found: dict[str, Any]) -> str:
    one = found["experience"]
    score = "" if found["score"] is None else f" score {found['score']:.2f}"
    return f"{one['path']} [{one['occurred_at'][:10]}{score}] {one['content']}"


def _plain(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items() if part not in (None, [], {}))
    return str(value)


def _remembering(routes: Routes) -> dict[str, tuple[Any, Any]]:
    """Return name, type and default of each argument that the table asks for."""
    optional = (*(["tool"] if routes.tools else []), "summary", "occurred_at", *routes.keys)
    return {
        "content": (str, inspect.Parameter.empty),
        "outcome": (str, inspect.Parameter.empty),
        **dict.fromkeys(optional, (str | None, None)),
        "metadata": (dict[str, Any] | None, None),
    }


def _recalling(routes: Routes) -> dict[str, tuple[Any, Any]]:
    def text(description: str, values: tuple[str, ...] = ()) -> tuple[Any, Any]:
        extra: dict[str, Any] = {"json_schema_extra": {"enum": [*values, None]}} if values else {}
        return Annotated[str | None, Field(description=description, **extra)], None

    return {
        "query": text("A question or a topic; leave it out for the newest."),
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
    told = {
        "content": "Parsing the 2 GB export took 40 s; reading it line by line instead of at once made it 6 s",
        "outcome": line.outcome,
        "tool": line.tool,
        line.key: line.values[0] if line.values else None,
    }
    return {name: value for name, value in told.items() if name is not None and value is not None}


def _by_table(
    name: str, work: Callable[..., CallToolResult], arguments: dict[str, tuple[Any, Any]]
) -> Callable[..., CallToolResult]:
    """Make a tool of a function, with the arguments that a table asks for in place of its own."""

    def tool(**given: Any) -> CallToolResult:  # noqa: ANN401
        return work(**given)

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
