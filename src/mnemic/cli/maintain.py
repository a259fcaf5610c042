"""export, import, backup, restore, reindex and doctor."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import mind_folder, open_mind, settings_of
from mnemic.errors import DamagedStore, MnemicError, NotAStore, StoreError
from mnemic.model.health import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.mind import Mind
    from mnemic.model.change import Record
    from mnemic.ports import Progress

_REMEDY = "restore a backup with `mnemic restore --replace`, or choose another folder with --mind"


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
    """Write the whole mind, or a scope, as JSON Lines: memories, history and links."""
    from mnemic.transfer import jsonl

    scope: dict[str, Any] = o.given(agent=agent, user=user, session=session) or {"everywhere": True}
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
    """Take in an export; a file with anything wrong in it changes nothing, and a repeat is harmless."""
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
    """Take over the memories of mem0 with their scopes, metadata and times; a repeat is harmless.

    What is in the mind already, or was forgotten there, stays as it is. Exit 1 when some cannot be kept.
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


def backup(context: typer.Context, file: o.NewFile, *, json: o.Json = False) -> None:
    """Write a consistent copy of the mind to a new file, while others use it."""
    with open_mind(context) as mind:
        mind.backup(file)
    if json:
        output.as_json({"file": str(file), "bytes": file.stat().st_size})
    else:
        output.line(f"wrote {file} ({file.stat().st_size:,} bytes)")


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.", metavar="FILE", show_default=False)],
    *,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of the mind that is there.")] = False,
    json: o.Json = False,
) -> None:
    """Put a backup in the place of the mind; what was there is kept beside it."""
    from mnemic import wiring

    folder = mind_folder(context)
    kept = wiring.restore(file, folder, replace=replace)
    if json:
        output.as_json({"mind": str(folder), "kept": None if kept is None else str(kept)})
        return
    output.line(f"restored {file} into {folder}")
    if kept is not None:
        output.line(f"what was there is kept in {kept}")


def reindex(context: typer.Context, *, json: o.Json = False) -> None:
    """Give every memory a vector of the embedder that MNEMIC_EMBEDDER or config.toml names.

    Others go on reading and writing meanwhile; after an interruption, run it again and it goes on.
    """
    from mnemic import wiring

    with output.progress() as progress:
        embedded = wiring.reindex(mind_folder(context), progress=progress, settings=settings_of(context))
    if json:
        output.as_json({"embedded": embedded})
    else:
        output.line(f"embedded {output.counted(embedded, 'memory', 'memories')}")


def doctor(
    context: typer.Context,
    *,
    mend: Annotated[bool, typer.Option("--mend", help="Repair what can be repaired.")] = False,
    json: o.Json = False,
) -> None:
    """Check the installation and the mind, end to end; exit 1 when something is wrong."""
    with output.progress() as progress:
        findings = [_installation(), *_mind(mind_folder(context), mend=mend, progress=progress)]
    for finding in findings:
        output.as_json(finding.to_dict()) if json else print_finding(finding)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _installation() -> Finding:
    """Remember and recall once in memory: that needs SQLite, numpy and the stemmer."""
    from mnemic.mind import Mind

    name = f"installation (Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version})"
    try:
        with Mind(":memory:") as mind:
            mind.remember("The doctor is testing")
            works = bool(mind.recall("test"))
    except (MnemicError, ImportError) as error:
        return Finding(name, str(error), "install Mnemic again")
    return Finding(name, None if works else "what was remembered is not recalled", "install Mnemic again")


def _mind(folder: Path, *, mend: bool, progress: Progress) -> list[Finding]:
    from mnemic import wiring

    if not wiring.has_mind(folder):
        return [Finding(f"mind (none in {folder} yet)")]
    opening = f"mind in {folder}"
    try:
        return [Finding(opening), *wiring.examine(folder, mend=mend, progress=progress)]
    except (NotAStore, DamagedStore) as error:
        return [Finding(opening, str(error), _REMEDY)]
    except StoreError as error:
        return [Finding(opening, str(error), "mend that, and run the doctor again")]


def print_finding(finding: Finding) -> None:
    """Print what a check found, and what mends it."""
    sign = typer.style("✓", fg="green") if finding.ok else typer.style("✗", fg="red")
    told = "" if finding.problem is None else f": {finding.problem}"
    typer.echo(f"{sign} {output.one_line(finding.check + told)}" + (" (mended)" if finding.mended else ""))
    if not finding.ok and finding.remedy:
        typer.echo(f"  → {finding.remedy}")
