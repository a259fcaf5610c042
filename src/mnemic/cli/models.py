"""models: list, fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.command import Command, Group, help_without_command

Name = Annotated[
    str, typer.Argument(help="The model, as `mnemic models list` names it.", metavar="NAME", show_default=False)
]
WheelFile = Annotated[
    Path | None,
    typer.Option("--wheel", help="A wheel you downloaded yourself.", metavar="FILE"),
]

app = typer.Typer(cls=Group)


@app.callback(invoke_without_command=True)
def options(context: typer.Context) -> None:
    """List and download optional models."""
    help_without_command(context)


@app.command("list", cls=Command)
def list_models(*, json: o.Json = False) -> None:
    """List the models that can be downloaded, and whether they are installed."""
    from mnemic.onnx import catalogue
    from mnemic.onnx import fetch as models
    from mnemic.wiring import load_settings

    folder = load_settings().models
    rows = []
    for model in catalogue.CATALOGUE:
        state = models.state(model, folder)
        wheel = f"{model.wheel.package} {model.wheel.version}"
        rows.append((model.name, model.kind, state, f"{model.size:,} bytes", model.licence, model.origin, wheel))
        if json:
            output.as_json(
                {
                    "name": model.name,
                    "kind": model.kind,
                    "state": state,
                    "bytes": model.size,
                    "licence": model.licence,
                    "origin": model.origin,
                    "package": model.wheel.package,
                    "version": model.wheel.version,
                    "sha256": model.wheel.sha256,
                    "folder": str(folder / model.name),
                }
            )
    if not json:
        output.table(("model", "kind", "state", "size", "licence", "origin", "wheel"), rows)


@app.command(cls=Command)
def fetch(name: Name, *, wheel: WheelFile = None, json: o.Json = False) -> None:
    """Download a model. Its files are taken from a checked wheel on your package index, which is not installed."""
    from mnemic.onnx import catalogue
    from mnemic.onnx import fetch as models
    from mnemic.wiring import load_settings

    model, folder = catalogue.find(name), load_settings().models
    with output.progress() as progress:
        fetched = models.fetch(model, folder, wheel=wheel, progress=progress)
    if json:
        output.as_json({"name": name, "fetched": fetched, "folder": str(folder / name)})
    else:
        output.line("fetched" if fetched else "already here", str(folder / name))
