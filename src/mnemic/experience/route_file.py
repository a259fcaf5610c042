"""The file of a route table, JSON or TOML, and the table that a tree keeps."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from typing import TYPE_CHECKING

from mnemic.errors import Conflict, InvalidInput
from mnemic.experience.routes import ROUTES, Routes
from mnemic.model import checks

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from mnemic.files.tree import Tree

NAME = "routes.json"


def read_table(path: str | os.PathLike[str]) -> Routes:
    """Read a table from a file, JSON or TOML: a list `routes` of outcome, tool, key and values."""
    file = checks.path("routes", path)
    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except FileNotFoundError:
        raise InvalidInput("routes", f"{file} does not exist") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput("routes", f"{file} cannot be read as a table: {error}") from None
    return Routes.from_list(content.get("routes") if isinstance(content, dict) else content)


def table_of(root: Path) -> Routes:
    """Return the table of a tree."""
    file = root / NAME
    return read_table(file) if file.exists() else ROUTES


def keep_table(tree: Tree, routes: Routes | str | os.PathLike[str]) -> Routes:
    """Store a table in a new tree, or check that an older tree has the same; return it."""
    table = routes if isinstance(routes, Routes) else read_table(routes)
    file = tree.root / NAME
    is_filed = any(not entry.name.startswith(".") for entry in tree.root.iterdir())
    if not file.exists() and table != ROUTES:  # after the look at the rest: another program keeps its table first
        if is_filed:
            raise Conflict(f"{tree.root} is filed by the built-in table; use a new tree for a table of your own")
        with suppress(FileExistsError):  # another program was quicker
            tree.write([(NAME, json.dumps({"routes": table.to_list()}, indent=1).encode() + b"\n")])
    if table_of(tree.root) != table:
        raise Conflict(f"the tree has another table in {file}; leave the table out to use that one")
    return table
