"""The examples in the documentation: each is run, and what it prints is compared.

A ```python block runs in the namespace of its page, and may await; a ```text block after it holds exactly what it
prints. In a ```console block each `$ mnemic …` runs, and the lines below it, if any, hold its output. `…` stands
for what differs from run to run.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind, settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RELATIVE_LINK = re.compile(r"\]\((?!\w+:)(([^)#]*)#?([^)]*))\)")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the fenced blocks of a page as language and content."""
    return BLOCK.findall(page.read_text())


def agree(shown: str, printed: str) -> bool:
    """Return whether the output shown on a page is what was printed."""
    pattern = re.escape(shown.rstrip()).replace("…", ".*")
    return re.fullmatch(pattern, printed.rstrip()) is not None


@every_page
def test_python_examples_print_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MNEMIC_HOME", str(tmp_path / "home"))
    namespace: dict[str, Any] = {"__name__": page.stem}
    with asyncio.Runner() as runner:
        for (language, source), (next_language, shown) in pairwise([*blocks(page), ("", "")]):
            if language == "python":
                code = compile(source, str(page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    awaited = eval(code, namespace)  # noqa: S307
                    if inspect.iscoroutine(awaited):
                        runner.run(awaited)
                expected = shown if next_language == "text" else ""
                assert agree(expected, printed.getvalue()), f"after\n{source}\nwas printed\n{printed.getvalue()}"
    for value in namespace.values():
        if isinstance(value, Mind):
            value.close()


@every_page
def test_console_examples_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "MNEMIC_HOME": str(tmp_path / "home"),
        "COLUMNS": "100",
    }
    for command, shown in console_commands(page):
        ran = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)  # noqa: S602
        assert ran.returncode == 0, f"{command}\n{ran.stderr}"
        assert not shown or agree(shown, ran.stdout), f"{command}\nprinted\n{ran.stdout}"


def console_commands(page: Path) -> list[tuple[str, str]]:
    """Return the mnemic commands of a page, each with the output that is shown for it."""
    commands = []
    for language, content in blocks(page):
        if language == "console":
            for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                if "mnemic" in command:
                    commands.append((command, shown.strip()))
    return commands


OTHER_PAGES = [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]


@pytest.mark.parametrize("page", [*PAGES, *OTHER_PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = [
        link
        for link, path, heading in RELATIVE_LINK.findall(page.read_text())
        if not (page.parent / path).exists()
        or (heading and heading not in headings(page.parent / path if path else page))
    ]
    assert broken == []


def headings(page: Path) -> set[str]:
    """Return the anchors of a page, one for each heading."""
    titles = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    named = {path for _, path, _ in RELATIVE_LINK.findall(index)}
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").glob("**/*.md")}
    assert pages - {"index.md"} <= named


VERBS = [name for name, _ in inspect.getmembers(Mind, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_of_a_mind_is_called_in_an_example(verb: str) -> None:
    examples = "".join(source for page in PAGES for language, source in blocks(page) if language == "python")
    assert f".{verb}(" in examples


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_about_minds_lists_every_verb(verb: str) -> None:
    _, _, listed = (ROOT / "docs" / "concepts.md").read_text().partition("## All methods")
    assert f"`{verb}`" in listed


class Environment(dict[str, str]):
    """Environment variables, and the names that were looked up."""

    def __init__(self, **variables: str) -> None:
        super().__init__(variables)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        """Return a variable, and note its name."""
        self.names.add(name)
        return super().get(name, default)


def test_the_settings_page_lists_exactly_the_settings_that_exist(tmp_path: Path) -> None:
    environment = Environment(MNEMIC_HOME=str(tmp_path))
    settings.load(environment)
    page = (ROOT / "docs" / "settings.md").read_text()
    variables = environment.names | {settings.LLM_KEY, settings.EMBEDDER_KEY}
    assert set(re.findall(r"^\| `(MNEMIC_\w+)` \|", page, re.MULTILINE)) == variables
    assert set(re.findall(r"^\| `MNEMIC_\w+` \| `(\w+)` \|", page, re.MULTILINE)) == settings.FIELDS


@every_page
def test_packages_are_installed_from_a_copy_of_the_repository(page: Path) -> None:
    assert not re.search(r"pip install\W+mnemic", page.read_text())


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [("a … c\n", "a b c\n", True), ("", "\n", True), ("a", "b", False), ("", "said too much", False)],
)
def test_shown_and_printed_output_are_compared(shown: str, printed: str, same: bool) -> None:
    assert agree(shown, printed) is same
