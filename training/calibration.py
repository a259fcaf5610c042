"""Fit the probability of relevance and the default threshold, check them on the other half, and plot the reliability.

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

from mnemic.core.rerank import MAX_RERANKED, rerank_scores
from mnemic.evaluation import beam, locomo, realmem
from mnemic.evaluation.dataset import Chat, Dataset, GoldQuestion
from mnemic.evaluation.systems import USER, Mnemic
from mnemic.model.scope import Scope
from mnemic.rerankers.onnx import OnnxReranker
from mnemic.rules.language.terms import query_words
from mnemic.rules.recall import calibration, hits
from mnemic.rules.recall.calibration import log_odds
from mnemic.rules.recall.passages import passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mnemic.model.filter import Selection
    from mnemic.ports import Reranker
    from mnemic.rules.recall.question import Question
    from mnemic.rules.recall.rank import Evidence

    Numbers = NDArray[np.float64]

ROOT = Path(__file__).parents[1]
DEPTH = 10
LOSS = 0.01
"""The share of recall that the threshold may cost on each development set."""
STEP_BACK = 0.85
"""The share of the highest allowed threshold that is used, for safety: the smallest set has only 100 questions."""
KNOWN_PER_CHAT = 30
BINS = (0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 1)


@dataclass(frozen=True)
class Candidates:
    """The candidates of one question: their features, which are relevant, and the number of gold units."""

    features: Numbers
    relevant: Numbers
    gold: int

    def alone(self) -> Candidates:
        """Return the same without the features that only turns have: their neighbours and their speaker."""
        return Candidates(self.features[:, [0, 1, 2, 5]], self.relevant, self.gold)


def main() -> None:
    """Fit, check, print, and with --write store the result."""
    parser = argparse.ArgumentParser(prog="python -m training.calibration", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the evaluation sets")
    parser.add_argument("--write", action="store_true", help="keep the result in the package and in docs/measured/")
    parser.add_argument("--models", type=Path, help="the folder of fetched models: fits the reranker's weights instead")
    options = parser.parse_args()
    if not options.data.is_dir():
        parser.error(f"{options.data} is not a folder. Give the folder of the evaluation sets with --data.")
    if options.models is None:
        calibrate(options.data, write=options.write)
    else:
        calibrate_reranker(options.data, OnnxReranker(options.models), write=options.write)


def calibrate(data: Path, *, write: bool) -> None:
    """Fit the probability without a reranker, and the threshold."""
    turns, messages = realmem.load(data / "realmem", "turn"), beam.load(data / "beam-100k")
    friends = locomo.load(ROOT / "benchmarks" / "friends.json", "friends")
    sets = [turns, messages, friends, strangers(messages), strangers(friends), known_items(messages)]
    without_sessions = [
        outside_of_sessions(one) for one in (turns, messages, strangers(messages), known_items(messages))
    ]
    fitted = [list(all_candidates(dataset.half(0))) for dataset in sets]
    alone = [[one.alone() for one in all_candidates(dataset.half(0))] for dataset in without_sessions]
    weights, single = fit(fitted), fit(alone)
    threshold = STEP_BACK * highest_threshold(fitted[:3], weights)
    poor = STEP_BACK * highest(fitted[:3], lambda rows, step: recall(rows, weights, threshold, step))
    single[0] += logit(threshold) - logit(highest_threshold(alone[:2], single))  # one threshold for both
    print(f"turns {weights.round(2).tolist()}, outside of sessions {single.round(2).tolist()}")
    print(f"threshold {threshold:.4f}, poor {poor:.4f}")
    checked = [list(all_candidates(dataset.half(1))) for dataset in sets]
    for dataset, rows in zip(sets, checked, strict=True):
        print(f"{dataset.name}, {dataset.unit}: {effect(rows, weights, threshold, poor)}")
    for dataset in without_sessions:
        rows = [one.alone() for one in all_candidates(dataset.half(1))]
        print(f"{dataset.name}, outside of sessions: {effect(rows, single, threshold)}")
    points = reliability([row for rows in checked for row in rows], weights)
    for said, true, count in points:
        print(f"said {said:.3f}, true {true:.3f} of {count}")
    if write:
        keep(
            {
                "SINGLE_BIAS, SINGLE_COSINE, SINGLE_COVERAGE, SINGLE_MESSAGE": single,
                "BIAS, COSINE, COVERAGE, NEIGHBOURS, SPEAKER, MESSAGE": weights,
                "THRESHOLD": [threshold],
                "POOR_MEAN": [poor],
            }
        )
        (ROOT / "docs" / "measured" / "reliability.svg").write_text(plot(points), encoding="utf-8")


def calibrate_reranker(data: Path, reranker: Reranker, *, write: bool) -> None:
    """Fit the probability after a reranker, and its threshold, on lone questions."""
    messages, friends = beam.load(data / "beam-100k"), locomo.load(ROOT / "benchmarks" / "friends.json", "friends")
    sets = [friends, sample(messages, 2), sample(strangers(friends), 2), sample(strangers(messages), 5)]
    sets.append(sample(known_items(messages), 5))
    fitted, checked = (
        [list(all_candidates(dataset.half(half), partial(reread, reranker))) for dataset in sets] for half in (0, 1)
    )
    weights = fit(fitted, fixed={2: calibration.RERANKED_RANKING})
    threshold = STEP_BACK * highest_threshold([first(rows, weights) for rows in fitted[:2]], weights)
    print(f"reranked {weights.round(2).tolist()}, threshold {threshold:.4f}")
    for half in fitted, checked:
        for dataset, rows in zip(sets, half, strict=True):
            print(f"{dataset.name}, {dataset.unit}: {effect(first(rows, weights), weights, threshold)}")
    for said, true, count in reliability([one for rows in checked for one in first(rows, weights)], weights):
        print(f"said {said:.3f}, true {true:.3f} of {count}")
    if write:
        keep(
            {
                "RERANKED_BIAS, RERANKED_PROBABILITY, RERANKED_RANKING, RERANKED_SCORE, RERANKED_LENGTH": weights,
                "RERANKED_THRESHOLD": [threshold],
            }
        )


def sample(dataset: Dataset, every: int) -> Dataset:
    """Return a dataset with every n-th of its chats."""
    return Dataset(dataset.name, dataset.unit, dataset.chats[::every])


def first(rows: Sequence[Candidates], weights: Numbers) -> list[Candidates]:
    """Return the most probable candidates of each question."""
    orders = [np.argsort(-probability(one.features, weights), kind="stable")[:DEPTH] for one in rows]
    return [
        Candidates(one.features[order], one.relevant[order], one.gold) for one, order in zip(rows, orders, strict=True)
    ]


def outside_of_sessions(dataset: Dataset) -> Dataset:
    """Return a dataset whose turns belong to no session."""
    chats = [
        Chat(chat.name, [replace(turn, session=None) for turn in chat.turns], chat.questions, chat.unit_of)
        for chat in dataset.chats
    ]
    return Dataset(dataset.name, dataset.unit, chats)


def strangers(dataset: Dataset) -> Dataset:
    """Return a dataset whose questions come from another chat, so that nothing answers them."""
    chats = []
    for place, chat in enumerate(dataset.chats):
        other = dataset.chats[(place + len(dataset.chats) // 2) % len(dataset.chats)]
        asked_at = chat.turns[-1].occurred_at
        questions = [GoldQuestion(one.text, frozenset(), len(chat.turns), asked_at) for one in other.questions]
        chats.append(Chat(chat.name, chat.turns, questions))
    return Dataset(f"{dataset.name} asked in other chats", dataset.unit, chats)


def known_items(dataset: Dataset) -> Dataset:
    """Return a dataset whose questions are words of one turn, which is the answer."""
    rng = random.Random(7)
    chats = []
    for chat in dataset.chats:
        questions = []
        for turn in rng.sample(list(chat.turns), min(KNOWN_PER_CHAT, len(chat.turns))):
            words = [word for word in query_words(turn.text.partition(":")[2]) if len(word) > 3]
            count = rng.choice((1, 2, 3, 4, 6))
            if len(words) >= count:
                text = " ".join(rng.sample(words, count))
                questions.append(GoldQuestion(text, frozenset({turn.id}), len(chat.turns), chat.turns[-1].occurred_at))
        chats.append(Chat(chat.name, chat.turns, questions))
    return Dataset(f"words of turns of {dataset.name}", dataset.unit, chats)


def all_candidates(
    dataset: Dataset, ask: Callable[[Mnemic, GoldQuestion], Candidates] | None = None
) -> Iterator[Candidates]:
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


def candidates(system: Mnemic, question: GoldQuestion) -> Candidates:
    """Return the best candidates for one question."""
    parsed, ranked, features = ranked_candidates(system, question, DEPTH)
    rows = [
        (1.0, cosine, coverage, neighbours or 0.0, speaker, parsed.is_message)
        for cosine, coverage, neighbours, speaker in features
    ]
    return Candidates(np.array(rows).reshape(-1, 6), relevant(system, question, ranked), len(question.gold))


def reread(reranker: Reranker, system: Mnemic, question: GoldQuestion) -> Candidates:
    """Return the best candidates for one question with the scores of a reranker, without a time limit."""
    parsed, ranked, features = ranked_candidates(system, question, 2 * MAX_RERANKED)
    ranked = ranked[:MAX_RERANKED]
    probabilities = [calibration.probability(row, is_message=parsed.is_message) for row in features[:MAX_RERANKED]]
    lengths = [len(one.memory.text) for one in ranked]
    scores = [one.score for one in ranked]
    passages = [passage(one.memory.text, frozenset(parsed.terms)) for one in ranked]
    previous = system.mind._recaller.previous_turns(ranked, selection_of(system))
    priors = list(map(calibration.prior, probabilities, scores, lengths))
    read = rerank_scores(reranker, question.text, passages, previous, priors, math.inf)
    rows = [
        (1.0, log_odds(probability), ranking_score, log_odds(score), -calibration.excess_length(length))
        for probability, ranking_score, score, length in zip(probabilities, scores, read, lengths, strict=True)
    ]
    return Candidates(np.array(rows).reshape(-1, 5), relevant(system, question, ranked), len(question.gold))


def ranked_candidates(
    system: Mnemic, question: GoldQuestion, depth: int
) -> tuple[Question, Sequence[Evidence], list[calibration.Features]]:
    """Return the parsed question, its best candidates and their features."""
    system.now = question.asked_at or system.now
    ranking = system.mind._recaller.ranking(question.text, selection_of(system), depth)
    rows = hits.features(ranking.question, ranking.candidates, ranking.terms, ranking.total, ranking.counts)
    return ranking.question, ranking.candidates, list(rows)


def selection_of(system: Mnemic) -> Selection:
    """Return the memories that a question is asked of."""
    return system.mind._selection(Scope(user=USER), None, None, None, include_superseded=False)


def relevant(system: Mnemic, question: GoldQuestion, ranked: Sequence[Evidence]) -> Numbers:
    """Return 1 for each relevant candidate, else 0."""
    return np.array([float(system.turns[one.memory.id] in question.gold) for one in ranked])


def fit(sets: Sequence[Sequence[Candidates]], fixed: Mapping[int, float] = MappingProxyType({})) -> Numbers:
    """Return the weights of a logistic regression in which every set counts the same; some may be fixed."""
    rows = np.vstack([one.features for rows in sets for one in rows])
    truth = np.concatenate([one.relevant for rows in sets for one in rows])
    counts = [sum(len(one.relevant) for one in rows) for rows in sets]
    weight = np.concatenate([np.full(count, len(truth) / len(sets) / count) for count in counts])
    weights = np.array([fixed.get(column, 0.0) for column in range(rows.shape[1])])
    free = [column for column in range(rows.shape[1]) if column not in fixed]
    for _ in range(50):
        probabilities = probability(rows, weights)
        curve = (rows[:, free] * (weight * probabilities * (1 - probabilities))[:, None]).T @ rows[:, free]
        slope = rows[:, free].T @ (weight * (truth - probabilities))
        weights[free] += np.linalg.solve(curve + 1e-6 * np.eye(len(free)), slope)
    return weights


def logit(probability: float) -> float:
    """Return the log odds of a probability."""
    return math.log(probability / (1 - probability))


def probability(rows: Numbers, weights: Numbers) -> Numbers:
    """Return the probability of relevance of each row."""
    result: Numbers = 1 / (1 + np.exp(-rows @ weights))
    return result


def kept(one: Candidates, weights: Numbers, threshold: float, poor: float) -> NDArray[np.bool_]:
    """Return which candidates of a question are kept: none if a lone question has only poor ones."""
    probabilities = np.array(calibration.non_increasing(probability(one.features, weights).tolist()), dtype=np.float64)
    is_poor = not one.features[:, -1].any() and probabilities.sum() < poor * len(probabilities)
    return probabilities >= (calibration.UNREACHABLE if is_poor else threshold)


def recall(rows: Sequence[Candidates], weights: Numbers, threshold: float, poor: float = 0.0) -> float:
    """Return the mean share of relevant candidates that are kept, over the answerable questions."""
    return float(
        np.mean([one.relevant[kept(one, weights, threshold, poor)].sum() / one.gold for one in rows if one.gold])
    )


def highest_threshold(sets: Sequence[Sequence[Candidates]], weights: Numbers) -> float:
    """Return the highest threshold that costs no set more recall than allowed."""
    return highest(sets, lambda rows, step: recall(rows, weights, step))


def highest(sets: Sequence[Sequence[Candidates]], recalled: Callable[[Sequence[Candidates], float], float]) -> float:
    """Return the highest bound that costs no set more recall than allowed."""
    bound = 0.0
    for step in np.geomspace(0.002, 0.5, 400):
        if any(recalled(rows, step) < (1 - LOSS) * recalled(rows, 0) for rows in sets):
            break
        bound = float(step)
    return bound


def effect(rows: Sequence[Candidates], weights: Numbers, threshold: float, poor: float = 0.0) -> str:
    """Return the effect of the threshold on a set as text."""
    unanswerable = [int(kept(one, weights, threshold, poor).sum()) for one in rows if not one.gold]
    parts = []
    if any(one.gold for one in rows):
        with_threshold = recall(rows, weights, threshold, poor)
        parts.append(f"recall@{DEPTH} {with_threshold:.3f}, without the threshold {recall(rows, weights, 0):.3f}")
    if unanswerable:
        silent = np.mean([count == 0 for count in unanswerable])
        parts.append(
            f"{len(unanswerable)} unanswerable questions get {np.mean(unanswerable):.1f} of {DEPTH}, "
            f"{silent:.0%} of them nothing"
        )
    return "; ".join(parts)


def reliability(rows: Sequence[Candidates], weights: Numbers) -> list[tuple[float, float, int]]:
    """Return the mean probability, the share of relevant candidates and the count, by bins of the probability."""
    said = np.concatenate([calibration.non_increasing(probability(one.features, weights).tolist()) for one in rows])
    true = np.concatenate([one.relevant for one in rows])
    points = []
    for low, high in pairwise(BINS):
        inside = (said >= low) & (said < high)
        if inside.sum() >= 20:
            points.append((float(said[inside].mean()), float(true[inside].mean()), int(inside.sum())))
    return points


def keep(numbers: Mapping[str, Sequence[float] | Numbers]) -> None:
    """Write numbers into the package under their names."""
    path = ROOT / "src" / "mnemic" / "rules" / "recall" / "calibration.py"
    text = path.read_text(encoding="utf-8")
    for names, values in numbers.items():
        text_values = ", ".join(f"{value:.4f}" if len(values) == 1 else f"{value:.2f}" for value in values)
        text = re.sub(rf"^{names} = .*$", f"{names} = {text_values}", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")


def plot(points: Sequence[tuple[float, float, int]]) -> str:
    """Draw the share of relevant candidates over the probability, both on a square-root scale."""

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
