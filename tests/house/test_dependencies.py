"""What the package imports is declared, and what is declared needs no more than a lower bound"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "mnemic"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
NEEDED_BY = {
    "agent/mem0_backend.py": {"mem0"},
    "agent/mem0_models.py": {"mem0"},
    "embedders/remote.py": {"remote"},
    "llms/remote": {"llm"},
    "mcp": {"mcp"},
    "onnx": {"onnx"},
    "transfer/mem0.py": {"mem0"},
}
"""The extras that a file or folder needs beyond the core."""


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(requirement).name) for requirement in requirements}


def imported(file: Path) -> set[str]:
    """Return the top-level modules that a file imports from other packages."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    return modules - set(sys.stdlib_module_names) - {"mnemic"}


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_what_a_file_imports_is_declared(file: Path) -> None:
    path = file.relative_to(PACKAGE).as_posix()
    declared = names(PROJECT["dependencies"])
    for part, extras in NEEDED_BY.items():
        if path == part or path.startswith(f"{part}/"):
            declared |= names([requirement for extra in extras for requirement in EXTRAS[extra]])
    distributions = packages_distributions()
    undeclared = {
        module
        for module in imported(file)
        if not declared & {canonicalize_name(name) for name in distributions.get(module, [module])}
    }
    assert undeclared == set()


def test_every_dependency_has_a_lower_bound_and_no_cap() -> None:
    requirements = [
        *PROJECT["dependencies"],
        *(one for extra, some in EXTRAS.items() if extra != "all" for one in some),
    ]
    assert [one for one in requirements if not re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?>=[\d.]+", one)] == []


def test_all_extras_are_in_all() -> None:
    (everything,) = (Requirement(requirement) for requirement in EXTRAS["all"])
    assert everything.name == PROJECT["name"]
    assert everything.extras == set(EXTRAS) - {"all"}


def test_every_licence_of_the_package_is_named() -> None:
    licences = {file.relative_to(ROOT).as_posix() for file in (ROOT / "src").rglob("LICENSE*")}
    assert set(PROJECT["license-files"]) == {"LICENSE", *licences}
