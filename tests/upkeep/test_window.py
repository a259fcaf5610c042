"""What leaves the window of short-term memory is summarised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mnemic.llms.scripted import ScriptedLlm
from mnemic.upkeep.options import Options
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from mnemic import Mind
    from mnemic.upkeep.report import Report

OPTIONS = Options(window=10)
THINGS = "kettle hammer violin pillow magnet teapot ladder anchor basket candle helmet mirror".split()


def chat(mind: Mind, count: int, *, session: str = "1", **fields: Any) -> list[str]:
    return [
        mind.remember(
            f"Message {number}: the {THINGS[number % 12]} was on the table",
            user="ana",
            session=session,
            tier="short_term",
            **fields,
        ).memory.id
        for number in range(count)
    ]


def run(mind: Mind, **arguments: Any) -> Report:
    return upkeep(mind, user="ana", options=OPTIONS, **arguments)


def test_a_window_that_is_not_full_stays(mind: Mind) -> None:
    chat(mind, 10)
    report = run(mind)
    assert (report.examined, report.actions) == (10, [])


def test_the_oldest_leave_and_are_summarised_into_an_episode(mind: Mind) -> None:
    ids = chat(mind, 15)
    report = run(mind)
    assert [action.id for action in report.actions] == ids[:7]
    (summary,) = (memory for page in mind.pages(user="ana", tier="episodic") for memory in page)
    assert (summary.scope.session, summary.source, summary.category) == ("1", "upkeep", "summary")
    assert {link.to_id for link in mind.links(summary.id) if link.relation == "summarises"} == set(ids[:7])
    assert mind.count(user="ana", tier="short_term") == 8


def test_nothing_is_lost_from_history_and_recall_says_why(mind: Mind) -> None:
    first = chat(mind, 15)[0]
    run(mind)
    assert mind.history(first)[0].after["text"] == "Message 0: the kettle was on the table"
    explanation = mind.explain("kettle on the table", first, user="ana")
    assert not explanation.recalled
    assert "left the window; summarised in" in explanation.reasons[0]


def test_every_session_has_a_window_of_its_own(mind: Mind) -> None:
    chat(mind, 8, session="1")
    chat(mind, 8, session="2")
    report = run(mind)
    assert (report.examined, report.actions) == (16, [])


def test_protected_memories_leave_the_window_as_long_term_ones(mind: Mind) -> None:
    kept = [*chat(mind, 1, importance=9.5), *chat(mind, 1, tags=["protected"])]
    chat(mind, 15)
    report = run(mind)
    assert [action.id for action in report.actions if action.kind == "promoted"] == kept
    assert [mind.get(id).tier for id in kept] == ["long_term", "long_term"]
    assert mind.count(user="ana", tier="short_term") == 8
    assert run(mind).actions == []


def test_a_model_writes_the_summary_and_the_rules_do_when_it_fails(mind: Mind) -> None:
    chat(mind, 15)
    llm = ScriptedLlm(lambda _asked: "rubbish")
    report = run(mind, llm=llm)
    assert {action.by for action in report.actions} == {"rules"}
    assert report.problems


def test_summaries_are_not_summarised_again(mind: Mind) -> None:
    chat(mind, 15)
    run(mind)
    assert run(mind).actions == []


def test_a_summary_of_a_small_window_stands_for_more_than_one_memory(mind: Mind) -> None:
    chat(mind, 5)
    report = upkeep(mind, user="ana", options=Options(window=4))
    assert report.counts == {"summarised": 2}
    assert mind.count(user="ana", tier="episodic") == 1
