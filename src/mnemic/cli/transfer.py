"""export, import and import-mem0."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import open_mind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.mind import Mind
    from mnemic.model.change import Record
    from mnemic.ports import Progress


def export(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(help="A file that does not exist yet, or '-' for stdout.", metavar="FILE", show_default=False),
    ],
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    json: o.Json = False,
) -> None:
    """Write the memories of the mind or of a scope, with history and links, to a JSON Lines file."""
    from mnemic.transfer import jsonl

    scope = o.scope_or_everywhere(agent, user, session)
    with open_mind(context) as mind, output.progress() as progress:
        records = _counting(mind, scope, progress)
        if file == "-":
            jsonl.write(records, sys.stdout.buffer)
            return
        count = jsonl.write_file(records, Path(file))
    if json:
        output.as_json({"file": file, "exported": count})
    else:
        output.line(f"exported {output.counted(count, 'memory', 'memories')} to {file}")


def _counting(mind: Mind, scope: dict[str, Any], progress: Progress) -> Iterator[Record]:
    total = mind.count(**scope, include_superseded=True)
    for done, record in enumerate(mind.records(**scope), start=1):
        yield record
        progress("exporting", done, total)


def import_file(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(help="A file that `export` wrote, or '-' for stdin.", metavar="FILE", show_default=False)
    ],
    *,
    json: o.Json = False,
) -> None:
    """Import a file written by `export`. An invalid file changes nothing; importing twice stores nothing twice."""
    from mnemic.transfer import jsonl

    with open_mind(context, make=True) as mind, output.progress() as progress:
        if file == "-":
            with tempfile.TemporaryFile() as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
                imported = jsonl.read(mind, copy, progress=progress)
        else:
            imported = jsonl.read_file(mind, Path(file), progress=progress)
    if json:
        output.as_json({"imported": imported.created, "skipped": imported.skipped})
    else:
        output.line(
            f"imported {output.counted(imported.created, 'memory', 'memories')}",
            f"{imported.skipped:,} were here already",
        )


def import_mem0(
    context: typer.Context,
    folder: Annotated[
        str, typer.Argument(help="The `path` of mem0's local Qdrant store.", metavar="FOLDER", show_default=False)
    ],
    *,
    collection: Annotated[str, typer.Option(help="The collection that mem0 uses.", metavar="NAME")] = "mem0",
    json: o.Json = False,
) -> None:
    """Import the memories of a local mem0 store, with their scopes, metadata and times.

    Memories that are already here, or were forgotten here, are left alone. Exits with 1 if some could not be imported.
    """
    from mnemic.transfer.mem0 import import_folder

    with open_mind(context, make=True) as mind, output.progress() as progress:
        imported = import_folder(mind, folder, collection=collection, progress=progress)
    if json:
        output.as_json({"imported": imported.created, "skipped": imported.skipped, "refused": imported.refused})
    else:
        output.line(
            f"imported {output.counted(imported.created, 'memory', 'memories')}",
            f"{imported.skipped:,} were here already",
        )
    for problem in imported.refused:
        typer.echo(f"left out {output.one_line(problem)}", err=True)
    if imported.refused:
        raise typer.Exit(1)
