from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind
from mnemic.errors import InvalidInput, MindClosed
from mnemic.model.draft import Draft
from mnemic.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Clock


@pytest.fixture(scope="module", params=["folder", "memory"])
def any_mind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mind]:
    with Mind(":memory:" if request.param == "memory" else tmp_path_factory.mktemp("mind")) as mind:
        yield mind


def test_every_field_is_kept_as_given(any_mind: Mind) -> None:
    id = str(uuid4())
    kept = any_mind.remember(
        "Ana moved to Lisbon",
        agent="guide",
        user="ana",
        session="s1",
        tier="episodic",
        category="move",
        importance=7.5,
        tags=["home", "city", "home"],
        metadata={"year": 2026, "where": {"from": "Porto"}},
        source="chat",
        occurred_at=date(2026, 3, 1),
        expires_at=datetime(2036, 1, 1, tzinfo=UTC),
        id=id,
    ).memory
    assert any_mind.get(id) == kept
    assert (kept.id, kept.text, kept.scope) == (id, "Ana moved to Lisbon", Scope("guide", "ana", "s1"))
    assert (kept.tier, kept.category, kept.importance, kept.source) == ("episodic", "move", 7.5, "chat")
    assert kept.tags == ("home", "city")
    assert kept.metadata == {"year": 2026, "where": {"from": "Porto"}}
    assert kept.occurred_at == date(2026, 3, 1)
    assert kept.expires_at == datetime(2036, 1, 1, tzinfo=UTC)
    assert (kept.superseded_by, kept.superseded_at, kept.evidence, kept.revision) == (None, None, 1, 1)


def test_only_a_text_is_needed(mind: Mind, clock: Clock) -> None:
    remembered = mind.remember("plain")
    memory = remembered.memory
    assert remembered.created
    assert memory.scope == Scope()
    assert (memory.tier, memory.category, memory.importance, memory.tags) == ("long_term", None, 5.0, ())
    assert (memory.metadata, memory.source, memory.occurred_at, memory.expires_at) == ({}, None, None, None)
    assert memory.created_at == clock.now


def test_an_id_is_made_that_holds_the_time(mind: Mind, clock: Clock) -> None:
    id = UUID(mind.remember("plain").memory.id)
    assert id.version == 7
    assert id.int >> 80 == int(clock.now.timestamp() * 1000)


def test_an_id_may_be_spelled_in_any_way_a_uuid_is(mind: Mind) -> None:
    id = uuid4()
    assert mind.remember("plain", id=f"{{{str(id).upper()}}}").memory.id == str(id)
    assert mind.get(id.hex).text == "plain"


def test_memories_outlive_the_mind_that_wrote_them(tmp_path: Path) -> None:
    with Mind(tmp_path) as first:
        kept = first.remember("still here", metadata={"n": 1}).memory
    with Mind(tmp_path) as second:
        assert second.get(kept.id) == kept
        assert [hit.memory for hit in second.recall("here still")] == [kept]


def test_two_minds_on_one_folder_see_each_other(tmp_path: Path) -> None:
    with Mind(tmp_path) as one, Mind(tmp_path) as other:
        kept = one.remember("shared note").memory
        assert [hit.memory for hit in other.recall("note")] == [kept]


def test_many_are_kept_in_the_order_given(mind: Mind) -> None:
    drafts = [{"text": f"note {n}", "user": "ana"} for n in range(1_200)]
    remembered = mind.remember_many(drafts)
    assert all(one.created for one in remembered)
    assert [memory.text for page in mind.pages(user="ana") for memory in page] == [draft["text"] for draft in drafts]


def test_drafts_may_be_dicts_values_or_come_from_a_generator(mind: Mind) -> None:
    mind.remember_many(draft for draft in ({"text": "dict"}, Draft(text="value", importance=9)))
    assert [memory.text for page in mind.pages() for memory in page] == ["dict", "value"]


