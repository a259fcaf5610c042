"""The commands and the options before them."""

from __future__ import annotations

from typing import Annotated

import typer

from mnemic.cli import (
    backup,
    change,
    dataset,
    demo,
    doctor,
    experience,
    mcp,
    models,
    read,
    recall,
    remember,
    transfer,
    upkeep,
)
from mnemic.cli.command import Command, Group
from mnemic.cli.mind import set_mind

app = typer.Typer(
    name="mnemic",
    cls=Group,
    help="A memory for AI agents: store facts, find them again, keep them up to date.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

_GROUPS = {
    "Remember and recall": (
        remember.remember,
        recall.recall,
        recall.context,
        recall.explain,
    ),
    "Read": (
        read.list_memories,
        read.show,
        read.history,
        read.links,
        read.stats,
    ),
    "Change": (
        change.revise,
        change.supersede,
        change.unsupersede,
        change.link,
        change.unlink,
        change.forget,
    ),
    "Backup and transfer": (
        transfer.export,
        transfer.import_file,
        transfer.import_mem0,
        backup.backup,
        backup.restore,
    ),
    "Upkeep": (
        upkeep.upkeep,
        upkeep.contradictions,
        upkeep.decide,
        upkeep.unmerge,
        doctor.doctor,
        doctor.reindex,
    ),
    "Demo": (demo.demo,),
}
_NAMES = {"list_memories": "list", "import_file": "import", "import_mem0": "import-mem0"}

for _group, _commands in _GROUPS.items():
    for _command in _commands:
        _name = _NAMES.get(_command.__name__, _command.__name__)
        app.command(_name, cls=Command, rich_help_panel=_group)(_command)
for _dataset_command in (dataset.generate, dataset.validate, dataset.load):
    experience.app.command(cls=Command)(_dataset_command)
app.add_typer(experience.app, name="experience", rich_help_panel="Experience")
app.add_typer(mcp.app, name="mcp", rich_help_panel="MCP server")
app.add_typer(models.app, name="models", rich_help_panel="Models")


def _version(requested: bool) -> None:  # noqa: FBT001 - typer calls it so
    if requested:
        from importlib.metadata import version

        typer.echo(f"mnemic {version('mnemic')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    *,
    mind: Annotated[
        str | None,
        typer.Option(
            help="The folder of the mind. Default: MNEMIC_MIND, or the folder mind in Mnemic's home (MNEMIC_HOME, or "
            "the system's folder for application data).",
            metavar="PATH",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback answers
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Choose the mind that the command works on."""
    set_mind(context, mind)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
