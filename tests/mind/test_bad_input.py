"""Whatever is passed in: a clear error that names the argument and changes nothing, or stored and returned exactly."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind, errors
from mnemic.embedders.table import TableEmbedder
from mnemic.errors import InvalidInput, NotFound
from mnemic.model.draft import Draft
from mnemic.model.filter import Selection
from mnemic.model.memory import Remembered
from mnemic.model.scope import Scope
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.conftest import Clock

NAN, INFINITY = float("nan"), float("inf")
SQL = "'; DROP TABLE memories; --"
OBJECT = object()


def nested(depth: int, inner: Any = None) -> dict[str, Any]:
    value: Any = inner
    for _ in range(depth):
        value = {"a": value}
    return {"a": value}


def listed(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


CYCLE: dict[str, Any] = {}
CYCLE["self"] = CYCLE

NOT_TEXT: list[Any] = [5, 1.5, True, b"bytes", ["list"], {"a": 1}, OBJECT, "a\0b", "\ud800", "a\udfffb", ""]
BLANK: list[Any] = [" ", "\n\t", "\u2003"]
WRONG_TEXT = [None, *NOT_TEXT, *BLANK]
WRONG_NAME = [*NOT_TEXT, *BLANK, "n" * 501]
WRONG_ID = [5, b"bytes", [], OBJECT, "", "x", SQL, "a\0b", "\ud800", "0" * 31, "x" * 5_000_000]
WRONG_FLAG: list[Any] = [None, 0, 1, "True", "", [], NAN]
WRONG_WHEN = [
    5,
    True,
    [],
    OBJECT,
    "",
    "yesterday",
    "2026-13-01",
    "2026-02-30",
    "2026-03-01T09:30:00",
    "2026-03-01T25:00:00Z",
    "２０２６-０３-０１",
    "2026-03-01\0",
    "x" * 1_000,
    datetime(2026, 3, 1),  # noqa: DTZ001 - it has no zone on purpose
    datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-1))),
]
WRONG_WHERE = [
    5,
    "category",
    [],
    {},
    OBJECT,
    listed(5_000),
    CYCLE,
    {5: 1},
    {"": 1},
    {"colour": "red"},
    {"seq": 1},
    {"digest": "x"},
    {"scope": "x"},
    {SQL: 1},
    {"metadata": {"a": 1}},
    {"metadata.": 1},
    {"metadata.a..b": 1},
    {'metadata.a"b': 1},
    {"metadata.a\\b": 1},
    {"metadata.a\nb": 1},
    {"metadata.a\0b": 1},
    {"metadata.\ud800": 1},
    {"category": {}},
    {"category": {"like": "x"}},
    {"category": {"EQ": "x"}},
    {"category": {5: "x"}},
    {"category": 5},
    {"category": True},
    {"category": ["a"]},
    {"category": "a\0b"},
    {"category": "\ud800"},
    {"category": {"eq": {"eq": 1}}},
    {"category": {"in": []}},
    {"category": {"in": "abc"}},
    {"category": {"in": [None]}},
    {"category": {"in": [5]}},
    {"category": {"in": ["x"] * 201}},
    {"category": {"gt": None}},
    {"category": {"exists": 1}},
    {"category": {"exists": None}},
    {"category": {"contains": 5}},
    {"category": {"contains": None}},
    {"importance": "5"},
    {"importance": True},
    {"importance": NAN},
    {"importance": INFINITY},
    {"importance": 2**63},
    {"importance": 10**400},
    {"importance": -(10**5_000)},
    {"importance": {"contains": 5}},
    {"metadata.a": NAN},
    {"metadata.a": 10**400},
    {"metadata.a": [1]},
    {"metadata.a": {"eq": [1]}},
    {"metadata.a": {"gt": True}},
    {"metadata.a": {"gt": None}},
    {"metadata.a": b"x"},
    {"tags": "x"},
    {"tags": ["x"]},
    {"tags": {"contains": 5}},
    {"tags": {"contains": ["x"]}},
    {"tags": {"in": ["x"]}},
    {"occurred_at": "yesterday"},
    {"occurred_at": 5},
    {"occurred_at": datetime(2026, 3, 1)},  # noqa: DTZ001 - it has no zone on purpose
    {"occurred_at": {"in": ["2026-03-01"]}},
    {"and": {}},
    {"and": []},
    {"or": []},
    {"or": "x"},
    {"or": [{}]},
    {"or": [5]},
    {"not": []},
    {"not": {}},
    {"not": None},
    {"or": [{"category": "x"}] * 201},
    {"not": {"not": nested(20)}},
]
DEEP: dict[str, Any] = {"category": "x"}
for _ in range(5_000):
    DEEP = {"not": DEEP}
WRONG_WHERE.append(DEEP)

WRONG: dict[str, list[Any]] = {
    "text": WRONG_TEXT,
    "query": WRONG_TEXT,
    "agent": [None, *WRONG_NAME],
    "user": [None, *WRONG_NAME],
    "session": [None, *WRONG_NAME],
    "category": WRONG_NAME,
    "source": WRONG_NAME,
    "relation": [None, *WRONG_NAME],
    "into": [None, *WRONG_ID],
    "since": [None, True, -1, 1.5, "1", NAN, 10**30],
    "name": [None, *WRONG_NAME],
    "value": [5, b"bytes", [], OBJECT, "a\0b", "\ud800"],
    "was": [5, b"bytes", [], OBJECT, "a\0b", "\ud800"],
    "tier": ["", "forever", "LONG_TERM", 5, [], {}, listed(5_000), OBJECT, NAN],
    "importance": [NAN, INFINITY, -INFINITY, 0, 0.99, 10.01, -1, True, "5", [], OBJECT, 1j, 10**400, 10**5_000],
    "tags": ["x", "", None, 5, OBJECT, [5], [""], [None], ["a\0b"], ["\ud800"], ["n" * 501], {1, "a"}, {"a": 1}, b"x"],
    "metadata": [
        5,
        "x",
        [],
        [1],
        OBJECT,
        {"a": NAN},
        {"a": INFINITY},
        {"a": [1, {"b": -INFINITY}]},
        {1: "a"},
        {None: "a"},
        {True: "a"},
        {("a",): 1},
        {"a": (1, 2)},
        {"a": {1, 2}},
        {"a": b"x"},
        {"a": OBJECT},
        {"a": date(2026, 3, 1)},
        {"a": 1j},
        {"a": "\0"},
        {"a\0": 1},
        {"a": [{"b": "x\0"}]},
        {"a": "\ud800"},
        {"\ud800": 1},
        {"a": {1: 2}},
        {"a": 10**5_000},
        CYCLE,
        nested(150),
        nested(985),
        nested(5_000),
        {"a": listed(5_000)},
    ],
    "occurred_at": WRONG_WHEN,
    "as_of": WRONG_WHEN,
    "at": WRONG_WHEN,
    "expires_at": [*WRONG_WHEN, date(2026, 3, 1), "2026-03-01"],
    "id": WRONG_ID,
    "old_id": [None, *WRONG_ID],
    "new_id": [None, *WRONG_ID],
    "from_id": [None, *WRONG_ID],
    "to_id": [None, *WRONG_ID],
    "limit": [0, -1, 10**9, 10**5_000, True, 1.5, "5", None, NAN, []],
    "size": [0, -1, 10**9, 10**5_000, True, 1.5, "5", None, NAN, []],
    "budget": [0, -1, 10**9, 10**5_000, True, 1.5, "5", None, NAN, []],
    "expect": [0, -1, 10**5_000, True, 1.5, "1", NAN, []],
    "min_score": [-0.01, 1.01, NAN, INFINITY, True, "0.5", [], 10**5_000],
    "after": ["", "x", "-1", "1.5", "9" * 19, "9" * 5_000, "١" * 19, 5, 1.5, [], SQL],
    "field": [None, "", "text", "seq", SQL, 5, [], listed(5_000)],
    "where": WRONG_WHERE,
    **dict.fromkeys(
        ("everywhere", "include_superseded", "rerank", "everything", "purge", "mend", "durable"), WRONG_FLAG
    ),
    "target": [None, 5, "", b"", OBJECT, "a\0b", "\ud800"],
    "drafts": [None, 5, "text", b"text", {"text": "x"}, OBJECT],
    "records": [None, 5, "text", {"memory": "x"}],
    "ids": [None, 5, "text", OBJECT, *([wrong] for wrong in (None, *WRONG_ID))],
}

ID, OTHER = str(uuid4()), str(uuid4())
NEEDED: dict[str, dict[str, Any]] = {
    "remember": {"text": "new"},
    "remember_many": {},
    "recall": {"query": "kept"},
    "context": {"query": "kept", "budget": 500},
    "explain": {"query": "kept", "id": ID},
    "get": {},
    "count": {},
    "tally": {"field": "tier"},
    "pages": {},
    "history": {},
    "revise": {"id": ID, "text": "changed"},
    "supersede": {"old_id": ID, "new_id": OTHER},
    "unsupersede": {},
    "forget": {},
    "link": {"from_id": ID, "to_id": OTHER, "relation": "about"},
    "unlink": {"from_id": ID, "to_id": OTHER, "relation": "about"},
    "links": {},
    "merge": {"id": ID, "into": OTHER},
    "unmerge": {},
    "changes": {},
    "mark": {},
    "set_mark": {"name": "upkeep", "value": "1", "was": None},
    "use": {},
    "uses": {},
    "unforget": {},
    "records": {},
    "adopt": {"records": []},
    "backup": {},
    "doctor": {},
}
REVISABLE = ("text", "tier", "category", "importance", "tags", "metadata", "source", "occurred_at", "expires_at")
HARMLESS = {"progress"}


def arguments(verb: str) -> list[str]:
    names = [name for name in inspect.signature(getattr(Mind, verb)).parameters if name not in ("self", "changes")]
    return [*names, *(REVISABLE if verb == "revise" else ())]


CASES = [
    pytest.param(verb, name, wrong, id=f"{verb}-{name}-{place}")
    for verb in NEEDED
    for name in arguments(verb)
    if name not in HARMLESS
    for place, wrong in enumerate(WRONG[name])
]


class Kept:
    """A mind that can tell whether anything in it was changed."""

    def __init__(self) -> None:
        self.store = SqliteStore(None)
        self.mind = Mind.over(self.store, embedder=TableEmbedder())
        self.mind.remember_many([{"text": "kept", "id": ID}, {"text": "kept too", "id": OTHER}])
        self.before = self.state()

    def state(self) -> object:
        everything = Selection(scope=None, now=datetime(2026, 3, 1, tzinfo=UTC), include_superseded=True)
        return self.store.changes_since(0, 1_000), self.store.page(everything, size=1_000, after=0), self.store.stats()


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    kept = Kept()
    yield kept
    kept.mind.close()


def names_the_field(error: InvalidInput, name: str) -> bool:
    return re.match(rf"{name}\b", error.field) is not None and str(error).startswith(error.field)


@pytest.mark.parametrize(("verb", "name", "wrong"), CASES)
def test_a_wrong_argument_is_named_and_changes_nothing(kept: Kept, verb: str, name: str, wrong: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        getattr(kept.mind, verb)(**NEEDED[verb] | {name: wrong})
    assert names_the_field(caught.value, name), caught.value.field
    assert len(str(caught.value)) < 1_000
    assert kept.state() == kept.before


def test_every_argument_of_every_verb_is_tried() -> None:
    verbs = {name for name, member in inspect.getmembers(Mind, inspect.isfunction) if not name.startswith("_")}
    assert verbs - {"close", "stats"} == set(NEEDED)


@pytest.mark.parametrize("verb", ["remember", "recall", "count", "forget", "link"])
def test_an_unknown_argument_is_a_type_error(kept: Kept, verb: str) -> None:
    with pytest.raises(TypeError, match="users"):
        getattr(kept.mind, verb)(**NEEDED[verb], users="ana")


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (None, "drafts[1].draft"),
        ("text", "drafts[1].draft"),
        (["text"], "drafts[1].draft"),
        ({}, "drafts[1].text"),
        ({"text": ""}, "drafts[1].text"),
        ({"text": "x", "users": "ana"}, "drafts[1].users"),
        ({"text": "x", "scope": "ana"}, "drafts[1].scope"),
        ({"text": "x", 5: "ana"}, "drafts[1].5"),
        ({"text": "x", "user": None}, "drafts[1].user"),
        ({"text": "x", "tags": ["a", ""]}, "drafts[1].tags[1]"),
        ({"text": "x", "metadata": {"a": NAN}}, "drafts[1].metadata"),
        ({"text": "x", "id": "1"}, "drafts[1].id"),
    ],
    ids=str,
)
def test_a_wrong_draft_is_named_by_its_place(kept: Kept, draft: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        kept.mind.remember_many([{"text": "right"}, draft, {"text": "right too"}])
    assert caught.value.field == field
    assert kept.state() == kept.before


@pytest.mark.parametrize(
    "blank", [{"category": ""}, {"source": ""}, {"superseded_by": ""}, {"scope": Scope(user="")}, {"scope": Scope("")}]
)
def test_a_record_with_a_blank_name_is_refused(kept: Kept, blank: dict[str, Any]) -> None:
    whole = next(iter(kept.mind.records(everywhere=True)))
    record = replace(whole, memory=replace(whole.memory, id=str(uuid4()), **blank))
    with pytest.raises(InvalidInput, match=r"records\[1\]\.\w+: is blank"):
        kept.mind.adopt([whole, record])
    assert kept.state() == kept.before


def test_a_draft_value_is_checked_when_it_is_made() -> None:
    with pytest.raises(InvalidInput, match="importance"):
        Draft(text="x", importance=0)


@pytest.mark.parametrize("path", [None, 5, "", b"", b"bytes", "a\0b", "\ud800", OBJECT], ids=repr)
def test_a_wrong_path_is_named(path: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Mind(path)
    assert caught.value.field == "path"


def test_a_path_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(errors.MnemicError):
        Mind(tmp_path / ("n" * 300))


def test_a_clock_without_a_zone_is_named() -> None:
    with Mind(":memory:", clock=lambda: datetime(2026, 3, 1)) as mind, pytest.raises(InvalidInput) as caught:  # noqa: DTZ001
        mind.remember("x")
    assert caught.value.field == "clock"


def test_a_backup_does_not_overwrite(kept: Kept, tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    target.write_text("mine")
    with pytest.raises(InvalidInput) as caught:
        kept.mind.backup(target)
    assert caught.value.field == "target"
    assert target.read_text() == "mine"


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=3)
    | st.dates()
    | st.datetimes()
    | st.just(OBJECT),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(
            st.text(max_size=8) | st.sampled_from(["eq", "or", "not", "category", "tags"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)
TRIED: Sequence[tuple[str, str]] = [
    (verb, name)
    for verb in ("remember", "recall", "context", "explain", "count", "pages", "tally")
    for name in arguments(verb)
]


@given(st.sampled_from(TRIED), JUNK)
def test_junk_is_taken_as_it_is_or_named(tried: tuple[str, str], junk: Any) -> None:
    verb, name = tried
    kept = Kept()
    with kept.mind as mind:
        try:
            result = getattr(mind, verb)(**NEEDED[verb] | {name: junk})
        except NotFound:
            result = None
        except InvalidInput as error:
            result = error
        if isinstance(result, Remembered):
            stored = mind.get(result.memory.id).to_dict()[name]
            assert junk is None or stored in (junk, getattr(junk, "isoformat", str)()) or stored == list(junk)
        else:
            assert kept.state() == kept.before
            assert not isinstance(result, InvalidInput) or names_the_field(result, name)


EXACT: dict[str, Callable[[], dict[str, Any]]] = {
    "SQL": lambda: {"text": SQL, "user": SQL, "category": SQL, "source": SQL, "tags": [SQL], "metadata": {SQL: SQL}},
    "search syntax": lambda: {"text": '"NEAR(a b)" AND -x* ^y {c}: (z', "user": '"*'},
    "white space around": lambda: {"text": " \n x \t\r\n", "user": " ana ", "category": "\ta"},
    "control characters": lambda: {"text": "a\x01\x1f\x7f\x85b", "user": "\x01"},
    "unusual characters": lambda: {"text": "\ufeffa\u200b\u202e\ufffe\uffff\U0010ffff", "user": "\u200b"},
    "the longest name": lambda: {"text": "x", "user": "é" * 500, "category": "n" * 500, "tags": ["t" * 500]},
    "many tags": lambda: {"text": "x", "tags": [f"t{n}" for n in range(2_000)]},
    "extremes": lambda: {"text": "x", "importance": 10, "occurred_at": date(1, 1, 1)},
    "numbers": lambda: {"text": "x", "metadata": {"n": [2**63, -(2**64), 10**400, 1e308, 5e-324, -0.0, 1.0, 1, True]}},
    "deep": lambda: {"text": "x", "metadata": nested(80)},
    "odd keys": lambda: {"text": "x", "metadata": {"": 1, " ": 2, "a.b": 3, '"': 4, "\\": 5, "$": 6, "\n": 7}},
}


@pytest.mark.parametrize("what", EXACT)
def test_what_is_odd_but_right_is_kept_exactly(mind: Mind, what: str) -> None:
    given = EXACT[what]()
    id = mind.remember(**given).memory.id
    stored = mind.get(id).to_dict()
    for name, value in given.items():
        expected = value.isoformat() if isinstance(value, date) else value
        assert repr(stored[name]) == repr(expected) or (name == "importance" and stored[name] == value)
    owner = {"user": given["user"]} if "user" in given else {}
    assert [memory.id for page in mind.pages(**owner) for memory in page] == [id]
    assert all(finding.ok for finding in mind.doctor())


@pytest.mark.parametrize("filler", ["lorem ipsum ", "Ж"], ids=["many words", "one word"])
def test_five_megabytes_are_kept_and_found(mind: Mind, filler: str) -> None:
    half = filler * (2_500_000 // len(filler.encode()))
    text = f"{half} zanzibar {half}"
    id = mind.remember(text, user="ana").memory.id
    assert mind.get(id).text == text
    assert [hit.memory.id for hit in mind.recall("zanzibar", user="ana")] == [id]
    mind.revise(id, text="short")
    assert mind.recall("zanzibar", user="ana") == []


def test_more_than_fits_is_refused(kept: Kept) -> None:
    with pytest.raises(InvalidInput) as caught:
        kept.mind.remember("x" * (16 * 1024 * 1024 + 1))
    assert caught.value.field == "text"
    assert kept.state() == kept.before


def test_a_filter_at_its_limits_is_answered(mind: Mind, clock: Clock) -> None:
    mind.remember("x", category="c7", metadata={"a": {"b": 1}})
    where: dict[str, Any] = {"or": [{"category": f"c{n}"} for n in range(100)]}
    for _ in range(7):
        where = {"not": {"not": where}}
    assert mind.count(where={"and": [where, {"category": {"in": [f"c{n}" for n in range(100)]}}]}) == 1
    assert mind.count(where={"metadata.a.b": {"gte": 1}, "created_at": {"lte": clock.now}}) == 1


def test_every_error_appears_in_some_test() -> None:
    defined = {name for name, one in inspect.getmembers(errors, inspect.isclass) if one.__module__ == errors.__name__}
    tests = " ".join(file.read_text() for file in Path(__file__).parent.parent.rglob("test_*.py"))
    assert defined <= set(re.findall(r"\w+", tests))


@pytest.mark.parametrize("argument", ["embedder", "reranker"])
def test_the_name_of_a_model_is_no_model(tmp_path: Path, argument: str) -> None:
    names: dict[str, Any] = {argument: "onnx:bge-small"}
    with pytest.raises(InvalidInput, match=rf"{argument}: must be .* mnemic.wiring.{argument}_from makes, not 'onnx"):
        Mind(tmp_path / "mind", **names)
    assert not (tmp_path / "mind").exists()


@pytest.mark.parametrize("location", ["postgresql://me:secret@host/db", "http://a", "  ", ""])
def test_a_location_that_is_no_folder_is_refused(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="path") as refused:
        Mind(location)
    assert "secret" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("field", ["embedder", "reranker"])
def test_a_name_in_place_of_a_model_is_refused(field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        Mind(":memory:", **{field: "onnx:bge-small"})


def test_a_mind_over_no_store_is_refused() -> None:
    with pytest.raises(InvalidInput, match="store"):
        Mind.over(None, embedder=TableEmbedder())
