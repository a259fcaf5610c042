"""The commands and the options before them."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli import (
    changing,
    demo,
    experience,
    keeping,
    mcp,
    models,
    opened,
    reading,
    recalling,
    remembering,
    upkeeping,
)

app = typer.Typer(
    name="recollect",
    help="Memory for AI agents and characters: kept, found again, and true over time.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

_GROUPS = {
    "Remember and recall": (
        remembering.remember,
        recalling.recall,
        recalling.context,
        recalling.explain,
    ),
    "Read": (
        reading.list_memories,
        reading.show,
        reading.history,
        reading.links,
        reading.stats,
    ),
    "Change": (
        changing.revise,
        changing.supersede,
        changing.unsupersede,
        changing.link,
        changing.unlink,
        changing.forget,
    ),
    "Keep": (
        keeping.export,
        keeping.import_file,
        keeping.import_mem0,
        keeping.backup,
        keeping.restore,
        keeping.reindex,
        keeping.doctor,
    ),
    "Look after": (
        upkeeping.upkeep,
        upkeeping.contradictions,
        upkeeping.decide,
        upkeeping.unmerge,
    ),
    "Learn": (demo.demo,),
}
_NAMES = {"list_memories": "list", "import_file": "import", "import_mem0": "import-mem0"}

for _group, _commands in _GROUPS.items():
    for _command in _commands:
        _name = _NAMES.get(_command.__name__, _command.__name__)
        app.command(_name, rich_help_panel=_group)(_command)
app.add_typer(experience.app, name="experience", rich_help_panel="Experience")
app.add_typer(mcp.app, name="mcp", rich_help_panel="Serve")
app.add_typer(models.app, name="models", rich_help_panel="Keep")


def _version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        from importlib.metadata import version

        typer.echo(f"recollect {version('recollect')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    *,
    mind: Annotated[
        str | None,
        typer.Option(
            help="The folder of the mind; else RECOLLECT_MIND, else the one in RECOLLECT_HOME or the system's folder "
            "for application data.",
            metavar="PATH",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback answers
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Choose the mind that the command works on."""
    opened.choose(context, mind)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
