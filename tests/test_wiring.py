"""The embedder, the reranker and the language model that a setting names"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mnemic import wiring
from mnemic.embedders.remote import RemoteEmbedder
from mnemic.errors import InvalidInput, ModelMissing, NotFound
from mnemic.llms.remote import RemoteLlm
from mnemic.wiring import Settings, embedder_from, llm_from, reranker_from

if TYPE_CHECKING:
    from pathlib import Path

    from mnemic.ports import Llm


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, str(tmp_path / "mind"))


@pytest.mark.parametrize("model", ["text-embedding-3-small", "@cf/baai/bge-m3"])
def test_an_endpoint_is_named_by_model_and_address(settings: Settings, model: str) -> None:
    embedder = embedder_from(f"remote:{model}@http://127.0.0.1:8080/v1", settings=settings)
    assert isinstance(embedder, RemoteEmbedder)
    assert repr(embedder) == f"RemoteEmbedder('http://127.0.0.1:8080/v1', '{model}')"


def test_a_provider_is_named_by_model_alone(settings: Settings) -> None:
    with pytest.raises(ModelMissing, match="OPENAI_API_KEY"):
        embedder_from("openai:text-embedding-3-small", settings=settings)
    with_key = replace(settings, keys={"OPENAI_API_KEY": "a-key"})
    openai = embedder_from("openai:text-embedding-3-small", settings=with_key)
    assert repr(openai) == "RemoteEmbedder('https://api.openai.com/v1', 'text-embedding-3-small')"
    ollama = embedder_from("ollama:nomic-embed-text", settings=settings)
    assert repr(ollama) == "RemoteEmbedder('http://127.0.0.1:11434/v1', 'nomic-embed-text')"


def test_the_default_is_the_table(settings: Settings) -> None:
    assert embedder_from("table", settings=settings).embed(["Lisbon"]).any()


@pytest.mark.parametrize(
    "spec", ["", "tabel", "table:x", "onnx", "onnx:", "openai:", "remote:", "remote:m", "remote:@http://h", "remote:m@"]
)
def test_an_unknown_form_lists_the_known_ones(settings: Settings, spec: str) -> None:
    with pytest.raises(InvalidInput, match=r"must be table, onnx:bge-small, .* or remote:MODEL@BASE_URL"):
        embedder_from(spec, settings=settings)


def test_a_model_that_was_not_fetched_names_the_command(settings: Settings) -> None:
    with pytest.raises(ModelMissing, match="`mnemic models fetch bge-small`"):
        embedder_from("onnx:bge-small", settings=settings)
    with pytest.raises(ModelMissing, match="`mnemic models fetch ms-marco-minilm`"):
        reranker_from("onnx:ms-marco-minilm", settings=settings)


def test_models_are_chosen_for_what_they_are(settings: Settings) -> None:
    with pytest.raises(NotFound, match=r"known: bge-small$"):
        embedder_from("onnx:ms-marco-minilm", settings=settings)
    with pytest.raises(NotFound, match=r"known: ms-marco-minilm$"):
        reranker_from("onnx:bge-small", settings=settings)


@pytest.mark.parametrize("spec", ["", "onnx:", "table"])
def test_an_unknown_reranker_is_refused(settings: Settings, spec: str) -> None:
    with pytest.raises(InvalidInput, match="must be onnx:ms-marco-minilm"):
        reranker_from(spec, settings=settings)


@pytest.mark.parametrize("variable", ["MNEMIC_LLM_KEY", "DEEPSEEK_API_KEY"])
def test_a_provider_needs_a_key_from_the_environment(settings: Settings, variable: str) -> None:
    with pytest.raises(ModelMissing, match="variable MNEMIC_LLM_KEY or DEEPSEEK_API_KEY"):
        llm_from("deepseek:deepseek-chat", settings=settings)
    with_key = replace(settings, keys={variable: "sk-secret"})
    assert llm_from("deepseek:deepseek-chat", settings=with_key).name == "deepseek:deepseek-chat"


def test_a_providers_own_key_is_not_given_to_a_model_elsewhere(settings: Settings) -> None:
    own = replace(settings, keys={"OPENAI_API_KEY": "sk-own"})
    assert key_of(llm_from("openai:tiny", settings=own)) == "sk-own"
    assert key_of(llm_from("openai:tiny@http://127.0.0.1:1/v1", settings=own)) is None
    first = replace(settings, keys={"OPENAI_API_KEY": "sk-own", "MNEMIC_LLM_KEY": "sk-first"})
    assert key_of(llm_from("openai:tiny@http://127.0.0.1:1/v1", settings=first)) == "sk-first"


def key_of(llm: Llm) -> str | None:
    key: str | None = vars(llm)["_key"]
    return key


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
def test_a_model_elsewhere_needs_no_key(settings: Settings, spec: str, name: str, shown: str) -> None:
    llm = llm_from(spec, settings=settings)
    assert llm.name == name
    assert shown in repr(llm)


@pytest.mark.parametrize("spec", ["", "gpt", "openai:", ":gpt", "openai:@http://h", "openai:http://h"])
def test_an_unknown_form_of_a_language_model_is_refused(settings: Settings, spec: str) -> None:
    with pytest.raises(InvalidInput, match=r"^llm: "):
        llm_from(spec, settings=replace(settings, keys={"MNEMIC_LLM_KEY": "sk-secret"}))


@pytest.mark.parametrize(
    "url", ["ftp://h", "http://", "http://:0/v1", "http://me:secret@h/v1", "http://h/v1?key=secret"]
)
def test_a_wrong_address_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"^(?:base_url|llm): ") as caught:
        RemoteLlm("openai:tiny", base_url=url)
    assert "secret" not in str(caught.value)


def test_the_settings_name_the_language_model(settings: Settings) -> None:
    assert wiring.llm(settings) is None
    llm = wiring.llm(replace(settings, llm="ollama:llama3.2"))
    assert llm is not None
    assert llm.name == "ollama:llama3.2"


def test_settings_that_are_left_out_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_LLM", "ollama:llama3.2")
    llm = wiring.llm()
    assert llm is not None
    assert llm.name == "ollama:llama3.2"
