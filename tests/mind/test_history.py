from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind
from mnemic.errors import NotFound

if TYPE_CHECKING:
    from mnemic.model.change import Change
    from tests.conftest import Clock


def kinds(changes: list[Change]) -> list[str]:
    return [change.kind for change in changes]


def test_every_kind_of_change_is_told_with_before_and_after(mind: Mind, clock: Clock) -> None:
    first = mind.remember("lives in Porto", user="ana", metadata={"n": 1}).memory
    times = [clock.now]
    times.append(clock.advance(hours=1))
    second = mind.remember("lives in Porto", user="ana").memory
    times.append(clock.advance(hours=1))
    third = mind.revise(first.id, text="lives in Oporto", metadata={"n": 2})
    times.append(clock.advance(hours=1))
    new = mind.remember("lives in Lisbon", user="ana").memory
    closed = mind.supersede(first.id, new.id)
    times.append(clock.advance(hours=1))
    opened = mind.unsupersede(first.id)
    times.append(clock.advance(hours=1))
    mind.link(first.id, new.id, "before")
    times.append(clock.advance(hours=1))
    mind.unlink(first.id, new.id, "before")
    times.append(clock.advance(hours=1))
    mind.forget(first.id)

    told = mind.history(first.id)
    link = {"to_id": new.id, "relation": "before"}
    assert [(change.kind, change.before, change.after) for change in told] == [
        ("created", {}, first.to_dict()),
        ("repeated", {"evidence": 1}, {"evidence": 2}),
        (
            "revised",
            {"text": "lives in Porto", "metadata": {"n": 1}, "revision": second.revision},
            {"text": "lives in Oporto", "metadata": {"n": 2}, "revision": third.revision},
        ),
        (
            "superseded",
            {"superseded_by": None, "superseded_at": None, "revision": third.revision},
            {
                "superseded_by": new.id,
                "superseded_at": new.created_at.isoformat(),
                "revision": closed.revision,
            },
        ),
        (
            "unsuperseded",
            {"superseded_by": new.id, "superseded_at": new.created_at.isoformat(), "revision": closed.revision},
            {"superseded_by": None, "superseded_at": None, "revision": opened.revision},
        ),
        ("linked", {}, link),
        ("unlinked", link, {}),
        ("forgotten", opened.to_dict(), {}),
    ]
    assert [change.at for change in told] == times
    assert [change.seq for change in told] == sorted({change.seq for change in told})
    assert {change.memory_id for change in told} == {first.id}


def test_each_life_of_an_id_is_told(mind: Mind) -> None:
    id = str(uuid4())
    mind.remember("first life", id=id)
    mind.revise(id, text="first life, revised")
    mind.forget(id)
    mind.remember("second life", id=id, user="ana")
    mind.revise(id, text="second life, revised")
    mind.forget(id)
    mind.remember("third life", id=id)
    told = mind.history(id)
    assert kinds(told) == ["created", "revised", "forgotten"] * 2 + ["created"]
    assert [change.after["text"] for change in told if change.kind == "created"] == [
        "first life",
        "second life",
        "third life",
    ]
    assert [change.before["text"] for change in told if change.kind == "forgotten"] == [
        "first life, revised",
        "second life, revised",
    ]


def test_a_memory_never_stored_has_no_history(mind: Mind) -> None:
    with pytest.raises(NotFound):
        mind.history(str(uuid4()))


def test_history_outlives_the_mind_that_wrote_it(mind: Mind, tmp_path: Any) -> None:
    id = mind.remember("one").memory.id
    mind.revise(id, text="two")
    before = mind.history(id)
    mind.close()
    with Mind(tmp_path / "mind") as again:
        assert again.history(id) == before


STEPS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"text": st.sampled_from(["a", "b", "c"])}),
        st.fixed_dictionaries({"metadata": st.sampled_from([{}, {"n": 1}, {"n": True}, {"n": None}])}),
        st.fixed_dictionaries({"occurred_at": st.sampled_from([None, date(2026, 1, 1)])}),
        st.fixed_dictionaries({"expires_at": st.sampled_from([None, datetime(2036, 1, 1, tzinfo=UTC)])}),
        st.fixed_dictionaries({"tags": st.sampled_from([[], ["x"]]), "importance": st.sampled_from([1, 5])}),
        st.sampled_from(["forget", "supersede", "unsupersede", "link", "unlink", "repeat"]),
    ),
    max_size=12,
)


@given(STEPS)
def test_history_replays_to_the_present(steps: list[Any]) -> None:
    """Whatever happened, each change starts where the last one ended, and the last is what is stored."""
    with Mind(":memory:") as mind:
        other = mind.remember("other").memory.id
        id = mind.remember("start").memory.id
        for step in steps:
            if isinstance(step, dict):
                mind.revise(id, **step)
            elif step == "forget":
                mind.forget(id)
                mind.remember("start", id=id)
            elif step == "supersede":
                mind.supersede(id, other, at="2030-01-01") if mind.get(id).superseded_at is None else None
            elif step == "unsupersede":
                mind.unsupersede(id)
            elif step == "link":
                mind.link(id, other, "r")
            elif step == "unlink":
                mind.unlink(id, other, "r") if mind.links(id) else None
            else:
                current = mind.get(id)
                mind.remember(current.text, occurred_at=current.occurred_at)
        state: dict[str, Any] = {}
        for change in mind.history(id):
            if change.kind in ("linked", "unlinked"):
                continue
            if change.kind in ("created", "forgotten"):
                assert repr(state) == repr(change.before)
                state = dict(change.after)
            else:
                assert {name: state[name] for name in change.before} == change.before
                state |= change.after
        assert repr(state) == repr(mind.get(id).to_dict())
        assert all(finding.ok for finding in mind.doctor())
