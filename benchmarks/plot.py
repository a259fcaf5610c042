"""The figures as one picture: a small SVG writer, readable on light and dark pages."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from benchmarks.report import by_operation, main_reading, number, target_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.measure import Figure

WIDTH = 960
_MARGIN = 24
_ROW = 30
_BAR = 14
_LABELS = 310
_VALUES = 225
_PANEL_WIDTH = (WIDTH - 3 * _MARGIN) // 2

_STYLE = """
text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1c2430; }
.title { font-size: 18px; font-weight: 600; }
.head { font-weight: 600; }
.faint { fill: #5b6675; font-size: 11px; }
.page { fill: #ffffff; }
.ours { fill: #0f766e; }
.peer { fill: #9aa5b4; }
.missed { fill: #c2410c; }
.grid { stroke: #d5dae1; }
.target { stroke: #1d4ed8; stroke-width: 2; stroke-dasharray: 4 3; }
.targeted { fill: #1d4ed8; font-size: 11px; }
.value { paint-order: stroke; stroke: #ffffff; stroke-width: 4; }
.line { fill: none; stroke-width: 2; }
.line0 { stroke: #0f766e; } .dot0 { fill: #0f766e; }
.line1 { stroke: #1d4ed8; } .dot1 { fill: #1d4ed8; }
.line2 { stroke: #b45309; } .dot2 { fill: #b45309; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6eaf0; }
  .faint { fill: #9aa5b4; }
  .page { fill: #12161c; }
  .ours { fill: #2dd4bf; }
  .peer { fill: #64748b; }
  .missed { fill: #fb923c; }
  .value { stroke: #12161c; }
  .grid { stroke: #303844; }
  .target { stroke: #93c5fd; }
  .targeted { fill: #93c5fd; }
}
"""


class LogAxis:
    """A logarithmic axis between two ends."""

    def __init__(self, values: Sequence[float], left: float, right: float) -> None:
        self._low = math.floor(math.log10(min(values) / 1.5))
        self._high = max(math.ceil(math.log10(max(values))), self._low + 1)
        self._left, self._right = left, right

    def at(self, value: float) -> float:
        """Return the coordinate of a value."""
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._left + share * (self._right - self._left)

    def decades(self) -> list[float]:
        """Return the powers of ten on the axis."""
        return [10.0**power for power in range(self._low, self._high + 1)]


def svg(figures: Sequence[Figure], peers: Sequence[Figure], peers_count: int, machine: Mapping[str, str]) -> str:
    """Draw the figures against their targets, and those of the peers if there are any."""
    drawn = [*_header(machine)]
    y = 92.0
    judged = [figure for figure in figures if figure.target is not None]
    drawn += _against_targets(judged, y)
    y += 44 + _ROW * len(judged) + 36
    if peers:
        drawn.append(_text(_MARGIN, y, f"Beside its peers, {peers_count:,} memories each", "title"))
        drawn.append(
            _text(
                _MARGIN,
                y + 18,
                "CPU time, median; each panel has its own logarithmic scale; dashed: the target.",
                "faint",
            )
        )
        y += 44
        panels = list(by_operation(peers).items())
        for place, (operation, of_each) in enumerate(panels):
            left = _MARGIN + (place % 2) * (_PANEL_WIDTH + _MARGIN)
            drawn += _panel(operation, list(of_each.values()), left, y + (place // 2) * 150)
        y += math.ceil(len(panels) / 2) * 150
    height = round(y + 4)
    return _page(height, "Mnemic: figures against their targets", drawn)


def growth_svg(points: Mapping[str, Sequence[tuple[int, float]]], machine: Mapping[str, str]) -> str:
    """Draw the time of operations over the size of a mind, both axes logarithmic."""
    height, left, right, top, bottom = 420, 90, WIDTH - 250, 92, 360
    sizes = [size for line in points.values() for size, _ in line]
    across = LogAxis(sizes, left, right)
    up = LogAxis([value for line in points.values() for _, value in line], bottom, top)
    drawn = [
        _text(_MARGIN, 34, "Recall as a mind grows", "title"),
        _text(_MARGIN, 54, "CPU time in ms, median, by the number of memories; both scales are logarithmic.", "faint"),
        _text(_MARGIN, 71, ", ".join(machine.values()), "faint"),
    ]
    for decade in across.decades():
        drawn += [
            _line(across.at(decade), top, bottom, "grid"),
            _text(across.at(decade), bottom + 18, f"{decade:,.0f}", "faint middle"),
        ]
    for decade in up.decades():
        drawn += [
            f'<line class="grid" x1="{left}" x2="{right}" y1="{up.at(decade):.1f}" y2="{up.at(decade):.1f}"/>',
            _text(left - 8, up.at(decade) + 4, f"{decade:g}", "faint end"),
        ]
    for place, (name, line) in enumerate(points.items()):
        places = [(across.at(size), up.at(value)) for size, value in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        drawn.append(f'<polyline class="line line{place}" points="{path}"/>')
        drawn += [f'<circle class="dot{place}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in places]
        drawn.append(_text(places[-1][0] + 10, places[-1][1] + 4, f"{name}: {number(line[-1][1])} ms"))
    return _page(height, "Mnemic: recall as a mind grows", drawn)


def _page(height: int, label: str, drawn: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{label}">\n<style>{_STYLE}</style>\n'
        f'<rect class="page" width="{WIDTH}" height="{height}"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _header(machine: Mapping[str, str]) -> Iterator[str]:
    told = "CPU time, median, as a multiple of the target, on a logarithmic scale; shorter is better."
    yield _text(_MARGIN, 34, "Mnemic against its targets", "title")
    yield _text(_MARGIN, 54, told, "faint")
    yield _text(_MARGIN, 71, ", ".join(machine.values()), "faint")


def _against_targets(judged: Sequence[Figure], top: float) -> Iterator[str]:
    shares = [_share(figure) for figure in judged]
    axis = LogAxis([*shares, 0.5, 2], _MARGIN + _LABELS, WIDTH - _MARGIN - _VALUES)
    bottom = top + 24 + _ROW * len(judged)
    for decade in axis.decades():
        yield _line(axis.at(decade), top + 12, bottom, "grid")
        yield _text(axis.at(decade), bottom + 15, f"{decade:g} ×", "faint middle")
    for place, (figure, share) in enumerate(zip(judged, shares, strict=True)):
        y = top + 24 + _ROW * place
        start = axis.at(axis.decades()[0])
        yield _text(start - 10, y + 12, figure.operation, "end")
        yield _bar(start, y, axis.at(share) - start, "missed" if figure.verdict == "misses" else "ours")
        yield _text(WIDTH - _MARGIN - _VALUES + 12, y + 12, _told(figure))
    yield _line(axis.at(1), top + 4, bottom, "target")
    yield _text(axis.at(1), top, "target", "targeted middle")


def _panel(operation: str, of_each: Sequence[Figure], left: float, top: float) -> Iterator[str]:
    limits = [figure.target.limit for figure in of_each if figure.target]
    start, end = left + 78, left + _PANEL_WIDTH - 70
    axis = LogAxis([*map(main_reading, of_each), *limits], start, end)
    more = "; more is better" if operation.startswith("bulk") else ""
    yield _text(left, top + 12, f"{operation} [{of_each[0].unit}{more}]", "head")
    bottom = top + 28 + 26 * len(of_each)
    for decade in axis.decades():
        yield _line(axis.at(decade), top + 24, bottom, "grid")
        yield _text(axis.at(decade), bottom + 14, f"{decade:,g}", "faint middle")
    bars = [(figure, top + 30 + 26 * place) for place, figure in enumerate(of_each)]
    for figure, y in bars:
        yield _text(start - 8, y + 12, figure.system, "end")
        yield _bar(start, y, axis.at(main_reading(figure)) - start, "ours" if figure.system == "mnemic" else "peer")
    for limit in limits:
        yield _line(axis.at(limit), top + 24, bottom, "target")
    for figure, y in bars:
        yield _text(axis.at(main_reading(figure)) + 6, y + 12, number(main_reading(figure)), "value")


def _share(figure: Figure) -> float:
    """Return the share of its target that a figure uses; above 1 it misses the target."""
    assert figure.target is not None
    share = figure.readings[figure.target.worst(figure.readings)] / figure.target.limit
    return 1 / share if figure.target.at_least else share


def _told(figure: Figure) -> str:
    assert figure.target is not None
    worst = figure.target.worst(figure.readings)
    clock = " wall" if worst.startswith("wall") else ""
    missed = " · misses" if figure.verdict == "misses" else ""
    return f"{number(figure.readings[worst])} {figure.unit}{clock} · {target_text(figure)}{missed}"


def _bar(x: float, y: float, width: float, style: str) -> str:
    return f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{_BAR + 2}" rx="2"/>'


def _line(x: float, top: float, bottom: float, style: str) -> str:
    return f'<line class="{style}" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>'


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
