"""The PrecisionMemBench dataset: 35 beliefs, and those that each question should return, often none."""

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
    """One belief of a user in some domains, and the belief that replaced it."""

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
    """A question in some domains, and exactly the beliefs it should return."""

    name: str
    user: str
    domains: tuple[str, ...]
    question: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Precision:
    """The results over the cases with an answer, and over those without one (`empty_…`).

    `precision` is the mean over the answerable cases that returned anything, `pooled` the share of correct beliefs
    among all that were returned for any case.
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
    """Read the beliefs, and the cases that have a question and list exactly what it should return."""
    beliefs = [_belief(record) for record in _json(folder / "beliefs.seed.json")]
    cases = [_case(record, record["caseId"], record["query"]) for record in _json(folder / "retrieval.cases.json")]
    for session in _json(folder / "session-retrieval.cases.json"):
        for turn in session["turns"]:
            cases.append(_case(turn, f"{session['caseId']} {turn['turnIndex']}", turn["userMessage"]))
    return beliefs, [case for case in cases if case is not None and case.question.strip()]


def fill(mind: Mind, beliefs: Sequence[Belief]) -> dict[str, str]:
    """Store the beliefs, supersede those that were replaced, and return belief ids by memory id."""
    ids = {}
    for belief in beliefs:
        remembered = mind.remember(
            belief.text,
            user=belief.user,
            tags=belief.domains,
            category=belief.kind,
            metadata={"pinned": belief.pinned, "resolved": belief.resolved},
        )
        ids[belief.id] = remembered.memory.id
    for belief in beliefs:
        if belief.superseded_by is not None:
            mind.supersede(ids[belief.id], ids[belief.superseded_by])
    return {memory_id: belief_id for belief_id, memory_id in ids.items()}


def ask(mind: Mind, beliefs: dict[str, str], case: Case, *, min_score: float | None, limit: int = 10) -> list[str]:
    """Return the beliefs recalled for a case, of its user and domains, without pinned, resolved and open ones."""
    where = {
        "or": [{"tags": {"contains": domain}} for domain in case.domains],
        "metadata.pinned": False,
        "metadata.resolved": False,
        "category": {"ne": "open_question"},
    }
    hits = mind.recall(case.question, user=case.user, where=where, min_score=min_score, limit=limit)
    return [beliefs[hit.memory.id] for hit in hits]


def judge(answers: Sequence[tuple[Case, Sequence[str]]]) -> Precision:
    """Return recall and precision over the answers of all cases."""
    answered = [(case, ids, len(case.gold.intersection(ids))) for case, ids in answers if case.gold]
    empty = [len(ids) for case, ids in answers if not case.gold]
    returned = sum(len(ids) for _, ids, _ in answered)
    precisions = [correct / len(ids) for _, ids, correct in answered if ids]
    return Precision(
        cases=len(answered),
        recall=sum(correct / len(case.gold) for case, _, correct in answered) / len(answered),
        precision=sum(precisions) / max(1, len(precisions)),
        pooled=sum(correct for _, _, correct in answered) / max(1, returned + sum(empty)),
        returned=returned / len(answered),
        empty_cases=len(empty),
        empty_returned=sum(empty) / max(1, len(empty)),
        empty_silent=sum(count == 0 for count in empty) / max(1, len(empty)),
    )


def _json(path: Path) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return records


def _belief(record: dict[str, Any]) -> Belief:
    names = [record["canonical_name"].replace("_", " "), *record["aliases"]]
    return Belief(
        id=record["_id"],
        user=record["user_id"],
        domains=tuple(record["scope"]),
        text=f"{', '.join(names)}: {record['content']}",
        kind=record["type"],
        pinned=record["pinned"],
        resolved=record["resolved_at"] is not None,
        superseded_by=record["superseded_by"],
    )


def _case(record: dict[str, Any], name: str, question: str) -> Case | None:
    expected = record["expect"].get("relevantBeliefs", {})
    if "shouldOnlyInclude" not in expected or "budget" in record:
        return None
    gold = frozenset(expected["shouldOnlyInclude"])
    return Case(name, record.get("userId", "test-user"), tuple(record["scope"]), question, gold)
