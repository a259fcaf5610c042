"""The topology as one HTML page that loads nothing from the network."""

from __future__ import annotations

import json
from datetime import datetime
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from mnemic.experience.charts import charts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mnemic.experience.topology import Topology

_SHOWN = 12


def page(topology: Topology, *, title: str) -> str:
    """Return the page as HTML."""
    parts = {
        "title": escape(title),
        "style": _asset("page.css"),
        "facts": escape("; ".join(topology.insights)),
        "alt": escape(f"A radial tree of {topology.total:,} experiences in {_filled(topology)} branches"),
        "charts": f"<h2>Charts</h2>{charts(topology)}",
        "table": _table(topology),
        "lists": _lists(topology),
        "data": _data(topology),
        "script": _asset("page.js"),
    }
    html = _asset("page.html")
    for name in ("title", "style", "facts", "alt", "charts", "table", "lists", "data", "script"):
        before, _, after = html.partition("{" + name + "}")
        html = before + parts[name] + after if name != "title" else html.replace("{title}", parts["title"])
    return html


def _asset(name: str) -> str:
    return (files("mnemic.experience") / "page" / name).read_text(encoding="utf-8")


def _filled(topology: Topology) -> int:
    return sum(1 for branch in topology.branches if branch.count)


def _data(topology: Topology) -> str:
    """Return the data of the picture as JSON; no text in it can end the script."""
    filled = [branch for branch in topology.branches if branch.count]
    number = {branch.place.folder: index for index, branch in enumerate(filled)}
    moments = [datetime.fromisoformat(dot.began_at) for dot in topology.dots]
    start = min(moments).replace(hour=0, minute=0, second=0, microsecond=0) if moments else None
    days = [round((moment - start).total_seconds() / 86_400, 2) for moment in moments] if start else []
    data = {
        "total": topology.total,
        "start": start.date().isoformat() if start else "",
        "span": max(days, default=1),
        "branches": [
            {"folder": branch.place.folder, "outcome": branch.place.outcome, "count": branch.count} for branch in filled
        ],
        "leaves": [number[dot.folder] for dot in topology.dots],
        "days": days,
        "names": [dot.summary for dot in topology.dots],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _table(topology: Topology) -> str:
    rows = []
    for branch in topology.branches:
        place = branch.place
        folder = escape(place.folder)
        name = f'<button type="button" data-folder="{folder}">{folder}</button>' if branch.count else folder
        cells = (
            f"<th scope='row'>{name}</th><td>{escape(place.outcome)}</td><td>{escape(place.tool or '')}</td>"
            f"<td>{escape(place.value or '')}</td><td class='n'>{branch.count:,}</td>"
            f"<td class='n'>{branch.count / max(1, topology.total):.1%}</td>"
            f"<td>{(branch.first or '')[:10]}</td><td>{(branch.last or '')[:10]}</td>"
        )
        rows.append(f"<tr>{cells}</tr>")
    heads = "".join(f"<th scope='col'>{name}</th>" for name in ("folder", "outcome", "tool", "value"))
    counts = "".join(f"<th scope='col' class='n'>{name}</th>" for name in ("count", "share"))
    return (
        '<div class="wide"><table>'
        "<caption>All branches of the tree. Select one to show it in the picture.</caption>"
        f"<thead><tr>{heads}{counts}<th scope='col'>first</th><th scope='col'>last</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _lists(topology: Topology) -> str:
    coherence = topology.coherence
    lessons = [(pair.first_content, pair.second_content) for pair in reversed(topology.lessons)]
    contradictions = [(pair.first_content, pair.second_content) for pair in coherence.contradictions]
    return "".join(
        (
            _list(f"Learned after a failure ({len(lessons):,})", lessons),
            _list("Learnings that contradict each other", contradictions),
            _list("Files in another folder than their front matter names", coherence.misfiled),
            _list("Files that cannot be read", coherence.unreadable),
            _list("Branches with very few experiences", [(folder, "") for folder in coherence.lonely]),
            _list("Branches without experiences", [(folder, "") for folder in coherence.empty]),
            _list("Very large branches", [(folder, "") for folder in coherence.overgrown]),
        )
    )


def _list(title: str, rows: Iterable[tuple[str, str]]) -> str:
    shown = list(rows)
    items = "".join(
        f"<li>{escape(first)}{f'<br><span class=to>→ {escape(second)}</span>' if second else ''}</li>"
        for first, second in shown[:_SHOWN]
    )
    more = f"<p class='note'>and {len(shown) - _SHOWN:,} more</p>" if len(shown) > _SHOWN else ""
    return f"<div><h3>{escape(title)}</h3><ul>{items}</ul>{more}</div>" if items else ""
