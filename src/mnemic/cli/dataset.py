"""experience generate, validate and load: datasets of experiences."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.experience import open_engine, table_of, tree_folder
from mnemic.cli.mind import settings_of
from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.experience.dataset.distinct import Distinct
    from mnemic.experience.dataset.shares import Share
    from mnemic.wiring import Settings

DatasetFile = Annotated[Path, typer.Argument(help="A .jsonl, .json or .py file.", metavar="FILE", show_default=False)]


def generate(
    context: typer.Context,
    *,
    scale: Annotated[
        str, typer.Option(help="small (100), medium (1,000), large (10,000), vast (50,000) or a number.", metavar="N")
    ] = "small",
    seed: Annotated[int, typer.Option(help="The same seed gives the same dataset.", metavar="N")] = 0,
    out: Annotated[Path, typer.Option(help="A new .jsonl, .json or .py file.", metavar="FILE")],
    llm: Annotated[bool, typer.Option("--llm", help="Rewrite the texts with the configured language model.")] = False,
    json: o.Json = False,
) -> None:
    """Write a dataset of invented experiences, for tests, and print how they are distributed."""
    from mnemic.experience.dataset import formats
    from mnemic.experience.dataset.generate import generate as generated
    from mnemic.experience.dataset.validate import validate as validated

    entries, rewritten = generated(scale, seed=seed), Counter[str]()
    if llm:
        entries = _enriched(entries, rewritten, settings_of(context))
    formats.write(out, entries)
    verdict = validated(out)
    if json:
        output.as_json({"file": str(out), "rewritten": rewritten.total(), **verdict.to_dict()})
        return
    output.line(f"wrote {output.counted(verdict.count, 'experience')} to {out}")
    if llm:
        counts = ", ".join(f"{count:,} by {name}" for name, count in rewritten.items()) or "none; the plain texts stay"
        output.line(f"rewritten: {counts}")
    _print_measures(verdict.shares, verdict.distinct)


def _enriched(
    entries: Iterator[dict[str, Any]], rewritten: Counter[str], settings: Settings
) -> Iterator[dict[str, Any]]:
    """Rewrite the texts with the configured language model, and count them."""
    from mnemic import wiring
    from mnemic.experience.dataset.enrich import WRITTEN_BY, enriched

    model = wiring.llm(settings)
    if model is None:
        raise InvalidInput("llm", "no language model is set; name one in MNEMIC_LLM")
    return _counted(enriched(entries, model), WRITTEN_BY, rewritten)


def _counted(entries: Iterator[dict[str, Any]], field: str, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        if field in entry:
            counts[entry[field]] += 1
        yield entry


def validate(context: typer.Context, file: DatasetFile, *, json: o.Json = False) -> None:
    """Check a dataset. Exits with 1 if an entry is invalid."""
    from mnemic.experience.dataset.validate import validate as validated

    verdict = validated(file, routes=table_of(context))
    if json:
        output.as_json(verdict.to_dict())
    else:
        for problem in verdict.problems:
            output.line(problem.level, output.one_line(str(problem)))
        warned = len(verdict.problems) - len(verdict.errors)
        output.line(
            output.counted(verdict.count, "experience"),
            output.counted(len(verdict.errors), "error"),
            output.counted(warned, "warning"),
        )
        _print_measures(verdict.shares, verdict.distinct)
    if verdict.errors:
        raise typer.Exit(1)


def load(context: typer.Context, file: DatasetFile, *, json: o.Json = False) -> None:
    """Store the experiences of a dataset in the tree. If an entry is invalid, nothing is stored."""
    from mnemic.experience.dataset.validate import load as loaded

    with output.progress() as progress, open_engine(context, make=True, progress=progress) as engine:
        paths = loaded(file, engine, progress=progress)
    if json:
        output.as_json({"loaded": len(paths), "root": str(tree_folder(context))})
    else:
        output.line(f"loaded {output.counted(len(paths), 'experience')} into {tree_folder(context)}")


def _print_measures(shares: list[Share], variety: Distinct | None) -> None:
    rows = [
        (
            share.target.field,
            share.target.value,
            f"{share.percent:.1f} %",
            f"{share.target.least:g}–{share.target.most:g} %",
            "ok" if share.ok else "off",
        )
        for share in shares
    ]
    output.table(("field", "value", "share", "target", ""), rows)
    if variety is not None:
        output.line(f"distinct {variety.texts:.1%}", f"distinct-3 {variety.runs_of_3:.3f}")
