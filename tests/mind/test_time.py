from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mnemic import Mind
    from mnemic.model.time import When
    from tests.conftest import Clock


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


def believed(mind: Mind, as_of: When | str) -> list[str]:
    found = [memory.text for page in mind.pages(as_of=as_of) for memory in page]
    assert mind.count(as_of=as_of) == len(found)
    assert {hit.memory.text for hit in mind.recall("lives", as_of=as_of)} == set(found)
    return found


@pytest.fixture
def moved(mind: Mind) -> Mind:
    porto = mind.remember("lives in Porto", occurred_at=date(2026, 3, 1)).memory
    lisbon = mind.remember("lives in Lisbon", occurred_at=date(2026, 3, 10)).memory
    mind.supersede(porto.id, lisbon.id)
    return mind


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (date(2026, 2, 28), []),
        (at(1) - timedelta(microseconds=1), []),
        (at(1), ["lives in Porto"]),
        (date(2026, 3, 1), ["lives in Porto"]),
        ("2026-03-09", ["lives in Porto"]),
        (at(10) - timedelta(microseconds=1), ["lives in Porto"]),
        (at(10), ["lives in Lisbon"]),
        (date(2026, 3, 10), ["lives in Lisbon"]),
        ("2026-03-10T01:00:00+02:00", ["lives in Porto"]),
        (date(9999, 12, 31), ["lives in Lisbon"]),
        (date(1, 1, 1), []),
    ],
)
def test_as_of_tells_what_was_true_then(moved: Mind, as_of: When | str, expected: list[str]) -> None:
    assert believed(moved, as_of) == expected


def test_as_of_with_superseded_shows_all_that_had_begun(moved: Mind) -> None:
    assert moved.count(as_of=date(2026, 3, 9), include_superseded=True) == 1
    assert moved.count(as_of=date(2026, 3, 10), include_superseded=True) == 2


def test_within_a_day_the_hour_decides(mind: Mind) -> None:
    mind.remember("lives here", occurred_at=at(5, 9), expires_at=at(5, 17))
    assert believed(mind, at(5, 8)) == []
    assert believed(mind, at(5, 9)) == ["lives here"]
    assert believed(mind, at(5, 16)) == ["lives here"]
    assert believed(mind, at(5, 17)) == []
    assert believed(mind, date(2026, 3, 5)) == [], "a day is asked about as it ended"


def test_without_a_time_of_its_own_a_memory_begins_when_it_was_stored(mind: Mind, clock: Clock) -> None:
    stored_at = clock.now
    mind.remember("lives there")
    assert believed(mind, stored_at - timedelta(seconds=1)) == []
    assert believed(mind, stored_at) == ["lives there"]


def test_a_memory_ends_at_its_expiry_and_not_before(mind: Mind, clock: Clock) -> None:
    id = mind.remember("lives in a tent", expires_at=clock.now + timedelta(days=1)).memory.id
    clock.advance(days=1, microseconds=-1)
    assert mind.count() == 1
    clock.advance(microseconds=1)
    assert mind.count() == 0
    assert mind.recall("tent") == []
    assert mind.get(id).text == "lives in a tent"
    assert mind.count(include_superseded=True) == 1


def test_what_will_happen_is_known_today(mind: Mind, clock: Clock) -> None:
    mind.remember("lives in Faro", occurred_at=clock.now + timedelta(days=30))
    assert [hit.memory.text for hit in mind.recall("Faro")] == ["lives in Faro"]
    assert believed(mind, clock.now) == []


def test_a_supersession_that_lies_ahead_has_not_happened_yet(mind: Mind, clock: Clock) -> None:
    old, new = mind.remember("lives in Porto").memory, mind.remember("lives in Faro").memory
    mind.supersede(old.id, new.id, at=clock.now + timedelta(days=1))
    assert mind.count() == 2
    clock.advance(days=1)
    assert mind.count() == 1


def test_what_is_closed_as_it_begins_never_held(mind: Mind, clock: Clock) -> None:
    """A day and its first instant are the same beginning, whichever of the two was given."""
    day = (clock.now + timedelta(days=30)).date()
    midnight = datetime.combine(day, datetime.min.time(), UTC)
    new = mind.remember("lives in Lisbon").memory
    for place, (began, closed) in enumerate([(day, day), (day, midnight), (midnight, day), (midnight, midnight)]):
        old = mind.remember(f"lives in Porto {place}", occurred_at=began).memory
        mind.supersede(old.id, new.id, at=closed)
        assert [hit.memory.id for hit in mind.recall("lives")] == [new.id]
        assert mind.remember(old.text, occurred_at=began).created, "a repeat of what never held is new"
        assert mind.forget(where={"text": old.text}) == 2


@pytest.mark.parametrize(
    "when",
    [
        date(1, 1, 1),
        date(9999, 12, 31),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        at(5, 9) + timedelta(microseconds=1),
        at(5),
        date(2024, 2, 29),
    ],
    ids=str,
)
def test_any_time_is_kept_with_its_precision(mind: Mind, when: When) -> None:
    kept = mind.get(mind.remember("event", occurred_at=when).memory.id)
    assert kept.occurred_at == when
    assert type(kept.occurred_at) is type(when)
    assert mind.count(where={"occurred_at": when}) == 1
    assert mind.count(as_of=when) == 1


def test_a_time_in_another_zone_is_kept_as_the_same_instant(mind: Mind) -> None:
    kept = mind.remember("event", occurred_at="2026-03-01T01:30:00+02:00").memory
    assert kept.occurred_at == datetime(2026, 2, 28, 23, 30, tzinfo=UTC)
    assert mind.get(kept.id) == kept


def test_a_clock_that_goes_back_does_no_harm(mind: Mind, clock: Clock) -> None:
    old = mind.remember("lives in Porto").memory
    clock.advance(days=-10)
    new = mind.remember("lives in Lisbon").memory
    assert mind.supersede(old.id, new.id).superseded_at == old.created_at
    clock.advance(days=20)
    assert [hit.memory.id for hit in mind.recall("lives")] == [new.id]
    assert [change.kind for change in mind.history(old.id)] == ["created", "superseded"]
    assert all(finding.ok for finding in mind.doctor())
