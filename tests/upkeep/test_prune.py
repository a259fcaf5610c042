"""Weak memories are pruned, protected ones never."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.rules.strength import Decay
from mnemic.upkeep.options import Options
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mnemic import Mind
    from mnemic.upkeep.report import Report
    from tests.conftest import Clock

    Tell = Callable[..., str]

FADING = Options(decay=Decay(half_life=1, floor=0), weakest=1, grace=30)


def run(mind: Mind, clock: Clock, options: Options = FADING, **arguments: Any) -> Report:
    return upkeep(mind, user="ana", options=options, now=clock(), **arguments)


def test_a_faded_memory_ends_and_explain_says_why(mind: Mind, tell: Tell, clock: Clock) -> None:
    id = tell("The bus was late", importance=2)
    assert run(mind, clock).actions == []
    clock.advance(days=10)
    (action,) = run(mind, clock).actions
    assert (action.kind, action.id) == ("pruned", id)
    assert "pruned: strength" in mind.explain("bus", id, user="ana").reasons[0]
    mind.revise(id, expires_at=None)
    assert [hit.memory.id for hit in mind.recall("bus", user="ana")] == [id]


def test_what_ended_is_forgotten_after_the_grace_and_keeps_its_history(mind: Mind, tell: Tell, clock: Clock) -> None:
    id = tell("The bus was late", importance=2)
    clock.advance(days=10)
    run(mind, clock)
    clock.advance(days=31)
    assert [action.kind for action in run(mind, clock).actions] == ["forgotten"]
    assert mind.history(id)[-1].kind == "forgotten"
    assert run(mind, clock).actions == []


def test_a_purge_erases_it(mind: Mind, tell: Tell, clock: Clock) -> None:
    id = tell("The bus was late", importance=2)
    clock.advance(days=10)
    run(mind, clock)
    clock.advance(days=31)
    options = Options(decay=FADING.decay, purge=True)
    assert [action.kind for action in run(mind, clock, options).actions] == ["purged"]
    assert [change.kind for change in mind.history(id)] == ["purged"]


def test_use_and_protection_keep_a_memory(mind: Mind, tell: Tell, clock: Clock) -> None:
    weak, used = tell("The bus was late", importance=2), tell("The train was late", importance=2)
    tell("The tram was late", importance=2, tags=["protected"])
    tell("The plane was late", importance=9)
    clock.advance(days=10)
    mind.use([used])
    assert [action.id for action in run(mind, clock).actions] == [weak]


def test_the_weakest_of_too_many_go(mind: Mind, tell: Tell, clock: Clock) -> None:
    ids = [tell(f"Note about {thing}", importance=5 + index) for index, thing in enumerate(("tea", "rain", "wool"))]
    assert [action.id for action in run(mind, clock, Options(most=2)).actions] == ids[:1]


def test_the_default_prunes_no_memory_of_usual_importance(mind: Mind, tell: Tell, clock: Clock) -> None:
    tell("The bus was late")
    clock.advance(days=10_000)
    assert run(mind, clock, Options()).actions == []


def test_small_talk_of_a_running_conversation_is_not_pruned_at_once(mind: Mind, tell: Tell, clock: Clock) -> None:
    tell("ok", session="monday", tier="short_term", importance=1)
    clock.advance(days=1)
    assert run(mind, clock, Options()).actions == []
    clock.advance(days=30)
    assert [action.kind for action in run(mind, clock, Options()).actions] == ["pruned"]


def test_what_was_pruned_and_brought_back_stays(mind: Mind, tell: Tell, clock: Clock) -> None:
    id = tell("The bus was late", importance=2)
    clock.advance(days=10)
    assert run(mind, clock).counts == {"pruned": 1}
    mind.revise(id, expires_at=None)
    clock.advance(days=100)
    assert run(mind, clock).actions == []


def test_what_was_replaced_is_kept_for_as_long_as_its_history(mind: Mind, clock: Clock) -> None:
    old, new = (mind.remember(text, user="ana").memory.id for text in ("Ana lives in Porto", "Ana lives in Lisbon"))
    mind.supersede(old, new)
    assert run(mind, clock, Options()).actions == []
    clock.advance(days=20)
    assert run(mind, clock, Options(history=30)).actions == []
    clock.advance(days=20)
    assert [(action.kind, action.id) for action in run(mind, clock, Options(history=30)).actions] == [
        ("forgotten", old)
    ]
    assert mind.get(new).text == "Ana lives in Lisbon"
