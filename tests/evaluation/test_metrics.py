from __future__ import annotations

import pytest

from mnemic.evaluation.metrics import Estimate, estimate, judge, summary


def test_three_recalls_mean_three_things() -> None:
    metrics = judge(["a", "x", "b"], {"a", "b", "c"}, 3)
    assert metrics["recall"] == pytest.approx(2 / 3)
    assert (metrics["recall_any"], metrics["recall_all"]) == (1.0, 0.0)
    assert judge(["b", "a"], {"a", "b"}, 2)["recall_all"] == 1.0


def test_only_the_depth_counts() -> None:
    assert judge(["x", "a"], {"a"}, 1)["recall"] == 0.0
    assert judge(["x", "a"], {"a"}, 2)["recall"] == 1.0


def test_precision_is_of_what_was_returned() -> None:
    assert judge(["a", "x"], {"a"}, 10)["precision"] == 0.5
    assert judge([], {"a"}, 10) == {
        "recall": 0.0,
        "recall_any": 0.0,
        "recall_all": 0.0,
        "precision": 1.0,
        "ndcg": 0.0,
        "mrr": 0.0,
    }


def test_rank_counts_in_ndcg_and_mrr() -> None:
    assert judge(["a", "b"], {"a", "b"}, 2)["ndcg"] == pytest.approx(1.0)
    assert judge(["x", "a"], {"a"}, 2)["ndcg"] == pytest.approx(0.6309, abs=1e-4)
    assert judge(["x", "a"], {"a"}, 2)["mrr"] == 0.5


def test_a_question_without_an_answer_has_no_recall() -> None:
    with pytest.raises(ValueError, match="without an answer"):
        judge(["a"], set(), 10)


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    values = [0.0, 1.0] * 50
    metrics = estimate(values)
    assert metrics == estimate(values)
    assert 0.35 < metrics.low < metrics.mean == 0.5 < metrics.high < 0.65
    assert estimate([1.0, 1.0]) == Estimate(1.0, 1.0, 1.0)


def test_a_summary_is_the_mean_over_questions() -> None:
    metrics = summary([judge(["a"], {"a"}, 1), judge(["x"], {"a"}, 1)])
    assert metrics["recall"].mean == 0.5
    assert summary([]) == {}
