"""recall, context and explain."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import open_mind
from mnemic.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.mind import Mind
    from mnemic.model.hit import Hit

_BAR = 10


def recall(
    context: typer.Context,
    query: o.Query,
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    everywhere: o.Everywhere = False,
    tier: o.OnlyTier = None,
    where: o.Where = None,
    limit: o.Limit = 10,
    min_score: o.MinScore = None,
    as_of: o.AsOf = None,
    include_superseded: o.IncludeSuperseded = False,
    rerank: o.Rerank = False,
    json: o.Json = False,
) -> None:
    """Find the memories that answer a question, best first, with the reasons."""
    with open_mind(context) as mind:
        hits = mind.recall(
            o.text_or_stdin(query),
            **o.without_none(
                agent=agent,
                user=user,
                session=session,
                tier=tier,
                where=o.json_object("where", where),
                min_score=min_score,
                as_of=as_of,
            ),
            everywhere=everywhere,
            limit=limit,
            include_superseded=include_superseded,
            rerank=rerank,
        )
    if json:
        for hit in hits:
            output.as_json(hit.to_dict())
        return
    for hit in hits:
        _print_hit(hit)
    if not hits:
        output.nothing_found(agent=agent, user=user, session=session, everywhere=everywhere)


def _print_hit(hit: Hit) -> None:
    if output.on_terminal():
        print_pretty(hit)
        return
    memory, reasons = hit.memory, "; ".join(hit.reasons)
    output.line(f"{hit.score:.2f}", memory.id, _when(hit), output.one_line(memory.text), output.one_line(reasons))


def print_pretty(hit: Hit) -> None:
    """Print a hit for a person: a bar for its score, the text, and below it date, owner, reasons and id."""
    memory = hit.memory
    full = round(hit.score * _BAR)
    bar = typer.style("█" * full, fg="green") + typer.style("░" * (_BAR - full), dim=True)
    typer.echo(f"{bar} {hit.score:.2f}  {typer.style(output.printable(memory.text), bold=True)}")
    ended = ["superseded"] if memory.superseded_at else []
    about = " · ".join((_when(hit), output.whose(memory), *ended, *hit.reasons, memory.id))
    typer.echo(" " * (_BAR + 7) + typer.style(output.one_line(about), dim=True))


def _when(hit: Hit) -> str:
    return output.day(hit.memory.occurred_at or hit.memory.created_at)


def context(
    context: typer.Context,
    query: o.Query,
    *,
    budget: Annotated[int, typer.Option(help="How many tokens the text may have.", metavar="N")] = 1000,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    everywhere: o.Everywhere = False,
    tier: o.OnlyTier = None,
    where: o.Where = None,
    as_of: o.AsOf = None,
    rerank: o.Rerank = False,
    json: o.Json = False,
) -> None:
    """Print recalled memories as text for a prompt, within a token budget."""
    with open_mind(context) as mind:
        text = mind.context(
            o.text_or_stdin(query),
            budget=budget,
            **o.without_none(
                agent=agent,
                user=user,
                session=session,
                tier=tier,
                where=o.json_object("where", where),
                as_of=as_of,
            ),
            everywhere=everywhere,
            rerank=rerank,
        )
    if json:
        output.as_json({"context": text})
    elif text:
        typer.echo(output.printable(text) if output.on_terminal() else text)
    else:
        what = f"Nothing found that fits into {output.counted(budget, 'token')}"
        output.nothing_found(what, agent=agent, user=user, session=session, everywhere=everywhere)


def explain(
    context: typer.Context,
    query: o.Query,
    id: o.Id,
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    everywhere: o.Everywhere = False,
    tier: o.OnlyTier = None,
    where: o.Where = None,
    limit: o.Limit = 10,
    min_score: o.MinScore = None,
    as_of: o.AsOf = None,
    include_superseded: o.IncludeSuperseded = False,
    json: o.Json = False,
) -> None:
    """Show why a memory is or is not recalled for a question."""
    with open_mind(context) as mind, _hint_of_scope(mind, id, everywhere=everywhere):
        explanation = mind.explain(
            o.text_or_stdin(query),
            id,
            **o.without_none(
                agent=agent,
                user=user,
                session=session,
                tier=tier,
                where=o.json_object("where", where),
                min_score=min_score,
                as_of=as_of,
            ),
            everywhere=everywhere,
            limit=limit,
            include_superseded=include_superseded,
        )
    if json:
        output.as_json(explanation.to_dict())
        return
    rank = f"{explanation.rank}, score {explanation.score:.2f}" if explanation.rank else "not among the hits"
    output.card(
        "recalled" if explanation.recalled else "not recalled",
        explanation.memory.text,
        [
            ("recalled", "yes" if explanation.recalled else "no"),
            ("rank", rank),
            ("because", "; ".join(explanation.reasons)),
        ],
    )


@contextmanager
def _hint_of_scope(mind: Mind, id: str, *, everywhere: bool) -> Iterator[None]:
    """Say so when a memory is not found because it belongs to another scope."""
    try:
        yield
    except NotFound:
        if everywhere:
            raise
        found = mind.get(id)
        hint = "give its --agent, --user or --session, or --everywhere"
        raise NotFound(f"memory {found.id} is not in this scope; {hint}") from None
