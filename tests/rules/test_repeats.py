from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.rules.repeats import digest_of, has_same_draft

NOW = datetime(2026, 5, 1, tzinfo=UTC)
TOLD = Memory(id="id", text="text", scope=Scope(user="ana"), created_at=NOW, metadata={"n": 1})


@pytest.mark.parametrize(
    "same",
    [{"id": "x"}, {"importance": 9.0}, {"metadata": {}}, {"evidence": 7}, {"created_at": NOW + timedelta(1)}],
    ids=str,
)
def test_a_digest_ignores_what_may_differ_in_a_repeat(same: dict[str, Any]) -> None:
    assert digest_of(dataclasses.replace(TOLD, **same)) == digest_of(TOLD)


@pytest.mark.parametrize(
    "other",
    [
        {"text": "Text"},
        {"text": "text "},
        {"tier": "working"},
        {"scope": Scope(agent="ana")},
        {"scope": Scope(user="ana", session="s")},
        {"occurred_at": date(2026, 1, 1)},
        {"occurred_at": datetime(2026, 1, 1, tzinfo=UTC)},
    ],
    ids=str,
)
def test_a_digest_tells_scope_tier_text_and_time_apart(other: dict[str, Any]) -> None:
    assert digest_of(dataclasses.replace(TOLD, **other)) != digest_of(TOLD)


NAMES = st.none() | st.text("ab\n\x1f|", min_size=1, max_size=3)
SCOPES = st.builds(Scope, NAMES, NAMES, NAMES)


@given(SCOPES, SCOPES, st.text("ab\n\x1f|", min_size=1), st.text("ab\n\x1f|", min_size=1))
def test_different_things_have_different_digests(one: Scope, other: Scope, first: str, second: str) -> None:
    alike = digest_of(dataclasses.replace(TOLD, scope=one, text=first)) == digest_of(
        dataclasses.replace(TOLD, scope=other, text=second)
    )
    assert alike == ((one, first) == (other, second))


def test_the_same_is_told_when_every_given_field_agrees() -> None:
    assert has_same_draft(TOLD, dataclasses.replace(TOLD, id="x", evidence=3, revision=2, superseded_at=NOW))
    for other in ({"category": "c"}, {"metadata": {"n": True}}, {"tags": ("t",)}, {"scope": Scope()}):
        assert not has_same_draft(TOLD, dataclasses.replace(TOLD, **other))
