from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.recall.times import date_ranges, order

TODAY = date(2026, 5, 20)  # a Wednesday


def days(question: str) -> list[tuple[str, str]]:
    return [(span.first.isoformat(), span.last.isoformat()) for span in date_ranges(question, TODAY)]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what did I do yesterday?", "2026-05-19", "2026-05-19"),
        ("the day before yesterday", "2026-05-18", "2026-05-18"),
        ("what is planned today", "2026-05-20", "2026-05-20"),
        ("last night we talked", "2026-05-19", "2026-05-20"),
        ("where was I last week?", "2026-05-11", "2026-05-17"),
        ("last weekend", "2026-05-16", "2026-05-17"),
        ("who called this week", "2026-05-18", "2026-05-24"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("three days ago", "2026-05-17", "2026-05-17"),
        ("2 weeks ago", "2026-05-03", "2026-05-09"),
        ("a month ago", "2026-04-01", "2026-04-30"),
        ("two years ago", "2024-01-01", "2024-12-31"),
        ("last March", "2026-03-01", "2026-03-31"),
        ("last May", "2025-05-01", "2025-05-31"),
        ("in August", "2025-08-01", "2025-08-31"),
        ("in Feb. 2024", "2024-02-01", "2024-02-29"),
        ("on 7 May 2023", "2023-05-07", "2023-05-07"),
        ("on May 7th, 2023", "2023-05-07", "2023-05-07"),
        ("on June 3", "2025-06-03", "2025-06-03"),
        ("on 2024-02-29", "2024-02-29", "2024-02-29"),
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("last Friday", "2026-05-15", "2026-05-15"),
        ("last Wednesday", "2026-05-13", "2026-05-13"),
        ("on Monday", "2026-05-18", "2026-05-18"),
        ("last summer", "2025-06-01", "2025-08-31"),
        ("last spring", "2025-03-01", "2025-05-31"),
        ("winter of 2024", "2024-12-01", "2025-02-28"),
        ("30 February 2024 is no day", "2024-02-01", "2024-02-29"),
    ],
)
def test_a_time_in_a_question_is_a_span_of_days(question: str, first: str, last: str) -> None:
    assert days(question) == [(first, last)]


@pytest.mark.parametrize("question", ["may I come?", "march on", "chapter 2023", "on 2024-13-01", "2 x 4", "at last"])
def test_what_only_looks_like_a_time_is_none(question: str) -> None:
    assert days(question) == []


def test_two_times_are_two_spans() -> None:
    assert days("between May 2024 and 3 June 2024") == [("2024-06-03", "2024-06-03"), ("2024-05-01", "2024-05-31")]


@pytest.mark.parametrize(
    ("question", "words", "is_before"),
    [
        ("What did Ana do before the move?", "before the move", True),
        ("who has called since I left Porto, if any?", "since i left porto", False),
        ("what happened after my exam?", "after my exam", False),
    ],
)
def test_before_and_after_name_an_event(question: str, words: str, is_before: bool) -> None:
    found = order(question)
    assert found is not None
    assert (found.words, found.is_before) == (words, is_before)


def test_a_question_without_before_or_after_has_no_order() -> None:
    assert order("looking after plants, before noon") is None


@given(st.text(max_size=200), st.dates())
def test_any_text_can_be_read_on_any_day(text: str, today: date) -> None:
    assert all(span.first <= span.last for span in date_ranges(text, today))


@given(st.sampled_from(["999 years ago", "last winter", "last year", "yesterday", "12 months ago"]), st.dates())
def test_times_beyond_the_calendar_are_left_out(text: str, today: date) -> None:
    assert len(date_ranges(text, today)) <= 1
