"""The arguments and options that commands share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from mnemic.errors import InvalidInput

_SCOPE = "Scope"
_FIELDS = "Fields"
_WHICH = "Filter"

Id = Annotated[str, typer.Argument(help="The id of the memory.", metavar="ID", show_default=False)]
Query = Annotated[
    str, typer.Argument(help="The question, or '-' to read it from stdin.", metavar="QUERY", show_default=False)
]
NewFile = Annotated[Path, typer.Argument(help="A file that does not exist yet.", metavar="FILE", show_default=False)]


def _scope_key(help: str) -> Any:  # noqa: ANN401 - typer's own types are private
    return typer.Option(help=help, metavar="NAME", rich_help_panel=_SCOPE)


Agent = Annotated[str | None, _scope_key("Only memories of this agent.")]
User = Annotated[str | None, _scope_key("Only memories of this user.")]
Session = Annotated[str | None, _scope_key("Only memories of this session.")]
OwnerAgent = Annotated[str | None, _scope_key("The agent the memory belongs to.")]
OwnerUser = Annotated[str | None, _scope_key("The user the memory belongs to.")]
OwnerSession = Annotated[str | None, _scope_key("The session the memory belongs to.")]
ServedAgent = Annotated[str | None, _scope_key("Serve the memories of this agent.")]
ServedUser = Annotated[str | None, _scope_key("Serve the memories of this user.")]
ServedSession = Annotated[str | None, _scope_key("Serve the memories of this session.")]
Everywhere = Annotated[
    bool,
    typer.Option(
        "--everywhere", help="Use all scopes. Default: only memories without a scope.", rich_help_panel=_SCOPE
    ),
]

TierName = Annotated[
    str | None,
    typer.Option(help="short_term, working, long_term or episodic.", metavar="TIER", rich_help_panel=_FIELDS),
]
Category = Annotated[
    str | None, typer.Option(help="A category of your own, such as health.", metavar="NAME", rich_help_panel=_FIELDS)
]
Importance = Annotated[
    float | None, typer.Option(help="From 1 to 10. Default: 5.", metavar="NUMBER", rich_help_panel=_FIELDS)
]
NewImportance = Annotated[
    float | None, typer.Option("--importance", help="From 1 to 10.", metavar="NUMBER", rich_help_panel=_FIELDS)
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="A tag; repeatable.", metavar="NAME", rich_help_panel=_FIELDS)
]
Metadata = Annotated[
    str | None, typer.Option(help='A JSON object, such as {"year": 2026}.', metavar="JSON", rich_help_panel=_FIELDS)
]
Source = Annotated[
    str | None, typer.Option(help="Where the memory comes from, such as chat.", metavar="NAME", rich_help_panel=_FIELDS)
]
OccurredAt = Annotated[
    str | None,
    typer.Option(help="When it happened: 2026-03-01 or 2026-03-01T09:30:00Z.", metavar="TIME", rich_help_panel=_FIELDS),
]
ExpiresAt = Annotated[
    str | None,
    typer.Option(
        help="When the memory stops being true: 2026-03-01T09:30:00Z.", metavar="TIME", rich_help_panel=_FIELDS
    ),
]

OnlyTier = Annotated[str | None, typer.Option("--tier", help="Only this tier.", metavar="TIER", rich_help_panel=_WHICH)]
Where = Annotated[
    str | None,
    typer.Option(
        help='A filter, such as {"category": "opinion", "metadata.year": {"gte": 2023}}.',
        metavar="JSON",
        rich_help_panel=_WHICH,
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        help="Only what was true at this time: 2026-03-01 or 2026-03-01T09:30:00Z.",
        metavar="TIME",
        rich_help_panel=_WHICH,
    ),
]
IncludeSuperseded = Annotated[
    bool,
    typer.Option("--include-superseded", help="Include superseded and expired memories.", rich_help_panel=_WHICH),
]
Rerank = Annotated[
    bool,
    typer.Option(
        "--rerank",
        help="Rerank the best hits with the model in MNEMIC_RERANKER; takes about a second.",
        rich_help_panel=_WHICH,
    ),
]
Limit = Annotated[int, typer.Option(help="Print at most this many.", metavar="N", rich_help_panel=_WHICH)]
MinScore = Annotated[
    float | None,
    typer.Option(
        help="Only hits with at least this score, 0 to 1. Default: about 0.014.",
        metavar="SCORE",
        rich_help_panel=_WHICH,
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]


def without_none(**values: object) -> dict[str, Any]:
    """Return the options that were given; an empty text counts as given, so that the library refuses it."""
    return {name: value for name, value in values.items() if value is not None}


def scope_or_everywhere(agent: str | None, user: str | None, session: str | None) -> dict[str, Any]:
    """Return the scope that was given, or everywhere when there is none."""
    return without_none(agent=agent, user=user, session=session) or {"everywhere": True}


_EXAMPLES = {"where": """'{"category": "opinion"}'""", "metadata": """'{"year": 2026}'"""}


def json_object(name: str, value: str | None) -> dict[str, Any] | None:
    """Return the value of an option that takes a JSON object."""
    if value is None:
        return None
    try:
        parsed = json.loads(value, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(name, f"is not JSON ({error}); give an object such as {_EXAMPLES[name]}") from None
    if not isinstance(parsed, dict):
        raise InvalidInput(name, f"must be a JSON object such as {_EXAMPLES[name]}, not {value:.60}")
    return parsed


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


def text_or_stdin(value: str) -> str:
    """Return the text, or what stdin holds when it is '-'."""
    if value != "-":
        return value
    return sys.stdin.read().removesuffix("\n").removesuffix("\r")
