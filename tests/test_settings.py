"""Where a mind lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import settings
from mnemic.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path


def test_the_home_comes_from_the_environment(tmp_path: Path) -> None:
    found = settings.load({"MNEMIC_HOME": str(tmp_path)})
    assert (found.home, found.mind) == (tmp_path, tmp_path / "mind")


def test_the_home_is_else_the_systems_application_folder() -> None:
    assert settings.load({}).home.name == "mnemic"


@pytest.mark.parametrize(("named", "folder"), [("elsewhere", "elsewhere"), ("a/b", "a/b")])
def test_the_mind_is_named_in_the_file_relative_to_home(tmp_path: Path, named: str, folder: str) -> None:
    (tmp_path / "config.toml").write_text(f'mind = "{named}"')
    assert settings.load({"MNEMIC_HOME": str(tmp_path)}).mind == tmp_path / folder


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('mind = "elsewhere"')
    environment = {"MNEMIC_HOME": str(tmp_path), "MNEMIC_MIND": str(tmp_path / "here")}
    assert settings.load(environment).mind == tmp_path / "here"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            'minds = "x"',
            "minds: is not a field of the settings; known are embedder, llm, llm_budget, llm_timeout, mind, reranker",
        ),
        ("mind = 7", "mind: must be a string"),
        ('mind = ""', "mind: is blank"),
        ("mind = ", "is not TOML"),
        ("mind = '\xff'", "is not TOML"),
    ],
)
def test_a_wrong_file_is_a_clear_error(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "config.toml").write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"config\.toml") as caught:
        settings.load({"MNEMIC_HOME": str(tmp_path)})
    assert problem in str(caught.value)


@pytest.mark.parametrize("name", ["MNEMIC_HOME", "MNEMIC_MIND"])
def test_a_blank_variable_is_an_error(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name}: is blank"):
        settings.load({name: ""})


def test_a_home_of_an_unknown_user_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="MNEMIC_HOME: ~nobody-at-all/x names a user"):
        settings.load({"MNEMIC_HOME": "~nobody-at-all/x"})


def test_a_reranker_is_named_by_the_environment_or_the_file(tmp_path: Path) -> None:
    home = {"MNEMIC_HOME": str(tmp_path)}
    assert settings.load(home).reranker is None
    (tmp_path / "config.toml").write_text('reranker = "onnx:one"')
    assert settings.load(home).reranker == "onnx:one"
    assert settings.load(home | {"MNEMIC_RERANKER": "onnx:two"}).reranker == "onnx:two"


def test_a_language_model_and_its_bounds_come_from_the_environment_or_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('llm = "ollama:a"\nllm_budget = 5000\nllm_timeout = 2.5')
    home = {"MNEMIC_HOME": str(tmp_path)}
    found = settings.load(home)
    assert (found.llm, found.llm_budget, found.llm_timeout) == ("ollama:a", 5000, 2.5)
    given = {"MNEMIC_LLM": "ollama:b", "MNEMIC_LLM_BUDGET": "7", "MNEMIC_LLM_TIMEOUT": "9"}
    found = settings.load(home | given)
    assert (found.llm, found.llm_budget, found.llm_timeout) == ("ollama:b", 7, 9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MNEMIC_LLM", ""),
        *(("MNEMIC_LLM_BUDGET", value) for value in ("0", "-1", "1.5", "many", "")),
        *(("MNEMIC_LLM_TIMEOUT", value) for value in ("0", "-1", "nan", "inf", "soon", "")),
    ],
)
def test_a_wrong_bound_is_an_error_that_names_it(name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{name}: "):
        settings.load({name: value})


def test_a_providers_own_key_is_not_given_to_a_model_elsewhere() -> None:
    environment = {"OPENAI_API_KEY": "sk-own"}
    assert settings.llm_key("openai", elsewhere=False, environment=environment) == "sk-own"
    assert settings.llm_key("openai", elsewhere=True, environment=environment) is None
    environment["MNEMIC_LLM_KEY"] = "sk-first"
    assert settings.llm_key("openai", elsewhere=True, environment=environment) == "sk-first"


def test_a_key_with_strange_characters_is_refused_without_being_shown() -> None:
    with pytest.raises(InvalidInput, match=r"^MNEMIC_LLM_KEY: ") as caught:
        settings.llm_key("openai", elsewhere=False, environment={"MNEMIC_LLM_KEY": "sk-\nsecret"})
    assert "secret" not in str(caught.value)
