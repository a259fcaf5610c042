"""remember."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.command import WrongUsage
from mnemic.cli.mind import open_mind
from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.mind import Mind
    from mnemic.model.draft import Draft
    from mnemic.model.memory import Remembered

BATCH = 1000


def remember(
    context: typer.Context,
    text: Annotated[
        str | None,
        typer.Argument(help="The text to remember, or '-' to read it from stdin.", metavar="TEXT", show_default=False),
    ] = None,
    *,
    agent: o.OwnerAgent = None,
    user: o.OwnerUser = None,
    session: o.OwnerSession = None,
    tier: o.TierName = None,
    category: o.Category = None,
    importance: o.Importance = None,
    tags: o.Tags = None,
    metadata: o.Metadata = None,
    source: o.Source = None,
    occurred_at: o.OccurredAt = None,
    expires_at: o.ExpiresAt = None,
    id: Annotated[
        str | None,
        typer.Option(help="Your own UUID; repeating the command then stores nothing twice.", metavar="ID"),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Store each line of stdin as one memory.")] = False,
    json: o.Json = False,
) -> None:
    """Store a memory."""
    fields = o.without_none(
        agent=agent,
        user=user,
        session=session,
        tier=tier,
        category=category,
        importance=importance,
        tags=tags,
        metadata=o.json_object("metadata", metadata),
        source=source,
        occurred_at=occurred_at,
        expires_at=expires_at,
        id=id,
    )
    if lines and (text not in (None, "-") or id is not None):
        raise WrongUsage(context, "--lines reads stdin; leave TEXT and --id out")
    if not lines and text is None:
        raise WrongUsage(context, "TEXT is missing; give the text to remember, or '-' for stdin")
    with open_mind(context, make=True) as mind:
        if text is None or lines:
            _remember_lines(mind, fields, json=json)
            return
        remembered = mind.remember(o.text_or_stdin(text), **fields)
    if json:
        _print_json(remembered)
    elif remembered.created:
        output.line("remembered", remembered.memory.id)
    else:
        output.line("already stored", remembered.memory.id)


def _remember_lines(mind: Mind, fields: dict[str, Any], *, json: bool) -> None:
    """Remember line by line in batches; report from which line on nothing is stored when a line is wrong."""
    created = stored = 0
    with output.progress() as progress:
        for first, drafts in _batches(fields):
            if isinstance(drafts, InvalidInput):
                remedy = f"nothing from line {first} on is remembered" if stored else "nothing is remembered"
                raise InvalidInput(drafts.field, f"{drafts.problem}; {remedy}")
            remembered = mind.remember_many(drafts)
            stored += len(remembered)
            created += sum(result.created for result in remembered)
            progress(f"{stored:,} lines", stored, 0)
            for result in remembered if json else ():
                _print_json(result)
    if not json:
        output.line(f"remembered {created:,}", f"already stored {stored - created:,}")


def _batches(fields: dict[str, Any]) -> Iterator[tuple[int, list[Draft] | InvalidInput]]:
    """Return the drafts of stdin with the number of their first line; the first wrong line ends them."""
    from mnemic.model.draft import Draft

    first, drafts = 1, []
    for number, line in enumerate(sys.stdin, start=1):
        if line.isspace():
            continue
        try:
            drafts.append(Draft(text=line.rstrip("\r\n"), **fields))
        except InvalidInput as error:
            yield first, InvalidInput(f"line {number}: {error.field}", error.problem)
            return
        if len(drafts) == BATCH:
            yield first, drafts
            first, drafts = number + 1, []
    if drafts:
        yield first, drafts


def _print_json(remembered: Remembered) -> None:
    output.as_json({"created": remembered.created, "memory": remembered.memory.to_dict()})
