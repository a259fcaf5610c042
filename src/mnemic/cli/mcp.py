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
from mnemic.errors import InvalidInput, MnemicError
from mnemic.model.scope import Scope

if TYPE_CHECKING:
    from mnemic.wiring import Settings

_HTTP = "Over HTTP"
_NEEDS_EXTRA = 'the MCP server needs more packages: python -m pip install "mnemic[mcp]"'

app = typer.Typer(cls=Group)

Experience = Annotated[
    Path | None,
    typer.Option(help="The folder of the experience tree; else one for this scope in MNEMIC_HOME.", metavar="PATH"),
]


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    *,
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    experience: Experience = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP instead of stdio.", rich_help_panel=_HTTP)
    ] = False,
    host: Annotated[
        str, typer.Option(help="The address to listen on.", metavar="ADDRESS", rich_help_panel=_HTTP)
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port; 0 takes any that is free.", metavar="N", rich_help_panel=_HTTP)
    ] = 8765,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name clients reach it by; may be given again.", metavar="NAME", rich_help_panel=_HTTP),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="The file of the token, created if missing; else MNEMIC_MCP_TOKEN holds the token, else "
            "`mcp-token` in MNEMIC_HOME.",
            metavar="FILE",
            rich_help_panel=_HTTP,
        ),
    ] = None,
) -> None:
    """Serve the memory to agents over the Model Context Protocol: stdio, or HTTP with a token.

    The scope is fixed here, and no call can leave it. Without agent, user and session, it covers the memories that
    belong to no one.
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
    agent: o.Agent = None,
    user: o.User = None,
    session: o.Session = None,
    experience: Experience = None,
    name: Annotated[str, typer.Option(help="What the client calls the server.", metavar="NAME")] = "mnemic",
    file: Annotated[
        Path | None,
        typer.Option(help="The client's file, when it is not the usual one.", metavar="FILE"),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Merge it into the client's file, after a backup of that file.")
    ] = False,
    json: o.Json = False,
) -> None:
    """Print how a client starts the server, or write it into the client's file."""
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
