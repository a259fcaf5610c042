"""The cost of a recall through the MCP server over stdio, beside the same call in process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import targets
from benchmarks.measure import Figure, Times, percentile
from mnemic import Mind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.core import Bench

SYSTEM = "mnemic"
USER = "user-0"
_WARM = 20
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """A running `mnemic mcp` and a client of it."""

    def __init__(self, mind: Path) -> None:
        command: list[str | Path] = [Path(sys.executable).with_name("mnemic"), "--mind", mind, "mcp", "--user", USER]
        environment = os.environ | {"MNEMIC_HOME": str(mind.parent / "home")}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._clock = (~self._process.pid << 3) | 2
        """Linux's id of the CPU clock of that process, over all threads."""

    def recall(self, query: str) -> list[Any]:
        """Call the tool `recall` and return the memories."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        params = {"name": "recall", "arguments": {"query": query}, "_meta": _META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        memories: list[Any] = json.loads(self._process.stdout.readline())["result"]["structuredContent"]["memories"]
        return memories

    def take(self, times: Times, query: str) -> None:
        """Call the tool once and add the CPU time of the server and the wall time of the caller."""
        wall, cpu = time.perf_counter(), time.clock_gettime(self._clock)
        self.recall(query)
        times.cpu.append(time.clock_gettime(self._clock) - cpu)
        times.wall.append(time.perf_counter() - wall)

    def close(self) -> None:
        """Close the server's input and wait for its end."""
        self._process.communicate()


def recall_over_stdio(bench: Bench) -> Iterator[Figure]:
    """Ask a mind and the server on it the same questions, in turn."""
    own = bench.texts_of(USER)
    questions = [bench.corpus.question(own) for _ in range(_WARM + bench.repeats // 2)]
    in_process, over_stdio = Times(), Times()
    server = Server(bench.store)
    with Mind(bench.store) as mind:
        for number, question in enumerate(questions):
            if number < _WARM:
                assert len(server.recall(question)) == len(mind.recall(question, user=USER))
                continue
            in_process.take(mind.recall, question, user=USER)
            server.take(over_stdio, question)
    server.close()
    note = f"{len(own):,} of {bench.count:,} in scope; floor: the same call in process"
    floor = in_process.spread(1_000)
    yield Figure("recall through MCP over stdio", SYSTEM, "ms", over_stdio.spread(1_000), floor=floor, note=note)
    above = (percentile(over_stdio.cpu, 50) - percentile(in_process.cpu, 50)) * 1_000
    yield Figure("recall through MCP, above in process", SYSTEM, "ms CPU", {"value": above}, targets.MCP_ABOVE_MS)
