"""What the figures should reach, on a machine that is not busy with something else."""

from __future__ import annotations

from benchmarks.measure import Target

DURABLE_ADD_MS = Target(0.3, ("cpu_p50",))
DURABLE_ADD_TIMES_FDATASYNC = Target(2, ("value",))
BULK_ADD_PER_S = Target(15_000, ("cpu",), at_least=True)
BULK_ADD_EMBEDDED_PER_S = Target(5_000, ("cpu",), at_least=True)
RECALL_IN_SCOPE_MS = Target(0.8, ("cpu_p50",))
RECALL_EVERYWHERE_MS = Target(4, ("cpu_p50",))
OPEN_AND_ANSWER_S = Target(0.3, ("cpu_p50", "wall_p50"))
MCP_ABOVE_MS = Target(5, ("value",))
INSTALL_MB = Target(125, ("value",))
GROWTH_MS = {
    ("recall, everywhere", 500_000): Target(30, ("cpu_p50",)),
    ("dense part, everywhere", 50_000): Target(2, ("cpu_p50",)),
    ("dense part, everywhere", 500_000): Target(12, ("cpu_p50",)),
}
DENSE_RECALL = Target(0.99, ("value",), at_least=True)
