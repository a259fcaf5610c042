"""The settings and the mind that a command works with."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from mnemic.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import typer

    from mnemic.mind import Mind
    from mnemic.wiring import Settings

_MIND = "mnemic.mind"
_SETTINGS = "mnemic.settings"


def set_mind(context: typer.Context, path: str | None) -> None:
    """Note the path of --mind for the command that follows."""
    context.meta[_MIND] = path


def settings_of(context: typer.Context) -> Settings:
    """Return the settings, read once for a command."""
    from mnemic.wiring import load_settings  # loaded when a command runs, so that --help stays light

    if _SETTINGS not in context.meta:
        context.meta[_SETTINGS] = load_settings()
    settings: Settings = context.meta[_SETTINGS]
    return settings


def mind_folder(context: typer.Context) -> Path:
    """Return the folder of --mind, or that of the settings."""
    from mnemic import wiring

    return wiring.mind_folder(context.meta[_MIND], settings=settings_of(context))


@contextmanager
def open_mind(context: typer.Context, *, make: bool = False) -> Iterator[Mind]:
    """Open the mind, and close it afterwards; without `make`, only if it exists."""
    from mnemic import wiring

    folder = mind_folder(context)
    if not make and not wiring.has_mind(folder):
        raise NotFound(
            f"there is no mind in {folder} yet; create one with `mnemic remember`, or name another folder with --mind"
        )
    with wiring.open_mind(folder, settings=settings_of(context)) as mind:
        yield mind
