"""Measure upkeep: stale and current answers, contradictions beside a lexical baseline, merging, and a long run.

python -m benchmarks.upkeep --data ../shared/data
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import random
import resource
import sys
import tempfile
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from benchmarks import (
    chat_statements,
    fact_changes,
    fact_changes_more,
    fact_changes_unseen,
    paraphrases,
    targets,
)
from benchmarks.blocks import read
from benchmarks.measure import ROOT, Figure, Times, folder_size, percentile, progress
from benchmarks.report import figures_table, machine, summary
from mnemic import Mind
from mnemic.rules.claims.compare import contradiction
from mnemic.rules.language.terms import STOP_WORDS, terms
from mnemic.upkeep.options import Options
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.fact_changes import Kind

_USER = "ana"
_AROUND = 6
"""How many unrelated facts are stored beside the one that the newer sentence is about."""


def main() -> None:
    """Measure, print and write."""
    options = _arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    figures = [
        *updates("updates", fact_changes.KINDS, options.streams),
        *updates("updates in more words", fact_changes_more.MORE_KINDS, options.streams),
        *updates("updates in unseen words", fact_changes_unseen.UNSEEN_KINDS, options.streams),
        *everyday(),
        *chats(options.data),
        *precision_mem_bench(options.data / "precisionmembench"),
        *snli(options.data / "snli" / "dev.csv"),
        *consolidation(options.repeats),
    ]
    growth: list[dict[str, float]] = []
    if options.messages:
        with tempfile.TemporaryDirectory(dir=options.out) as folder:
            growth = list(long_run(Path(folder), options.messages))
        (options.out / "upkeep-growth.svg").write_text(_plot(growth))
    console = Console() if sys.stdout.isatty() else Console(width=110)
    console.print(figures_table(figures))
    console.print(summary(figures))
    report = {"machine": machine(), "figures": [figure.to_dict() for figure in figures], "growth": growth}
    (options.out / "upkeep.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.upkeep", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the evaluation sets")
    parser.add_argument("--out", type=Path, default=ROOT / ".bench", help="the folder to write to")
    parser.add_argument("--streams", type=int, default=20, help="the number of streams of changing facts")
    parser.add_argument("--repeats", type=int, default=2_000, help="the number of memories with paraphrases")
    parser.add_argument("--messages", type=int, default=0, help="the number of messages in a long run (default: none)")
    return parser.parse_args()


def updates(name: str, kinds: Sequence[Kind], streams: int) -> Iterator[Figure]:
    """Store facts that change, run upkeep, and ask for them."""
    asked = stale = current = closed_wrongly = 0
    for seed in range(streams):
        progress(f"{name}, stream {seed + 1} of {streams}")
        statements, questions = fact_changes.stream(seed, kinds)
        outdated = {question.stale for question in questions}
        with Mind(":memory:") as mind:
            mind.remember_many([{"text": said.text, "user": _USER, "occurred_at": said.day} for said in statements])
            report = upkeep(mind, user=_USER)
            closed_wrongly += sum(
                action.kind == "superseded" and action.text not in outdated for action in report.actions
            )
            for question in questions:
                hits = {hit.memory.text for hit in mind.recall(question.text, user=_USER, limit=10)}
                asked += 1
                stale += question.stale in hits
                current += question.current in hits
    note = f"{asked} questions"
    yield _share(f"{name}: the stale fact is returned", stale, asked, targets.STALE_SHARE, note)
    yield _share(f"{name}: the current fact is returned", current, asked, targets.CURRENT_SHARE, note)
    yield _share(f"{name}: a fact that still holds is closed", closed_wrongly, asked)


def everyday(step: int = 1) -> Iterator[Figure]:
    """Store an everyday fact among others, then a sentence that changes it or one that does not.

    Every `step`-th block of sentences is measured.
    """
    blocks = read(Path(__file__).with_name("everyday.txt"))
    asked = stale = current = others = closed_wrongly = 0
    for index, block in list(enumerate(blocks))[::step]:
        progress(f"everyday words, {index + 1} of {len(blocks)}")
        stored = [blocks[(index + 7 * step) % len(blocks)].older for step in range(_AROUND + 1)]
        for newer in block.closing:
            with Mind(":memory:") as mind:
                closed_wrongly += len(_closed(mind, stored, newer) - {block.older})
                hits = {hit.memory.text for hit in mind.recall(block.questions[0], user=_USER, limit=10)}
            asked += 1
            stale += block.older in hits
            current += newer in hits
        for newer in block.others:
            with Mind(":memory:") as mind:
                closed_wrongly += len(_closed(mind, stored, newer))
            others += 1
    yield _share("everyday words: the stale fact is returned", stale, asked, targets.STALE_SHARE, f"{asked} questions")
    yield _share("everyday words: the current fact is returned", current, asked, targets.CURRENT_SHARE)
    sentences = asked + others
    yield _share(
        "everyday words: a fact that still holds is closed", closed_wrongly, sentences, note=f"{sentences} sentences"
    )


def _closed(mind: Mind, older: Sequence[str], newer: str) -> set[str]:
    """Store older sentences and, a month later, a newer one; run upkeep and return the closed texts."""
    mind.remember_many([{"text": text, "user": _USER, "occurred_at": "2026-01-01"} for text in older])
    mind.remember(newer, user=_USER, occurred_at="2026-02-01")
    return {action.text for action in upkeep(mind, user=_USER).actions if action.kind == "superseded"}


def chats(data: Path) -> Iterator[Figure]:
    """Run upkeep on statements of real chats, of those chats that were not used for training."""
    stored = closed = 0
    for texts in chat_statements.statements(data)[1::2]:
        with Mind(":memory:") as mind:
            days = (date(2026, 1, 1) + timedelta(days=2 * number) for number in itertools.count())
            mind.remember_many(
                [
                    {"text": text, "user": _USER, "occurred_at": day}
                    for text, day in zip(texts[:300], days, strict=False)
                ]
            )
            stored += len(texts[:300])
            closed += sum(action.kind == "superseded" for action in upkeep(mind, user=_USER).actions)
    yield _share("chats: a statement is closed by another", closed, stored)


def precision_mem_bench(folder: Path) -> Iterator[Figure]:
    """Run upkeep on the beliefs of PrecisionMemBench and compare what it closes with their marks."""
    beliefs: list[dict[str, Any]] = json.loads((folder / "beliefs.seed.json").read_text())
    cases = [case for case in json.loads((folder / "retrieval.cases.json").read_text()) if case["query"].strip()]
    ids: dict[str, str] = {}
    with Mind(":memory:") as mind:
        for belief in sorted(beliefs, key=lambda belief: str(belief["created_at"])):
            scope = {"user": belief["user_id"], "agent": belief["scope"][0], "occurred_at": belief["created_at"]}
            ids[belief["_id"]] = mind.remember(belief["content"], **scope).memory.id
        upkeep(mind, everywhere=True)
        named = {id: name for name, id in ids.items()}
        superseded = {belief["_id"]: belief["superseded_by"] for belief in beliefs if belief["superseded_by"]}
        closed = {name for name, id in ids.items() if mind.get(id).superseded_at is not None}
        stale = current = chains = 0
        for case in cases:
            hits = mind.recall(case["query"], user="test-user", agent=case["scope"][0], limit=10)
            recalled = {named[hit.memory.id] for hit in hits}
            stale += bool(recalled & superseded.keys())
            if case["category"] == "Supersession chain exclusion":
                chains += 1
                current += bool(recalled & set(case["expect"]["pinnedFacts"]["mustInclude"]))
    yield _share("PrecisionMemBench: a superseded belief is returned", stale, len(cases), targets.STALE_SHARE)
    yield _share("PrecisionMemBench: the current belief of a chain is returned", current, chains, targets.CURRENT_SHARE)
    yield _share("PrecisionMemBench: superseded beliefs found", len(closed & superseded.keys()), len(superseded))
    yield _share("PrecisionMemBench: other beliefs closed", len(closed - superseded.keys()), len(beliefs))


def snli(file: Path) -> Iterator[Figure]:
    """Judge pairs of sentences by the rules and by a baseline that only compares words."""
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    rng = random.Random(7)
    shuffled = [row["hypothesis"] for row in rows]
    rng.shuffle(shuffled)
    strangers = [(row["premise"], other) for row, other in zip(rows, shuffled, strict=True)]
    neutral = [(row["premise"], row["hypothesis"]) for row in rows if row["label"] == "neutral"]
    for name, judge in (("rules", contradiction), ("lexical baseline", _lexical)):
        progress(f"SNLI, {name}")
        called = [judge(row["premise"], row["hypothesis"]) is not None for row in rows]
        counts = Counter((row["label"] == "contradiction", yes) for row, yes in zip(rows, called, strict=True))
        precision = counts[True, True] / max(1, counts[True, True] + counts[False, True])
        recall = counts[True, True] / max(1, counts[True, True] + counts[True, False])
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        limit = targets.FALSE_ALARMS if name == "rules" else None
        for kind, pairs in (("neutral", neutral), ("random", strangers)):
            alarms = sum(judge(*pair) is not None for pair in pairs)
            yield _share(f"SNLI, {name}: {kind} pairs called contradictory", alarms, len(pairs), limit)
        for what, value in (("precision", precision), ("recall", recall), ("F1", f1)):
            yield Figure(f"SNLI, {name}: {what} on contradiction", "mnemic", "share", {"value": value})


def _lexical(one: str, other: str) -> str | None:
    """Return "denial" when two sentences share half of their words and only one of them has a negation."""
    words, others = set(terms(one)) - STOP_WORDS, set(terms(other)) - STOP_WORDS
    shared = len(words & others) / max(1, min(len(words), len(others)))
    denials = {"not", "no", "never", "nobody", "n't"}
    denied, other_denied = (not denials.isdisjoint(text.lower().split()) for text in (one, other))
    return "denial" if shared >= 0.5 and denied != other_denied else None


def consolidation(count: int) -> Iterator[Figure]:
    """Store a stream with paraphrases, run upkeep, and count what is merged."""
    progress("consolidation")
    wordings = paraphrases.stream(1, count)
    with Mind(":memory:") as mind:
        stored = mind.remember_many([{"text": wording.text, "user": _USER} for wording in wordings])
        meaning = {one.memory.id: wording.meaning for one, wording in zip(stored, wordings, strict=True)}
        report = upkeep(mind, user=_USER)
    merged = [action for action in report.actions if action.kind == "merged"]
    wrong = sum(meaning[action.id] != meaning[str(action.other_id)] for action in merged)
    repeats = count - len(set(meaning.values()))
    yield _share("consolidation: paraphrases merged", len(merged) - wrong, repeats, note=f"{count:,} memories")
    yield _share("consolidation: paraphrases missed", repeats - len(merged) + wrong, repeats)
    yield _share("consolidation: memories wrongly merged", wrong, count, targets.WRONGLY_MERGED)


def long_run(folder: Path, messages: int) -> Iterator[dict[str, float]]:
    """Store many messages with an upkeep after every thousand, and yield size and speed after each."""
    rng = random.Random(3)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    clock: Callable[[], datetime] = lambda: now  # noqa: E731 - it must see the current value of `now`
    options = Options(most=400, grace=7, history=30, purge=True)
    texts = fact_changes.chatter(rng)
    with Mind(folder / "mind", clock=lambda: clock()) as mind:
        for start in range(0, messages, 1_000):
            progress(f"long run, {start:,} of {messages:,} messages")
            mind.remember_many(
                [
                    {
                        "text": next(texts),
                        "user": f"user {number % 5}",
                        **({"session": "chat", "tier": "short_term"} if number % 2 else {}),
                    }
                    for number in range(1_000)
                ]
            )
            upkeep_times = Times()
            upkeep_times.take(upkeep, mind, everywhere=True, options=options)
            recall_times = Times()
            for _ in range(50):
                recall_times.take(mind.recall, next(texts), user=f"user {rng.randrange(5)}")
            now += timedelta(days=2)
            yield {
                "messages": start + 1_000,
                "memories": mind.count(everywhere=True),
                "store_mb": folder_size(folder) / 1e6,
                "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
                "recall_ms": percentile(recall_times.cpu, 50) * 1e3,
                "upkeep_s": upkeep_times.cpu[0],
            }


def _plot(growth: Sequence[dict[str, float]]) -> str:
    """Draw four small panels over the number of messages."""
    panels = (
        ("memories", "current memories"),
        ("store_mb", "store, MB"),
        ("memory_mb", "peak memory, MB"),
        ("recall_ms", "recall, CPU ms (p50)"),
    )
    width, height = 240, 120
    parts = []
    for index, (name, title) in enumerate(panels):
        values = [point[name] for point in growth]
        top = max(values) * 1.15 or 1
        points = " ".join(
            f"{30 + (width - 40) * step / max(1, len(values) - 1):.1f},{height - 20 - (height - 45) * value / top:.1f}"
            for step, value in enumerate(values)
        )
        parts.append(
            f'<g transform="translate({index % 2 * width},{index // 2 * height})">'
            f'<text x="30" y="16" font-size="11" font-weight="bold">{title}</text>'
            f'<text x="{width - 10}" y="16" font-size="11" text-anchor="end">{values[-1]:,.4g}</text>'
            f'<line x1="30" y1="{height - 20}" x2="{width - 10}" y2="{height - 20}" stroke="#999"/>'
            f'<polyline points="{points}" fill="none" stroke="#2563eb" stroke-width="1.5"/>'
            f'<text x="{width - 10}" y="{height - 6}" font-size="9" text-anchor="end">'
            f"{growth[-1]['messages']:,.0f} messages</text></g>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{2 * height}" '
        f'font-family="sans-serif">{"".join(parts)}</svg>\n'
    )


def _share(operation: str, part: int, whole: int, target: Any = None, note: str = "") -> Figure:  # noqa: ANN401
    value = 100 * part / max(1, whole)
    return Figure(operation, "mnemic", "%", {"value": value}, target, note=note or f"{part} of {whole}")


if __name__ == "__main__":
    main()
