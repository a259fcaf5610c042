"""The figures we hold, per operation, on a machine that is not busy with something else."""

from __future__ import annotations

from benchmarks.measure import Target

DURABLE_ADD_MS = Target(0.5, ("cpu_p50",))
DURABLE_ADD_TIMES_FDATASYNC = Target(3, ("value",))
BULK_ADD_EMBEDDED_PER_S = Target(5_000, ("cpu",), at_least=True)
RECALL_IN_SCOPE_MS = Target(1.2, ("cpu_p50",))
RECALL_EVERYWHERE_MS = Target(4, ("cpu_p50",))
OPEN_AND_ANSWER_S = Target(0.4, ("cpu_p50", "wall_p50"))
INSTALL_MB = Target(125, ("value",))
MCP_ABOVE_MS = Target(5, ("value",))
GROWTH_MS = {
    ("recall, everywhere", 50_000): RECALL_EVERYWHERE_MS,
    ("recall, everywhere", 500_000): Target(30, ("cpu_p50",)),
}
DENSE_RECALL = Target(0.99, ("value",), at_least=True)
EXPERIENCE_BULK_PER_S = Target(2_000, ("cpu",), at_least=True)
EXPERIENCE_OPEN_S = Target(1, ("cpu_p50", "wall_p50"))
EXPERIENCE_MEANING_MS = Target(5, ("cpu_p50",))
EXPERIENCE_ROUTE_MS = Target(2, ("cpu_p50",))
EXPERIENCE_REFLECT_S = Target(1, ("cpu_p50", "wall_p50"))
EXPERIENCE_TIMES_FDATASYNC = Target(4, ("value",))
FRAME_MS = Target(33, ("wall_p50",))
STALE_SHARE = Target(1, ("value",))
CURRENT_SHARE = Target(90, ("value",), at_least=True)
FALSE_ALARMS = Target(2, ("value",))
WRONGLY_MERGED = Target(1, ("value",))
