"""backup and restore."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import mind_folder, open_mind


def backup(context: typer.Context, file: o.NewFile, *, json: o.Json = False) -> None:
    """Copy the mind to a new file. Other programs can keep using the mind."""
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
    replace: Annotated[bool, typer.Option("--replace", help="Replace the existing mind.")] = False,
    json: o.Json = False,
) -> None:
    """Restore a backup. With --replace, the existing mind is kept as before-restore-….db."""
    from mnemic import wiring

    folder = mind_folder(context)
    old = wiring.restore(file, folder, replace=replace)
    if json:
        output.as_json({"mind": str(folder), "kept": None if old is None else str(old)})
        return
    output.line(f"restored {file} into {folder}")
    if old is not None:
        output.line(f"the old mind is now in {old}")
