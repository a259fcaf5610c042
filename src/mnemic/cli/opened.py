"""The mind that a command works on."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import typer

    from mnemic.mind import Mind

_MIND = "mnemic.mind"


def choose(context: typer.Context, path: str | None) -> None:
    """Note the path that --mind gave."""
    context.meta[_MIND] = path


def chosen(context: typer.Context) -> str | None:
    """Return the path that --mind gave."""
    path: str | None = context.meta[_MIND]
    return path


@contextmanager
def opened(context: typer.Context, *, make: bool = False) -> Iterator[Mind]:
    """Open the mind, and close it afterwards; without `make`, only if it is there."""
    from mnemic.wiring import open_mind  # loaded when a command runs, so that --help stays light

    with open_mind(chosen(context), make=make) as mind:
        yield mind
