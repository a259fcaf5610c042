"""What commands print: JSON for programs, plain lines for pipes, tables and colours for terminals."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

import typer

from mnemic.ports import silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mnemic.model.memory import Memory
    from mnemic.model.time import When
    from mnemic.ports import Progress

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that move the cursor, change colours or turn text around."""

_BREAKING = re.compile("[\x7f-\x9f\u2028\u2029]")
"""Characters that JSON allows in text, but some readers take for the end of a line."""


def on_terminal() -> bool:
    """Return whether a person reads the output."""
    return sys.stdout.isatty()


def as_json(value: object) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(compact(value) + "\n")


def compact(value: object) -> str:
    """Return a value as JSON on one line, also for programs that break lines at U+2028."""
    return _BREAKING.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def line(*parts: str, dim: bool = False) -> None:
    """Print parts on a line, separated by tabs when piped."""
    if on_terminal():
        typer.echo(typer.style("  ".join(parts), dim=dim or None))
    else:
        sys.stdout.write("\t".join(parts) + "\n")


def note(text: str) -> None:
    """Print a remark for people on stderr; it is not part of the result."""
    typer.secho(text, dim=True, err=True)


def nothing_found(
    what: str = "Nothing found", *, agent: str | None, user: str | None, session: str | None, everywhere: bool
) -> None:
    """Remark that a scope has no such memories, and how to look further."""
    keys = (("agent", agent), ("user", user), ("session", session))
    scope = ", ".join(f"{key} {name}" for key, name in keys if name is not None)
    if everywhere:
        note(f"{what}.")
    elif scope:
        note(f"{what} for {one_line(scope)}. Use --everywhere to search all scopes.")
    else:
        note(f"{what} without a scope. Name one with --user, or use --everywhere to search all scopes.")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None) -> None:
    """Print rows as a table, or one line for each when piped; nothing when there are none."""
    if not rows:
        return
    if not on_terminal():
        for row in rows:
            line(*(one_line(cell) for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(*headings, title=title, title_justify="left", header_style="bold", box=None, padding=(0, 2, 0, 0))
    for row in rows:
        grid.add_row(*(Text(printable(cell)) for cell in row))
    Console().print(grid)


def card(title: str, body: str, fields: Iterable[tuple[str, str]]) -> None:
    """Print one record: its text and its fields."""
    if not on_terminal():
        for name, value in (("text", body), *fields):
            line(name, one_line(value))
        return
    from rich.console import Console, Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for name, value in fields:
        grid.add_row(Text(name, style="dim"), Text(printable(value)))
    Console().print(Panel(Group(Text(printable(body), style="bold"), Text(), grid), title=title, title_align="left"))


def printable(text: str) -> str:
    """Return text in which no control character can act on the terminal."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return text on a single line."""
    return printable(" ".join(text.split()))


def day(when: When | None) -> str:
    """Return a time as a person reads it: the day, and the minute unless only the day is known."""
    if when is None:
        return ""
    return when.strftime("%Y-%m-%d %H:%M") if isinstance(when, datetime) else when.isoformat()


def whose(memory: Memory) -> str:
    """Return the scope of a memory as a person reads it."""
    scope = memory.scope
    keys = (("agent", scope.agent), ("user", scope.user), ("session", scope.session))
    return " ".join(f"{key} {name}" for key, name in keys if name is not None) or "no one"


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


@contextmanager
def progress() -> Iterator[Progress]:
    """Show a progress bar on a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda doing, done, total: bar.update(task, description=doing, completed=done, total=total or None)
