"""The topology: what the tree shows about the agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mnemic.experience.branches import trend
from mnemic.experience.dataset.generate import generate

if TYPE_CHECKING:
    from mnemic.experience import MemoryEngine


def learned(content: str, day: str, **more: Any) -> dict[str, Any]:
    return {"content": content, "outcome": "learning", "insight_type": "correction", "occurred_at": day, **more}


def failed(content: str, day: str, summary: str) -> dict[str, Any]:
    kind = {"tool": "code_interpreter", "error_type": "runtime"}
    return {"content": content, "outcome": "failure", "occurred_at": day, "summary": summary, **kind}


def test_success_rates_stand_beside_every_tool(engine: MemoryEngine) -> None:
    engine.remember_many(generate(200, seed=1))
    shown = engine.topology()
    by_name = {rate.name: rate for rate in shown.rates}
    assert shown.total == 200 == sum(branch.count for branch in shown.branches) == len(shown.dots)
    assert by_name["code_interpreter"].tries == 86
    assert by_name["conversation"].rate == 1.0
    assert by_name["unknown"].rate == 0.0
    json.dumps(shown.to_dict())


def test_a_learning_is_shown_after_the_failure_that_is_most_like_it(engine: MemoryEngine) -> None:
    engine.remember_many(
        [
            failed("Deadlock in the ledger importer when two batches lock rows", "2026-01-05", "ledger_deadlock"),
            failed("The thumbnail service ran out of memory on huge pictures", "2026-01-06", "thumbnail_memory"),
            learned("Lock rows in one order so that the ledger importer has no deadlock", "2026-01-07"),
            learned("Coffee helps in long meetings", "2026-01-07"),
            learned("The thumbnail service needs a limit on huge pictures", "2026-03-01"),
        ]
    )
    (pair,) = engine.topology().lessons
    assert pair.first_content.startswith("Deadlock")
    assert pair.second_content.startswith("Lock rows")


def test_a_learning_may_name_its_failure(engine: MemoryEngine) -> None:
    engine.remember_many(
        [
            failed("Something odd in the importer", "2026-01-05", "odd_importer"),
            learned("Read the manual first", "2026-01-06", learned_from="odd_importer"),
        ]
    )
    (pair,) = engine.topology().lessons
    assert (pair.first_content, pair.alike) == ("Something odd in the importer", 1.0)


@pytest.mark.parametrize(
    ("one", "other", "disagree"),
    [
        ("Always retry failed payment calls", "Never retry failed payment calls", True),
        ("User prefers tabs over spaces in Go", "User prefers spaces over tabs in Go", True),
        ("Retry failed payment calls twice", "Retry failed payment calls with a budget", False),
        ("Never retry failed payment calls", "Never retry failed refund calls", False),
        ("Never trust the phone clock", "Use the server clock for conflicts", False),
    ],
)
def test_learnings_that_disagree_are_found(engine: MemoryEngine, one: str, other: str, disagree: bool) -> None:
    engine.remember_many([learned(one, "2026-01-01"), learned(other, "2026-02-01")])
    assert bool(engine.topology().coherence.contradictions) is disagree


def test_what_most_fails_about_is_a_topic(engine: MemoryEngine) -> None:
    right = {"outcome": "success", "tool": "conversation"}
    engine.remember_many(
        [failed(f"Webhook attempt {n} failed", "2026-01-05", f"webhook_retry_{n}") for n in range(8)]
        + [{"content": f"Webhook {n} arrived", "summary": f"webhook_arrived_{n}", **right} for n in range(2)]
        + [{"content": f"Report {n} sent", "summary": f"report_sent_{n}", **right} for n in range(20)]
    )
    (topic,) = engine.topology().topics
    assert (topic.name, topic.failures, topic.successes) == ("webhook", 8, 2)


def test_lonely_and_empty_branches_are_named_once_the_tree_is_large(engine: MemoryEngine) -> None:
    talk = {"outcome": "success", "tool": "conversation"}
    engine.remember("Something went wrong somewhere", "failure", "unknown")
    assert engine.topology().coherence.lonely == []
    engine.remember_many([{"content": f"Explained closure {n}", **talk} for n in range(100)])
    coherence = engine.topology().coherence
    assert coherence.lonely == ["failure/unknown"]
    assert "learning/fact" in coherence.empty


def test_an_overgrown_branch_is_named(engine: MemoryEngine) -> None:
    talk = {"outcome": "success", "tool": "conversation"}
    engine.remember_many([{"content": f"Explained closure {n}", **talk} for n in range(2_000)])
    assert engine.topology().coherence.overgrown == ["success/conversation"]


@pytest.mark.parametrize(
    ("days", "starts"),
    [
        (["2026-01-05", "2026-01-07"], ["2026-01-05", "2026-01-06", "2026-01-07"]),
        (["2026-01-07", "2026-02-10"], [f"2026-{day}" for day in ("01-05 01-12 01-19 01-26 02-02 02-09".split())]),
        (
            ["2025-01-31", "2026-03-31"],
            [f"2025-{m:02}-01" for m in range(1, 13)] + [f"2026-0{m}-01" for m in (1, 2, 3)],
        ),
        ([], []),
    ],
)
def test_a_trend_is_told_by_day_week_or_month(days: list[str], starts: list[str]) -> None:
    assert [period.start for period in trend([(day, "success", 1) for day in days])] == starts
