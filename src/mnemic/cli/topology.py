"""The topology as a coloured tree in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.tree import Tree

    from mnemic.experience.branches import Period
    from mnemic.experience.topology import Topology

_STYLES = {"success": "green", "failure": "red", "learning": "blue", "interaction": "magenta"}
_BLOCKS = "▁▂▃▄▅▆▇█"
_BAR = 24
_SHOWN = 5


def print_tree(topology: Topology, name: str) -> None:
    """Print the tree with its counts, and what it shows."""
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(f"{name}  {topology.total:,}", style="bold"))
    nodes: dict[str, Tree] = {"": tree}
    counts: dict[str, int] = {}
    for branch in topology.branches:
        for path in _ancestors(branch.place.folder):
            counts[path] = counts.get(path, 0) + branch.count
    most = max(counts.values(), default=0) or 1
    for path, count in counts.items():
        above, _, last = path.rpartition("/")
        style = _STYLES.get(path.partition("/")[0], "white")
        bar = "█" * max(1, round(_BAR * count / most)) if count else ""
        label = Text.assemble((f"{last} ", style), (f"{count:,} ", "bold" if count else "dim"), (bar, style))
        nodes[path] = nodes[above].add(label)
    console = Console(highlight=False)
    console.print(tree)
    for line in _summary(topology):
        console.print(Text(output.printable(line)))


def _ancestors(folder: str) -> list[str]:
    parts = folder.split("/")
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def _summary(topology: Topology) -> list[str]:
    lines = ["", *topology.insights]
    if topology.trend:
        lines.append(f"success rate over time  {_spark(topology.trend)}  since {topology.trend[0].start}")
    for rate in topology.rates:
        lines.append(f"{rate.name}: {rate.rate or 0:.0%} of {rate.tries:,} tries succeeded")
    if topology.topics:
        hot = ", ".join(f"{rate.name} ({rate.failures:,} of {rate.tries:,})" for rate in topology.topics[:_SHOWN])
        lines.append(f"most fails about: {hot}")
    if topology.lessons:
        last = topology.lessons[-1]
        lines.append(f"learned after a failure: {len(topology.lessons):,} times, at last {last.second}")
    coherence = topology.coherence
    for what, paths in (
        ("misfiled", [path for path, _ in coherence.misfiled]),
        ("unreadable", [path for path, _ in coherence.unreadable]),
        ("empty", coherence.empty),
        ("lonely", coherence.lonely),
        ("overgrown", coherence.overgrown),
        ("learnings that disagree", [f"{pair.first} and {pair.second}" for pair in coherence.contradictions]),
    ):
        if paths:
            more = f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else ""
            lines.append(f"{what}: {', '.join(paths[:_SHOWN])}{more}")
    return lines


def _spark(periods: Sequence[Period]) -> str:
    rates = [period.rate.rate for period in periods]
    return "".join(" " if rate is None else _BLOCKS[min(7, int(rate * 8))] for rate in rates)
