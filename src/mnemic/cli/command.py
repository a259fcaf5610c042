"""Commands whose errors name the options of the command line instead of the arguments of Python."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

_ELSEWHERE = {
    "folder": "--mind",
    "target": "FILE",
    "embedder": "MNEMIC_EMBEDDER",
    "reranker": "MNEMIC_RERANKER",
    "llm": "MNEMIC_LLM",
}
"""Where the command line takes arguments from that are not options of the command."""

_PHRASES = {
    "agent, user or session": "--agent, --user or --session",
    "an id, a scope or a filter, or everything=True": "an ID, a scope such as --user, --where, or --everything",
    "a path, a route or time, or everything=True": "a FILE, a route such as --outcome, --before, or --everything",
    "the `.next` of a page": "the cursor that an earlier `list` printed",
    ", or give Mind(..., reranker=...)": "",
}
"""What the library says to a program, and what the command line says instead."""


_ABOUT_A_KEY = re.compile("is missing; it must be one of|must be one of|belongs to|is not a routing key")
"""How the complaints about the keys of a route begin."""


class WrongUsage(typer.TyperException):
    """A command that cannot be run as it was typed."""

    exit_code = 2

    def __init__(self, context: typer.Context, problem: str) -> None:
        super().__init__(problem)
        self.ctx = context


class Command(TyperCommand):
    """A command whose errors name its options."""

    def __init__(self, *arguments: Any, help: str | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, help=_joined(help), **options)

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types are private
        """Return the parameters."""
        return _without_types_of_flags(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types are private
        """Run the command."""
        return _with_flags(super().invoke, ctx)


class Group(TyperGroup):
    """A group of commands whose errors name its options."""

    def __init__(self, *arguments: Any, help: str | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, help=_joined(help), **options)

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401
        """Return the parameters."""
        return _without_types_of_flags(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Run the command that was chosen."""
        return _with_flags(super().invoke, ctx)


def help_without_command(context: typer.Context) -> None:
    """Print the help of a group that was called without a command, and exit as for wrong usage."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


def _joined(help: str | None) -> str | None:
    """Return a help text with each paragraph on one line, so that a terminal breaks it at its own width."""
    return help and "\n\n".join(" ".join(paragraph.split()) for paragraph in cleandoc(help).split("\n\n"))


def misplaced_option(error: typer.TyperException) -> str | None:
    """Return what to do about an unknown option that belongs before the command; None for any other error."""
    context: Any = getattr(error, "ctx", None)
    name = getattr(error, "option_name", None)
    above = context and context.parent
    while name and above:
        for option in above.command.params:
            if name in option.opts:
                rest = context.command_path.removeprefix(above.command_path)
                return f"{name} goes before the command: {above.command_path} {name} {option.metavar}{rest}"
        above = above.parent
    return None


def _with_flags(invoke: Callable[[Any], Any], context: Any) -> Any:  # noqa: ANN401
    try:
        return invoke(context)
    except InvalidInput as error:
        if error.problems:
            raise
        raise InvalidInput(*in_flags(error.field, error.problem, _flags(context))) from None


def in_flags(field: str, problem: str, flags: dict[str, str]) -> tuple[str, str]:
    """Return an error's field and problem with flags in place of the names of arguments."""
    name = re.match(r"\w*", field)
    if name and name[0] in flags:
        field = flags[name[0]] + field[name.end() :]
        if not field.startswith("-"):
            problem = problem.replace("must be a UUID", "must be the id of a memory, as `mnemic list` prints it")
    elif "keys" in flags and _ABOUT_A_KEY.match(problem):
        field = f"{flags['keys']} {field}"
    for phrase, replacement in _PHRASES.items():
        problem = problem.replace(phrase, replacement)
    return field, re.sub(r"\b(\w+)=True\b|`(\w+)`", lambda match: flags.get(match[1] or match[2], match[0]), problem)


def _flags(context: Any) -> dict[str, str]:  # noqa: ANN401
    """Return the flags of a command and of the groups above it by the names of their arguments."""
    flags = dict(_ELSEWHERE) if context.parent is None else _flags(context.parent)
    for parameter in context.command.params:
        if isinstance(parameter, TyperOption):
            flags[str(parameter.name)] = parameter.opts[0]
        elif isinstance(parameter, TyperArgument) and parameter.metavar:
            flags[str(parameter.name)] = parameter.metavar.strip("[]")
    return flags


def _without_types_of_flags(params: Any) -> Any:  # noqa: ANN401 - typer's own types are private
    """Keep the help from showing a flag as `--json <bool>`: it takes no value."""
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag and param.metavar is None:
            param.metavar = ""
    return params
