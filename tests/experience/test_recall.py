"""Recalling: by meaning, by route, by time, and by all of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from mnemic.experience import MemoryEngine

SEED: list[dict[str, Any]] = [
    {
        "content": "Implemented JWT authentication with refresh tokens",
        "outcome": "success",
        "tool": "code_interpreter",
        "task_type": "write",
        "summary": "jwt_auth_impl",
        "occurred_at": "2026-01-05T09:00:00Z",
    },
    {
        "content": "Fixed race condition in payment processor",
        "outcome": "success",
        "tool": "code_interpreter",
        "task_type": "debug",
        "summary": "race_condition_fix",
        "occurred_at": "2026-01-06T09:00:00Z",
    },
    {
        "content": "Logic error in refactor broke API contract",
        "outcome": "failure",
        "tool": "code_interpreter",
        "error_type": "logic",
        "summary": "refactor_break",
        "occurred_at": "2026-01-07",
    },
    {
        "content": "Search returned no relevant results for niche topic",
        "outcome": "failure",
        "tool": "web_search",
        "reason": "no_results",
        "occurred_at": "2026-02-01T00:00:00Z",
    },
    {
        "content": "Learned to validate None before string operations",
        "outcome": "learning",
        "insight_type": "correction",
        "occurred_at": "2026-02-02T00:00:00Z",
    },
]


@pytest.fixture
def filled(engine: MemoryEngine) -> MemoryEngine:
    engine.remember_many(SEED)
    return engine


def contents(engine: MemoryEngine, *query: str, **narrowed: Any) -> list[str]:
    return [hit.experience.content for hit in engine.recall(*query, **narrowed)]


def test_by_meaning_the_best_comes_first_with_a_score_and_reasons(filled: MemoryEngine) -> None:
    best = filled.recall("login with tokens")[0]
    assert best.experience.summary == "jwt_auth_impl"
    assert best.score is not None
    assert 0 < best.score <= 1
    assert best.reasons
    assert best.to_dict()["experience"] == best.experience.to_dict()


@pytest.mark.parametrize(
    ("narrowed", "places"),
    [
        ({}, [4, 3, 2, 1, 0]),
        ({"outcome": "failure"}, [3, 2]),
        ({"tool": "code_interpreter"}, [2, 1, 0]),
        ({"outcome": "success", "tool": "code_interpreter", "task_type": "debug"}, [1]),
        ({"insight_type": "correction"}, [4]),
        ({"reason": "blocked"}, []),
        ({"since": "2026-01-07"}, [4, 3, 2]),
        ({"until": date(2026, 1, 7)}, [2, 1, 0]),
        ({"since": datetime(2026, 1, 6, 9, tzinfo=UTC), "until": "2026-01-06T09:00:00Z"}, [1]),
        ({"limit": 2}, [4, 3]),
    ],
)
def test_by_route_and_time_the_newest_comes_first(
    filled: MemoryEngine, narrowed: dict[str, Any], places: list[int]
) -> None:
    assert contents(filled, **narrowed) == [SEED[place]["content"] for place in places]


def test_meaning_and_route_and_time_narrow_together(filled: MemoryEngine) -> None:
    assert contents(filled, "error in the code", outcome="failure") == [SEED[2]["content"]]
    assert contents(filled, "race condition", task_type="write") != [SEED[1]["content"]]
    assert SEED[1]["content"] not in contents(filled, "race condition", since="2026-01-07")
    assert contents(filled, "race condition", tool="code_interpreter", until="2026-01-06")[0] == SEED[1]["content"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"outcome": "win"}, "outcome"),
        ({"outcome": ["failure"]}, "outcome"),
        ({"tool": "hammer"}, "tool"),
        ({"error_type": "odd"}, "error_type"),
        ({"colour": "red"}, "colour"),
        ({"outcome": "learning", "tool": "web_search"}, "route"),
        ({"outcome": "success", "error_type": "logic"}, "route"),
        ({"since": "soon"}, "since"),
        ({"until": 7}, "until"),
        ({"limit": 0}, "limit"),
        ({"query": " "}, "query"),
        ({"min_score": 0.5}, "min_score"),
    ],
)
def test_a_wrong_question_is_refused_by_field(filled: MemoryEngine, wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        filled.recall(**wrong)
    assert refusal.value.field == field


def test_reflecting_counts_rates_and_tells(filled: MemoryEngine) -> None:
    reflection = filled.reflect()
    assert reflection.total == 5
    assert reflection.by_outcome == {"success": 2, "failure": 2, "learning": 1, "interaction": 0}
    assert [(rate.name, rate.successes, rate.failures) for rate in reflection.by_tool] == [
        ("code_interpreter", 2, 1),
        ("web_search", 0, 1),
    ]
    assert {branch.place.folder for branch in reflection.hotspots} == {
        "failure/code_interpreter/logic",
        "failure/web_search/no_results",
    }
    assert [experience.content for experience in reflection.recent] == [entry["content"] for entry in reversed(SEED)]
    assert "50% of 4 tries succeeded" in reflection.insights
    assert reflection.to_dict()["total"] == 5


def test_an_empty_tree_has_nothing_to_say(engine: MemoryEngine) -> None:
    assert engine.recall() == engine.recall("anything") == []
    assert engine.reflect().insights == []
    assert engine.topology().total == 0


def test_forgetting_removes_the_file_and_the_memory(filled: MemoryEngine) -> None:
    (path,) = (filled.root / "learning").rglob("*.md")
    assert filled.forget(path) == 1
    assert not path.exists()
    assert contents(filled, "validate None before string operations", outcome="learning") == []


@pytest.mark.parametrize(
    ("which", "left"),
    [
        ({"outcome": "failure"}, 3),
        ({"before": "2026-01-06"}, 4),
        ({"before": "2026-01-06T09:00:00Z"}, 4),
        ({"tool": "code_interpreter", "before": date(2026, 1, 7)}, 3),
        ({"everything": True}, 0),
        ({"outcome": "success", "purge": True}, 3),
    ],
)
def test_forgetting_by_route_and_time(filled: MemoryEngine, which: dict[str, Any], left: int) -> None:
    assert filled.forget(**which) == 5 - left
    assert filled.count() == left == len(list(filled.root.rglob("*.md")))
    assert all(finding.ok for finding in filled.verify())


@pytest.mark.parametrize(
    "which",
    [
        {},
        {"everything": True, "outcome": "failure"},
        {"path": "learning/correction/nothing.md"},
        {"path": "../outside.md"},
        {"path": "/etc/passwd"},
        {"path": ".mnemic/mind.md"},
        {"path": "learning/../../outside.md"},
        {"path": ""},
        {"path": "learning/a\0b.md"},
        {"path": "README.md"},
        {"path": "notes.md"},
        {"path": "learning/README.md"},
        {"path": "learning/.hidden/x.md"},
        {"outcome": "win"},
    ],
)
def test_forgetting_what_is_not_there_or_outside_is_refused(filled: MemoryEngine, which: dict[str, Any]) -> None:
    outside = filled.root.parent / "outside.md"
    mine = [outside, *(filled.root / name for name in ("README.md", "notes.md", "learning/README.md"))]
    for file in mine:
        file.write_text("mine")
    with pytest.raises(InvalidInput):
        filled.forget(**which)
    assert all(file.exists() for file in mine)
    assert filled.count() == 5


def test_purged_text_is_gone_from_the_index(filled: MemoryEngine) -> None:
    filled.forget(insight_type="correction", purge=True)
    filled.close()
    assert not any(b"validate None" in file.read_bytes() for file in filled.root.rglob("*") if file.is_file())
