"""Memories as JSON Lines: nothing is lost on the way out and in, and a wrong file changes nothing."""

from __future__ import annotations

import dataclasses
import io
import json
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemic import Mind
from mnemic.errors import InvalidInput, WrongFile
from mnemic.ports import silent
from mnemic.transfer import jsonl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemic.model.change import Change, Link
    from mnemic.model.memory import Memory

ONE, TWO = "0192f3c4-0000-7000-8000-000000000001", "0192f3c4-0000-7000-8000-000000000002"

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40).filter(
    lambda text: not text.isspace()
)
instants = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
drafts = st.fixed_dictionaries(
    {"text": words},
    optional={
        "user": words,
        "agent": words,
        "session": words,
        "tier": st.sampled_from(["short_term", "working", "long_term", "episodic"]),
        "category": words,
        "importance": st.floats(1, 10),
        "tags": st.lists(words, max_size=3),
        "metadata": st.dictionaries(words, json_values, max_size=3),
        "source": words,
        "occurred_at": instants | st.dates(),
        "expires_at": instants,
    },
)


def exported(mind: Mind) -> bytes:
    """Return the export of a mind."""
    target = io.BytesIO()
    jsonl.write(mind.records(everywhere=True), target)
    return target.getvalue()


def imported(mind: Mind, content: bytes) -> jsonl.Imported:
    """Import an export into a mind."""
    return jsonl.read(mind, io.BytesIO(content), progress=silent)


def memories(mind: Mind) -> list[Memory]:
    """Return all memories in the order of their arrival."""
    return [memory for page in mind.pages(everywhere=True, include_superseded=True) for memory in page]


def everything(mind: Mind) -> list[tuple[Memory, list[Change], list[Link]]]:
    """Return all memories with their history and links; the numbers of changes are the store's own."""
    return [
        (
            memory,
            [dataclasses.replace(change, seq=0) for change in mind.history(memory.id)],
            mind.links(memory.id),
        )
        for memory in memories(mind)
    ]


@settings(max_examples=30)
@given(st.lists(drafts, min_size=1, max_size=5), st.data())
def test_a_round_trip_keeps_memories_history_and_links(told: list[dict[str, Any]], data: st.DataObject) -> None:
    with Mind(":memory:") as mind, Mind(":memory:") as other:
        mind.remember_many(told)
        ids = [memory.id for memory in memories(mind)]
        chosen = st.sampled_from(ids)
        mind.revise(data.draw(chosen), text=data.draw(words))
        mind.remember_many(told)
        one, two = data.draw(chosen), data.draw(chosen)
        if one != two:
            mind.supersede(one, two)
            mind.link(two, one, data.draw(words))
            mind.link(one, two, "before")
            mind.unlink(one, two, "before")
        content = exported(mind)
        assert imported(other, content) == jsonl.Imported(len(memories(mind)), 0)
        assert everything(other) == everything(mind)
        assert exported(other) == content
        assert imported(other, content) == jsonl.Imported(0, len(memories(mind)))
        assert everything(other) == everything(mind)
        assert all(finding.ok for finding in other.doctor())


def test_recall_works_after_an_import() -> None:
    with Mind(":memory:") as mind, Mind(":memory:") as other:
        mind.remember("Ana plays the cello", user="ana", occurred_at=date(2026, 2, 9))
        imported(other, exported(mind))
        assert [hit.memory for hit in other.recall("cello", user="ana")] == memories(mind)


def test_links_across_batches_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "BATCH", 2)
    with Mind(":memory:") as mind, Mind(":memory:") as other:
        ids = [one.memory.id for one in mind.remember_many([{"text": f"fact {n}"} for n in range(7)])]
        mind.link(ids[0], ids[6], "leads to")
        mind.link(ids[6], ids[0], "comes from")
        imported(other, exported(mind))
        assert everything(other) == everything(mind)


def test_links_that_lead_out_of_a_scope_are_left_out() -> None:
    with Mind(":memory:") as mind, Mind(":memory:") as other:
        ana, ben = mind.remember("Ana sings", user="ana").memory, mind.remember("Ben drums", user="ben").memory
        mind.link(ana.id, ben.id, "plays with")
        target = io.BytesIO()
        jsonl.write(mind.records(user="ana"), target)
        imported(other, target.getvalue())
        assert memories(other) == [ana]
        assert other.links(ana.id) == []


def line(**fields: Any) -> bytes:
    """Return the line of a memory, with some fields changed."""
    memory = {"id": ONE, "text": "Ana sings", "created_at": "2026-03-01T09:30:00Z"} | fields
    return json.dumps({"memory": memory}).encode() + b"\n"


HEADER, END_1, END_2 = b'{"mnemic": 1}\n', b'{"end": 1}\n', b'{"end": 2}\n'
CREATED = {"kind": "created", "at": "2026-03-01T09:30:00Z"}
REVISED = CREATED | {"kind": "revised"}


