"""mcp: serve, config."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mnemic.cli import options as o
from mnemic.cli import output
from mnemic.cli.command import Command, Group
from mnemic.cli.mind import mind_folder, settings_of
from mnemic.errors import InvalidInput, MnemicError, with_extra
from mnemic.model.scope import Scope

if TYPE_CHECKING:
    from mnemic.wiring import Settings

_HTTP = "Over HTTP"
_NEEDS_EXTRA = f"the MCP server needs more packages; {with_extra('mcp')}"

app = typer.Typer(cls=Group)

Experience = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the experience tree. Default: one for this scope in Mnemic's home.", metavar="PATH"
    ),
]


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    *,
    agent: o.ServedAgent = None,
    user: o.ServedUser = None,
    session: o.ServedSession = None,
    experience: Experience = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP instead of stdio.", rich_help_panel=_HTTP)
    ] = False,
    host: Annotated[
        str, typer.Option(help="The address to listen on.", metavar="ADDRESS", rich_help_panel=_HTTP)
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port; 0 chooses a free one.", metavar="N", rich_help_panel=_HTTP)
    ] = 8765,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A host name that clients may use; repeatable.", metavar="NAME", rich_help_panel=_HTTP),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File with the token, created if missing. Default: the token in MNEMIC_MCP_TOKEN, or the file "
            "mcp-token in Mnemic's home.",
            metavar="FILE",
            rich_help_panel=_HTTP,
        ),
    ] = None,
) -> None:
    """Serve the memories to agents over the Model Context Protocol: stdio, or HTTP with a token.

    The scope is fixed when the server starts. Without --agent, --user and --session, only memories without a scope
    are served.
    """
    if context.invoked_subcommand is not None:
        return
    scope = Scope.of(**o.without_none(agent=agent, user=user, session=session))
    try:
        from mnemic.mcp.server import open_server
    except ModuleNotFoundError as error:
        raise MnemicError(f"{error.name} is missing; {_NEEDS_EXTRA}") from None
    with open_server(mind_folder(context), scope, experience, settings=settings_of(context)) as server:
        if not http:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the SDK's reader would wait for one more line
            server.run("stdio")
            return
        from mnemic.mcp import http as web

        token, kept_in = _token(token_file, settings_of(context))
        listening = web.listen(host, port)
        names = [*(allow_host or ()), *([] if host in ("127.0.0.1", "::1", "localhost") else [host])]
        output.note(f"Serving {web.url(listening)}; the token is in {kept_in}")
        web.serve(web.app(server, token=token, hosts=names), listening)


def _token(file: Path | None, settings: Settings) -> tuple[str, str]:
    """Return the token, and where it is stored."""
    from mnemic.mcp.token import checked_token, token_in

    if settings.mcp_token is not None and file is None:
        return checked_token(settings.mcp_token, where="MNEMIC_MCP_TOKEN"), "MNEMIC_MCP_TOKEN"
    path = file or settings.mcp_token_file
    return token_in(path), str(path)


@app.command(cls=Command)
def config(
    context: typer.Context,
    *,
    client: Annotated[str, typer.Option(help="claude-code, claude-desktop, cursor or vscode.", metavar="NAME")],
    agent: o.ServedAgent = None,
    user: o.ServedUser = None,
    session: o.ServedSession = None,
    experience: Experience = None,
    name: Annotated[str, typer.Option(help="What the client calls the server.", metavar="NAME")] = "mnemic",
    file: Annotated[
        Path | None,
        typer.Option(help="The client's file. Default: its usual one.", metavar="FILE"),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the entry into the client's file; a backup of the file is kept.")
    ] = False,
    json: o.Json = False,
) -> None:
    """Print the configuration entry for a client, or write it into the client's file."""
    from mnemic.mcp import registration

    known = registration.clients(Path.home())
    if client not in known:
        raise InvalidInput("client", f"must be one of {', '.join(known)}, not {client!r}")
    scope = o.without_none(agent=agent, user=user, session=session)
    Scope.of(**scope)
    mind = mind_folder(context).absolute()
    command = [*registration.executable(), "--mind", str(mind), "mcp"]
    for option, value in (scope | o.without_none(experience=experience and str(experience.absolute()))).items():
        command += [f"--{option}", value]
    settings = known[client]
    entry, target = settings.entry(command), (file or settings.file).absolute()
    if not write:
        registered = {settings.key: {name: entry}}
        if json:
            output.as_json(registered)
            return
        output.note(f"For {target}; --write puts it there:")
        typer.echo(_pretty(registered))
        return
    outcome, copy = registration.merge(target, settings.key, name, entry)
    if json:
        output.as_json({"file": str(target), "outcome": outcome, "backup": str(copy) if copy else None})
        return
    output.line(outcome, str(target))
    if copy is not None:
        output.note(f"Backup of the old file: {copy}")


def _pretty(value: object) -> str:
    from json import dumps

    return dumps(value, indent=2, ensure_ascii=False)
