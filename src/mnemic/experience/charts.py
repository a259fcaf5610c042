"""Charts of a topology as SVG, coloured by the style sheet of the page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.experience.branches import Branch, Period, Rate
    from mnemic.experience.topology import Topology

_WIDTH = 380
_ROW = 26
_LABEL = 150
_KNOWN = ("success", "failure", "learning", "interaction")


def charts(topology: Topology) -> str:
    """Return the charts beside the tree."""
    counts: dict[str, int] = {}
    for branch in topology.branches:
        counts[branch.place.outcome] = counts.get(branch.place.outcome, 0) + branch.count
    return "".join(
        (
            _chart("Outcomes", _bars([(name, count, style(name)) for name, count in counts.items()])),
            _chart("Success by tool", _rates(topology.rates)),
            _chart("Over time", _trend(topology.trend)),
            _chart("Most failures by branch", _branches(topology.hotspots)),
            _chart("Most failures by topic", _rates(topology.topics[:8], failing=True)),
        )
    )


def style(outcome: str) -> str:
    """Return the CSS class of an outcome."""
    return outcome if outcome in _KNOWN else "other"


def _chart(title: str, drawing: str) -> str:
    return f"<h3>{escape(title)}</h3>" + (drawing or '<p class="note">Nothing yet.</p>')


def _branches(branches: Sequence[Branch]) -> str:
    return _bars([(branch.place.folder.partition("/")[2], branch.count, "failure") for branch in branches])


def _bars(rows: Sequence[tuple[str, int, str]]) -> str:
    most = max((count for _, count, _ in rows), default=0)
    if not most:
        return ""
    drawn = []
    for index, (name, count, kind) in enumerate(rows):
        y, wide = index * _ROW, (_WIDTH - _LABEL - 60) * count / most
        drawn.append(
            f'<text x="0" y="{y + 16}">{escape(_short(name))}</text>'
            f'<rect class="{kind}" x="{_LABEL}" y="{y + 4}" width="{wide:.1f}" height="16" rx="2"/>'
            f'<text class="soft" x="{_LABEL + wide + 5:.1f}" y="{y + 16}">{count:,}</text>'
        )
    description = ", ".join(f"{name} {count:,}" for name, count, _ in rows)
    return _svg(len(rows) * _ROW, description, "".join(drawn))


def _rates(rates: Sequence[Rate], *, failing: bool = False) -> str:
    drawn, labels = [], []
    for index, rate in enumerate(rates):
        share = (rate.failures if failing else rate.successes) / max(1, rate.tries)
        y, wide = index * _ROW, (_WIDTH - _LABEL - 115) * share
        kind = "failure" if failing else "success"
        label = f"{share:.0%} of {rate.tries:,}"
        drawn.append(
            f'<text x="0" y="{y + 16}">{escape(_short(rate.name))}</text>'
            f'<rect class="{kind}" x="{_LABEL}" y="{y + 4}" width="{wide:.1f}" height="16" rx="2"/>'
            f'<text class="soft" x="{_LABEL + wide + 5:.1f}" y="{y + 16}">{label}</text>'
        )
        labels.append(f"{rate.name} {label}")
    return _svg(len(drawn) * _ROW, ", ".join(labels), "".join(drawn)) if drawn else ""


def _trend(periods: Sequence[Period]) -> str:
    if not periods:
        return ""
    height, floor = 120, 100
    step = _WIDTH / len(periods)
    most = max(sum(period.outcomes.values()) for period in periods) or 1
    drawn, points = [], []
    for index, period in enumerate(periods):
        top = float(floor)
        for outcome, count in sorted(period.outcomes.items(), key=lambda item: _order(item[0])):
            tall = 90 * count / most
            top -= tall
            drawn.append(
                f'<rect class="{style(outcome)}" x="{index * step:.1f}" y="{top:.1f}" '
                f'width="{max(0.5, step - 0.6):.1f}" height="{tall:.1f}"/>'
            )
        if period.rate.rate is not None:
            points.append(f"{index * step + step / 2:.1f},{floor - 90 * period.rate.rate:.1f}")
    drawn.append(f'<polyline class="rate" points="{" ".join(points)}"/>')
    drawn.append(f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{floor}" y2="{floor}"/>')
    drawn.append(f'<text class="soft" x="0" y="{height - 4}">{periods[0].start}</text>')
    drawn.append(f'<text class="soft" x="{_WIDTH}" y="{height - 4}" text-anchor="end">{periods[-1].start}</text>')
    first, last = periods[0].rate.rate or 0.0, periods[-1].rate.rate or 0.0
    description = (
        f"Experiences from {periods[0].start} to {periods[-1].start}; success rate {first:.0%} first, {last:.0%} last"
    )
    return _svg(height, description, "".join(drawn))


def _order(outcome: str) -> int:
    return _KNOWN.index(outcome) if outcome in _KNOWN else len(_KNOWN)


def _svg(height: float, description: str, drawn: str) -> str:
    label = escape(description)
    return f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-label="{label}"><title>{label}</title>{drawn}</svg>'


def _short(name: str) -> str:
    return name if len(name) <= 22 else name[:21] + "…"
