from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mnemic.evaluation import precision
from mnemic.evaluation.dataset import Chat, Dataset, GoldQuestion, Turn
from mnemic.evaluation.precision import Belief, Case
from mnemic.evaluation.report import table, to_json
from mnemic.evaluation.run import run
from mnemic.evaluation.systems import offline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic import Mind

DAY = datetime(2026, 5, 1, tzinfo=UTC)
TURNS = [
    Turn("1", "Ana: I adopted a cat called Miso", "monday", DAY),
    Turn("2", "Bo: my bicycle has a flat tyre", "monday", DAY),
    Turn("3", "Ana: the observatory closes on Mondays", "tuesday", DAY),
]
QUESTIONS = [
    GoldQuestion("what is the cat called?", frozenset({"1"}), 2, DAY, "name"),
    GoldQuestion("when does the observatory close?", frozenset({"3"}), 3, DAY, "time"),
    GoldQuestion("who won the chess tournament in Reykjavik?", frozenset(), 3, DAY),
]


class Notes:
    """A system that returns every turn, newest first."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def remember(self, turns: Sequence[Turn]) -> None:
        self.ids += [turn.id for turn in turns]

    def search(self, question: GoldQuestion, limit: int) -> list[str]:
        assert len(self.ids) == question.seen
        return self.ids[::-1][:limit]

    def close(self) -> None:
        self.ids = []


def dataset(**more: dict[str, str]) -> Dataset:
    return Dataset("Toy", "turn", [Chat("one", TURNS, QUESTIONS, **more)])


def test_a_question_sees_only_the_turns_before_it() -> None:
    (result,) = run(dataset(), "notes", Notes, depths=[1])
    assert (result.questions, result.metrics["recall"].mean) == (2, 0.5)
    assert result.recall_by_kind == {"name": 0.0, "time": 1.0}
    assert (result.unanswerable, result.returned_for_nothing) == (1, 1.0)


def test_turns_of_one_session_are_one_unit() -> None:
    units = {"1": "monday", "2": "monday", "3": "tuesday"}
    chat = Chat("one", TURNS, [GoldQuestion("x", frozenset({"monday"}), 3)], units)
    (result,) = run(Dataset("Toy", "session", [chat]), "notes", Notes, depths=[2])
    assert result.metrics["precision"].mean == 0.5
    assert result.metrics["mrr"].mean == 0.5


def test_halves_share_no_question() -> None:
    first, second = (dataset().half(number).chats[0].questions for number in (0, 1))
    assert [*first, *second] == [QUESTIONS[0], QUESTIONS[2], QUESTIONS[1]]


@pytest.mark.parametrize("name", offline())
def test_every_offline_system_finds_what_shares_its_words(name: str) -> None:
    (result,) = run(dataset(), name, offline()[name], depths=[1])
    assert result.metrics["recall"].mean == 1.0


def test_the_report_prints_the_unit_and_every_metric() -> None:
    results = run(dataset(), "notes", Notes)
    printed = table(results)
    for word in ("turn", "recall_any", "recall_all", "precision", "ndcg", "mrr", "unanswerable"):
        assert word in printed
    written = json.loads(json.dumps(to_json(results)))
    assert written[0]["metrics"]["recall"]["mean"] == results[0].metrics["recall"].mean


def test_precision_counts_scope_supersession_and_silence(mind: Mind) -> None:
    def belief(id: str, text: str, **fields: object) -> Belief:
        usual = {"user": "u", "domains": ("code",), "kind": "entity", "pinned": False, "resolved": False}
        return Belief(**usual | {"superseded_by": None} | fields, id=id, text=text)

    beliefs = [
        belief("new", "Redis is the cache of the backend"),
        belief("old", "Redis was the queue of the backend", superseded_by="new"),
        belief("other", "Redis is a pianist", domains=("writing",)),
        belief("pinned", "Redis has one node", pinned=True),
        belief("stranger", "Redis for someone else", user="v"),
    ]
    names = precision.fill(mind, beliefs)
    answerable = Case("redis", "u", ("code",), "what is Redis for?", frozenset({"new"}))
    empty = Case("none", "u", ("hobby",), "what is Redis for?", frozenset())
    answers = [(case, precision.ask(mind, names, case, min_score=None)) for case in (answerable, empty)]
    assert [ids for _, ids in answers] == [["new"], []]
    judged = precision.judge(answers)
    assert (judged.recall, judged.precision, judged.pooled, judged.empty_silent) == (1.0, 1.0, 1.0, 1.0)
