"""The arrows of the package point down, as the table in layers.py says."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.house.layers import EXCEPTIONS, may_import, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "src" / "mnemic"
FILES = sorted(PACKAGE.rglob("*.py"))


def module_name(file: Path) -> str:
    return ".".join(("mnemic", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {module_name(file): file for file in FILES}


def imported_modules(source: str, *, package: str) -> Iterator[str]:
    """Yield every module of ours that a source imports, wherever the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "mnemic")
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            if base.split(".")[0] == "mnemic":
                for alias in node.names:
                    name = f"{base}.{alias.name}"
                    yield name if name in MODULES or base == "mnemic" or part_of(name) != part_of(base) else base


def refused(part: str, source: str, *, package: str) -> list[str]:
    """Return the modules that a source of a part imports against the arrows."""
    return [
        module
        for module in imported_modules(source, package=package)
        if (other := part_of(module)) is None or not may_import(part, other)
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_what_lies_below_it(file: Path) -> None:
    name = module_name(file)
    part = part_of(name)
    assert part is not None, f"{name} belongs to no layer yet; give it a place in tests/house/layers.py"
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    assert refused(part, file.read_text(), package=package) == []


@pytest.mark.parametrize(
    ("part", "source", "wrong"),
    [
        ("model", "from mnemic.rules.recall import rank", "mnemic.rules.recall.rank"),
        ("model", "if TYPE_CHECKING:\n    from mnemic.ports import Store", "mnemic.ports"),
        ("rules.recall", "def rank():\n    import mnemic.mind", "mnemic.mind"),
        ("rules.recall", "from mnemic import Mind", "mnemic.Mind"),
        ("rules.recall", "from mnemic.rules.claims.facts import Fact", "mnemic.rules.claims.facts"),
        ("rules.language", "from mnemic.rules import prompt", "mnemic.rules.prompt"),
        ("stores.sqlite", "from mnemic.stores.postgres import PostgresStore", "mnemic.stores.postgres"),
        ("stores.sqlite", "from mnemic.stores import postgres", "mnemic.stores.postgres"),
        ("stores.sqlite", "from mnemic.mind import Mind", "mnemic.mind"),
        ("stores.sqlite", "from mnemic.rules.recall import rank", "mnemic.rules.recall.rank"),
        ("stores.index", "from mnemic.stores.sqlite import rows", "mnemic.stores.sqlite.rows"),
        ("mind", "from mnemic.stores.postgres import PostgresStore", "mnemic.stores.postgres"),
        ("agent", "from ..persona import files", "mnemic.persona"),
        ("generation", "from mnemic.evaluation import run", "mnemic.evaluation.run"),
        ("agent", "from mnemic.stores.sqlite import SqliteStore", "mnemic.stores.sqlite"),
        ("agent", "from mnemic.settings import Settings", "mnemic.settings"),
        ("mcp", "from mnemic.cli import output", "mnemic.cli.output"),
        ("cli", "import mnemic.novelty", "mnemic.novelty"),
    ],
)
def test_an_import_against_the_arrows_is_refused(part: str, source: str, wrong: str) -> None:
    assert refused(part, source, package=f"mnemic.{part}") == [wrong]


def test_every_exception_is_needed() -> None:
    imported = {
        (part_of(name), part_of(module))
        for name, file in MODULES.items()
        for module in imported_modules(file.read_text(), package=name.rpartition(".")[0] or name)
    }
    parts = {part_of(name) for name in MODULES}
    present = {pair for pair in EXCEPTIONS if set(pair) <= parts}
    assert present <= imported


def test_the_mind_calls_wiring_in_its_constructor_only() -> None:
    tree = ast.parse((PACKAGE / "mind.py").read_text())
    constructor = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    upwards = {
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and any(alias.name == "wiring" for alias in node.names)
    }
    assert upwards
    assert upwards <= set(ast.walk(constructor))


def test_no_module_hides_an_import_in_a_string() -> None:
    hiding = [
        file.name
        for file in FILES
        if file != PACKAGE / "__init__.py" and any(word in file.read_text() for word in ("import_module", "__import__"))
    ]
    assert hiding == []
