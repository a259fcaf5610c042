"""Remembering: readable files with exactly the given content, each at its own path."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemic.errors import InvalidInput, LinkInTheWay, StoreError
from mnemic.experience import MemoryEngine
from mnemic.files import document

FAILURE: dict[str, Any] = {"outcome": "failure", "tool": "code_interpreter", "error_type": "runtime"}
storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80)
contents = storable.filter(lambda text: not text.isspace())
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | storable,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(storable, inner, max_size=3),
    max_leaves=5,
)


def test_an_experience_is_one_readable_file(engine: MemoryEngine) -> None:
    path = engine.remember("TypeError in async code", summary="async_await_fail", ticket=42, **FAILURE)
    assert path.parent == engine.root / "failure" / "code_interpreter" / "runtime"
    assert path.name.startswith("2026-05-01_async_await_fail_")
    head, _, body = path.read_text().partition("---\n\n")
    assert head.splitlines()[:7] == [
        "---",
        "outcome: failure",
        "tool: code_interpreter",
        "error_type: runtime",
        "summary: async_await_fail",
        "occurred_at: 2026-05-01T12:00:00+00:00",
        "ticket: 42",
    ]
    assert body == "TypeError in async code\n"


def test_the_seeds_own_call_works(engine: MemoryEngine) -> None:
    memory = {
        "content": "User prefers explicit error messages over generic ones",
        "outcome": "learning",
        "insight_type": "preference",
        "summary": "explicit_errors_pref",
    }
    assert engine.remember(**memory).parent == engine.root / "learning" / "preference"


@given(contents, st.dictionaries(storable, json_values, max_size=3))
def test_a_file_gives_back_what_was_written(content: str, fields: dict[str, Any]) -> None:
    assert document.read(document.written(fields, content)) == (fields, content)


NASTY = [
    "---\nid: 1\n---\n\nlooks like front matter",
    "---",
    "../../etc/passwd and /etc/shadow",
    "\u202eright to left\u202c and 🚀 and \ufeff",
    "line\r\nbreaks\rof\u2028every\u0085kind\n\n",
    "  leading and trailing  \n",
    "混ざった日本語と عربي",
]


@pytest.mark.parametrize("content", NASTY)
def test_nasty_content_is_stored_exactly_and_found_again(engine: MemoryEngine, content: str) -> None:
    path = engine.remember(content, "success", "conversation")
    assert path.resolve().is_relative_to(engine.root.resolve())
    assert engine.read(path).content == content
    assert [hit.experience.content for hit in engine.recall(outcome="success")] == [content]
    with MemoryEngine(engine.root) as again:
        assert again.opening.to_dict() == {"added": 0, "changed": 0, "moved": 0, "removed": 0, "problems": []}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(contents, st.dictionaries(storable, json_values, max_size=2))
def test_any_content_and_metadata_come_back_from_the_tree_alone(
    engine: MemoryEngine, content: str, metadata: dict[str, Any]
) -> None:
    path = engine.remember_many([{**metadata, "content": content, "outcome": "success", "tool": "conversation"}])[0]
    read = engine.read(path)
    assert (read.content, read.metadata) == (content, metadata)
    assert read in [hit.experience for hit in engine.recall(outcome="success", limit=1_000)]


def test_ten_megabytes_are_stored_exactly(engine: MemoryEngine) -> None:
    content = "all work and no play " * 500_000
    assert engine.read(engine.remember(content, "success", "conversation")).content == content


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"content": "has a \0 in it"}, "content"),
        ({"content": "   "}, "content"),
        ({"content": "\ud800"}, "content"),
        ({"content": None}, "content"),
        ({"content": 7}, "content"),
        ({"content": "x" * (16 * 1024 * 1024 + 1)}, "content"),
        ({"summary": "Has Spaces"}, "summary"),
        ({"summary": "../up"}, "summary"),
        ({"summary": ""}, "summary"),
        ({"summary": "x" * 50}, "summary"),
        ({"summary": "ends_with_break\n"}, "summary"),
        ({"occurred_at": "yesterday"}, "occurred_at"),
        ({"note": {1, 2}}, "metadata"),
        ({"note": float("nan")}, "metadata"),
        ({"memory_id": "1"}, "memory_id"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_leaves_nothing(
    engine: MemoryEngine, changed: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        engine.remember_many([{"content": "fine", **FAILURE}, {"content": "fine", **FAILURE, **changed}])
    assert refusal.value.field == f"experiences[1].{field}"
    assert list(engine.root.rglob("*.md")) == []
    assert engine.count() == 0


def test_a_refused_summary_comes_with_a_better_one(engine: MemoryEngine) -> None:
    with pytest.raises(InvalidInput, match="such as fix_bug_42"):
        engine.remember("x", "success", "conversation", "Fix the Bug #42!")


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        ("Fixed the race condition in the payment processor", "fixed_race_condition_payment_processor"),
        ("Café crème brûlée", "cafe_creme_brulee"),
        ("日本語だけ", "conversation"),
        ("!!!", "conversation"),
        ("x" * 200, "x" * 49),
        ("../../etc", "etc"),
    ],
)
def test_a_missing_summary_is_made_from_the_content(engine: MemoryEngine, content: str, summary: str) -> None:
    assert engine.read(engine.remember(content, "success", "conversation")).summary == summary


def test_the_same_thing_in_the_same_instant_is_kept_as_often_as_told(engine: MemoryEngine) -> None:
    same = {"content": "Again", "summary": "again", "occurred_at": "2026-01-01T00:00:00Z", **FAILURE}
    paths = engine.remember_many([same] * 200) + [engine.remember(**same) for _ in range(20)]
    assert len(set(paths)) == engine.count() == len(list(engine.root.rglob("*.md"))) == 220
    assert len(engine.recall(outcome="failure", limit=500)) == 220


def test_threads_share_an_engine(engine: MemoryEngine) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda n: engine.remember(f"Thread {n} was here", "success", "conversation"), range(40)))
    assert len(set(paths)) == engine.count() == 40


def test_many_are_stored_with_progress(engine: MemoryEngine) -> None:
    seen: list[tuple[int, int]] = []
    drafts = [{"content": f"Number {n} went well", "outcome": "success", "tool": "conversation"} for n in range(2_500)]
    engine.remember_many(drafts, progress=lambda _, done, total: seen.append((done, total)))
    assert seen == [(2_000, 2_500), (2_500, 2_500)]
    assert engine.count() == 2_500


def test_batches_before_a_wrong_one_of_an_iterator_stay(engine: MemoryEngine) -> None:
    drafts = (
        {"content": "x", "outcome": "success" if n < 2_100 else "?", "tool": "conversation"} for n in range(2_200)
    )
    with pytest.raises(InvalidInput, match=r"experiences\[2100\]"):
        engine.remember_many(drafts)
    assert engine.count() == 2_000


@pytest.mark.parametrize("experiences", ["text", {"content": "x"}, 7, None, [1]])
def test_only_dicts_can_be_remembered(engine: MemoryEngine, experiences: Any) -> None:
    with pytest.raises(InvalidInput):
        engine.remember_many(experiences)


@pytest.mark.parametrize("depth", ["failure", "failure/code_interpreter", "failure/code_interpreter/runtime"])
def test_no_link_leads_out_of_the_tree(engine: MemoryEngine, tmp_path: Path, depth: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = engine.root / depth
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    with pytest.raises(LinkInTheWay, match="symbolic link"):
        engine.remember("x", **FAILURE)
    assert list(outside.iterdir()) == []
    assert engine.count() == 0


def test_a_linked_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / ".mnemic").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="symbolic link"):
        MemoryEngine(tmp_path / "tree")


def test_metadata_may_have_any_name(engine: MemoryEngine) -> None:
    metadata: dict[str, Any] = {"self": "me", "path": "/x", "limit": 3, "metadata": {"a": 1}}
    assert engine.read(engine.remember("Odd names", "success", "conversation", **metadata)).metadata == metadata


def test_the_working_folder_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with MemoryEngine("brain") as engine:
        monkeypatch.chdir("/")
        path = engine.remember("Moved on", "success", "conversation")
        assert path.is_relative_to(tmp_path)
        assert engine.read(Path("brain") / path.relative_to(engine.root)) == engine.read(path)


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidInput, match="not a folder"):
        MemoryEngine(tmp_path / "file")
