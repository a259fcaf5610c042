"""Fit the chance of relevance and the default cut, check them on the other half, and draw the reliability plot.

``python -m training.calibration --data ../shared/data`` takes a few minutes; ``--write`` puts the numbers into
rules/recall/calibration.py and the plot into docs/measured/. Run it again when the table or the ranking changes.
``--models FOLDER`` fits what a reranker's verdict is worth instead, which takes a quarter of an hour.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from mnemic.core.rerank import RERANKED, judged
from mnemic.evaluation import beam, locomo, realmem
from mnemic.evaluation.dataset import Chat, Dataset, Question
from mnemic.evaluation.systems import USER, Mnemic
from mnemic.model.scope import Scope
from mnemic.rerankers.onnx import OnnxReranker
from mnemic.rules.language.terms import query_words
from mnemic.rules.recall import calibration
from mnemic.rules.recall.hits import features
from mnemic.rules.recall.passages import passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mnemic.model.filter import Selection
    from mnemic.ports import Reranker
    from mnemic.rules.recall.question import Question as Understood
    from mnemic.rules.recall.rank import Evidence

    Numbers = NDArray[np.float64]

ROOT = Path(__file__).parents[1]
DEPTH = 10
LOSS = 0.01
"""How much of the recall the cut may cost on each development set."""
STEP_BACK = 0.85
"""How far the cut stays below the highest that costs no more: a single question is a hundredth of the smallest set."""
KNOWN_PER_CHAT = 30
BINS = (0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 1)


@dataclass(frozen=True)
class Asked:
    """Hold the candidates of one question: their features, which of them are relevant, and how many there are."""

    features: Numbers
    relevant: Numbers
    gold: int

    def alone(self) -> Asked:
        """Return the same without what is known of turns only: what is beside them, and who speaks."""
        return Asked(self.features[:, [0, 1, 2, 5]], self.relevant, self.gold)


def main() -> None:
    """Fit, check, print, and write when asked to."""
    parser = argparse.ArgumentParser(prog="python -m training.calibration", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="keep the result in the package and in docs/measured/")
    parser.add_argument("--models", type=Path, help="the folder of fetched models: fits the reranker's weights instead")
    given = parser.parse_args()
    if not given.data.is_dir():
        parser.error(f"{given.data} is not a folder; give that of the datasets with --data")
    if given.models is None:
        calibrate(given.data, write=given.write)
    else:
        calibrate_reranker(given.data, OnnxReranker(given.models), write=given.write)


def calibrate(data: Path, *, write: bool) -> None:
    """Fit the chances without a reranker, and the cut."""
    turns, messages = realmem.load(data / "realmem", "turn"), beam.load(data / "beam-100k")
    friends = locomo.load(ROOT / "benchmarks" / "friends.json", "friends")
    sets = [turns, messages, friends, strangers(messages), strangers(friends), known_items(messages)]
    loners = [outside_of_sessions(one) for one in (turns, messages, strangers(messages), known_items(messages))]
    fitted = [list(asked(dataset.half(0))) for dataset in sets]
    alone = [[one.alone() for one in asked(dataset.half(0))] for dataset in loners]
    weights, lone = fit(fitted), fit(alone)
    cut = STEP_BACK * highest_cut(fitted[:3], weights)
    poor = STEP_BACK * highest(fitted[:3], lambda rows, step: recall(rows, weights, cut, step))
    lone[0] += logit(cut) - logit(highest_cut(alone[:2], lone))  # so that one cut is right for both
    print(f"turns {weights.round(2).tolist()}, outside of sessions {lone.round(2).tolist()}")
    print(f"cut {cut:.4f}, poor {poor:.4f}")
    checked = [list(asked(dataset.half(1))) for dataset in sets]
    for dataset, rows in zip(sets, checked, strict=True):
        print(f"{dataset.name}, {dataset.unit}: {told(rows, weights, cut, poor)}")
    for dataset in loners:
        rows = [one.alone() for one in asked(dataset.half(1))]
        print(f"{dataset.name}, outside of sessions: {told(rows, lone, cut)}")
    points = reliability([row for rows in checked for row in rows], weights)
    for said, true, count in points:
        print(f"said {said:.3f}, true {true:.3f} of {count}")
    if write:
        keep(
            {
                "LONE_BIAS, LONE_COSINE, LONE_SHARE, LONE_MESSAGE": lone,
                "BIAS, COSINE, SHARE, BESIDE, SPOKEN, MESSAGE": weights,
                "CUT": [cut],
                "POOR": [poor],
            }
        )
        (ROOT / "docs" / "measured" / "reliability.svg").write_text(plot(points), encoding="utf-8")


def calibrate_reranker(data: Path, reranker: Reranker, *, write: bool) -> None:
    """Fit the chances after a reranker's verdict, and the cut for them, on lone questions."""
    messages, friends = beam.load(data / "beam-100k"), locomo.load(ROOT / "benchmarks" / "friends.json", "friends")
    sets = [friends, sample(messages, 2), sample(strangers(friends), 2), sample(strangers(messages), 5)]
    sets.append(sample(known_items(messages), 5))
    fitted, checked = (
        [list(asked(dataset.half(half), partial(reread, reranker))) for dataset in sets] for half in (0, 1)
    )
    weights = fit(fitted, given={2: calibration.RERANKED_FIRST})
    cut = STEP_BACK * highest_cut([first(rows, weights) for rows in fitted[:2]], weights)
    print(f"reranked {weights.round(2).tolist()}, cut {cut:.4f}")
    for half in fitted, checked:
        for dataset, rows in zip(sets, half, strict=True):
            print(f"{dataset.name}, {dataset.unit}: {told(first(rows, weights), weights, cut)}")
    for said, true, count in reliability([one for rows in checked for one in first(rows, weights)], weights):
        print(f"said {said:.3f}, true {true:.3f} of {count}")
    if write:
        keep(
            {
                "RERANKED_BIAS, RERANKED_PLAIN, RERANKED_FIRST, RERANKED_VERDICT, RERANKED_LONG": weights,
                "RERANKED_CUT": [cut],
            }
        )


