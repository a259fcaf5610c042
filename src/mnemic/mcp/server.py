"""The server: tools, resources and a prompt for one scope of a mind and its experience tree."""

import inspect
import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError, UnexpectedToolError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from mnemic import wiring
from mnemic.core.scoped import ScopedMind
from mnemic.errors import InvalidInput, MnemicError, NotFound
from mnemic.mcp import instructions
from mnemic.mcp.experience_tools import ExperienceTools, LazyEngine
from mnemic.mcp.forget_tools import forget_tool, restore_tool
from mnemic.mcp.memory_tools import MindTools
from mnemic.mcp.stdio import AnsweringStream
from mnemic.model.scope import Scope

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_RESTORES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

_PROBLEMS = 5
"""How many wrong arguments one error names."""


class MnemicServer(MCPServer):
    """An MCP server whose errors tell the model what to correct."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; wrong arguments raise a ToolError that names them."""
        self._refuse_unknown(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise _tool_error("; ".join(map(_problem, cause.errors()[:_PROBLEMS]))) from cause
            if isinstance(error, UnexpectedToolError) and isinstance(cause, MnemicError):
                raise _tool_error(str(cause)) from cause
            raise

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt; an unknown name is refused as a wrong argument."""
        if self._prompt_manager.get_prompt(name) is None:
            raise MCPError(INVALID_PARAMS, f"there is no prompt {name[:60]!r}; list them")
        return await super().get_prompt(name, arguments, context)

    async def run_stdio_async(self) -> None:
        """Serve over stdio until the client leaves."""
        async with stdio_server() as (read, write):
            options = self._lowlevel_server.create_initialization_options()
            await self._lowlevel_server.run(AnsweringStream(read, write), write, options)

    def _refuse_unknown(self, name: str, arguments: dict[str, Any]) -> None:
        tool = self._tool_manager.get_tool(name)
        if tool is None:
            known = ", ".join(tool.name for tool in self._tool_manager.list_tools())
            raise _tool_error(f"there is no tool {name[:60]!r}; known are {known}")
        known_arguments = tool.parameters.get("properties", {})
        for argument in arguments:
            if argument not in known_arguments:
                known = ", ".join(known_arguments) or "none"
                raise _tool_error(f"{argument[:60]}: is not an argument of {name}; known are {known}")

    def publish(
        self,
        tool: Callable[..., Any],
        annotations: ToolAnnotations,
        title: str,
        schema: dict[str, Any] | None = None,
    ) -> None:
        """Add a tool that takes only the arguments it names; `schema` replaces the one made from its signature."""
        self.add_tool(tool, title=title, description=inspect.getdoc(tool), annotations=annotations)
        published = self._tool_manager.get_tool(tool.__name__)
        if published is not None:
            published.parameters = (schema or published.parameters) | {"additionalProperties": False}


@contextmanager
def open_server(
    mind: str | Path | None, scope: Scope, experience: Path | None, *, settings: wiring.Settings | None = None
) -> Iterator[MnemicServer]:
    """Open the mind and the experience tree of a scope as a server, and close them afterwards; logs go to stderr."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    settings = settings or wiring.load_settings()
    tree = LazyEngine(experience or wiring.experience_folder_of(scope, settings=settings), settings)
    with wiring.open_mind(mind, settings=settings) as opened:
        try:
            yield build(ScopedMind(opened, scope), tree)
        finally:
            tree.close()


def build(mind: ScopedMind, tree: LazyEngine) -> MnemicServer:
    """Return the server for the memories of one scope and an experience tree."""
    server = MnemicServer(
        "mnemic",
        title="Mnemic",
        description="Memory for agents that lasts between conversations.",
        instructions=instructions.INSTRUCTIONS,
        version=version("mnemic"),
        log_level="WARNING",
    )
    memories, experiences = MindTools(mind), ExperienceTools(tree)
    server.publish(memories.remember, _ADDS, "Remember")
    server.publish(memories.recall, _READS, "Recall")
    server.publish(memories.get_memory, _READS, "Get a memory")
    server.publish(memories.revise_memory, _CHANGES, "Revise a memory")
    server.publish(forget_tool(mind), _CHANGES, "Forget")
    server.publish(restore_tool(mind), _RESTORES, "Restore memories")
    server.publish(memories.list_memories, _READS, "List memories")
    server.publish(memories.memory_stats, _READS, "Memory statistics")
    server.publish(experiences.remember_experience, _ADDS, "Remember an experience", experiences.remember_schema())
    server.publish(experiences.recall_experience, _READS, "Recall experiences")
    server.publish(experiences.reflect, _READS, "Reflect")
    server.publish(experiences.topology, _READS, "Topology")
    _add_resources(server, memories, experiences)
    _add_prompt(server)
    return server


def _add_resources(server: MnemicServer, memories: MindTools, experiences: ExperienceTools) -> None:
    @server.resource(
        "mnemic://memory/{id}",
        name="memory",
        title="A memory",
        description="One memory by its id.",
        mime_type="application/json",
    )
    def memory(id: str) -> str:
        return _read(lambda: memories.get_memory(id))

    @server.resource(
        "mnemic://topology",
        name="topology",
        title="Topology",
        description="What the experiences show: success rates, failures, lessons.",
        mime_type="application/json",
    )
    def topology() -> str:
        return _read(experiences.topology)

    @server.resource(
        "mnemic://stats",
        name="stats",
        title="Statistics",
        description="The number of memories, by kind.",
        mime_type="application/json",
    )
    def stats() -> str:
        return _read(memories.memory_stats)


def _add_prompt(server: MnemicServer) -> None:
    @server.prompt(title="Use your memory", description="When to remember, recall, revise, forget and reflect.")
    def use_memory() -> str:
        return instructions.USE_MEMORY


def _read(work: Callable[[], CallToolResult]) -> str:
    try:
        return json.dumps(work().structured_content, ensure_ascii=False)
    except (NotFound, InvalidInput) as error:
        raise ResourceNotFoundError(str(error)) from error
    except MnemicError as error:
        raise ResourceError(str(error)) from error


def _tool_error(problem: str) -> ToolError:
    """Return an error whose text can be encoded, even if it quotes a lone surrogate."""
    return ToolError(problem.encode("utf-8", "backslashreplace").decode())


def _problem(error: Any) -> str:  # noqa: ANN401
    """Return in one line what pydantic found wrong with one argument."""
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg'][:200]}"
