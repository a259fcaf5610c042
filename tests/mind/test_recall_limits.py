"""Questions and minds at the edge: right answers or a clear error, in bounded time and memory."""

from __future__ import annotations

import resource
import threading
from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.wiring import reindex

if TYPE_CHECKING:
    from pathlib import Path


def test_a_question_of_a_hundred_thousand_characters_is_answered(mind: Mind) -> None:
    kept = mind.remember("Ana keeps bees in Lisbon").memory
    mind.remember("Bo sails")
    for question in ("Ana keeps bees. " * 6_250, "x" * 99_990 + " bees Ana", "last March " * 9_000 + "bees"):
        assert mind.recall(question, min_score=0)[0].memory == kept


@pytest.mark.parametrize(
    "question",
    ["the", "who is it that was there", "🐝", "¿dónde vive?", "蜂はどこ", "где пчёлы", "...", "\u200b\u200d"],
)
def test_a_question_that_says_little_finds_nothing_wrong(mind: Mind, question: str) -> None:
    kept = mind.remember("Ana keeps bees in Lisbon").memory
    (hit,) = mind.recall(question, min_score=0)
    assert hit.memory == kept
    assert 0 <= hit.score <= 1
    assert not any("words:" in reason for reason in hit.reasons)
    assert mind.recall(question) == []


def test_an_emoji_finds_its_like(mind: Mind) -> None:
    mind.remember("we went to the zoo 🐘")
    mind.remember("we went to the sea")
    assert [hit.memory.text for hit in mind.recall("🐘")] == ["we went to the zoo 🐘"]


@pytest.mark.parametrize("question", ['{"tier": "working"}', "user:bo", "terms : bees OR scope : bo", 'bees" OR "1'])
def test_filter_and_search_syntax_reaches_no_other_scope(mind: Mind, question: str) -> None:
    mind.remember("Ana keeps bees", user="ana")
    mind.remember("Bo keeps bees too", user="bo")
    assert {hit.memory.scope.user for hit in mind.recall(question, user="ana", min_score=0)} == {"ana"}


def test_a_mind_of_one_memory_answers_or_stays_silent(mind: Mind) -> None:
    kept = mind.remember("Ana keeps bees").memory
    assert [hit.memory for hit in mind.recall("who keeps bees?")] == [kept]
    assert mind.recall("quantum chromodynamics") == []
    assert mind.explain("who keeps bees?", kept.id).recalled


def test_ten_thousand_identical_memories_are_ten_hits(mind: Mind) -> None:
    mind.remember_many({"text": "the bees swarm", "session": f"s{n}", "user": "ana"} for n in range(10_000))
    hits = mind.recall("bees", user="ana")
    assert len(hits) == 10
    assert len({hit.memory.id for hit in hits}) == 10
    assert mind.context("bees", user="ana", budget=10_000).count("the bees swarm") == 1


@pytest.mark.slow
def test_in_a_scope_of_two_hundred_thousand_each_memory_is_found(tmp_path: Path) -> None:
    count, batch = 200_000, 5_000
    things = ("lamp", "boat", "kettle", "ladder", "compass", "violin", "basket")
    with Mind(tmp_path) as mind:
        for start in range(0, count, batch):
            mind.remember_many(
                {"text": f"shelf{n} holds the {things[n % len(things)]} of guest{n // 3}", "user": "ana"}
                for n in range(start, start + batch)
            )
        mind.remember("shelf5 holds nothing of interest", user="bo")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for n in range(0, count, 9_973):
            hits = mind.recall(f"what is on shelf{n}?", user="ana")
            assert hits[0].memory.text.startswith(f"shelf{n} ")
            assert {hit.memory.scope.user for hit in hits} == {"ana"}
        assert mind.recall("quantum chromodynamics", user="ana") == []
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 500_000, "kilobytes, for an index of some 150 MB that is built, joined and written"


def test_an_unanswerable_question_gets_nothing_or_little(mind: Mind) -> None:
    for text in ("Ana keeps bees in Lisbon", "Bo repairs bicycles", "The observatory closes on Mondays"):
        mind.remember(text)
    assert mind.recall("what is the melting point of tungsten?") == []


def test_what_happened_at_a_time_is_found_without_a_word_in_common(mind: Mind) -> None:
    mind.remember("walked along the river with Bo", occurred_at="2026-04-30", user="ana")
    for day in range(1, 29):
        mind.remember(f"read chapter {day} of a novel", occurred_at=f"2026-03-{day:02}", user="ana")
    hits = mind.recall("what happened yesterday?", user="ana", min_score=0)
    assert hits[0].memory.text == "walked along the river with Bo"
    assert "time: yesterday" in hits[0].reasons


def test_a_mind_that_is_written_purged_and_reindexed_goes_on_answering(tmp_path: Path) -> None:
    with Mind(tmp_path) as mind:
        kept = mind.remember("Ana keeps bees in Lisbon", user="ana").memory
        stop = threading.Event()
        wrong: list[BaseException] = []

        def disturb() -> None:
            try:
                number = 0
                while not stop.is_set():
                    number += 1
                    with Mind(tmp_path) as other:
                        other.remember_many({"text": f"noise {number} {n}", "user": "bo"} for n in range(20))
                        other.forget(user="bo", purge=True)
                    reindex(tmp_path)
            except BaseException as error:  # noqa: BLE001 - told to the test below
                wrong.append(error)

        writer = threading.Thread(target=disturb)
        writer.start()
        try:
            for _ in range(40):
                assert [hit.memory for hit in mind.recall("who keeps bees?", user="ana")] == [kept]
        finally:
            stop.set()
            writer.join(timeout=60)
    assert wrong == []


@pytest.mark.parametrize("place", ["canal", "bridge", "moor"])
def test_the_one_of_the_time_that_is_asked_for_is_found_among_many_as_near(mind: Mind, place: str) -> None:
    places = "river park canal beach forest lake track hill harbour bridge field dyke moor".split()
    for day, other in enumerate(places, start=1):
        when = "2025-11-02" if other == place else f"2026-03-{day:02}"
        mind.remember(f"I went for a run along the {other} before work", user="ana", occurred_at=when)
    hits = mind.recall("Which run before work did I go for in November 2025?", user="ana", min_score=0)
    assert place in " ".join(hit.memory.text for hit in hits)