def sample(dataset: Dataset, every: int) -> Dataset:
    """Return a dataset with few of its chats."""
    return Dataset(dataset.name, dataset.unit, dataset.chats[::every])


def first(rows: Sequence[Asked], weights: Numbers) -> list[Asked]:
    """Return the candidates of each question that the chances put first."""
    orders = [np.argsort(-chance(one.features, weights), kind="stable")[:DEPTH] for one in rows]
    return [Asked(one.features[order], one.relevant[order], one.gold) for one, order in zip(rows, orders, strict=True)]


def outside_of_sessions(dataset: Dataset) -> Dataset:
    """Return a dataset whose turns stand alone."""
    chats = [
        Chat(chat.name, [replace(turn, session=None) for turn in chat.turns], chat.questions, chat.unit_of)
        for chat in dataset.chats
    ]
    return Dataset(dataset.name, dataset.unit, chats)


def strangers(dataset: Dataset) -> Dataset:
    """Return a dataset whose questions belong to another chat: nothing answers them."""
    chats = []
    for place, chat in enumerate(dataset.chats):
        other = dataset.chats[(place + len(dataset.chats) // 2) % len(dataset.chats)]
        asked_at = chat.turns[-1].occurred_at
        questions = [Question(one.text, frozenset(), len(chat.turns), asked_at) for one in other.questions]
        chats.append(Chat(chat.name, chat.turns, questions))
    return Dataset(f"{dataset.name} asked in other chats", dataset.unit, chats)


def known_items(dataset: Dataset) -> Dataset:
    """Return a dataset whose questions are some words of a turn, and that turn is the answer."""
    rng = random.Random(7)
    chats = []
    for chat in dataset.chats:
        questions = []
        for turn in rng.sample(list(chat.turns), min(KNOWN_PER_CHAT, len(chat.turns))):
            words = [word for word in query_words(turn.text.partition(":")[2]) if len(word) > 3]
            count = rng.choice((1, 2, 3, 4, 6))
            if len(words) >= count:
                text = " ".join(rng.sample(words, count))
                questions.append(Question(text, frozenset({turn.id}), len(chat.turns), chat.turns[-1].occurred_at))
        chats.append(Chat(chat.name, chat.turns, questions))
    return Dataset(f"words of turns of {dataset.name}", dataset.unit, chats)


def asked(dataset: Dataset, ask: Callable[[Mnemic, Question], Asked] | None = None) -> Iterator[Asked]:
    """Yield the candidates of every question of a dataset."""
    for chat in dataset.chats:
        system = Mnemic()
        seen = 0
        for question in sorted(chat.questions, key=lambda question: question.seen):
            if question.seen > seen:
                system.remember(chat.turns[seen : question.seen])
                seen = question.seen
            yield (ask or candidates)(system, question)
        system.close()


def candidates(system: Mnemic, question: Question) -> Asked:
    """Return the best candidates for one question."""
    understood, ranked, told = found(system, question, DEPTH)
    rows = [(1.0, cosine, share, beside or 0.0, spoken, understood.goes_on) for cosine, share, beside, spoken in told]
    return Asked(np.array(rows).reshape(-1, 6), relevant(system, question, ranked), len(question.gold))


def reread(reranker: Reranker, system: Mnemic, question: Question) -> Asked:
    """Return the best candidates for one question, with what a reranker says of them, however long it takes."""
    understood, ranked, told = found(system, question, 2 * RERANKED)
    ranked = ranked[:RERANKED]
    plain = [calibration.chance(one, goes_on=understood.goes_on) for one in told[:RERANKED]]
    lengths = [len(one.memory.text) for one in ranked]
    scores = [one.score for one in ranked]
    passages = [passage(one.memory.text, frozenset(understood.terms)) for one in ranked]
    before = system.mind._recaller.turns_before(ranked, selection_of(system))
    priors = list(map(calibration.prior, plain, scores, lengths))
    verdicts = judged(reranker, question.text, passages, before, priors, math.inf)
    rows = [
        (1.0, calibration.odds(chance), score, calibration.odds(verdict), -calibration.excess(length))
        for chance, score, verdict, length in zip(plain, scores, verdicts, lengths, strict=True)
    ]
    return Asked(np.array(rows).reshape(-1, 5), relevant(system, question, ranked), len(question.gold))


def found(
    system: Mnemic, question: Question, depth: int
) -> tuple[Understood, Sequence[Evidence], list[tuple[float, float, float | None, bool]]]:
    """Return a question as it was understood, its best candidates, and what their chances are judged by."""
    system.now = question.asked_at or system.now
    selection = selection_of(system)
    ranking = system.mind._recaller.ranking(question.text, selection, depth)
    told = features(ranking.question, ranking.candidates, ranking.terms, ranking.total, ranking.counts)
    return ranking.question, ranking.candidates, list(told)


def selection_of(system: Mnemic) -> Selection:
    """Return what a question is asked of."""
    return system.mind._selection(Scope(user=USER), None, None, None, include_superseded=False)


def relevant(system: Mnemic, question: Question, ranked: Sequence[Evidence]) -> Numbers:
    """Tell which candidates are relevant."""
    return np.array([float(system.turns[one.memory.id] in question.gold) for one in ranked])


def fit(sets: Sequence[Sequence[Asked]], given: Mapping[int, float] = MappingProxyType({})) -> Numbers:
    """Return the weights of a logistic regression in which every set counts the same, some of them given."""
    rows = np.vstack([one.features for asked in sets for one in asked])
    truth = np.concatenate([one.relevant for asked in sets for one in asked])
    counts = [sum(len(one.relevant) for one in asked) for asked in sets]
    weight = np.concatenate([np.full(count, len(truth) / len(sets) / count) for count in counts])
    weights = np.array([given.get(place, 0.0) for place in range(rows.shape[1])])
    free = [place for place in range(rows.shape[1]) if place not in given]
    for _ in range(50):
        chances = chance(rows, weights)
        curve = (rows[:, free] * (weight * chances * (1 - chances))[:, None]).T @ rows[:, free]
        slope = rows[:, free].T @ (weight * (truth - chances))
        weights[free] += np.linalg.solve(curve + 1e-6 * np.eye(len(free)), slope)
    return weights


def logit(chance: float) -> float:
    """Return the logarithm of the odds."""
    return math.log(chance / (1 - chance))


def chance(rows: Numbers, weights: Numbers) -> Numbers:
    """Return the chance of relevance of each row."""
    result: Numbers = 1 / (1 + np.exp(-rows @ weights))
    return result


def kept(one: Asked, weights: Numbers, cut: float, poor: float) -> NDArray[np.bool_]:
    """Tell which candidates of a question stay above the cut; none where a lone question finds only poor turns."""
    chances = np.array(calibration.falling(chance(one.features, weights).tolist()), dtype=np.float64)
    is_poor = not one.features[:, -1].any() and chances.sum() < poor * len(chances)
    return chances >= (calibration.NOTHING if is_poor else cut)


def recall(rows: Sequence[Asked], weights: Numbers, cut: float, poor: float = 0.0) -> float:
    """Return the mean share of the relevant that is kept, over the answerable questions."""
    return float(np.mean([one.relevant[kept(one, weights, cut, poor)].sum() / one.gold for one in rows if one.gold]))


def highest_cut(sets: Sequence[Sequence[Asked]], weights: Numbers) -> float:
    """Return the highest cut that costs no set more recall than allowed."""
    return highest(sets, lambda rows, step: recall(rows, weights, step))


def highest(sets: Sequence[Sequence[Asked]], recalled: Callable[[Sequence[Asked], float], float]) -> float:
    """Return the highest bound that costs no set more recall than allowed."""
    bound = 0.0
    for step in np.geomspace(0.002, 0.5, 400):
        if any(recalled(rows, step) < (1 - LOSS) * recalled(rows, 0) for rows in sets):
            break
        bound = float(step)
    return bound


def told(rows: Sequence[Asked], weights: Numbers, cut: float, poor: float = 0.0) -> str:
    """Say what the cut does to a set."""
    unanswerable = [int(kept(one, weights, cut, poor).sum()) for one in rows if not one.gold]
    parts = []
    if any(one.gold for one in rows):
        found = recall(rows, weights, cut, poor)
        parts.append(f"recall@{DEPTH} {found:.3f}, without the cut {recall(rows, weights, 0):.3f}")
    if unanswerable:
        silent = np.mean([count == 0 for count in unanswerable])
        parts.append(
            f"{len(unanswerable)} unanswerable questions get {np.mean(unanswerable):.1f} of {DEPTH}, "
            f"{silent:.0%} of them nothing"
        )
    return "; ".join(parts)


def reliability(rows: Sequence[Asked], weights: Numbers) -> list[tuple[float, float, int]]:
    """Return the mean chance that was said, the share that was true and the count, by bins of the chance."""
    said = np.concatenate([calibration.falling(chance(one.features, weights).tolist()) for one in rows])
    true = np.concatenate([one.relevant for one in rows])
    points = []
    for low, high in pairwise(BINS):
        inside = (said >= low) & (said < high)
        if inside.sum() >= 20:
            points.append((float(said[inside].mean()), float(true[inside].mean()), int(inside.sum())))
    return points


def keep(numbers: Mapping[str, Sequence[float] | Numbers]) -> None:
    """Put numbers into the package, under their names there."""
    path = ROOT / "src" / "mnemic" / "rules" / "recall" / "calibration.py"
    text = path.read_text(encoding="utf-8")
    for names, values in numbers.items():
        told = ", ".join(f"{value:.4f}" if len(values) == 1 else f"{value:.2f}" for value in values)
        text = re.sub(rf"^{names} = .*$", f"{names} = {told}", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")


def plot(points: Sequence[tuple[float, float, int]]) -> str:
    """Draw what was said against what was true; square roots of both spread the small chances."""

    def place(value: float) -> float:
        return float(40 + 300 * value**0.5)

    marks = "".join(
        f'<circle cx="{place(said):.1f}" cy="{380 - place(true):.1f}" r="{3 + 2 * np.log10(count):.1f}" fill="#2b6cb0">'
        f"<title>said {said:.3f}, true {true:.3f} of {count}</title></circle>"
        for said, true, count in points
    )
    ticks = "".join(
        f'<text x="{place(at):.0f}" y="358" text-anchor="middle">{at:g}</text>'
        f'<text x="34" y="{384 - place(at):.0f}" text-anchor="end">{at:g}</text>'
        for at in (0.01, 0.05, 0.1, 0.2, 0.4, 0.7, 1)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 400" font-family="sans-serif" font-size="11">'
        '<rect width="380" height="400" fill="white"/>'
        '<path d="M40 340 H340 V40" fill="none" stroke="#ccc"/><path d="M40 40 V340" stroke="#888"/>'
        '<path d="M40 340 H340" stroke="#888"/><path d="M40 340 L340 40" stroke="#aaa" stroke-dasharray="4 4"/>'
        f"{ticks}{marks}"
        '<text x="190" y="380" text-anchor="middle">score (square-root scale)</text>'
        '<text x="190" y="24" text-anchor="middle">share that is relevant, other half of the questions</text></svg>\n'
    )


if __name__ == "__main__":
    main()
