"""Write the reference in docs/cli.md from the commands themselves: python tools/cli_reference.py"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.main import get_command

from mnemic.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
MARK = "<!-- The rest is written by tools/cli_reference.py. -->\n"


def page(present: str) -> str:
    """Return the page with an up-to-date reference."""
    return present.partition(MARK)[0] + MARK + "\n" + "\n".join(_reference())


def _reference() -> Iterator[str]:
    mnemic: Any = get_command(app)
    context = typer.Context(mnemic, info_name="mnemic")
    yield "## Options before the command\n"
    yield from _options(mnemic, context)
    yield from _commands(mnemic, context)
    yield ""


def _commands(group: Any, context: typer.Context) -> Iterator[str]:  # noqa: ANN401
    for name, command in group.commands.items():
        inner = typer.Context(command, info_name=name, parent=context)
        yield f"\n## {inner.command_path}\n"
        yield command.help + "\n"
        if hasattr(command, "commands"):
            if command.params:
                yield from _options(command, inner)
            yield from _commands(command, inner)
            continue
        yield f"```\n{' '.join((inner.command_path, '[OPTIONS]', *_arguments(command)))}\n```\n"
        yield from _options(command, inner)


def _arguments(command: Any) -> Iterator[str]:  # noqa: ANN401
    for argument in command.params:
        if argument.param_type_name == "argument":
            yield argument.metavar if argument.required else f"[{argument.metavar}]"


def _options(command: Any, context: typer.Context) -> Iterator[str]:  # noqa: ANN401
    yield "| option | meaning |\n|---|---|"
    for option in command.get_params(context):
        if "--help" in option.opts or "completion" in option.opts[0]:
            continue
        name = option.metavar if option.param_type_name == "argument" else " ".join(filter(None, _names(option)))
        default = "" if option.default in (None, False) else f" Default: {option.default}."
        yield f"| `{name}` | {option.help}{default} |"


def _names(option: Any) -> tuple[str, str | None]:  # noqa: ANN401
    return ", ".join(option.opts), option.metavar


def main() -> None:
    """Bring the page up to date."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