def part(**fields: Any) -> bytes:
    """Return the line of a good memory with history or links."""
    return json.dumps(json.loads(line()) | fields).encode() + b"\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "cut short"),
        (HEADER, "cut short"),
        (HEADER + line(), "cut short"),
        (HEADER + line() + END_2, "line 3: end: says 2 memories, but the file has 1"),
        (HEADER + line() + END_1 + line(id=TWO), "line 4: end: came before this line"),
        (line() + END_1, "the file is not a Mnemic export"),
        (b"SQLite format 3\0\xff\n" * 50, "the file is not a Mnemic export"),
        (b'{"mnemic": 2}\n' + line() + END_1, "line 1: mnemic: must be between 1 and 1, not 2"),
        (b'{"mnemic": 1, "x": 1}\n' + END_1, "line 1: x: is not a field of the header"),
        (HEADER + b"{\n" + END_1, "line 2: JSON: cannot be read"),
        (HEADER + b"\n" + END_1, "line 2: JSON: cannot be read"),
        (HEADER + b'"text"\n' + END_1, "line 2: JSON: must be an object"),
        (HEADER + b'{"memory": "\xff"}\n' + END_1, "line 2: JSON: cannot be read"),
        (HEADER + b"[" * 100_000 + b"\n" + END_1, "line 2: JSON: cannot be read"),
        (HEADER + line(importance=float("nan")) + END_1, "line 2: JSON: cannot be read: NaN"),
        (HEADER + b'{"history": []}\n' + END_1, "line 2: memory: is missing"),
        (HEADER + part(more=1) + END_1, "line 2: more: is not a field of a record"),
        (HEADER + line() + line() + END_2, f"line 3: memory.id: {ONE} is in the file twice"),
        (HEADER + line(id="7") + END_1, "line 2: memory.id: must be a UUID"),
        (HEADER + line(text=" ") + END_1, "line 2: memory.text: is blank"),
        (HEADER + line(text="\ud800") + END_1, "line 2: memory.text: contains a lone surrogate"),
        (HEADER + line(colour="red") + END_1, "line 2: memory.colour: is not a field of a memory"),
        (HEADER + line(created_at=None) + END_1, "line 2: memory.created_at: is missing"),
        (HEADER + line(created_at="2026-03-01") + END_1, "line 2: memory.created_at: 2026-03-01 is a day"),
        (HEADER + line(occurred_at="soon") + END_1, "line 2: memory.occurred_at: 'soon' is not ISO 8601"),
        (HEADER + line(tier="huge") + END_1, "line 2: memory.tier: must be one of"),
        (HEADER + line(revision=0) + END_1, "line 2: memory.revision: must be between"),
        (HEADER + part(history={}) + END_1, "line 2: history: must be a list"),
        (HEADER + part(history=["x"]) + END_1, "line 2: history[0]: must be an object"),
        (HEADER + part(history=[CREATED | {"kind": ["x"]}]) + END_1, "line 2: history[0].kind: must be one of"),
        (HEADER + part(history=[CREATED | {"at": 7}]) + END_1, "line 2: history[0].at: must be an aware datetime"),
        (
            HEADER + part(history=[CREATED | {"after": {}}]) + END_1,
            "line 2: history[0].after: is not a field of a creation",
        ),
        (
            HEADER + part(history=[CREATED, REVISED | {"after": [1]}]) + END_1,
            "line 2: history[1].after: must be a dict",
        ),
        (HEADER + part(history=[REVISED]) + END_1, "line 2: history: must start with"),
        (HEADER + part(history=[CREATED, CREATED]) + END_1, "line 2: history: must start with"),
        (
            HEADER + part(history=[CREATED, REVISED | {"before": {"text": ""}}]) + END_1,
            "line 2: history.text: is blank",
        ),
        (HEADER + part(links=[{"to_id": TWO}]) + END_1, "line 2: links[0].relation: is None"),
        (HEADER + part(links=[{"to_id": ONE}]) + END_1, "line 2: links[0].to_id: is the same memory"),
        (HEADER + part(links=[{"from_id": ONE}]) + END_1, "line 2: links[0].from_id: is not a field of a link"),
    ],
)
def test_a_wrong_file_is_refused_and_changes_nothing(content: bytes, problem: str) -> None:
    with Mind(":memory:") as mind:
        mind.remember("here before")
        before = everything(mind)
        with pytest.raises(WrongFile) as caught:
            imported(mind, content)
        assert problem in caught.value.problems[0]
        assert everything(mind) == before


def test_every_mistake_is_told_up_to_twenty() -> None:
    with Mind(":memory:") as mind:
        with pytest.raises(WrongFile) as caught:
            imported(mind, HEADER + line(text="") + line(id=TWO) + line(tier="huge") + b'{"end": 3}\n')
        assert [problem.split(": ")[0] for problem in caught.value.problems] == ["line 2", "line 4"]
        with pytest.raises(WrongFile) as caught:
            imported(mind, HEADER + line(text="") * 50)
        assert len(caught.value.problems) == 21
        assert memories(mind) == []


def test_other_content_under_a_stored_id_is_refused() -> None:
    with Mind(":memory:") as mind:
        imported(mind, HEADER + line() + END_1)
        with pytest.raises(WrongFile, match=r"line 3: memory\.id: .* is already stored with other content"):
            imported(mind, HEADER + line(id=TWO) + line(text="Ana hums") + END_2)
        assert [memory.text for memory in memories(mind)] == ["Ana sings"]


def test_fields_that_are_left_out_have_their_defaults() -> None:
    with Mind(":memory:") as mind:
        imported(mind, HEADER + line(user="ana") + END_1)
        memory = mind.get(ONE)
        assert (memory.scope.user, memory.tier, memory.importance, memory.revision) == ("ana", "long_term", 5, 1)
        assert [change.kind for change in mind.history(ONE)] == ["created"]


def test_a_file_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    def breaking(mind: Mind) -> Iterator[Any]:
        yield from mind.records(everywhere=True)
        raise InvalidInput("disk", "is on fire")

    with Mind(":memory:") as mind:
        mind.remember("something")
        with pytest.raises(InvalidInput, match="on fire"):
            jsonl.write_file(breaking(mind), tmp_path / "all.jsonl")
        assert list(tmp_path.iterdir()) == []
        assert jsonl.write_file(mind.records(everywhere=True), tmp_path / "all.jsonl") == 1
        assert [file.name for file in tmp_path.iterdir()] == ["all.jsonl"]
        assert (tmp_path / "all.jsonl").read_bytes() == exported(mind)
