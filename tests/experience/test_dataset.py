"""Datasets: generated, read in three formats, validated line by line, and loaded."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from mnemic.errors import InvalidInput, NotFound, WrongDataset
from mnemic.experience.dataset import formats
from mnemic.experience.dataset.distinct import distinct, masked
from mnemic.experience.dataset.domains import DOMAINS
from mnemic.experience.dataset.generate import generate, scale_of
from mnemic.experience.dataset.shares import AIMS, TARGETS, quotas, shares
from mnemic.experience.dataset.validate import load, validate
from mnemic.experience.routes import ROUTES

if TYPE_CHECKING:
    from pathlib import Path

    from mnemic.experience import MemoryEngine

SEED_PYTHON = """
memories = [
    # Successes
    {
        'content': 'Implemented JWT authentication with refresh tokens',
        'outcome': 'success',
        'tool': 'code_interpreter',
        'task_type': 'write',
        'summary': 'jwt_auth_impl'
    },
    # Failures
    {
        'content': 'Syntax error - forgot to close bracket in comprehension',
        'outcome': 'failure',
        'tool': 'code_interpreter',
        'error_type': 'syntax',
        'summary': 'bracket_fail'
    },
]
"""


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def values(file: Path) -> list[Any]:
    return [entry.value for entry in formats.read(file)]


def test_the_same_seed_writes_the_same_dataset() -> None:
    assert list(generate(300, seed=5)) == list(generate(300, seed=5))
    assert list(generate(300, seed=5)) != list(generate(300, seed=6))


@pytest.mark.parametrize("count", [1, 7, 100, 1_000])
def test_a_dataset_has_the_size_that_was_asked_for_and_keeps_every_rule(tmp_path: Path, count: int) -> None:
    file = tmp_path / "d.jsonl"
    assert formats.write(file, generate(count, seed=1)) == count
    verdict = validate(file)
    assert verdict.count == count
    assert verdict.errors == []


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_share_lies_in_its_target(seed: int) -> None:
    assert [share for share in shares(generate("small", seed=seed)) if not share.ok] == []
    assert [share for share in shares(generate("medium", seed=seed)) if not share.ok] == []


def test_the_aims_cover_the_table_and_the_targets_name_what_is_in_it() -> None:
    assert set(AIMS) == set(ROUTES.places)
    known = {"outcome": ROUTES.outcomes, "tool": ROUTES.tools, **ROUTES.keys}
    assert all(target.value in known[target.field] for target in TARGETS)
    assert sum(quotas(12_345).values()) == 12_345


def test_texts_are_varied_once_numbers_and_names_are_masked() -> None:
    measured = distinct(entry["content"] for entry in generate(5_000, seed=3))
    assert measured.texts > 0.95
    assert measured.runs_of_3 > 0.15


@pytest.mark.slow
def test_fifty_thousand_texts_are_distinct_in_four_of_five_cases() -> None:
    assert distinct(entry["content"] for entry in generate("vast", seed=1)).texts >= 0.8


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fixed issue 17", "Fixed issue 18"),
        ("Renamed load_user", "Renamed drop_table"),
        ('Said "yes"', 'Said "no"'),
        ("Called json.dumps()", "Called ast.parse()"),
    ],
)
def test_masking_hides_numbers_names_and_quotes(one: str, other: str) -> None:
    assert masked(one) == masked(other)


def test_summaries_are_never_repeated() -> None:
    assert Counter(entry["summary"] for entry in generate(3_000)).most_common(1)[0][1] == 1


def test_learnings_name_the_failure_they_came_from() -> None:
    seen: dict[str, str] = {}
    taught = 0
    for entry in generate(1_000, seed=2):
        if entry["outcome"] == "failure":
            seen[entry["summary"]] = entry["content"]
        if "learned_from" in entry:
            taught += 1
            assert entry["learned_from"] in seen
            parts = [name for domain in DOMAINS for name in domain.parts if name in entry["content"]]
            assert any(part in seen[entry["learned_from"]] for part in parts)
    assert taught > 50


def test_days_have_themes_and_time_moves_on() -> None:
    entries = list(generate(2_000, seed=4))
    assert [entry["occurred_at"] for entry in entries] == sorted(entry["occurred_at"] for entry in entries)
    by_theme: dict[str, Counter[str]] = {}
    for entry in entries:
        by_theme.setdefault(entry["session"].partition(": ")[2], Counter())[entry["outcome"]] += 1
    share = {theme: counts["failure"] / counts.total() for theme, counts in by_theme.items()}
    assert share["deep debugging"] > share["setup"] > share["reflection"]
    assert by_theme["reflection"]["learning"] > by_theme["setup"]["learning"]


@pytest.mark.parametrize("given", ["huge", 0, -3, "0", None, 10**9])
def test_a_wrong_scale_is_refused(given: Any) -> None:
    with pytest.raises(InvalidInput, match="scale"):
        scale_of(given)


@pytest.mark.parametrize("ending", [".jsonl", ".json", ".py"])
def test_a_dataset_comes_back_from_every_format(tmp_path: Path, ending: str) -> None:
    entries = [
        *generate(20),
        {"content": 'quotes " and \n breaks', "outcome": "success", "tool": "conversation", "n": None},
    ]
    formats.write(tmp_path / f"d{ending}", entries)
    assert values(tmp_path / f"d{ending}") == entries


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    file = written(tmp_path, "d.jsonl", "precious")
    with pytest.raises(InvalidInput, match="already exists"):
        formats.write(file, [])
    assert file.read_text() == "precious"


def test_the_seeds_python_list_is_read_with_the_lines_of_its_fields(tmp_path: Path) -> None:
    entries = list(formats.read(written(tmp_path, "d.py", SEED_PYTHON)))
    assert [entry.line for entry in entries] == [4, 12]
    assert entries[0].lines["task_type"] == 8
    assert validate(tmp_path / "d.py").errors == []


def test_sessions_that_are_joined_are_read_once(tmp_path: Path) -> None:
    text = """
