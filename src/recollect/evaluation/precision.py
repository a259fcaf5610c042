"""PrecisionMemBench: 35 beliefs and the ones that each question should return, often none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Belief:
    """Hold one belief of a user: what is true in some domains, until another replaced it."""

    id: str
    user: str
    domains: tuple[str, ...]
    text: str
    kind: str
    pinned: bool
    resolved: bool
    superseded_by: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """Hold a question asked in some domains, and exactly the beliefs it should return."""

    name: str
    user: str
    domains: tuple[str, ...]
    question: str
    gold: frozenset[str]


def load(folder: Path) -> tuple[list[Belief], list[Case]]:
    """Read the beliefs and the cases that say what exactly should be returned, with a question to ask."""
    beliefs = [_belief(told) for told in _json(folder / "beliefs.seed.json")]
    cases = [_case(told, told["caseId"], told["query"]) for told in _json(folder / "retrieval.cases.json")]
    for session in _json(folder / "session-retrieval.cases.json"):
        for turn in session["turns"]:
            cases.append(_case(turn, f"{session['caseId']} {turn['turnIndex']}", turn["userMessage"]))
    return beliefs, [case for case in cases if case is not None and case.question.strip()]


def _json(path: Path) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return told


def _belief(told: dict[str, Any]) -> Belief:
    names = [told["canonical_name"].replace("_", " "), *told["aliases"]]
    return Belief(
        id=told["_id"],
        user=told["user_id"],
        domains=tuple(told["scope"]),
        text=f"{', '.join(names)}: {told['content']}",
        kind=told["type"],
        pinned=told["pinned"],
        resolved=told["resolved_at"] is not None,
        superseded_by=told["superseded_by"],
    )


def _case(told: dict[str, Any], name: str, question: str) -> Case | None:
    expected = told["expect"].get("relevantBeliefs", {})
    if "shouldOnlyInclude" not in expected or "budget" in told:
        return None
    gold = frozenset(expected["shouldOnlyInclude"])
    return Case(name, told.get("userId", "test-user"), tuple(told["scope"]), question, gold)
