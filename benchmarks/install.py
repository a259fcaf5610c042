"""The size of an installation."""

from __future__ import annotations

import subprocess
import venv
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path

from benchmarks.measure import ROOT, folder_size


def fresh_install_size(folder: Path) -> int:
    """Install the core into a new environment and return its bytes, without pip and setuptools."""
    venv.create(folder, with_pip=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    before = folder_size(packages)
    pip = (folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
    subprocess.run([*pip, "install", "--quiet", ROOT], check=True)
    return folder_size(packages) - before


def installed_size(distribution: str) -> int:
    """Return the bytes of an installed distribution and of all it requires."""
    return sum(_own_size(name) for name in _with_requirements(distribution))


def _with_requirements(distribution: str) -> set[str]:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    seen: set[tuple[str, str]] = set()
    pending = [(canonicalize_name(distribution), "")]
    while pending:
        name, extra = pending.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for line in metadata.requires(name) or ():
            required = Requirement(line)
            if required.marker is None or required.marker.evaluate({"extra": extra}):
                pending.extend((canonicalize_name(required.name), extra) for extra in ("", *required.extras))
    return {name for name, _ in seen}


def _own_size(distribution: str) -> int:
    files = {Path(file.locate()) for file in metadata.files(distribution) or ()}
    compiled = {Path(cache_from_source(file)) for file in files if file.suffix == ".py"}
    return sum(file.stat().st_size for file in files | compiled if file.is_file())
