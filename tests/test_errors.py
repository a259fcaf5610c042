"""The tree of errors"""

from __future__ import annotations

import importlib
import pkgutil
import re

import mnemic
from mnemic import errors
from mnemic.errors import MnemicError


def test_the_docstring_draws_every_error_below_its_parent() -> None:
    for module in pkgutil.walk_packages(mnemic.__path__, "mnemic."):
        importlib.import_module(module.name)
    kinds = tree(MnemicError)
    assert drawn() == {kind.__name__: kind.__base__.__name__ for kind in kinds if kind.__base__}
    assert {kind.__module__ for kind in kinds} == {errors.__name__}


def drawn() -> dict[str, str]:
    """Return the errors of the drawing, each with its parent."""
    parents: dict[str, str] = {}
    path: list[str] = ["Exception"]
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"((?:[│ ] {3})*(?:[├└]── )?)([A-Z]\w+)(?: {2}|$)", line):
            del path[1 + len(match[1]) // 4 :]
            parents[match[2]] = path[-1]
            path.append(match[2])
    return parents


def tree(error: type[MnemicError]) -> list[type[MnemicError]]:
    """Return an error of the package and all below it."""
    below = [kind for kind in error.__subclasses__() if kind.__module__.startswith("mnemic.")]
    return [error, *(kind for child in below for kind in tree(child))]
