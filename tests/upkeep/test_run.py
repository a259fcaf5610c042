"""A run of upkeep as a whole: dry, repeated, one at a time, in the background."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import Mind
from mnemic.errors import Conflict, InvalidInput, MindClosed, MnemicError
from mnemic.upkeep.background import BackgroundUpkeep
from mnemic.upkeep.lease import lease
from mnemic.upkeep.options import Options
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mnemic.upkeep.report import Report

    Tell = Callable[..., str]


def tell_everything(tell: Tell) -> None:
    tell("I live in Porto", "2026-01-01")
    tell("I bought a couch for the office", "2026-01-02")
    tell("I purchased a sofa for the office", "2026-01-02")
    tell("I moved to Lisbon", "2026-02-01")
    tell("My rent is 900 euros", "2026-02-01")
    tell("My rent is 950 euros", "2026-02-01")
    for number in range(60):
        tell(f"message {number}", tier="short_term", session="1")


def kinds(report: Report) -> list[tuple[str, str]]:
    return [(action.kind, action.id) for action in report.actions]


def test_a_dry_run_tells_what_a_run_does_and_changes_nothing(mind: Mind, tell: Tell) -> None:
    tell_everything(tell)
    before = mind.changes(limit=10_000)
    dry = upkeep(mind, user="ana", dry_run=True)
    assert mind.changes(limit=10_000) == before
    assert {kind for kind, _ in kinds(dry)} == {"superseded", "merged", "contradiction", "summarised"}
    assert kinds(upkeep(mind, user="ana")) == kinds(dry)


def test_a_second_run_does_nothing(mind: Mind, tell: Tell) -> None:
    tell_everything(tell)
    upkeep(mind, user="ana")
    before = mind.changes(limit=10_000)
    again = upkeep(mind, user="ana")
    assert (again.actions, again.examined) == ([], 0)
    assert mind.changes(limit=10_000) == before


def test_only_what_is_new_is_examined(mind: Mind, tell: Tell) -> None:
    for number in range(20):
        tell(f"note number {number} about wool")
    assert upkeep(mind, user="ana").examined == 20
    tell("a note about tea")
    assert upkeep(mind, user="ana").examined == 1


def test_a_scope_has_a_mark_of_its_own(mind: Mind, tell: Tell) -> None:
    tell("I like tea")
    tell("I like mate", user="ben")
    assert upkeep(mind, user="ana").examined == 1
    assert upkeep(mind, user="ben").examined == 1
    assert upkeep(mind, everywhere=True).examined == 2


def test_progress_is_told(mind: Mind, tell: Tell) -> None:
    tell("I like tea")
    steps: list[str] = []
    upkeep(mind, user="ana", progress=lambda step, _done, _total: steps.append(step))
    assert steps == ["comparing", "sliding windows", "pruning"]


def test_two_processes_do_not_run_at_once(tmp_path: Path) -> None:
    with Mind(tmp_path / "mind") as one, Mind(tmp_path / "mind") as other:
        with lease(one), pytest.raises(Conflict, match="another upkeep"):
            upkeep(other, everywhere=True)
        assert upkeep(other, everywhere=True).actions == []


def test_a_lost_lease_is_noticed(mind: Mind) -> None:
    with lease(mind) as renew:
        mind.set_mark("upkeep lease", None, was=mind.mark("upkeep lease"))
        with pytest.raises(Conflict, match="lost its lease"):
            renew()


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("window", 0),
        ("window", 2.5),
        ("most", -1),
        ("weakest", float("nan")),
        ("weakest", 11),
        ("grace", -1),
        ("grace", "30"),
        ("similar", 0.2),
        ("similar", float("nan")),
        ("same_time", float("nan")),
        ("protected_importance", 0),
        ("protected_tag", ""),
        ("merge", 1),
        ("contradict", None),
        ("purge", "yes"),
        ("decay", 90),
    ],
)
def test_a_wrong_option_is_named(field: str, wrong: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Options(**{field: wrong})
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "wrong"), [("options", {"window": 5}), ("dry_run", 1), ("now", "yesterday"), ("user", None), ("user", "")]
)
def test_a_wrong_argument_is_named_and_nothing_changes(mind: Mind, tell: Tell, field: str, wrong: Any) -> None:
    tell_everything(tell)
    before = mind.changes(limit=10_000)
    with pytest.raises(InvalidInput) as caught:
        upkeep(mind, **{"user": "ana"} | {field: wrong})
    assert caught.value.field == field
    assert mind.changes(limit=10_000) == before


def test_the_background_runs_on_a_schedule_until_it_is_stopped(mind: Mind, tell: Tell) -> None:
    tell_everything(tell)
    reports: list[Report] = []
    twice = threading.Event()

    def note(report: Report) -> None:
        reports.append(report)
        if len(reports) == 2:
            twice.set()

    with BackgroundUpkeep(mind, user="ana", every=0.01, on_report=note):
        assert twice.wait(30)
    assert reports[0].actions
    assert reports[1].actions == []
    assert not [thread for thread in threading.enumerate() if thread.name == "mnemic-upkeep"]


def test_an_error_in_the_background_is_reported(mind: Mind) -> None:
    errors: list[MnemicError] = []
    reported = threading.Event()

    def note(error: MnemicError) -> None:
        errors.append(error)
        reported.set()

    mind.close()
    background = BackgroundUpkeep(mind, everywhere=True, on_error=note)
    background.start()
    assert reported.wait(30)
    background.stop()
    assert isinstance(errors[0], MindClosed)
    assert background.error is errors[0]


def test_a_wrong_schedule_is_named(mind: Mind) -> None:
    with pytest.raises(InvalidInput, match="every: must be a number"):
        BackgroundUpkeep(mind, every=0)


def test_the_schedule_goes_on_after_whatever_a_reader_of_reports_raises(mind: Mind) -> None:
    seen: list[object] = []
    often = threading.Event()

    def read(report: object) -> None:
        seen.append(report)
        if len(seen) == 1:
            raise RuntimeError("no paper")
        often.set()

    errors: list[Exception] = []
    with BackgroundUpkeep(mind, everywhere=True, every=0.01, on_report=read, on_error=errors.append):
        assert often.wait(10)
    assert [str(error) for error in errors] == ["no paper"]


def test_an_argument_that_upkeep_does_not_know_is_refused_at_once(mind: Mind) -> None:
    with pytest.raises(InvalidInput, match="usr: is not an argument"):
        BackgroundUpkeep(mind, usr="ana")


def test_a_language_model_is_an_object_here(mind: Mind) -> None:
    with pytest.raises(InvalidInput, match="llm: must be an Llm"):
        upkeep(mind, everywhere=True, llm="openai:gpt-5")