from memory import MemoryEngine
session_1_morning = [{'content': 'a'}]
session_2_afternoon = [{'content': 'b'}] + [{'content': 'c'}]
all_memories = session_1_morning + session_2_afternoon
memories = []
memories.append({'content': 'd'})
memories += [{'content': 'e'}, *[{'content': 'f'}]]
"""
    assert [value["content"] for value in values(written(tmp_path, "d.py", text))] == list("abcdef")


@pytest.mark.parametrize(
    "text",
    [
        "memories = [{'content': open('/etc/passwd').read()}]",
        "memories = __import__('os').listdir('.')",
        "for i in range(3):\n    memories.append({'content': f'{i}'})",
        "memories = [{'content': f'issue {1000 + 1}'}]",
        "print('hello')",
        "memories = [x for x in ()]",
        "memories = [",
        "memories = " + "[" * 5_000,
        "memories = [{'content': {[]: 1}}]",
    ],
)
def test_code_is_reported_and_never_run(tmp_path: Path, text: str) -> None:
    (entry,) = formats.read(written(tmp_path, "d.py", text))
    assert entry.problem is not None
    assert entry.value is None


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("d.jsonl", '{"content": "a"}\n\nnot json\n[1]\n{"content": NaN}\n', [1, 3, 4, 5]),
        ("d.json", '[\n{"content": "a"},\n{"content":\n  "b"},\n{"content": oops}\n]', [2, 3, 5]),
        ("d.json", '{"content": "a"}', [1]),
        ("d.json", '[{"content": "a"}', [1, 1]),
        ("d.json", '[{"content": "a"}] trailing', [1, 1]),
    ],
)
def test_broken_json_is_reported_with_its_line(tmp_path: Path, name: str, text: str, lines: list[int]) -> None:
    assert [entry.line for entry in formats.read(written(tmp_path, name, text))] == lines


def test_a_file_of_unknown_format_or_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="must end in one of"):
        validate(written(tmp_path, "d.csv", ""))
    with pytest.raises(NotFound):
        validate(tmp_path / "none.jsonl")


BROKEN: list[dict[str, Any]] = [
    {
        "content": "Implemented tokens for the login form",
        "outcome": "success",
        "tool": "code_interpreter",
        "task_type": "write",
    },
    {"outcome": "success", "tool": "hammer"},
    {"content": "Fixed a bug", "outcome": "learning", "insight_type": "fact", "tool": "web_search", "summary": "A B"},
    {"content": " ", "outcome": "win", "summary": "same"},
    {"content": "The gateway drops idle sockets", "outcome": "learning", "insight_type": "fact", "summary": "same"},
]


def test_every_broken_line_is_named_with_every_broken_field(tmp_path: Path) -> None:
    file = written(tmp_path, "d.jsonl", "\n".join(map(json.dumps, BROKEN)))
    found = [(problem.line, problem.level, problem.field) for problem in validate(file).problems]
    assert found == [
        (2, "error", "content"),
        (2, "error", "tool"),
        (3, "error", "summary"),
        (3, "error", "tool"),
        (3, "warning", "content"),
        (4, "error", "content"),
        (4, "error", "outcome"),
        (5, "warning", "summary"),
    ]


@pytest.mark.parametrize(
    "content", ["Fixed a bug", "Did some research", "Learned something", "Made improvements", "Talked to user"]
)
def test_generic_content_is_a_warning(tmp_path: Path, content: str) -> None:
    entry = {"content": content, "outcome": "success", "tool": "conversation"}
    (problem,) = validate(written(tmp_path, "d.jsonl", json.dumps(entry))).problems
    assert (problem.level, problem.field) == ("warning", "content")


@pytest.mark.parametrize(
    "content",
    [
        "Fixed race condition in payment processor by adding mutex lock",
        "TypeError when passing None to json.dumps() - needs validation",
        "User prefers examples with inline comments over separate documentation",
    ],
)
def test_the_seeds_good_contents_pass(tmp_path: Path, content: str) -> None:
    entry = {"content": content, "outcome": "success", "tool": "conversation"}
    assert validate(written(tmp_path, "d.jsonl", json.dumps(entry))).problems == []


def test_shares_that_are_off_are_warnings(tmp_path: Path) -> None:
    lines = [
        json.dumps({"content": f"Explained closure {n} to Bo", "outcome": "success", "tool": "conversation"})
        for n in range(60)
    ]
    verdict = validate(written(tmp_path, "d.jsonl", "\n".join(lines)))
    assert verdict.errors == []
    assert any("success has 100.0 %, not 55–65 %" in problem.problem for problem in verdict.problems)


def test_loading_stores_every_entry_with_progress(tmp_path: Path, engine: MemoryEngine) -> None:
    formats.write(tmp_path / "d.py", generate(120, seed=1))
    seen: list[tuple[int, int]] = []
    paths = load(tmp_path / "d.py", engine, progress=lambda _, done, total: seen.append((done, total)))
    assert len(paths) == engine.count() == 120
    assert seen[-1] == (120, 120)


def test_loading_a_broken_dataset_stores_nothing_and_names_every_line(tmp_path: Path, engine: MemoryEngine) -> None:
    file = written(tmp_path, "d.jsonl", "\n".join(map(json.dumps, BROKEN)))
    with pytest.raises(WrongDataset) as refusal:
        load(file, engine)
    assert [problem.partition(":")[0] for problem in refusal.value.problems] == ["line 2"] * 2 + ["line 3"] * 2 + [
        "line 4"
    ] * 2
    assert engine.count() == 0


def test_a_dataset_that_cannot_be_finished_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="scale"):
        formats.write(tmp_path / "d.jsonl", generate(0))
    assert list(tmp_path.iterdir()) == []


def test_the_ending_of_a_name_may_be_in_capitals(tmp_path: Path) -> None:
    formats.write(tmp_path / "D.JSONL", generate(3))
    assert [entry.problem for entry in formats.read(tmp_path / "D.JSONL")] == [None] * 3
