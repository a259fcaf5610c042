"""Commands whose errors name the options of the command line instead of the arguments of Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

_PHRASES = {
    "ask to replace it": "give --replace",
    "the `.next` of a page": "the cursor that an earlier `list` printed",
    ", or give Mind(..., reranker=...)": "",
}
"""What the library says to a program, and what the command line says instead."""


class Command(TyperCommand):
    """A command whose errors name its options."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types are private
        """Run the command."""
        return _with_flags(super().invoke, ctx)


class Group(TyperGroup):
    """A group of commands whose errors name its options."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Run the command that was chosen."""
        return _with_flags(super().invoke, ctx)


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
    for phrase, replacement in _PHRASES.items():
        problem = problem.replace(phrase, replacement)
    return field, re.sub(r"\b(\w+)=True\b|`(\w+)`", lambda match: flags.get(match[1] or match[2], match[0]), problem)


def _flags(context: Any) -> dict[str, str]:  # noqa: ANN401
    """Return the flags of a command and of the groups above it by the names of their arguments."""
    flags = {"folder": "--mind"} if context.parent is None else _flags(context.parent)
    for parameter in context.command.params:
        if isinstance(parameter, TyperOption):
            flags[str(parameter.name)] = parameter.opts[0]
        elif isinstance(parameter, TyperArgument) and parameter.metavar:
            flags[str(parameter.name)] = parameter.metavar.strip("[]")
    return flags
