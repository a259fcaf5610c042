"""The tools that forget memories and bring them back: forget, restore_memory."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import AcceptedElicitation, Elicit, ElicitationResult, Resolve
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from mnemic.core.scoped import ScopedMind
from mnemic.errors import InvalidInput
from mnemic.mcp import arguments as a
from mnemic.mcp import budget, results
from mnemic.model.memory import Memory
from mnemic.rules.prompt import quoted

MOST_FORGOTTEN = 100
"""How many memories one call may forget."""

_SHOWN = 5
_SHOWN_TOKENS = 60


class Consent(BaseModel):
    """The user's answer to whether memories are to be forgotten."""

    forget: bool = Field(title="Forget", description="Yes, forget these memories.")


def forget_tool(mind: ScopedMind) -> Callable[..., CallToolResult]:
    """Return the tool that forgets; it asks the user first where the client can."""

    def selected(id: str | None, where: dict[str, Any] | None) -> list[Memory]:
        return _selected(mind, id, where)

    def consent(
        memories: Annotated[list[Memory], Resolve(selected)],
        confirm: bool,  # noqa: FBT001 - the SDK passes it by name
        ctx: Context,
    ) -> Elicit[Consent] | Consent | None:
        if memories and _can_ask(ctx):
            return Elicit(f"Forget {_counted(memories)}?\n{_shown(memories)}", Consent)
        return Consent(forget=True) if confirm else None

    def forget(
        *,
        memories: Annotated[list[Memory], Resolve(selected)],
        consented: Annotated[ElicitationResult[Consent], Resolve(consent)],
        id: Annotated[str | None, Field(description="The id of the memory to forget.")] = None,  # noqa: ARG001
        where: a.Where = None,  # noqa: ARG001 - `selected` takes both
        confirm: Annotated[  # noqa: ARG001 - `consent` takes it
            bool, Field(description="Only for clients that cannot ask the user: true after the user agreed.")
        ] = False,
    ) -> Annotated[CallToolResult, results.ForgottenResult]:
        """Forget one memory by its id, or those that a filter selects. restore_memory can undo it.

        Use it when the user asks you to forget something. If the client can ask, the user sees the memories and
        decides. If it cannot, the first call forgets nothing and lists them: show them to the user, and call again
        with confirm true when they agree.

        Example: {"id": "0198c7e2-5b1f-7cc3-98c4-dc0c0c07398f"}
        """
        if not memories:
            return _answer(memories, "No memory matches; nothing was forgotten.")
        agreed: Consent | None = consented.data if isinstance(consented, AcceptedElicitation) else Consent(forget=False)
        if agreed is None:
            would = f"This would forget {_counted(memories)}; call again with confirm true to do it."
            return _answer(memories, f"{would}\n{quoted((None, line) for line in _lines(memories))}")
        if not agreed.forget:
            return _answer(memories, "The user did not agree; nothing was forgotten.")
        mind.forget(where={"id": {"in": [memory.id for memory in memories]}})
        return _answer(memories, f"Forgot {_counted(memories)}. restore_memory brings them back.", forgotten=True)

    return forget


def restore_tool(mind: ScopedMind) -> Callable[..., CallToolResult]:
    """Return the tool that undoes forget."""

    def restore_memory(
        ids: Annotated[
            list[str], Field(description="The ids that forget returned.", min_length=1, max_length=MOST_FORGOTTEN)
        ],
    ) -> Annotated[CallToolResult, results.RestoredResult]:
        """Bring forgotten memories back, by the ids that forget returned. Their links to other memories are lost.

        Example: {"ids": ["0198c7e2-5b1f-7cc3-98c4-dc0c0c07398f"]}
        """
        for id in ids:
            mind.history(id)
        restored = [mind.unforget(id).id for id in ids]
        result = results.RestoredResult(restored=restored)
        return results.answer(f"Restored {len(restored)}: {', '.join(restored)}.", result)

    return restore_memory


def _selected(mind: ScopedMind, id: str | None, where: dict[str, Any] | None) -> list[Memory]:
    """Return the memories that an id or a filter selects."""
    if (id is None) == (where is None):
        problem = "is missing, and so is where" if id is None else "is given together with where"
        raise InvalidInput("id", f"{problem}; give either an id or a filter")
    if where == {}:
        raise InvalidInput("where", "is empty; name what to forget")
    if id is not None:
        return [mind.get(id)]
    page = next(mind.pages(where=where, include_superseded=True, size=MOST_FORGOTTEN), None)
    if page is None:
        return []
    if page.next is not None:
        count = mind.count(where=where, include_superseded=True)
        raise InvalidInput(
            "where", f"selects {count:,} memories, but one call forgets at most {MOST_FORGOTTEN}; narrow the filter"
        )
    return list(page)


def _can_ask(context: Context) -> bool:
    capabilities = context.client_capabilities
    asking = None if capabilities is None else capabilities.elicitation
    return asking is not None and (asking.form is not None or asking.url is None)


def _answer(memories: Sequence[Memory], message: str, *, forgotten: bool = False) -> CallToolResult:
    ids = [memory.id for memory in memories]
    result = results.ForgottenResult(forgotten=forgotten, ids=ids, message=message)
    return results.answer(f"{message}\nids: {', '.join(ids)}" if ids else message, result)


def _counted(memories: Sequence[Memory]) -> str:
    return "1 memory" if len(memories) == 1 else f"{len(memories)} memories"


def _shown(memories: Sequence[Memory]) -> str:
    return "\n".join(f"- {line}" for line in _lines(memories))


def _lines(memories: Sequence[Memory]) -> list[str]:
    lines = [budget.shortened(" ".join(memory.text.split()), _SHOWN_TOKENS) for memory in memories[:_SHOWN]]
    return lines + ([f"and {len(memories) - _SHOWN} more"] if len(memories) > _SHOWN else [])
