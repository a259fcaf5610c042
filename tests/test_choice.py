"""The embedder and the reranker that a setting names"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recollect.choice import embedder_from, reranker_from
from recollect.embedders.remote import RemoteEmbedder
from recollect.errors import InvalidInput, ModelMissing, NotFound

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("model", ["text-embedding-3-small", "@cf/baai/bge-m3"])
def test_an_endpoint_is_named_by_model_and_address(tmp_path: Path, model: str) -> None:
    embedder = embedder_from(f"remote:{model}@http://127.0.0.1:8080/v1", models=tmp_path)
    assert isinstance(embedder, RemoteEmbedder)
    assert repr(embedder) == f"RemoteEmbedder('http://127.0.0.1:8080/v1', '{model}')"


def test_a_provider_is_named_by_model_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    openai = embedder_from("openai:text-embedding-3-small", models=tmp_path)
    assert repr(openai) == "RemoteEmbedder('https://api.openai.com/v1', 'text-embedding-3-small')"
    ollama = embedder_from("ollama:nomic-embed-text", models=tmp_path)
    assert repr(ollama) == "RemoteEmbedder('http://127.0.0.1:11434/v1', 'nomic-embed-text')"


def test_the_default_is_the_table(tmp_path: Path) -> None:
    assert embedder_from("table", models=tmp_path).embed(["Lisbon"]).any()


@pytest.mark.parametrize(
    "spec", ["", "tabel", "table:x", "onnx", "onnx:", "openai:", "remote:", "remote:m", "remote:@http://h", "remote:m@"]
)
def test_an_unknown_form_lists_the_known_ones(tmp_path: Path, spec: str) -> None:
    with pytest.raises(InvalidInput, match=r"must be table, onnx:bge-small, .* or remote:MODEL@BASE_URL"):
        embedder_from(spec, models=tmp_path)


def test_a_model_that_was_not_fetched_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="`recollect models fetch bge-small`"):
        embedder_from("onnx:bge-small", models=tmp_path)
    with pytest.raises(ModelMissing, match="`recollect models fetch ms-marco-minilm`"):
        reranker_from("onnx:ms-marco-minilm", models=tmp_path)


def test_models_are_chosen_for_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"known: bge-small$"):
        embedder_from("onnx:ms-marco-minilm", models=tmp_path)
    with pytest.raises(NotFound, match=r"known: ms-marco-minilm$"):
        reranker_from("onnx:bge-small", models=tmp_path)


@pytest.mark.parametrize("spec", ["", "onnx:", "table"])
def test_an_unknown_reranker_is_refused(tmp_path: Path, spec: str) -> None:
    with pytest.raises(InvalidInput, match="must be onnx:ms-marco-minilm"):
        reranker_from(spec, models=tmp_path)
