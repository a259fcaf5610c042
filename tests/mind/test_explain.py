from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mnemic.errors import NotFound
from mnemic.rules.recall.calibration import THRESHOLD

if TYPE_CHECKING:
    from mnemic import Mind
    from tests.conftest import Clock


@pytest.fixture
def id(mind: Mind) -> str:
    return mind.remember("Ana has a cat", user="ana", tier="episodic", category="pets").memory.id


def test_a_recalled_memory_is_explained_as_its_hit_is(mind: Mind, id: str) -> None:
    mind.remember("a cat called Miso", user="ana")
    hits = mind.recall("cat called", user="ana")
    told = mind.explain("cat called", id, user="ana")
    assert told.recalled
    assert told.rank == 2
    assert (told.memory, told.score, told.reasons) == (hits[1].memory, hits[1].score, hits[1].reasons)


def test_at_the_edge_of_limit_and_score_it_is_recalled(mind: Mind, id: str) -> None:
    score = mind.recall("cat and dog", user="ana")[0].score
    assert mind.explain("cat and dog", id, user="ana", limit=1, min_score=score).recalled


def test_below_the_limit(mind: Mind, id: str) -> None:
    mind.remember("a cat called Miso", user="ana")
    told = mind.explain("cat called", id, user="ana", limit=1)
    assert not told.recalled
    assert told.rank == 2
    assert "ranked 2, below the limit of 1" in told.reasons
    assert "missing words: called" in told.reasons


def test_under_the_score(mind: Mind, id: str) -> None:
    told = mind.explain("the cat and the dog", id, user="ana", min_score=0.9)
    assert not told.recalled
    assert "is under min_score 0.900" in " ".join(told.reasons)
    assert told.reasons[-1] == "missing words: dog"


@pytest.mark.parametrize("query", ["quantum chromodynamics", "!?"])
def test_under_the_default_cut(mind: Mind, id: str, query: str) -> None:
    told = mind.explain(query, id, user="ana")
    assert (told.recalled, told.rank) == (False, 1)
    assert mind.recall(query, user="ana") == []
    assert f"score {told.score:.3f} is under min_score {THRESHOLD:.3f}" in told.reasons


def test_the_time_that_the_question_names(mind: Mind) -> None:
    id = mind.remember("Ana has a dog", occurred_at="2024-05-01").memory.id
    assert "time: may 2024" in mind.explain("the dog of Ana in May 2024", id).reasons
    told = mind.explain("the dog of Ana in May 2023", id, min_score=0.99).reasons
    assert told[-1] == "happened on 2024-05-01, and the question says may 2023"
    unknown = mind.remember("Ana has a cat").memory.id
    told = mind.explain("the cat of Ana in May 2023", unknown, min_score=0.99).reasons
    assert told[-1] == "when it happened is not known, and the question says may 2023"


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"tier": "working"}, "tier"),
        ({"where": {"category": "work"}}, "filter"),
        ({"as_of": date(2020, 1, 1)}, "as_of"),
    ],
)
def test_why_it_was_not_found(mind: Mind, id: str, given: dict[str, Any], word: str) -> None:
    told = mind.explain(**{"query": "cat", "id": id, "user": "ana"} | given)
    assert (told.recalled, told.rank, told.score) == (False, None, 0.0)
    (reason,) = told.reasons
    assert word in reason


def test_superseded(mind: Mind, id: str) -> None:
    new = mind.remember("Ana has a dog", user="ana").memory
    mind.supersede(id, new.id)
    (reason,) = mind.explain("cat", id, user="ana").reasons
    assert "superseded" in reason
    assert new.id in reason
    assert mind.explain("cat", id, user="ana", include_superseded=True).recalled


def test_expired(mind: Mind, clock: Clock, id: str) -> None:
    mind.revise(id, expires_at=clock.now)
    (reason,) = mind.explain("cat", id, user="ana").reasons
    assert "expired" in reason


def test_every_reason_is_told_at_once(mind: Mind, clock: Clock, id: str) -> None:
    mind.revise(id, expires_at=clock.now)
    told = mind.explain("dog", id, user="ana", tier="working", where={"category": "x"})
    assert (told.recalled, told.rank, told.score) == (False, None, 0.0)
    assert len(told.reasons) == 4
    assert "no word in common" in told.reasons[-1]


@pytest.mark.parametrize("scope", [{"user": "bob"}, {}, {"user": "ana", "session": "s"}, {"agent": "ana"}], ids=str)
def test_what_lies_outside_the_scope_is_as_if_it_were_not_there(mind: Mind, id: str, scope: dict[str, Any]) -> None:
    unknown = str(uuid4())
    with pytest.raises(NotFound) as outside:
        mind.explain("cat", id, **scope)
    with pytest.raises(NotFound) as nowhere:
        mind.explain("cat", unknown, **scope)
    assert str(outside.value).replace(id, unknown) == str(nowhere.value)


def test_everywhere_explains_any(mind: Mind, id: str) -> None:
    assert mind.explain("cat", id, everywhere=True).recalled


def test_what_a_successor_pushed_out_is_not_recalled(mind: Mind) -> None:
    old, new = (
        mind.remember(text, user="ana").memory.id
        for text in ("The tram stops at the harbour", "Formats everything with Biome")
    )
    mind.supersede(old, new)
    other = mind.remember("Ben bought a painting of a tram, a horse, a house and a boat", user="ana").memory.id
    (hit,) = mind.recall("tram wireless", user="ana", limit=1)
    assert hit.memory.id == new
    told = mind.explain("tram wireless", other, user="ana", limit=1)
    assert (told.recalled, told.reasons[-1]) == (False, "the successor of a superseded memory ranks before it")
