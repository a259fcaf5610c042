"""revise, supersede, unsupersede, link, unlink and forget."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import open_mind
from mnemic.errors import InvalidInput, MnemicError

if TYPE_CHECKING:
    from mnemic.mind import Mind
    from mnemic.model.memory import Memory

_CLEARED: dict[str, Any] = {
    "category": None,
    "source": None,
    "tags": (),
    "metadata": {},
    "occurred_at": None,
    "expires_at": None,
}

_CHANGES = "--text, --tier, --category, --importance, --tag, --metadata, --source, --occurred-at, --expires-at"

From = Annotated[
    str, typer.Argument(help="The id of the memory the link starts from.", metavar="FROM", show_default=False)
]
To = Annotated[str, typer.Argument(help="The id of the memory the link leads to.", metavar="TO", show_default=False)]
Relation = Annotated[
    str, typer.Argument(help="How FROM relates to TO, such as explains.", metavar="RELATION", show_default=False)
]


def revise(
    context: typer.Context,
    id: o.Id,
    *,
    text: Annotated[
        str | None, typer.Option(help="The new text, or '-' to read it from stdin.", metavar="TEXT")
    ] = None,
    tier: o.TierName = None,
    category: o.Category = None,
    importance: o.NewImportance = None,
    tags: o.Tags = None,
    metadata: o.Metadata = None,
    source: o.Source = None,
    occurred_at: o.OccurredAt = None,
    expires_at: o.ExpiresAt = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(help=f"Empty a field: {', '.join(_CLEARED)}; repeatable.", metavar="FIELD"),
    ] = None,
    expect: Annotated[
        int | None, typer.Option(help="Change it only if it is still at this revision.", metavar="N")
    ] = None,
    json: o.Json = False,
) -> None:
    """Change fields of a memory. Other fields stay; the history records the old values."""
    changes = o.without_none(
        text=None if text is None else o.text_or_stdin(text),
        tier=tier,
        category=category,
        importance=importance,
        tags=tags,
        metadata=o.json_object("metadata", metadata),
        source=source,
        occurred_at=occurred_at,
        expires_at=expires_at,
    )
    for name in clear or ():
        if name not in _CLEARED or name in changes:
            raise InvalidInput("clear", f"must be one of {', '.join(_CLEARED)} that is not set as well, not {name!r}")
    with open_mind(context) as mind:
        if not changes and not clear:
            raise MnemicError(f"nothing to change; give at least one of {_CHANGES} or --clear")
        memory = mind.revise(id, expect=expect, **changes, **{name: _CLEARED[name] for name in clear or ()})
    _print_changed(memory, f"revised {memory.id}, now revision {memory.revision}", json=json)


def supersede(
    context: typer.Context,
    old_id: Annotated[
        str, typer.Argument(help="The id of the memory that is no longer true.", metavar="OLD", show_default=False)
    ],
    new_id: Annotated[
        str, typer.Argument(help="The id of the memory that replaces it.", metavar="NEW", show_default=False)
    ],
    *,
    at: Annotated[
        str | None, typer.Option(help="When the old fact ended. Default: when the new one began.", metavar="TIME")
    ] = None,
    json: o.Json = False,
) -> None:
    """Mark a memory as replaced by a newer one; it is then recalled only with --as-of or --include-superseded."""
    with open_mind(context) as mind:
        memory = mind.supersede(old_id, new_id, at=at)
    _print_changed(memory, f"superseded {memory.id} at {output.day(memory.superseded_at)}", json=json)


def unsupersede(context: typer.Context, id: o.Id, *, json: o.Json = False) -> None:
    """Undo supersede: make a memory current again."""
    with open_mind(context) as mind:
        memory = mind.unsupersede(id)
    _print_changed(memory, f"{memory.id} is current", json=json)


def _print_changed(memory: Memory, sentence: str, *, json: bool) -> None:
    if json:
        output.as_json(memory.to_dict())
    else:
        output.line(sentence)


def link(context: typer.Context, from_id: From, to_id: To, relation: Relation, *, json: o.Json = False) -> None:
    """Relate one memory to another."""
    with open_mind(context) as mind:
        link = mind.link(from_id, to_id, relation)
    if json:
        output.as_json(link.to_dict())
    else:
        output.line(f"linked {link.from_id} {output.one_line(link.relation)} {link.to_id}")


def unlink(context: typer.Context, from_id: From, to_id: To, relation: Relation, *, json: o.Json = False) -> None:
    """Remove a relation between two memories."""
    with open_mind(context) as mind:
        mind.unlink(from_id, to_id, relation)
    if json:
        output.as_json({"unlinked": True})
    else:
        output.line("unlinked")


def forget(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(help="The id of the memory.", metavar="ID", show_default=False)] = None,
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    where: o.Where = None,
    everything: Annotated[bool, typer.Option("--everything", help="Empty the whole mind.")] = False,
    purge: Annotated[bool, typer.Option("--purge", help="Also erase the history and every trace on the disk.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be forgotten.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    json: o.Json = False,
) -> None:
    """Forget one memory, the memories of a scope or filter, or everything."""
    scope = o.without_none(agent=agent, user=user, session=session)
    filter = o.json_object("where", where)
    verb = "purge" if purge else "forget"
    with open_mind(context) as mind:
        if dry_run or (id is None and (scope or filter is not None or everything)):
            count = _count(mind, id, scope, filter, everything=everything)
            if dry_run:
                _print_forgotten(count, f"would {verb}", json=json)
                return
            _confirm(verb, count, yes=yes)
        forgotten = mind.forget(id, **scope, where=filter, everything=everything, purge=purge)
    _print_forgotten(forgotten, "purged" if purge else "forgot", json=json)


def _count(
    mind: Mind, id: str | None, scope: dict[str, Any], filter: dict[str, Any] | None, *, everything: bool
) -> int:
    """Count the memories that `Mind.forget` would take."""
    if everything or (id is not None and not scope):
        scope = {"everywhere": True}
    if id is not None:
        filter = {"id": id} if filter is None else {"and": [filter, {"id": id}]}
    return mind.count(**scope, where=filter, include_superseded=True)


def _confirm(verb: str, count: int, *, yes: bool) -> None:
    if yes:
        return
    memories = output.counted(count, "memory", "memories")
    if not sys.stdin.isatty():
        raise InvalidInput("yes", f"is needed in a script: this would {verb} {memories}")
    question = f"{verb.capitalize()} {memories}?"
    if (count > 1 or verb == "purge") and not typer.confirm(question, err=True):
        output.note("Nothing was forgotten.")
        raise typer.Exit(1)


def _print_forgotten(count: int, done: str, *, json: bool) -> None:
    if json:
        output.as_json({done.replace(" ", "_"): count})
    else:
        output.line(f"{done} {output.counted(count, 'memory', 'memories')}")
