"""Which part of the package may import which: the arrows point down."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "src" / "recollect"

LAYER_OF = {
    "errors": "errors",
    "model": "model",
    "rules": "rules",
    "ports": "ports",
    **dict.fromkeys(("weights", "encoder"), "weights"),
    **dict.fromkeys(("stores", "embedders", "rerankers", "llms"), "adapters"),
    **dict.fromkeys(("mind", "intake", "meaning", "recalling", "reindexing", "reranking", "aio"), "core"),
    "upkeep": "upkeep",
    "settings": "settings",
    **dict.fromkeys(("wiring", "choice"), "wiring"),
    **dict.fromkeys(("agent", "experience", "persona", "generation", "evaluation", "transfer"), "doors"),
    **dict.fromkeys(("cli", "server", "mcp", "channels", "integrations"), "surfaces"),
    "__init__": "names",
}

VALUES = {"errors", "model"}
CORE = VALUES | {"rules", "ports", "core"}
MAY_IMPORT = {
    "errors": set(),
    "model": {"errors"},
    "rules": VALUES,
    "ports": VALUES,
    "weights": VALUES | {"rules", "ports", "weights"},
    "adapters": VALUES | {"rules", "ports", "weights"},
    "core": CORE,
    "upkeep": CORE,
    "settings": VALUES,
    "wiring": CORE | {"upkeep", "settings", "weights", "adapters", "wiring"},
    "doors": CORE | {"upkeep", "wiring"},
    "surfaces": CORE | {"upkeep", "weights", "wiring", "doors"},
    "names": CORE | {"doors"},
}
EXCEPTIONS = {
    ("mind", "stores.sqlite"),  # in the constructor of Mind only
    ("mind", "embedders.table"),  # likewise
    ("__init__", "llms.scripted"),  # the fake is public, for users' own tests
    ("evaluation", "generation"),
    ("cli", "mcp"),  # `recollect mcp` starts that surface
}


def part_of(module: str) -> str:
    """Return what is held apart from the rest: a top-level module or folder, or a single adapter."""
    names = module.removeprefix("recollect").strip(".").split(".")
    return ".".join(names[:2]) if LAYER_OF.get(names[0]) == "adapters" else names[0] or "__init__"


def layer_of(part: str) -> str:
    return LAYER_OF[part.split(".")[0]]


def imported_modules(source: str, *, package: str) -> Iterator[str]:
    """Yield every module of ours that a source imports, wherever the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "recollect")
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            if base.split(".")[0] == "recollect":
                yield from (base if base not in _FOLDERS else f"{base}.{alias.name}" for alias in node.names)


def refused(part: str, source: str, *, package: str = "recollect") -> list[str]:
    """Return the parts that a source imports against the arrows."""
    wrong = []
    for imported in map(part_of, imported_modules(source, package=package)):
        downward = imported.split(".")[0] in LAYER_OF and layer_of(imported) in MAY_IMPORT[layer_of(part)]
        if not (downward or imported == part or (part, imported) in EXCEPTIONS):
            wrong.append(imported)
    return wrong


def module_name(file: Path) -> str:
    return ".".join(("recollect", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


FILES = sorted(PACKAGE.rglob("*.py"))
_FOLDERS = {"recollect", *("recollect." + folder for folder, layer in LAYER_OF.items() if layer == "adapters")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_what_lies_below_it(file: Path) -> None:
    name = module_name(file)
    part = part_of(name)
    assert part.split(".")[0] in LAYER_OF, f"{name} belongs to no layer yet; give it a place in this table"
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    assert refused(part, file.read_text(), package=package) == []


@pytest.mark.parametrize(
    ("part", "source", "wrong"),
    [
        ("model", "from recollect.rules import rank", "rules"),
        ("model", "if TYPE_CHECKING:\n    from recollect.ports import Store", "ports"),
        ("rules", "def rank():\n    import recollect.mind", "mind"),
        ("rules", "from recollect import Mind", "Mind"),
        ("stores.sqlite", "from recollect.stores.postgres import PostgresStore", "stores.postgres"),
        ("stores.sqlite", "from recollect.stores import postgres", "stores.postgres"),
        ("stores.sqlite", "from recollect.mind import Mind", "mind"),
        ("mind", "from recollect.stores.postgres import PostgresStore", "stores.postgres"),
        ("mind", "from recollect import wiring", "wiring"),
        ("agent", "from ..persona import files", "persona"),
        ("generation", "from recollect.evaluation import run", "evaluation"),
        ("agent", "from recollect.stores.sqlite import SqliteStore", "stores.sqlite"),
        ("cli", "from recollect.server import app", "server"),
        ("cli", "from recollect.settings import Settings", "settings"),
        ("cli", "import recollect.novelty", "novelty"),
    ],
)
def test_an_import_against_the_arrows_is_refused(part: str, source: str, wrong: str) -> None:
    assert refused(part, source, package=f"recollect.{part}") == [wrong]


def test_the_mind_opens_its_default_store_and_embedder_in_its_constructor_only() -> None:
    tree = ast.parse((PACKAGE / "mind.py").read_text())
    borrowed = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and part_of(node.module or "") in ("stores.sqlite", "embedders.table")
        for alias in node.names
    }
    constructor = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in borrowed]
    assert used
    assert set(used) <= set(ast.walk(constructor))


def test_no_module_hides_an_import_in_a_string() -> None:
    hiding = [
        file.name
        for file in FILES
        if file != PACKAGE / "__init__.py" and any(word in file.read_text() for word in ("import_module", "__import__"))
    ]
    assert hiding == []
