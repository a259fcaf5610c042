"""Measure upkeep: stale and current answers, contradictions beside a lexical baseline, mergers, and a long run.

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

from benchmarks import chatting, repeating, targets, telling, updating, updating_more, updating_unseen
from benchmarks.measure import ROOT, Figure, Times, folder_size, percentile, progress
from benchmarks.report import figures_table, machine, summary
from mnemic import Mind
from mnemic.rules.claims.compare import contradiction
from mnemic.rules.language.terms import STOP_WORDS, terms
from mnemic.upkeep.options import Options
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.updating import Kind

_USER = "ana"
_AROUND = 6
"""How many other things are known besides what is told next."""


def main() -> None:
    """Measure, print and write."""
    given = _arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    figures = [
        *updates("updates", updating.KINDS, given.streams),
        *updates("updates in more words", updating_more.MORE_KINDS, given.streams),
        *updates("updates in unseen words", updating_unseen.UNSEEN_KINDS, given.streams),
        *everyday(),
        *chats(given.data),
        *precision_mem_bench(given.data / "precisionmembench"),
        *snli(given.data / "snli" / "dev.csv"),
        *consolidation(given.repeats),
    ]
    growth: list[dict[str, float]] = []
    if given.messages:
        with tempfile.TemporaryDirectory(dir=given.out) as folder:
            growth = list(long_run(Path(folder), given.messages))
        (given.out / "upkeep-growth.svg").write_text(_drawn(growth))
    console = Console() if sys.stdout.isatty() else Console(width=110)
    console.print(figures_table(figures))
    console.print(summary(figures))
    told = {"machine": machine(), "figures": [figure.to_dict() for figure in figures], "growth": growth}
    (given.out / "upkeep.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.upkeep", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the development data")
    parser.add_argument("--out", type=Path, default=ROOT / ".bench", help="where to write")
    parser.add_argument("--streams", type=int, default=20, help="how many streams of changing facts")
    parser.add_argument("--repeats", type=int, default=2_000, help="how many memories with paraphrases among them")
    parser.add_argument("--messages", type=int, default=0, help="how many messages of a long run; none when left out")
    return parser.parse_args()


def updates(name: str, kinds: Sequence[Kind], streams: int) -> Iterator[Figure]:
    """Tell a mind facts that change, look after it, and ask for them."""
    asked = stale = current = closed_wrongly = 0
    for seed in range(streams):
        progress(f"{name}, stream {seed + 1} of {streams}")
        told, questions = updating.stream(seed, kinds)
        outdated = {question.stale for question in questions}
        with Mind(":memory:") as mind:
            mind.remember_many([{"text": one.text, "user": _USER, "occurred_at": one.day} for one in told])
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


def everyday() -> Iterator[Figure]:
    """Tell what people tell every day among other things, then a change of it or something that leaves it as it is."""
    blocks = telling.read(Path(__file__).with_name("everyday.txt"))
    asked = stale = current = others = closed_wrongly = 0
    for place, block in enumerate(blocks):
        progress(f"everyday words, {place + 1} of {len(blocks)}")
        around = [blocks[(place + 7 * step) % len(blocks)].older for step in range(_AROUND + 1)]
        for newer in block.closing:
            with Mind(":memory:") as mind:
                closed_wrongly += len(_closed(mind, around, newer) - {block.older})
                hits = {hit.memory.text for hit in mind.recall(block.questions[0], user=_USER, limit=10)}
            asked += 1
            stale += block.older in hits
            current += newer in hits
        for newer in block.others:
            with Mind(":memory:") as mind:
                closed_wrongly += len(_closed(mind, around, newer))
            others += 1
    yield _share("everyday words: the stale fact is returned", stale, asked, targets.STALE_SHARE, f"{asked} questions")
    yield _share("everyday words: the current fact is returned", current, asked, targets.CURRENT_SHARE)
    told = asked + others
    yield _share("everyday words: a fact that still holds is closed", closed_wrongly, told, note=f"{told} sentences")


def _closed(mind: Mind, older: Sequence[str], newer: str) -> set[str]:
    """Tell a mind older sentences and, a month later, a newer one, look after it, and return what was closed."""
    mind.remember_many([{"text": text, "user": _USER, "occurred_at": "2026-01-01"} for text in older])
    mind.remember(newer, user=_USER, occurred_at="2026-02-01")
    return {action.text for action in upkeep(mind, user=_USER).actions if action.kind == "superseded"}


def chats(data: Path) -> Iterator[Figure]:
    """Let upkeep look after what people say in real chats, every second of which nothing was learned from."""
    told = closed = 0
    for texts in chatting.statements(data)[1::2]:
        with Mind(":memory:") as mind:
            days = (date(2026, 1, 1) + timedelta(days=2 * place) for place in itertools.count())
            mind.remember_many(
                [
                    {"text": text, "user": _USER, "occurred_at": day}
                    for text, day in zip(texts[:300], days, strict=False)
                ]
            )
            told += len(texts[:300])
            closed += sum(action.kind == "superseded" for action in upkeep(mind, user=_USER).actions)
    yield _share("chats: a statement is closed by another", closed, told)


def precision_mem_bench(folder: Path) -> Iterator[Figure]:
    """Let upkeep find the beliefs that PrecisionMemBench marks as superseded, without its marks."""
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
            found = {named[hit.memory.id] for hit in hits}
            stale += bool(found & superseded.keys())
            if case["category"] == "Supersession chain exclusion":
                chains += 1
                current += bool(found & set(case["expect"]["pinnedFacts"]["mustInclude"]))
    yield _share("PrecisionMemBench: a superseded belief is returned", stale, len(cases), targets.STALE_SHARE)
    yield _share("PrecisionMemBench: the current belief of a chain is returned", current, chains, targets.CURRENT_SHARE)
    yield _share("PrecisionMemBench: superseded beliefs found", len(closed & superseded.keys()), len(superseded))
    yield _share("PrecisionMemBench: other beliefs closed", len(closed - superseded.keys()), len(beliefs))


def snli(file: Path) -> Iterator[Figure]:
    """Judge pairs of sentences, beside a baseline that only compares words."""
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
    """Call two sentences contradictory when they share half of their words and only one of them denies something."""
    words, others = set(terms(one)) - STOP_WORDS, set(terms(other)) - STOP_WORDS
    shared = len(words & others) / max(1, min(len(words), len(others)))
    denials = {"not", "no", "never", "nobody", "n't"}
    denied, other_denied = (not denials.isdisjoint(text.lower().split()) for text in (one, other))
    return "denial" if shared >= 0.5 and denied != other_denied else None


def consolidation(count: int) -> Iterator[Figure]:
    """Tell a mind a stream in which things are said again, and see what is merged."""
    progress("consolidation")
    said = repeating.stream(1, count)
    with Mind(":memory:") as mind:
        told = mind.remember_many([{"text": one.text, "user": _USER} for one in said])
        meaning = {one.memory.id: what.meaning for one, what in zip(told, said, strict=True)}
        report = upkeep(mind, user=_USER)
    merged = [action for action in report.actions if action.kind == "merged"]
    wrong = sum(meaning[action.id] != meaning[str(action.other_id)] for action in merged)
    repeats = count - len(set(meaning.values()))
    yield _share("consolidation: paraphrases merged", len(merged) - wrong, repeats, note=f"{count:,} memories")
    yield _share("consolidation: paraphrases missed", repeats - len(merged) + wrong, repeats)
    yield _share("consolidation: memories wrongly merged", wrong, count, targets.WRONGLY_MERGED)


def long_run(folder: Path, messages: int) -> Iterator[dict[str, float]]:
    """Tell a mind many messages, look after it every thousand, and yield how large and how fast it is."""
    rng = random.Random(3)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    clock: Callable[[], datetime] = lambda: now  # noqa: E731 - it must see the present value
    options = Options(most=400, grace=7, history=30, purge=True)
    texts = updating.chatter(rng)
    with Mind(folder / "mind", clock=lambda: clock()) as mind:
        for start in range(0, messages, 1_000):
            progress(f"long run, {start:,} of {messages:,} messages")
            mind.remember_many(
                [
                    {
                        "text": next(texts),
                        "user": f"user {place % 5}",
                        **({"session": "chat", "tier": "short_term"} if place % 2 else {}),
                    }
                    for place in range(1_000)
                ]
            )
            work = Times()
            work.take(upkeep, mind, everywhere=True, options=options)
            asking = Times()
            for _ in range(50):
                asking.take(mind.recall, next(texts), user=f"user {rng.randrange(5)}")
            now += timedelta(days=2)
            yield {
                "messages": start + 1_000,
                "memories": mind.count(everywhere=True),
                "store_mb": folder_size(folder) / 1e6,
                "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
                "recall_ms": percentile(asking.cpu, 50) * 1e3,
                "upkeep_s": work.cpu[0],
            }


def _drawn(growth: Sequence[dict[str, float]]) -> str:
    """Draw four small panels over the number of messages."""
    panels = (
        ("memories", "current memories"),
        ("store_mb", "store, MB"),
        ("memory_mb", "peak memory, MB"),
        ("recall_ms", "recall, CPU ms (p50)"),
    )
    width, height = 240, 120
    drawn = []
    for place, (name, title) in enumerate(panels):
        values = [point[name] for point in growth]
        top = max(values) * 1.15 or 1
        points = " ".join(
            f"{30 + (width - 40) * at / max(1, len(values) - 1):.1f},{height - 20 - (height - 45) * value / top:.1f}"
            for at, value in enumerate(values)
        )
        drawn.append(
            f'<g transform="translate({place % 2 * width},{place // 2 * height})">'
            f'<text x="30" y="16" font-size="11" font-weight="bold">{title}</text>'
            f'<text x="{width - 10}" y="16" font-size="11" text-anchor="end">{values[-1]:,.4g}</text>'
            f'<line x1="30" y1="{height - 20}" x2="{width - 10}" y2="{height - 20}" stroke="#999"/>'
            f'<polyline points="{points}" fill="none" stroke="#2563eb" stroke-width="1.5"/>'
            f'<text x="{width - 10}" y="{height - 6}" font-size="9" text-anchor="end">'
            f"{growth[-1]['messages']:,.0f} messages</text></g>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{2 * height}" '
        f'font-family="sans-serif">{"".join(drawn)}</svg>\n'
    )


def _share(operation: str, part: int, whole: int, target: Any = None, note: str = "") -> Figure:  # noqa: ANN401
    value = 100 * part / max(1, whole)
    return Figure(operation, "mnemic", "%", {"value": value}, target, note=note or f"{part} of {whole}")


if __name__ == "__main__":
    main()
