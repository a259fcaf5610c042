"""experience: remember, recall, reflect, topology, forget, sync, verify and routes."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.command import Command, Group, help_without_command
from mnemic.cli.mind import settings_of
from mnemic.errors import InvalidInput, NotFound
from mnemic.experience.routes import RESERVED
from mnemic.ports import silent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.experience import MemoryEngine
    from mnemic.experience.routes import Routes
    from mnemic.ports import Progress

_ROOT = "mnemic.experience.root"
_TABLE = "mnemic.experience.routes"
_ROUTE = "Route"

app = typer.Typer(cls=Group, help="Record what worked, what failed and what was learned, in a tree of files.")

_OUTCOME_HELP = "success, failure, learning or interaction; `mnemic experience routes` lists them."

Outcome = Annotated[str | None, typer.Option(help=_OUTCOME_HELP, metavar="NAME", rich_help_panel=_ROUTE)]
Tool = Annotated[
    str | None,
    typer.Option(help="The tool that was used, such as code_interpreter.", metavar="NAME", rich_help_panel=_ROUTE),
]
Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        help="A key of the route, such as error_type=runtime; repeatable.",
        metavar="KEY=VALUE",
        rich_help_panel=_ROUTE,
    ),
]


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    *,
    root: Annotated[
        str | None,
        typer.Option(help="The folder of the tree. Default: the folder experience in Mnemic's home.", metavar="PATH"),
    ] = None,
    routes: Annotated[
        Path | None,
        typer.Option(help="Your own table of routes, JSON or TOML, for a new tree; the tree keeps it.", metavar="FILE"),
    ] = None,
) -> None:
    """Record what worked, what failed and what was learned, in a tree of files."""
    context.meta[_ROOT] = root
    context.meta[_TABLE] = routes
    help_without_command(context)


def tree_folder(context: typer.Context) -> Path:
    from mnemic import wiring

    return wiring.experience_folder(context.meta[_ROOT], settings=settings_of(context))


@contextmanager
def open_engine(context: typer.Context, *, make: bool = False, progress: Progress = silent) -> Iterator[MemoryEngine]:
    from mnemic.experience import MemoryEngine

    root = tree_folder(context)
    if not make and not root.is_dir():
        raise NotFound(
            f"there is no tree in {root} yet; create one with `mnemic experience remember`, or name another folder "
            "with --root"
        )
    with MemoryEngine(root, routes=context.meta[_TABLE], progress=progress, settings=settings_of(context)) as engine:
        yield engine


def table_of(context: typer.Context) -> Routes:
    """Return the table that was given, else that of the tree."""
    from mnemic.experience.route_file import read_table, table_of

    file: Path | None = context.meta[_TABLE]
    return table_of(tree_folder(context)) if file is None else read_table(file)


def _keys(pairs: list[str] | None) -> dict[str, str]:
    keys = {}
    for pair in pairs or ():
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise InvalidInput("keys", f"must be KEY=VALUE, such as error_type=runtime, not {pair!r}")
        keys[key] = value
    return keys


@app.command(cls=Command)
def remember(
    context: typer.Context,
    content: Annotated[
        str, typer.Argument(help="What happened, or '-' to read it from stdin.", metavar="CONTENT", show_default=False)
    ],
    *,
    outcome: Annotated[str, typer.Option(help=_OUTCOME_HELP, metavar="NAME", rich_help_panel=_ROUTE)],
    tool: Tool = None,
    keys: Keys = None,
    summary: Annotated[
        str | None,
        typer.Option(
            help="A short file name: lower-case letters, digits, _ and -. Default: made from the content.",
            metavar="NAME",
        ),
    ] = None,
    occurred_at: o.OccurredAt = None,
    metadata: o.Metadata = None,
    json: o.Json = False,
) -> None:
    """Store an experience, and print the path of its file."""
    fields: dict[str, Any] = {**(o.json_object("metadata", metadata) or {}), **_keys(keys)}
    for name in RESERVED.intersection(fields):
        raise InvalidInput("metadata", f"holds {name}, which has an option of its own")
    with open_engine(context, make=True) as engine:
        path = engine.remember(o.text_or_stdin(content), outcome, tool, summary, occurred_at=occurred_at, **fields)
        if json:
            output.as_json(engine.read(path).to_dict())
        else:
            output.line(str(path))


@app.command(cls=Command)
def recall(
    context: typer.Context,
    query: Annotated[
        str | None,
        typer.Argument(help="What to look for. Default: the newest.", metavar="[QUERY]", show_default=False),
    ] = None,
    *,
    outcome: Outcome = None,
    tool: Tool = None,
    keys: Keys = None,
    since: Annotated[str | None, typer.Option(help="Not before this time.", metavar="TIME")] = None,
    until: Annotated[str | None, typer.Option(help="Not after this time.", metavar="TIME")] = None,
    limit: o.Limit = 10,
    min_score: o.MinScore = None,
    json: o.Json = False,
) -> None:
    """Find experiences by meaning, route or time."""
    with open_engine(context) as engine:
        hits = engine.recall(
            query,
            outcome=outcome,
            tool=tool,
            since=since,
            until=until,
            limit=limit,
            min_score=min_score,
            **_keys(keys),
        )
    if json:
        for hit in hits:
            output.as_json(hit.to_dict())
        return
    rows = [
        (
            "" if hit.score is None else f"{hit.score:.2f}",
            output.day(hit.experience.occurred_at),
            hit.experience.place.folder,
            hit.experience.content,
            hit.experience.path,
        )
        for hit in hits
    ]
    output.table(("score", "when", "route", "content", "file"), rows)
    if not rows:
        output.note("Nothing found.")


@app.command(cls=Command)
def reflect(context: typer.Context, *, json: o.Json = False) -> None:
    """Summarise: success rates by tool, and where failures gather."""
    with open_engine(context) as engine:
        reflection = engine.reflect()
    if json:
        output.as_json(reflection.to_dict())
        return
    for insight in reflection.insights:
        output.line(insight)
    output.table(("outcome", "count"), [(name, f"{count:,}") for name, count in reflection.by_outcome.items()])
    rates = [(rate.name, f"{rate.rate or 0:.0%}", f"{rate.tries:,}") for rate in reflection.by_tool]
    output.table(("tool", "success", "tries"), rates)
    output.table(("failures", "count"), [(spot.place.folder, f"{spot.count:,}") for spot in reflection.hotspots])


@app.command(cls=Command)
def topology(
    context: typer.Context,
    *,
    html: Annotated[Path | None, typer.Option(help="Write a web page to this file.", metavar="FILE")] = None,
    json: o.Json = False,
) -> None:
    """Show success rates, failures and lessons: as a tree, as JSON, or as a web page."""
    from mnemic.cli.topology import print_tree

    with open_engine(context) as engine:
        picture = engine.topology()
    if html is not None:
        from mnemic.experience.picture import page

        html.write_text(page(picture, title=tree_folder(context).name), encoding="utf-8")
        output.note(f"wrote {html}")
    if json:
        output.as_json(picture.to_dict())
    elif html is None:
        print_tree(picture, tree_folder(context).name)


@app.command(cls=Command)
def forget(
    context: typer.Context,
    path: Annotated[
        str | None,
        typer.Argument(help="The experience's file, as `recall` prints it.", metavar="[FILE]", show_default=False),
    ] = None,
    *,
    outcome: Outcome = None,
    tool: Tool = None,
    keys: Keys = None,
    before: Annotated[str | None, typer.Option(help="Only experiences before this time.", metavar="TIME")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Empty the whole tree.")] = False,
    purge: Annotated[bool, typer.Option("--purge", help="Also erase the history from the index.")] = False,
    json: o.Json = False,
) -> None:
    """Delete one experience, or those of a route or before a time."""
    with open_engine(context) as engine:
        forgotten = engine.forget(
            path, outcome=outcome, tool=tool, before=before, everything=everything, purge=purge, **_keys(keys)
        )
    if json:
        output.as_json({"forgotten": forgotten})
    else:
        output.line(f"forgot {output.counted(forgotten, 'experience')}")


@app.command(cls=Command)
def sync(
    context: typer.Context,
    *,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Delete the index and build it again.")] = False,
    json: o.Json = False,
) -> None:
    """Update the index after files were edited by hand or by git. Exits with 1 if a file cannot be read."""
    from mnemic.experience.engine import rebuild as rebuild_index

    with output.progress() as progress:
        if rebuild:
            synced = rebuild_index(tree_folder(context), progress=progress, settings=settings_of(context))
        else:
            with open_engine(context, progress=progress) as engine:
                synced = engine.opening
    if json:
        output.as_json(synced.to_dict())
    else:
        counts = (("added", synced.added), ("changed", synced.changed), ("moved", synced.moved))
        output.line(*(f"{name} {count:,}" for name, count in (*counts, ("removed", synced.removed))))
        for path, problem in synced.problems:
            output.line("skipped", output.one_line(path), output.one_line(problem))
    if synced.problems:
        raise typer.Exit(1)


@app.command(cls=Command)
def verify(context: typer.Context, *, json: o.Json = False) -> None:
    """Compare every file with the index. Exits with 1 if something is wrong."""
    from mnemic.cli.doctor import print_finding

    with output.progress() as progress, open_engine(context, progress=progress) as engine:
        findings = engine.verify(progress=progress)
    for finding in findings:
        output.as_json(finding.to_dict()) if json else print_finding(finding)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


@app.command(cls=Command)
def routes(
    context: typer.Context,
    *,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of an experience.")] = False,
    json: o.Json = False,
) -> None:
    """Show the table of routes: which outcome needs which tool and key."""
    table = table_of(context)
    if schema:
        output.as_json(table.schema())
    elif json:
        for line in table.to_list():
            output.as_json(line)
    else:
        rows = [(line.outcome, line.tool or "", line.key or "", ", ".join(line.values)) for line in table.routes]
        output.table(("outcome", "tool", "key", "values"), rows)
