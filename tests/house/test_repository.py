"""What the repository may hold, and what is built from it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-peers.lock")
PINNED = re.compile(r"^([\w.-]+)==(\S+)(?: ; [^\\]+)? \\\n(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", re.MULTILINE)

UNWANTED = {
    "a path of one machine": re.compile(r"/(?:work|root|home|Users)/\w"),
    "the host of a registry": re.compile(r"\b(?:pypi|pythonhosted|npmjs|debian)\.(?:org|com)\b"),
    "work left for later": re.compile(r"\b(?:TO[D]O|FIX[M]E|HA[C]K)\b"),
}


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("what", UNWANTED)
def test_no_tracked_file_holds(what: str) -> None:
    files = tracked_files()
    assert ROOT / "pyproject.toml" in files
    found = [
        f"{file.relative_to(ROOT)}: {match.group()}"
        for file in files
        for match in UNWANTED[what].finditer(file.read_text(errors="ignore"))
    ]
    assert found == []


OLD_NAME = re.compile(b"recol[l]ect", re.IGNORECASE)
ITS_PLACES = {
    "CHANGELOG.md": "the line about the name",
    "src/mnemic/rules/language/data/lexicon.txt": "an English verb and its noun, among the words of WordNet",
}


def test_the_old_name_is_nowhere_but_in_the_changelog() -> None:
    files = {file.relative_to(ROOT).as_posix(): file for file in tracked_files()}
    assert [name for name in files if OLD_NAME.search(name.encode())] == []
    assert {name for name, file in files.items() if OLD_NAME.search(file.read_bytes())} == set(ITS_PLACES)
    assert len(OLD_NAME.findall((ROOT / "CHANGELOG.md").read_bytes())) == 1
    lexicon = (ROOT / "src" / "mnemic" / "rules" / "language" / "data" / "lexicon.txt").read_bytes()
    assert len(OLD_NAME.findall(lexicon)) == 2


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_by_hash_and_names_no_index(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert len(PINNED.findall(text)) > 10
    assert PINNED.sub("", text) == ""


def test_the_lock_holds_what_the_project_asks_for() -> None:
    pins: dict[str, list[str]] = {}
    for name, version in PINNED.findall((ROOT / "requirements.lock").read_text()):
        pins.setdefault(name, []).append(version)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["build-system"]["requires"],
    ]
    for requirement in map(Requirement, asked):
        versions = pins.get(requirement.name.lower(), [])
        assert versions, f"{requirement} is not in requirements.lock; run `make lock`"
        assert all(version in requirement.specifier for version in versions), f"run `make lock` for {requirement}"


def test_there_is_one_kind_of_lock() -> None:
    assert not [file for file in tracked_files() if file.name in ("uv.lock", "poetry.lock", "Pipfile.lock")]


DATA = ("mnemic/embedders/data/", "mnemic/experience/page/", "mnemic/rules/language/data/", "mnemic/upkeep/data/")


def test_the_wheel_holds_only_the_package(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "mnemic/py.typed" in names
    assert {re.sub(r"-[\d.]+\.dist-info$", ".dist-info", name.split("/")[0]) for name in names} == {
        "mnemic",
        "mnemic.dist-info",
    }
    assert not [
        name
        for name in names
        if name.startswith("mnemic/") and not name.endswith((".py", "py.typed")) and not name.startswith(DATA)
    ]
