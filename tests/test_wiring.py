"""The embedder, the reranker and the language model that a setting names"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import wiring
from mnemic.embedders.remote import RemoteEmbedder
from mnemic.errors import InvalidInput, ModelMissing, NotFound
from mnemic.llms.remote import RemoteLlm
from mnemic.wiring import embedder_from, llm_from, reranker_from

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
    with pytest.raises(ModelMissing, match="`mnemic models fetch bge-small`"):
        embedder_from("onnx:bge-small", models=tmp_path)
    with pytest.raises(ModelMissing, match="`mnemic models fetch ms-marco-minilm`"):
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


@pytest.fixture
def without_keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("MNEMIC_LLM", "MNEMIC_LLM_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize("variable", ["MNEMIC_LLM_KEY", "DEEPSEEK_API_KEY"])
def test_a_provider_needs_a_key_from_the_environment(without_keys: pytest.MonkeyPatch, variable: str) -> None:
    with pytest.raises(ModelMissing, match="as MNEMIC_LLM_KEY or DEEPSEEK_API_KEY"):
        llm_from("deepseek:deepseek-chat")
    without_keys.setenv(variable, "sk-secret")
    assert llm_from("deepseek:deepseek-chat").name == "deepseek:deepseek-chat"


@pytest.mark.parametrize(
    ("spec", "name", "shown"),
    [
        (
            "openai:tiny@http://127.0.0.1:1/v1",
            "openai:tiny",
            "RemoteLlm('openai:tiny', base_url='http://127.0.0.1:1/v1')",
        ),
        ("openai:@cf/meta/llama@https://h/v1", "openai:@cf/meta/llama", "base_url='https://h/v1'"),
        ("ollama:llama3.2", "ollama:llama3.2", "base_url='http://127.0.0.1:11434/v1'"),
    ],
)
@pytest.mark.usefixtures("without_keys")
def test_a_model_elsewhere_needs_no_key(spec: str, name: str, shown: str) -> None:
    llm = llm_from(spec)
    assert llm.name == name
    assert shown in repr(llm)


@pytest.mark.parametrize("spec", ["", "gpt", "openai:", ":gpt", "openai:@http://h", "openai:http://h"])
def test_an_unknown_form_of_a_language_model_is_refused(without_keys: pytest.MonkeyPatch, spec: str) -> None:
    without_keys.setenv("MNEMIC_LLM_KEY", "sk-secret")
    with pytest.raises(InvalidInput, match=r"^llm: "):
        llm_from(spec)


@pytest.mark.parametrize(
    "url", ["ftp://h", "http://", "http://:0/v1", "http://me:secret@h/v1", "http://h/v1?key=secret"]
)
def test_a_wrong_address_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"^(?:base_url|llm): ") as caught:
        RemoteLlm("openai:tiny", base_url=url)
    assert "secret" not in str(caught.value)


def test_the_settings_name_the_language_model(without_keys: pytest.MonkeyPatch) -> None:
    assert wiring.llm() is None
    without_keys.setenv("MNEMIC_LLM", "ollama:llama3.2")
    llm = wiring.llm()
    assert llm is not None
    assert llm.name == "ollama:llama3.2"
