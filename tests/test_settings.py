"""Where a mind lives."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mnemic import MemoryEngine, Mind, settings
from mnemic.errors import InvalidInput


def test_the_home_comes_from_the_environment(tmp_path: Path) -> None:
    found = settings.load({"MNEMIC_HOME": str(tmp_path)})
    assert (found.home, found.mind) == (tmp_path, str(tmp_path / "mind"))


def test_the_home_is_else_the_systems_application_folder() -> None:
    assert settings.load({}).home.name == "mnemic"


@pytest.mark.parametrize(("named", "folder"), [("elsewhere", "elsewhere"), ("a/b", "a/b")])
def test_the_mind_is_named_in_the_file_relative_to_home(tmp_path: Path, named: str, folder: str) -> None:
    (tmp_path / "config.toml").write_text(f'mind = "{named}"')
    assert settings.load({"MNEMIC_HOME": str(tmp_path)}).mind == str(tmp_path / folder)


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('mind = "elsewhere"')
    environment = {"MNEMIC_HOME": str(tmp_path), "MNEMIC_MIND": str(tmp_path / "here")}
    assert settings.load(environment).mind == str(tmp_path / "here")


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


def test_keys_come_from_the_environment_and_are_not_shown() -> None:
    loaded = settings.load({"OPENAI_API_KEY": " sk-own\n", "ANTHROPIC_API_KEY": " ", "OTHER_SECRET": "x"})
    assert loaded.key("MNEMIC_LLM_KEY", "OPENAI_API_KEY") == "sk-own"
    assert loaded.key("ANTHROPIC_API_KEY") is None
    assert loaded.key("OTHER_SECRET") is None
    assert "sk-own" not in repr(loaded)


def test_a_key_with_strange_characters_is_refused_without_being_shown() -> None:
    with pytest.raises(InvalidInput, match=r"^MNEMIC_LLM_KEY: ") as caught:
        settings.load({"MNEMIC_LLM_KEY": "sk-\nsecret"}).key("MNEMIC_LLM_KEY")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("variable", [True, False])
def test_a_location_with_a_scheme_stays_as_it_is_written(tmp_path: Path, variable: bool) -> None:
    environment = {"MNEMIC_HOME": str(tmp_path)}
    if variable:
        environment["MNEMIC_MIND"] = "other://host/mind"
    else:
        (tmp_path / "config.toml").write_text('mind = "other://host/mind"')
    assert settings.load(environment).mind == "other://host/mind"


READERS = {
    "settings.py": "the one reader",
    "__init__.py": "sets a variable for numpy before it is loaded",
    "onnx/fetch.py": "hands it to pip",
    "agent/mem0_backend.py": "turns mem0's telemetry off unless it was asked for",
}


def test_the_environment_is_read_in_one_place() -> None:
    package = Path(settings.__file__).parent
    readers = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if any(
            isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv")
            for node in ast.walk(ast.parse(file.read_text()))
        )
    }
    assert readers == set(READERS)


COUNTED = """
import sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and str(args[0]).endswith("config.toml") and opened.append(args))
from mnemic.cli import run
assert run(sys.argv[1:]) == 0
sys.stderr.write(str(len(opened)))
"""


@pytest.mark.parametrize(
    "command",
    [
        ["remember", "Ana lives in Porto"],
        ["recall", "Where does Ana live?"],
        ["stats"],
        ["upkeep"],
        ["doctor"],
        ["reindex"],
        ["models", "list"],
        ["experience", "recall", "deploy"],
        ["mcp", "config", "--client", "cursor"],
    ],
    ids=" ".join,
)
def test_a_command_reads_the_settings_once(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "config.toml").write_text('mind = "here"')
    environment = {**os.environ, "MNEMIC_HOME": str(tmp_path)}
    with Mind(tmp_path / "here") as mind:
        mind.remember("Ben lives in Berlin")
    with MemoryEngine(tmp_path / "experience") as engine:
        engine.remember("The deploy failed", "failure", "code_interpreter", error_type="runtime")
    ran = subprocess.run([sys.executable, "-c", COUNTED, *command], env=environment, capture_output=True, text=True)
    assert ran.stderr.endswith("1"), ran.stderr
