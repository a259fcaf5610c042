"""The table of routes, and what it refuses."""

from __future__ import annotations

import json
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.errors import Conflict, InvalidInput
from mnemic.experience import MemoryEngine
from mnemic.experience.routes import ROUTES, Place, Route, Routes

if TYPE_CHECKING:
    from pathlib import Path

SEED_TABLE = """
| success | code_interpreter | `task_type`: write, debug, refactor, explain |
| success | web_search | `domain`: technical, research, general |
| success | file_operation | none |
| success | conversation | none |
| failure | code_interpreter | `error_type`: syntax, runtime, logic, timeout |
| failure | web_search | `reason`: no_results, blocked, irrelevant |
| failure | file_operation | none |
| failure | unknown | none |
| learning | none | `insight_type`: pattern, correction, preference, fact |
| interaction | none | `sentiment`: positive, neutral, negative |
"""

places = st.sampled_from(ROUTES.places)
junk = st.one_of(st.none(), st.integers(), st.text(max_size=12), st.just(["write"]), st.just({"a": 1}))


def entry_of(place: Place) -> dict[str, Any]:
    """Return the arguments that lead to a place."""
    fields = {"outcome": place.outcome, "tool": place.tool, place.key: place.value}
    return {key: value for key, value in fields.items() if key and value}


def judged(entry: dict[str, Any]) -> Place:
    metadata = {key: value for key, value in entry.items() if key not in ("outcome", "tool")}
    return ROUTES.place(entry.get("outcome"), entry.get("tool"), metadata)


def test_the_table_is_the_seeds() -> None:
    assert ROUTES.table().split("\n", 2)[2] == SEED_TABLE.strip()


@given(places)
def test_every_cell_of_the_table_is_accepted(place: Place) -> None:
    assert judged(entry_of(place)) == place
    assert ROUTES.in_folder(place.folder) == place


@given(places, st.sampled_from(["outcome", "tool", "key"]), junk)
def test_every_cell_that_is_wrong_is_refused_by_name_with_the_allowed_values(
    place: Place, cell: str, value: Any
) -> None:
    entry = entry_of(place)
    field = place.key if cell == "key" else cell
    allowed = {
        "outcome": ROUTES.outcomes,
        "tool": [line.tool for line in ROUTES.routes if line.outcome == place.outcome],
        "key": next(line.values for line in ROUTES.routes if (line.outcome, line.tool) == (place.outcome, place.tool)),
    }[cell]
    if field is None or value in allowed:
        return
    entry[field] = value
    with pytest.raises(InvalidInput) as refusal:
        judged(entry)
    assert refusal.value.field == field
    allowed_values = [str(value) for value in allowed if value is not None]
    assert all(value in refusal.value.problem for value in allowed_values) or "takes no tool" in refusal.value.problem
    if value is not None:
        assert repr(value)[:5] in refusal.value.problem


@given(places, st.sampled_from(sorted(ROUTES.keys)))
def test_a_key_of_another_route_is_refused(place: Place, key: str) -> None:
    if key == place.key:
        return
    with pytest.raises(InvalidInput, match="belongs to") as refusal:
        judged({**entry_of(place), key: ROUTES.keys[key][0]})
    assert refusal.value.field == key


@given(places)
def test_a_missing_key_is_refused(place: Place) -> None:
    entry = entry_of(place)
    if place.key is None:
        return
    del entry[place.key]
    with pytest.raises(InvalidInput, match="is missing") as refusal:
        judged(entry)
    assert refusal.value.field == place.key


def test_the_schema_names_every_outcome_tool_and_value() -> None:
    properties: Any = ROUTES.schema()["properties"]
    assert properties["outcome"]["enum"] == list(ROUTES.outcomes)
    assert properties["tool"]["enum"] == list(ROUTES.tools)
    for key, values in ROUTES.keys.items():
        assert properties[key]["enum"] == list(values)
    json.dumps(properties)


def test_the_schema_of_a_table_without_tools_has_none() -> None:
    assert "tool" not in Routes([Route("won"), Route("lost", None, "to", ("cold",))]).schema()["properties"]  # type: ignore[operator]


@pytest.mark.parametrize("name", sorted({"self", *signature(MemoryEngine.recall).parameters} - {"keys"}))
def test_no_routing_key_is_called_like_an_argument(name: str) -> None:
    with pytest.raises(InvalidInput, match="choose another name"):
        Routes([Route("won", None, name, ("a",))])


def test_a_table_comes_back_from_its_list() -> None:
    assert Routes.from_list(json.loads(json.dumps(ROUTES.to_list()))) == ROUTES


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ([], "routes"),
        ("text", "routes"),
        ([1], "routes[0].line"),
        ([{"outcome": "../up"}], "routes[0].outcome"),
        ([{"outcome": "won", "tool": "a/b"}], "routes[0].tool"),
        ([{"outcome": "won", "key": "how"}], "routes[0].key"),
        ([{"outcome": "won", "key": "summary", "values": ["a"]}], "routes[0].key"),
        ([{"outcome": "won", "key": "since", "values": ["a"]}], "routes[0].key"),
        ([{"outcome": "won", "key": "how", "values": [".."]}], "routes[0].values"),
        ([{"outcome": "won", "key": "how", "values": ["a", "a"]}], "routes[0].values"),
        ([{"outcome": "won", "colour": "red"}], "routes[0].colour"),
        ([{"outcome": "won"}, {"outcome": "won"}], "routes"),
        ([{"outcome": "won"}, {"outcome": "won", "tool": "axe"}], "routes"),
    ],
)
def test_a_wrong_table_is_refused(table: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Routes.from_list(table)
    assert refusal.value.field == field


def test_a_table_of_ones_own_is_kept_by_the_tree(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        '[[routes]]\noutcome = "won"\ntool = "axe"\n[[routes]]\noutcome = "lost"\nkey = "to"\nvalues = ["cold"]\n'
    )
    with MemoryEngine(tmp_path / "tree", routes=file) as engine:
        engine.remember("Lost the trail in the snow", "lost", to="cold")
    with MemoryEngine(tmp_path / "tree") as engine:
        assert [hit.experience.place.folder for hit in engine.recall()] == ["lost/cold"]
        with pytest.raises(InvalidInput, match="must be one of won, lost"):
            engine.remember("x", "success")
    with pytest.raises(Conflict, match="has another table"):
        MemoryEngine(tmp_path / "tree", routes=ROUTES)


def test_a_tree_of_the_built_in_table_takes_no_other(engine: MemoryEngine) -> None:
    engine.remember("Explained closures to a new colleague", "success", "conversation")
    with pytest.raises(Conflict, match="built-in table"):
        MemoryEngine(engine.root, routes=Routes([Route("won")]))
