"""upkeep, contradictions, decide and unmerge."""

from __future__ import annotations

from typing import Annotated

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import open_mind, settings_of

Window = Annotated[
    int | None, typer.Option(help="How many short-term memories a scope keeps; 50 when left out.", metavar="N")
]
Weakest = Annotated[
    float | None, typer.Option(help="Prune memories weaker than this, 0 to 10; 0.9 when left out.", metavar="STRENGTH")
]
Most = Annotated[
    int | None, typer.Option(help="Prune the weakest of more memories than this for an agent and user.", metavar="N")
]
Grace = Annotated[
    float | None, typer.Option(help="Forget what upkeep ended this long ago; 30 when left out.", metavar="DAYS")
]
Purge = Annotated[bool, typer.Option("--purge", help="Erase what is forgotten after the grace, with its history.")]
History = Annotated[
    float | None,
    typer.Option(help="Forget what another memory replaced this long ago; never when left out.", metavar="DAYS"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would be done, and change nothing.")]


def upkeep(
    context: typer.Context,
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    window: Window = None,
    weakest: Weakest = None,
    most: Most = None,
    grace: Grace = None,
    history: History = None,
    purge: Purge = False,
    dry_run: DryRun = False,
    json: o.Json = False,
) -> None:
    """Maintain the mind or a scope: merge duplicates, close outdated facts, list contradictions, prune.

    Only what is new since the last run is compared; a second run does nothing. If MNEMIC_LLM is set, that model
    judges and summarises; when it fails, the rules do.
    """
    from mnemic import wiring
    from mnemic.upkeep.options import Options
    from mnemic.upkeep.run import upkeep as run

    scope = o.scope_or_everywhere(agent, user, session)
    values = o.without_none(window=window, weakest=weakest, most=most, grace=grace, history=history)
    options = Options(**values, purge=purge)
    llm = wiring.llm(settings_of(context))
    with open_mind(context) as mind, output.progress() as progress:
        report = run(mind, **scope, options=options, dry_run=dry_run, llm=llm, progress=progress)
    if json:
        output.as_json(report.to_dict())
        return
    output.table(
        ("action", "memory", "because"),
        ((action.kind, action.text, f"{action.reason} ({action.by})") for action in report.actions),
    )
    for problem in report.problems:
        output.note(f"the rules answered instead: {problem}")
    done = ", ".join(f"{kind} {count:,}" for kind, count in report.counts.items()) or "nothing to do"
    examined = output.counted(report.examined, "new memory", "new memories")
    output.note(f"{'dry run: ' if dry_run else ''}{examined}; {done}")


def contradictions(context: typer.Context, *, json: o.Json = False) -> None:
    """List the contradictions that wait for a decision."""
    from mnemic.upkeep.contradict import contradictions as waiting

    with open_mind(context) as mind:
        pairs = waiting(mind)
    if json:
        for pair in pairs:
            output.as_json(pair.to_dict())
        return
    for pair in pairs:
        output.line(pair.older.id, output.day(pair.older.began_at), output.one_line(pair.older.text))
        output.line(pair.newer.id, output.day(pair.newer.began_at), output.one_line(pair.newer.text))
    output.note(
        f"{output.counted(len(pairs), 'contradiction')}; decide with `mnemic decide OLDER NEWER --keep newer`"
        if pairs
        else "no contradictions"
    )


def decide(
    context: typer.Context,
    older: Annotated[str, typer.Argument(help="The id of the older memory.", metavar="OLDER", show_default=False)],
    newer: Annotated[str, typer.Argument(help="The id of the newer memory.", metavar="NEWER", show_default=False)],
    *,
    keep: Annotated[
        str, typer.Option(help="Which one holds: newer, older or both.", metavar="WHICH", show_default=False)
    ],
    json: o.Json = False,
) -> None:
    """Decide a contradiction: one memory closes the other, or both hold."""
    from mnemic.upkeep.contradict import decide as settle

    with open_mind(context) as mind:
        settle(mind, older, newer, keep)  # type: ignore[arg-type]
    if json:
        output.as_json({"older": older, "newer": newer, "kept": keep})
    else:
        output.line(f"decided: {keep} {'hold' if keep == 'both' else 'holds'}")


def unmerge(context: typer.Context, id: o.Id, *, json: o.Json = False) -> None:
    """Undo a merge: reopen the memory, and take back the evidence it gave."""
    with open_mind(context) as mind:
        memory = mind.unmerge(id)
    if json:
        output.as_json(memory.to_dict())
    else:
        output.line(f"opened {memory.id} again")
