"""A class name stands for one thing in the whole package."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "mnemic"
SHARED = {
    "Memory": "integrations.mem0 has mem0's own names, so that a program changes only its import",
}


def classes() -> dict[str, list[str]]:
    """Return the modules that define a class, by its name."""
    modules = defaultdict(list)
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                modules[node.name].append(file.relative_to(PACKAGE).as_posix())
    return modules


def test_no_two_classes_have_one_name() -> None:
    shared = {name: modules for name, modules in classes().items() if len(modules) > 1 and name not in SHARED}
    assert shared == {}


def test_only_the_wrapper_of_mem0_shares_names() -> None:
    for name in SHARED:
        assert any(module.startswith("integrations/mem0") for module in classes()[name])
