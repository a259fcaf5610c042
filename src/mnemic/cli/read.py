"""list, show, history, links and stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.mind import mind_folder, open_mind
from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.mind import Mind
    from mnemic.model.change import Change
    from mnemic.model.hit import Page
    from mnemic.model.memory import Memory

PAGE = 500
MOST_SHOWN = 10
_TALLIED = ("tier", "category", "agent", "user", "session", "source")


def list_memories(
    context: typer.Context,
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    everywhere: o.Everywhere = False,
    tier: o.OnlyTier = None,
    where: o.Where = None,
    as_of: o.AsOf = None,
    include_superseded: o.IncludeSuperseded = False,
    limit: Annotated[int | None, typer.Option(help="Print at most this many. Default: all.", metavar="N")] = None,
    after: Annotated[str | None, typer.Option(help="Continue where --limit stopped.", metavar="CURSOR")] = None,
    json: o.Json = False,
) -> None:
    """List memories, oldest first."""
    if limit is not None and limit < 1:
        raise InvalidInput("limit", f"must be at least 1, not {limit}")
    filters = o.without_none(
        agent=agent,
        user=user,
        session=session,
        tier=tier,
        where=o.json_object("where", where),
        as_of=as_of,
    )
    count, following = 0, None
    with open_mind(context) as mind:
        for page in _pages(mind, limit, after, everywhere=everywhere, include_superseded=include_superseded, **filters):
            for memory in page:
                output.as_json(memory.to_dict()) if json else _print_memory(memory)
            count, following = count + len(page), page.next
    if not count and after is None and not json:
        output.nothing_found(agent=agent, user=user, session=session, everywhere=everywhere)
    if following is None:
        return
    if json:
        output.as_json({"next": following})
    else:
        output.note(f"There are more; continue with --after {following}")


def _pages(mind: Mind, limit: int | None, after: str | None, **filters: Any) -> Iterator[Page]:  # noqa: ANN401
    """Walk page by page, the last one cut so that `.next` is right when a limit is reached."""
    while limit is None or limit > 0:
        size = PAGE if limit is None else min(PAGE, limit)
        page = next(mind.pages(size=size, after=after, **filters), None)
        if page is None:
            return
        yield page
        if page.next is None:
            return
        after = page.next
        limit = None if limit is None else limit - len(page)


def _print_memory(memory: Memory) -> None:
    when = output.day(memory.occurred_at or memory.created_at)
    ended = [] if memory.superseded_at is None else [f"superseded {output.day(memory.superseded_at)}"]
    output.line(memory.id, when, output.whose(memory), output.one_line(memory.text), *ended)


def show(context: typer.Context, id: o.Id, *, json: o.Json = False) -> None:
    """Show a memory with its fields, links and history."""
    with open_mind(context) as mind:
        memory, links, changes = mind.get(id), mind.links(id), mind.history(id)
    if json:
        history = [{"kind": change.kind, "at": change.at.isoformat()} for change in changes]
        output.as_json({"memory": memory.to_dict(), "links": [link.to_dict() for link in links], "history": history})
        return
    output.card(f"memory {memory.id}", memory.text, _fields(memory))
    output.table(
        ("relation", "from", "to"), [(link.relation, link.from_id, link.to_id) for link in links], title="links"
    )
    output.table(("change", "at"), [(change.kind, output.day(change.at)) for change in changes], title="history")


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    for name, value in memory.to_dict().items():
        if name == "text" or value in (None, [], {}):
            continue
        if name.endswith("_at"):
            yield name, output.day(getattr(memory, name))
        else:
            yield name, value if isinstance(value, str) else output.compact(value)


def history(context: typer.Context, id: o.Id, *, json: o.Json = False) -> None:
    """Show every change of a memory, oldest first, even after it was forgotten."""
    with open_mind(context) as mind:
        changes = mind.history(id)
    if json:
        for change in changes:
            output.as_json(change.to_dict())
        return
    output.table(("at", "change", "what"), [(output.day(change.at), change.kind, _what(change)) for change in changes])


def _what(change: Change) -> str:
    if change.kind in ("linked", "unlinked"):
        link = change.after or change.before
        return f"{link['relation']} → {link['to_id']}"
    if change.kind in ("created", "forgotten"):
        return str((change.after or change.before)["text"])
    return "; ".join(
        f"{name}: {output.compact(change.before.get(name))} → {output.compact(change.after.get(name))}"
        for name in dict.fromkeys((*change.before, *change.after))
        if name != "revision"
    )


def links(context: typer.Context, id: o.Id, *, json: o.Json = False) -> None:
    """List the links from and to a memory."""
    with open_mind(context) as mind:
        linked = mind.links(id)
    if json:
        for link in linked:
            output.as_json(link.to_dict())
        return
    output.table(
        ("relation", "from", "to", "since"),
        [(link.relation, link.from_id, link.to_id, output.day(link.created_at)) for link in linked],
    )


def stats(
    context: typer.Context,
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    json: o.Json = False,
) -> None:
    """Count the memories of the mind or of a scope."""
    scope = o.scope_or_everywhere(agent, user, session)
    with open_mind(context) as mind:
        current, every = mind.count(**scope), mind.count(**scope, include_superseded=True)
        tallies = {field: mind.tally(field, **scope) for field in _TALLIED}
        whole = mind.stats() if "everywhere" in scope else {}
    counts = {"current": current, "ended": every - current} | {
        name: whole[name] for name in ("forgotten", "links", "changes", "bytes") if name in whole
    }
    folder = str(mind_folder(context))
    if json:
        by = {
            field: [{"value": value, "count": count} for value, count in tally.items()]
            for field, tally in tallies.items()
        }
        output.as_json({"mind": folder, **counts, "by": by})
        return
    names = {"ended": "superseded or expired"}
    rows = [(names.get(name, name), f"{count:,}") for name, count in counts.items()]
    output.table(("", ""), [("mind", folder), *rows])
    for field, tally in tallies.items():
        _print_tally(field, tally)


def _print_tally(field: str, tally: dict[str | None, int]) -> None:
    if set(tally) <= {None}:
        return
    rows = [("–" if value is None else value, f"{count:,}") for value, count in tally.items()]
    if output.on_terminal():
        first, rest = rows[:MOST_SHOWN], len(rows) - MOST_SHOWN
        output.table((f"by {field}", ""), first + ([(f"and {rest:,} more", "")] if rest > 0 else []))
    else:
        output.table((), [(field, *row) for row in rows])
