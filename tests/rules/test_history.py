from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mnemic.model.change import Change
from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.rules.history import difference, full_changes

if TYPE_CHECKING:
    from mnemic.model.change import ChangeKind

NOW = datetime(2026, 5, 1, tzinfo=UTC)
FIRST = Memory(id="id", text="first", scope=Scope(), created_at=NOW, metadata={"n": 1})
SECOND = dataclasses.replace(FIRST, text="second", revision=2)


def change(
    seq: int, kind: ChangeKind, before: dict[str, Any] | None = None, after: dict[str, Any] | None = None
) -> Change:
    return Change(seq, "id", kind, NOW, before or {}, after or {})


def test_a_difference_holds_only_what_changed() -> None:
    assert difference(FIRST, SECOND) == ({"text": "first", "revision": 1}, {"text": "second", "revision": 2})
    assert difference(FIRST, FIRST) == ({}, {})


def test_a_difference_tells_one_from_true() -> None:
    before, after = difference(FIRST, dataclasses.replace(FIRST, metadata={"n": True}))
    assert repr((before, after)) == repr(({"metadata": {"n": 1}}, {"metadata": {"n": True}}))


def test_the_first_state_is_worked_out_backwards() -> None:
    changes = [change(1, "created"), change(2, "revised", *difference(FIRST, SECOND))]
    created, revised = full_changes(changes, {1: SECOND})
    assert created.after == FIRST.to_dict()
    assert revised == changes[1]


def test_the_order_given_does_not_matter() -> None:
    changes = [change(1, "created"), change(2, "revised", *difference(FIRST, SECOND))]
    assert full_changes(reversed(changes), {1: SECOND}) == full_changes(changes, {1: SECOND})


def test_links_do_not_touch_the_state() -> None:
    changes = [change(1, "created"), change(2, "linked", None, {"to_id": "x", "relation": "r"})]
    assert full_changes(changes, {1: FIRST})[0].after == FIRST.to_dict()


def test_lives_are_kept_apart() -> None:
    other = dataclasses.replace(FIRST, text="other life")
    changes = [change(1, "created"), change(5, "forgotten"), change(7, "created")]
    full = full_changes(changes, {1: FIRST, 7: other})
    assert [one.kind for one in full] == ["created", "forgotten", "created"]
    assert (full[0].after, full[1].before, full[2].after) == (FIRST.to_dict(), FIRST.to_dict(), other.to_dict())


def test_nothing_is_told_of_what_was_purged() -> None:
    (full,) = full_changes([change(9, "purged")], {})
    assert (full.before, full.after) == ({}, {})
