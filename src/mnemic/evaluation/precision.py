"""PrecisionMemBench: 35 beliefs and the ones that each question should return, often none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mnemic.mind import Mind


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


@dataclass(frozen=True, slots=True)
class Precision:
    """Hold what was returned for the cases: with an answer, and without one.

    `precision` is the mean over the answerable cases that got anything, `pooled` the share of all that was returned,
    for any case, that should have been.
    """

    cases: int
    recall: float
    precision: float
    pooled: float
    returned: float
    empty_cases: int
    empty_returned: float
    empty_silent: float


def load(folder: Path) -> tuple[list[Belief], list[Case]]:
    """Read the beliefs and the cases that say what exactly should be returned, with a question to ask."""
    beliefs = [_belief(told) for told in _json(folder / "beliefs.seed.json")]
    cases = [_case(told, told["caseId"], told["query"]) for told in _json(folder / "retrieval.cases.json")]
    for session in _json(folder / "session-retrieval.cases.json"):
        for turn in session["turns"]:
            cases.append(_case(turn, f"{session['caseId']} {turn['turnIndex']}", turn["userMessage"]))
    return beliefs, [case for case in cases if case is not None and case.question.strip()]


def fill(mind: Mind, beliefs: Sequence[Belief]) -> dict[str, str]:
    """Remember the beliefs, the replaced ones superseded; return the belief of each memory's id."""
    ids = {}
    for belief in beliefs:
        kept = mind.remember(
            belief.text,
            user=belief.user,
            tags=belief.domains,
            category=belief.kind,
            metadata={"pinned": belief.pinned, "resolved": belief.resolved},
        )
        ids[belief.id] = kept.memory.id
    for belief in beliefs:
        if belief.superseded_by is not None:
            mind.supersede(ids[belief.id], ids[belief.superseded_by])
    return {memory_id: belief_id for belief_id, memory_id in ids.items()}


def ask(mind: Mind, beliefs: dict[str, str], case: Case, *, min_score: float | None, limit: int = 10) -> list[str]:
    """Return the beliefs recalled for a case: of its user and domains, not pinned, resolved or an open question."""
    where = {
        "or": [{"tags": {"contains": domain}} for domain in case.domains],
        "metadata.pinned": False,
        "metadata.resolved": False,
        "category": {"ne": "open_question"},
    }
    hits = mind.recall(case.question, user=case.user, where=where, min_score=min_score, limit=limit)
    return [beliefs[hit.memory.id] for hit in hits]


def judge(answers: Sequence[tuple[Case, Sequence[str]]]) -> Precision:
    """Return how much of what was returned is right, and how much of what is right was returned."""
    answered = [(case, found, len(case.gold.intersection(found))) for case, found in answers if case.gold]
    empty = [len(found) for case, found in answers if not case.gold]
    returned = sum(len(found) for _, found, _ in answered)
    right = [hits / len(found) for _, found, hits in answered if found]
    return Precision(
        cases=len(answered),
        recall=sum(hits / len(case.gold) for case, _, hits in answered) / len(answered),
        precision=sum(right) / max(1, len(right)),
        pooled=sum(hits for _, _, hits in answered) / max(1, returned + sum(empty)),
        returned=returned / len(answered),
        empty_cases=len(empty),
        empty_returned=sum(empty) / max(1, len(empty)),
        empty_silent=sum(count == 0 for count in empty) / max(1, len(empty)),
    )


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