def test_no_draft_is_no_memory(mind: Mind) -> None:
    assert mind.remember_many([]) == []
    assert mind.count(everywhere=True) == 0


def test_a_wrong_draft_stops_the_whole_batch_and_is_named(mind: Mind) -> None:
    with pytest.raises(InvalidInput) as caught:
        mind.remember_many([{"text": "right"}, {"text": "wrong", "importance": 11}])
    assert caught.value.field == "drafts[1].importance"
    assert mind.count(everywhere=True) == 0


def test_a_source_of_drafts_that_fails_leaves_nothing(mind: Mind) -> None:
    def drafts() -> Iterator[dict[str, str]]:
        yield {"text": "first"}
        raise OSError("the file ended early")

    with pytest.raises(OSError, match="ended early"):
        mind.remember_many(drafts())
    assert mind.count(everywhere=True) == 0


def test_a_draft_stays_as_it_was_checked() -> None:
    draft = Draft(text="right")
    with pytest.raises(AttributeError):
        draft.text = ""


def test_what_the_caller_changes_later_is_not_remembered(mind: Mind) -> None:
    metadata: dict[str, Any] = {"list": [1]}
    id = mind.remember("copy", metadata=metadata).memory.id
    metadata["list"].append(2)
    assert mind.get(id).metadata == {"list": [1]}


CLOSED: dict[str, Callable[[Mind, str], object]] = {
    "remember": lambda mind, _: mind.remember("x"),
    "remember_many": lambda mind, _: mind.remember_many([{"text": "x"}]),
    "recall": lambda mind, _: mind.recall("x"),
    "context": lambda mind, _: mind.context("x", budget=100),
    "explain": lambda mind, id: mind.explain("x", id),
    "get": lambda mind, id: mind.get(id),
    "count": lambda mind, _: mind.count(),
    "tally": lambda mind, _: mind.tally("user"),
    "pages": lambda mind, _: list(mind.pages()),
    "history": lambda mind, id: mind.history(id),
    "revise": lambda mind, id: mind.revise(id, text="y"),
    "supersede": lambda mind, id: mind.supersede(id, str(uuid4())),
    "unsupersede": lambda mind, id: mind.unsupersede(id),
    "forget": lambda mind, id: mind.forget(id),
    "link": lambda mind, id: mind.link(id, str(uuid4()), "about"),
    "unlink": lambda mind, id: mind.unlink(id, str(uuid4()), "about"),
    "links": lambda mind, id: mind.links(id),
    "doctor": lambda mind, _: mind.doctor(),
}


@pytest.mark.parametrize("verb", CLOSED)
def test_a_closed_mind_says_so(any_path: str | Path, verb: str) -> None:
    mind = Mind(any_path)
    id = mind.remember("x").memory.id
    mind.close()
    mind.close()
    with pytest.raises(MindClosed):
        CLOSED[verb](mind, id)


@pytest.fixture(params=["folder", "memory"])
def any_path(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    return ":memory:" if request.param == "memory" else tmp_path


def test_leaving_the_with_block_closes_the_mind_even_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), Mind(":memory:") as mind:
        raise ZeroDivisionError
    with pytest.raises(MindClosed):
        mind.count()


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)


@given(text=TEXT.filter(lambda text: not text.isspace()), metadata=st.dictionaries(TEXT, JSON, max_size=4))
def test_any_text_and_metadata_come_back_exactly(any_mind: Mind, text: str, metadata: dict[str, Any]) -> None:
    user = str(uuid4())
    memory = any_mind.remember(text, user=user, metadata=metadata).memory
    kept = any_mind.get(memory.id)
    assert (kept.text, kept.metadata) == (text, metadata)
    assert repr(kept.metadata) == repr(metadata), "1, 1.0 and True are told apart"
    assert [list(page) for page in any_mind.pages(user=user)] == [[kept]]
    if re.search(r"[^\W_]", unicodedata.normalize("NFKD", text)):
        assert [hit.memory for hit in any_mind.recall(text, user=user)] == [kept]
