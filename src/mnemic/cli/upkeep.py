"""upkeep, contradictions, decide and unmerge."""

from __future__ import annotations

from typing import Annotated

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import open_mind, settings_of

Window = Annotated[
    int | None, typer.Option(help="Keep at most N short-term memories per scope. Default: 50.", metavar="N")
]
Weakest = Annotated[
    float | None, typer.Option(help="Prune memories weaker than this, 0 to 10. Default: 0.9.", metavar="STRENGTH")
]
Most = Annotated[
    int | None, typer.Option(help="Keep at most N memories per agent and user; prune the weakest.", metavar="N")
]
Grace = Annotated[
    float | None,
    typer.Option(
        help="Days until memories that upkeep pruned or summarised are forgotten. Default: 30.", metavar="DAYS"
    ),
]
Purge = Annotated[bool, typer.Option("--purge", help="Erase these memories and their history from the disk.")]
History = Annotated[
    float | None,
    typer.Option(help="Days until superseded memories are forgotten. Default: never.", metavar="DAYS"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would be done; change nothing.")]


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
    """Clean up a mind: close outdated facts, merge duplicates, find contradictions, prune weak memories.

    Only memories that are new since the last run are compared. With MNEMIC_LLM, a language model judges and
    summarises; the rules take over if it fails.
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
        ("action", "id", "memory", "because"),
        [(action.kind, action.id, action.text, f"{action.reason} ({action.by})") for action in report.actions],
    )
    for problem in report.problems:
        output.note(f"the rules answered instead: {problem}")
    done = ", ".join(f"{kind} {count:,}" for kind, count in report.counts.items()) or "nothing to do"
    examined = output.counted(report.examined, "new memory", "new memories")
    output.note(f"{'dry run: ' if dry_run else ''}{examined}; {done}")


def contradictions(context: typer.Context, *, json: o.Json = False) -> None:
    """List the contradictions that upkeep found; `decide` resolves them."""
    from mnemic.upkeep.contradict import contradictions as waiting

    with open_mind(context) as mind:
        pairs = waiting(mind)
    if json:
        for pair in pairs:
            output.as_json(pair.to_dict())
        return
    for pair in pairs:
        for name, memory in (("older", pair.older), ("newer", pair.newer)):
            when = output.day(memory.occurred_at or memory.created_at)
            output.line(name, memory.id, when, output.one_line(memory.text))
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
        str, typer.Option(help="Which memory to keep: newer, older or both.", metavar="WHICH", show_default=False)
    ],
    json: o.Json = False,
) -> None:
    """Resolve a contradiction: keep the newer memory, the older one, or both."""
    from mnemic.upkeep.contradict import decide as settle

    with open_mind(context) as mind:
        settle(mind, older, newer, keep)  # type: ignore[arg-type]
    if json:
        output.as_json({"older": older, "newer": newer, "kept": keep})
    else:
        output.line(f"kept {keep}")


def unmerge(
    context: typer.Context,
    id: Annotated[
        str, typer.Argument(help="The id of the memory that was merged away.", metavar="ID", show_default=False)
    ],
    *,
    json: o.Json = False,
) -> None:
    """Undo a merge that upkeep made."""
    with open_mind(context) as mind:
        memory = mind.unmerge(id)
    if json:
        output.as_json(memory.to_dict())
    else:
        output.line(f"{memory.id} is current again")
