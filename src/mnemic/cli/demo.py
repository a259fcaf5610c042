"""The guided demonstration."""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mnemic.cli.recall import print_pretty

if TYPE_CHECKING:
    from collections.abc import Callable

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory

_YEAR = (
    ("2026-01-04", "Ana lives in Porto, in a flat above a bakery", "home"),
    ("2026-01-17", "Ana is allergic to walnuts", "health"),
    ("2026-02-09", "Ana started to learn the cello with a teacher called Rui", "hobby"),
    ("2026-03-02", "Ana got a new job as a marine biologist at the aquarium", "work"),
    ("2026-04-21", "Ana adopted a grey cat and named it Pixel", "family"),
    ("2026-05-30", "Ana ran her first half marathon in two hours and five minutes", "sport"),
    ("2026-07-12", "Ana and her brother Tomás sailed from Cascais to Sines", "travel"),
    ("2026-08-25", "Ana decided to eat no meat any more", "food"),
    ("2026-10-11", "Ana played the cello in front of an audience for the first time", "hobby"),
)


def demo() -> None:
    """Show the main features with invented data, in a temporary folder."""
    from mnemic.wiring import open_mind

    with tempfile.TemporaryDirectory(prefix="mnemic-demo-") as folder, open_mind(Path(folder) / "mind") as mind:
        number = count(1)
        for title, scene in _SCENES:
            typer.secho(f"\n{next(number)}. {title}", bold=True, fg="cyan")
            scene(mind)
    _farewell()


def _say(text: str) -> None:
    typer.secho(text, dim=True)


def _call(code: str) -> None:
    typer.echo(typer.style(">>> ", fg="green") + code)


def _remember_a_year(mind: Mind) -> None:
    _say("A mind is a folder. When remember returns, the memory is on the disk.")
    date, text, category = _YEAR[0]
    _call(f'mind.remember("{text}", user="ana", occurred_at="{date}")')
    for date, text, category in _YEAR:
        mind.remember(text, user="ana", occurred_at=date, category=category, source="demo")
    mind.remember("Ben plays the drums and lives in Berlin", user="ben", source="demo")
    typer.echo(f"… and so on: {mind.count(user='ana')} memories of Ana, {mind.count(user='ben')} of Ben")


def _recall(mind: Mind) -> None:
    _say("Each hit has a score, the estimated chance that it is relevant, and the reasons why it was found.")
    _recalled(mind, "What does Ana play?", "ana", limit=2)


def _isolate(mind: Mind) -> None:
    _say("The same question for Ben searches Ben's memories only, so it finds none of Ana's.")
    _recalled(mind, "What does Ana play?", "ben", limit=2)


def _recalled(mind: Mind, query: str, user: str, *, limit: int, as_of: str | None = None) -> None:
    when = f', as_of="{as_of}"' if as_of else ""
    _call(f'mind.recall("{query}", user="{user}"{when}, limit={limit})')
    for hit in mind.recall(query, user=user, as_of=as_of, limit=limit):
        print_pretty(hit)


def _repeat(mind: Mind) -> None:
    _say("The same memory is not stored twice. It gains evidence instead.")
    date, text, category = _YEAR[1]
    _call(f'mind.remember("{text}", user="ana", occurred_at="{date}")')
    repeat = mind.remember(text, user="ana", occurred_at=date, category=category, source="demo")
    typer.echo(f"created: {repeat.created}, evidence: {repeat.memory.evidence}")


def _supersede(mind: Mind) -> None:
    _say("supersede closes an older fact with a newer one. The older one is not erased: it was true in its time.")
    lisbon = mind.remember("Ana lives in Lisbon, near the river", user="ana", occurred_at="2026-06-15").memory
    _call('lisbon = mind.remember("Ana lives in Lisbon, near the river", user="ana", occurred_at="2026-06-15").memory')
    _call("mind.supersede(porto.id, lisbon.id)")
    mind.supersede(_home(mind, "Porto").id, lisbon.id)
    _recalled(mind, "Where does Ana live?", "ana", limit=1)
    _recalled(mind, "Where does Ana live?", "ana", limit=1, as_of="2026-02-01")
    _say("`mnemic upkeep` looks for such pairs, so that you need not call supersede yourself.")


def _context(mind: Mind) -> None:
    _say("Text for a prompt: fenced, dated, and within a token budget.")
    _call('mind.context("What can Ana not eat?", user="ana", budget=80)')
    typer.echo(mind.context("What can Ana not eat?", user="ana", budget=80))


def _history(mind: Mind) -> None:
    _say("Every change is recorded, with the fields before and after it.")
    porto = _home(mind, "Porto")
    mind.revise(porto.id, importance=8)
    _call("mind.history(porto.id)")
    for change in mind.history(porto.id):
        fields = ", ".join(name for name in change.after if name != "revision")
        typer.echo(f"{change.kind:<12}" + (porto.text if change.kind == "created" else fields))


def _forget(mind: Mind) -> None:
    _say("A forgotten memory is no longer found. purge=True also erases every trace of it on the disk.")
    _call('mind.forget(user="ben", purge=True)')
    typer.echo(f"forgot {mind.forget(user='ben', purge=True)} memory; Ben has {mind.count(user='ben')} left")


def _doctor(mind: Mind) -> None:
    _say("doctor checks memories, vectors, index, history and links against each other.")
    _call("mind.doctor()")
    for finding in mind.doctor():
        typer.echo(("✓ " if finding.ok else "✗ ") + finding.check)


_SCENES: tuple[tuple[str, Callable[[Mind], None]], ...] = (
    ("Remember", _remember_a_year),
    ("Recall, with reasons", _recall),
    ("Scopes", _isolate),
    ("Repeats", _repeat),
    ("A fact that changed", _supersede),
    ("Context for a prompt", _context),
    ("History", _history),
    ("Forget", _forget),
    ("Check", _doctor),
)


def _home(mind: Mind, city: str) -> Memory:
    where = {"category": "home", "text": {"contains": city}}
    return next(mind.pages(user="ana", where=where, include_superseded=True))[0]


def _farewell() -> None:
    typer.secho("\nTry it yourself", bold=True, fg="cyan")
    for command in (
        'mnemic remember "My sister Zoë plays the viola" --user me',
        'mnemic recall "who plays the viola?" --user me',
        "mnemic list --user me",
        "mnemic --help",
    ):
        typer.echo(f"  {command}")
