"""doctor and reindex."""

from __future__ import annotations

import sqlite3
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import mind_folder, settings_of
from mnemic.errors import DamagedStore, MnemicError, NotAStore, StoreError
from mnemic.model.health import Finding

if TYPE_CHECKING:
    from pathlib import Path

    from mnemic.ports import Progress

_REMEDY = "restore a backup with `mnemic restore --replace`, or choose another folder with --mind"


def reindex(context: typer.Context, *, json: o.Json = False) -> None:
    """Embed every memory again with the configured embedder (MNEMIC_EMBEDDER or config.toml).

    Other programs can keep using the mind. If interrupted, run it again: it continues where it stopped.
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
    """Check the installation and the mind. Exits with 1 if something is wrong."""
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
    return Finding(name) if works else Finding(name, "a remembered text is not recalled", "install Mnemic again")


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
        return [Finding(opening, str(error), "fix that, and run the doctor again")]


def print_finding(finding: Finding) -> None:
    """Print what a check found, and what mends it."""
    sign = typer.style("✓", fg="green") if finding.ok else typer.style("✗", fg="red")
    problem = "" if finding.problem is None else f": {finding.problem}"
    typer.echo(f"{sign} {output.one_line(finding.check + problem)}" + (" (mended)" if finding.mended else ""))
    if not finding.ok and finding.remedy:
        typer.echo(f"  → {finding.remedy}")
