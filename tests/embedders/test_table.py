"""Check the bundled table: what it finds, what it survives and that its vectors never vary."""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemic.embedders.table import DATA, TableEmbedder
from mnemic.errors import DamagedModel

EMBEDDER = TableEmbedder()


def nearest(query: str, texts: list[str]) -> str:
    return texts[int(np.argmax(EMBEDDER.embed(texts) @ EMBEDDER.embed([query])[0]))]


def test_it_says_its_name_and_dimension() -> None:
    assert EMBEDDER.name == "mnemic-table-1"
    assert EMBEDDER.embed(["hello"]).shape == (1, EMBEDDER.dimension)
    assert EMBEDDER.embed(["hello"]).dtype == np.float32


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("where does Ana live?", "Ana moved from Porto to Lisbon in March"),
        ("what pet does he have", "I adopted a puppy from the shelter last week"),
        ("Which instrument does she play?", "I have been taking violin lessons since I was ten"),
        ("is the user allergic to anything", "I can't eat peanuts, they make me very sick"),
        ("what is his job in the hospital", "I was promoted to head nurse at the hospital"),
    ],
)
def test_a_question_finds_its_answer_by_meaning(query: str, answer: str) -> None:
    texts = [
        "Ana moved from Porto to Lisbon in March",
        "I adopted a puppy from the shelter last week",
        "I have been taking violin lessons since I was ten",
        "I can't eat peanuts, they make me very sick",
        "I was promoted to head nurse at the hospital",
        "The quarterly report is due on Friday",
        "We painted the kitchen yellow",
    ]
    assert nearest(query, texts) == answer


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("我住在里斯本", ["我喜欢吃苹果", "我住在里斯本的一个小公寓里", "明天会下雨"]),
        ("リスボンに住んでいます", ["りんごが好きです", "私はリスボンに住んでいます", "明日は雨です"]),
        ("أعيش في لشبونة", ["أحب التفاح", "أنا أعيش في لشبونة الآن", "سوف تمطر غدا"]),
        ("ฉันอาศัยอยู่ในลิสบอน", ["ฉันชอบแอปเปิ้ล", "ตอนนี้ฉันอาศัยอยู่ในลิสบอน", "พรุ่งนี้ฝนจะตก"]),
        ("где живёт Анна", ["я люблю яблоки", "Анна живёт в Лиссабоне", "завтра будет дождь"]),
        ("나는 리스본에 산다", ["나는 사과를 좋아한다", "나는 지금 리스본에 산다", "내일 비가 온다"]),
        ("मैं लिस्बन में रहता हूँ", ["मुझे सेब पसंद है", "मैं अब लिस्बन में रहता हूँ", "कल बारिश होगी"]),
    ],
)
def test_other_scripts_find_their_near_twin(query: str, texts: list[str]) -> None:
    assert nearest(query, texts) == texts[1]
    assert len({vector.tobytes() for vector in EMBEDDER.embed(texts)}) == len(texts)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\x07\x1b", "\ud800", "\u200b\u200d"])
def test_a_text_without_any_visible_character_gets_zeros(text: str) -> None:
    assert not EMBEDDER.embed([text]).any()


@pytest.mark.parametrize(
    "text",
    [
        "the of and to a",
        "😀",
        "😀😃🎉 👩‍👩‍👧",
        "...!?",
        "a\x00b\ud800c",
        "Привет hello 你好 مرحبا",
        "x" * 500,
        "\u0378",
        "word and 漢字 " * 80_000,
        "supercalifragilistic" * 50_000,
    ],
)
def test_odd_texts_get_a_finite_vector_of_length_one(text: str) -> None:
    (vector,) = EMBEDDER.embed([text])
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=80), max_size=6))
def test_a_text_has_the_same_vector_alone_and_in_a_batch(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts)
    assert together.shape == (len(texts), EMBEDDER.dimension)
    for text, vector in zip(texts, together, strict=True):
        assert EMBEDDER.embed([text])[0].tobytes() == vector.tobytes()
        assert np.isfinite(vector).all()
        assert not vector.any() or np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_long_texts_do_not_depend_on_where_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "We walked along the river in Porto and talked about the garden. " * 500
    whole = EMBEDDER.embed([text]).tobytes()
    monkeypatch.setattr("mnemic.embedders.table.rows.CHUNK", 7)
    assert EMBEDDER.embed([text]).tobytes() == whole


def test_a_hundred_thousand_texts_at_once() -> None:
    texts = [f"note {number}" for number in range(100_000)]
    vectors = EMBEDDER.embed(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[77_777].tobytes() == EMBEDDER.embed([texts[77_777]])[0].tobytes()


@pytest.mark.slow
def test_a_hundred_thousand_varied_texts_take_no_more_memory_than_their_vectors() -> None:
    code = """
import random, resource
from mnemic.embedders.table import TableEmbedder

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

draw = random.Random(1)
words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 12))) for _ in range(80_000)]
texts = [" ".join(draw.choices(words, k=12)) for _ in range(100_000)]
embedder = TableEmbedder()
embedder.embed(texts[:1000])
before = peak()
vectors = embedder.embed(texts)
assert peak() - before < vectors.nbytes + 48_000_000, (peak() - before, vectors.nbytes)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_threads_agree() -> None:
    texts = [f"{number} people met in Lisbon" for number in range(200)]
    wanted = EMBEDDER.embed(texts).tobytes()
    with ThreadPoolExecutor(8) as pool:
        results = [future.result() for future in [pool.submit(TableEmbedder().embed, texts) for _ in range(16)]]
    assert {result.tobytes() for result in results} == {wanted}


@pytest.mark.parametrize("name", ["rows.bin", "weights.bin", "vocabulary.txt"])
def test_a_damaged_file_is_recognised(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "table"
    shutil.copytree(DATA, folder)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(DamagedModel, match=name):
        TableEmbedder(folder).embed(["hello"])


@pytest.mark.parametrize("change", [("{", "["), ('"name"', '"nome"'), ('"dimension": 256', '"dimension": 252')])
def test_a_damaged_description_is_recognised(tmp_path: Path, change: tuple[str, str]) -> None:
    folder = tmp_path / "table"
    shutil.copytree(DATA, folder)
    about = (folder / "table.json").read_text()
    (folder / "table.json").write_text(about.replace(*change, 1))
    with pytest.raises(DamagedModel, match=r"table\.json"):
        TableEmbedder(folder).embed(["hello"])


@pytest.mark.parametrize("name", ["rows.bin", "table.json"])
def test_a_missing_file_is_recognised(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "table"
    shutil.copytree(DATA, folder)
    (folder / name).unlink()
    with pytest.raises(DamagedModel):
        TableEmbedder(folder).embed(["hello"])


def test_the_table_fits_into_the_wheel_and_names_its_sources() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir()) <= 16_000_000
    provenance = json.loads((DATA / "table.json").read_text())["provenance"]
    assert all(source["licence"] for source in provenance["texts"])
    assert "MIT" in (DATA / "LICENSE").read_text()


def test_importing_the_module_reads_no_table() -> None:
    code = "import mnemic.embedders.table.rows as t; assert t.read_table.cache_info().currsize == 0"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_words_keep_the_vectors_that_the_calibration_knows() -> None:
    vector = TableEmbedder().embed(["Qwzkthrp Москва"])[0]
    assert np.packbits(vector > 0).tobytes().hex()[:32] == "2b93561c0bf2194ec1c2fac01a05d52e"
