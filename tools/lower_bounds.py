"""Test the project with every direct dependency at its lower bound: python tools/lower_bounds.py FOLDER

It makes a virtual environment in the folder, installs the project with all extras, each dependency in pyproject.toml at
exactly its lower bound, imports every module, and runs a quick part of the tests.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOUND = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?>=([\d.]+)$")
TOOLS = ("hypothesis", "packaging", "pytest", "pytest-timeout", "tokenizers")
TESTS = (
    *("tests/test_errors.py", "tests/test_settings.py", "tests/test_wiring.py", "tests/test_transfer.py"),
    *("tests/cli/test_surface.py", "tests/cli/test_recall.py", "tests/cli/test_upkeep.py"),
    *("tests/mind/test_remember.py", "tests/mind/test_recall.py", "tests/contract/test_store.py"),
    *("tests/mcp/test_memories.py", "tests/mcp/test_stdio.py", "tests/mcp/test_http.py"),
    *("tests/llms/test_remote.py", "tests/embedders/test_remote.py", "tests/embedders/test_onnx.py"),
    *("tests/agent/test_mem0.py", "tests/integrations/test_import_mem0.py"),
)
IMPORT_ALL = """
import importlib, pkgutil, mnemic
for module in pkgutil.walk_packages(mnemic.__path__, "mnemic."):
    importlib.import_module(module.name)
"""


def lower_bounds() -> list[str]:
    """Return each direct dependency of the project, pinned to its lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    pins: dict[str, str] = {}
    for requirement in (*project["dependencies"], *extras):
        if requirement.startswith("mnemic["):
            continue
        bound = BOUND.match(requirement)
        if bound is None:
            sys.exit(f"{requirement}: give it a lower bound, and nothing else")
        pins.setdefault(bound[1], f"{bound[1]}=={bound[2]}")
        if pins[bound[1]] != f"{bound[1]}=={bound[2]}":
            sys.exit(f"{bound[1]}: give it the same lower bound in every extra")
    return sorted(pins.values())


def install(folder: Path) -> Path:
    """Make an environment with the lower bounds, and return its Python."""
    python = folder / "bin" / "python"
    constraints = folder / "lower-bounds.txt"
    if uv := shutil.which("uv"):
        run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
        pip = [uv, "pip", "install", "--quiet", "--python", str(python)]
    else:
        run(sys.executable, "-m", "venv", "--clear", str(folder))
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    constraints.write_text("\n".join(lower_bounds()) + "\n")
    run(*pip, "--constraint", str(constraints), f"mnemic[all] @ {ROOT.as_uri()}", *TOOLS)
    return python


def run(*command: str) -> None:
    """Run a command in the project's folder; end when it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    if code := subprocess.run(command, cwd=ROOT, env=environment).returncode:
        sys.exit(code)


def main() -> None:
    """Install the lower bounds and test with them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for the environment; it is emptied first")
    python = str(install(parser.parse_args().folder.absolute()))
    run(python, "-c", IMPORT_ALL)
    run(python, "-m", "pytest", "-m", "not slow", "-p", "no:cacheprovider", *TESTS)


if __name__ == "__main__":
    main()
