"""Times that a question names: "yesterday", "last March", "in 2023", as spans of days."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_PATTERNS = (
    r"\b(?P<iso>(?:19|20)\d\d-[01]\d-[0-3]\d)\b",
    rf"\b{_DAY}(?: of)? {_MONTH},? {_YEAR}\b",
    rf"\b{_MONTH} {_DAY},? {_YEAR}\b",
    rf"\b{_MONTH},? (?:of )?{_YEAR}\b",
    rf"\b(?:on )?{_DAY}(?: of)? {_MONTH}(?!\w)",
    rf"\b{_MONTH} {_DAY}\b(?!:)",
    rf"\b(?:(?P<season>{'|'.join(_SEASONS)}) (?:of )?{_YEAR})\b",
    rf"\b(?P<which>last|this|in the|during the) (?P<season>{'|'.join(_SEASONS)})\b",
    rf"\b(?:(?P<which>last|this|in|during|since|early in|late in) ){_MONTH}(?!\w)",
    rf"\b(?P<which>last|on|this) (?P<weekday>{'|'.join(_DAYS)})\b",
    r"\b(?P<which>last|this) (?P<unit>night|week|weekend|month|year)\b",
    rf"\b(?P<count>\d{{1,3}}|a|an|{'|'.join(_NUMBERS)}) (?P<unit>day|week|month|year)s? ago\b",
    r"\b(?P<near>today|tonight|this morning|yesterday|the day before yesterday)\b",
    rf"\b(?:in|during|of|since|for|until) {_YEAR}\b",
)
_HINT = re.compile(
    rf"\d|\b(?:ago|today|tonight|yesterday|morning|last|this|on|{'|'.join(_SEASONS)}"
    rf"|{'|'.join(_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
_ORDER = re.compile(r"\b(before|after|since|until) ((?:the|my|our|his|her|their|i|we|you|he|she|they)\b[^.,;?!]{1,80})")
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class DateRange:
    """The first and the last day that some words of a question mean."""

    words: str
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Order:
    """The wish of a question for what came before, or after, something it names."""

    words: str
    is_before: bool
    event: str


def order(question: str) -> Order | None:
    """Return what a question wants to come before or after: "before the move", "since I left Porto"."""
    match = _ORDER.search(question[:_LONGEST].lower())
    if match is None:
        return None
    word, event = match.groups()
    return Order(match.group().strip(), word in ("before", "until"), event)


def spans(question: str, today: date) -> list[DateRange]:
    """Return the times that a question names, seen from a day; of two that overlap in the text, the fuller one."""
    text = question[:_LONGEST].lower()
    if _HINT.search(text) is None:
        return []
    taken: list[tuple[int, int]] = []
    found = []
    for pattern in _compiled():
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            days = _days(match, today)
            if days is not None:
                taken.append(match.span())
                found.append(DateRange(match.group().strip(), *days))
    return found


@cache
def _compiled() -> list[re.Pattern[str]]:
    """Return the patterns, compiled when a question first hints at a time: most never do."""
    return [re.compile(pattern) for pattern in _PATTERNS]


def _days(match: re.Match[str], today: date) -> tuple[date, date] | None:
    told = {name: value for name, value in match.groupdict().items() if value}
    for reading in (_exact, _relative, _calendar):
        try:
            days = next(reading(told, today), None)
        except (ValueError, OverflowError):  # no such day
            return None
        if days is not None:
            return days
    return None


def _exact(told: dict[str, str], today: date) -> Iterator[tuple[date, date]]:
    if "iso" in told:
        day = date.fromisoformat(told["iso"])
        yield day, day
    elif "day" in told:
        month = _month(told["month"])
        day = date(int(told.get("year", today.year)), month, int(told["day"]))
        if "year" not in told and day > today:
            day = date(today.year - 1, month, int(told["day"]))
        yield day, day


def _relative(told: dict[str, str], today: date) -> Iterator[tuple[date, date]]:
    if "near" in told:
        back = {"yesterday": 1, "the day before yesterday": 2}.get(told["near"], 0)
        yield (today - timedelta(back),) * 2
    elif "count" in told:
        count = int(told["count"]) if told["count"].isdecimal() else _NUMBERS.get(told["count"], 1)
        yield _ago(count, told["unit"], today)
    elif "weekday" in told:
        back = (today.weekday() - _DAYS.index(told["weekday"])) % 7
        yield (today - timedelta(back or 7 if told["which"] == "last" else back),) * 2
    elif "unit" in told:
        yield _unit(told["unit"], today, back=told["which"] == "last")


def _calendar(told: dict[str, str], today: date) -> Iterator[tuple[date, date]]:
    if "season" in told:
        start = _SEASONS[told["season"]]
        year = int(told.get("year", today.year))
        if "year" not in told and (date(year, start, 1) > today or (told["which"] == "last" and _in(start, today))):
            year -= 1
        yield date(year, start, 1), _end_of_month(*_later(year, start, 2))
    elif "month" in told:
        month = _month(told["month"])
        year = int(told.get("year", today.year))
        if "year" not in told and (month > today.month or (month == today.month and told["which"] == "last")):
            year -= 1
        yield date(year, month, 1), _end_of_month(year, month)
    elif "year" in told:
        yield date(int(told["year"]), 1, 1), date(int(told["year"]), 12, 31)


def _ago(count: int, unit: str, today: date) -> tuple[date, date]:
    if unit == "day":
        return (today - timedelta(count),) * 2
    if unit == "week":
        middle = today - timedelta(7 * count)
        return middle - timedelta(3), middle + timedelta(3)
    year, month = _later(today.year, today.month, -count * (12 if unit == "year" else 1))
    return (
        (date(year, 1, 1), date(year, 12, 31)) if unit == "year" else (date(year, month, 1), _end_of_month(year, month))
    )


def _unit(unit: str, today: date, *, back: bool) -> tuple[date, date]:
    if unit == "night":
        return today - timedelta(1 if back else 0), today
    monday = today - timedelta(today.weekday() + (7 if back else 0))
    if unit == "week":
        return monday, monday + timedelta(6)
    if unit == "weekend":
        return monday + timedelta(5), monday + timedelta(6)
    if unit == "month":
        year, month = _later(today.year, today.month, -1 if back else 0)
        return date(year, month, 1), _end_of_month(year, month)
    return date(today.year - back, 1, 1), date(today.year - back, 12, 31)


def _month(name: str) -> int:
    return next(place for place, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _later(year: int, month: int, months: int) -> tuple[int, int]:
    place = year * 12 + month - 1 + months
    return place // 12, place % 12 + 1


def _end_of_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _in(start: int, today: date) -> bool:
    """Tell whether a day lies in the season that starts with a month."""
    return (today.month - start) % 12 < 3
