"""Dates in a question, as ranges of days: "yesterday", "last March", "in 2023"."""

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
_DATE_HINT = re.compile(
    rf"\d|\b(?:ago|today|tonight|yesterday|morning|last|this|on|{'|'.join(_SEASONS)}"
    rf"|{'|'.join(_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
_ORDER = re.compile(r"\b(before|after|since|until) ((?:the|my|our|his|her|their|i|we|you|he|she|they)\b[^.,;?!]{1,80})")
_MAX_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class DateRange:
    """The first and the last day that words of a question stand for."""

    words: str
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Order:
    """A restriction of a question to the time before or after an event."""

    words: str
    is_before: bool
    event: str


def order(question: str) -> Order | None:
    """Return the event that a question asks before or after: "before the move", "since I left Porto"."""
    match = _ORDER.search(question[:_MAX_LENGTH].lower())
    if match is None:
        return None
    word, event = match.groups()
    return Order(match.group().strip(), word in ("before", "until"), event)


def date_ranges(question: str, today: date) -> list[DateRange]:
    """Return the date ranges in a question, relative to `today`; of two that overlap in the text, the more exact."""
    text = question[:_MAX_LENGTH].lower()
    if _DATE_HINT.search(text) is None:
        return []
    matched: list[tuple[int, int]] = []
    ranges = []
    for pattern in _compiled_patterns():
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in matched):
                continue
            days = _days(match, today)
            if days is not None:
                matched.append(match.span())
                ranges.append(DateRange(match.group().strip(), *days))
    return ranges


@cache
def _compiled_patterns() -> list[re.Pattern[str]]:
    """Return the compiled patterns; compiled on first use, as most questions have no date."""
    return [re.compile(pattern) for pattern in _PATTERNS]


def _days(match: re.Match[str], today: date) -> tuple[date, date] | None:
    groups = {name: value for name, value in match.groupdict().items() if value}
    for resolve in (_exact, _relative, _calendar):
        try:
            days = next(resolve(groups, today), None)
        except (ValueError, OverflowError):  # no such day
            return None
        if days is not None:
            return days
    return None


def _exact(groups: dict[str, str], today: date) -> Iterator[tuple[date, date]]:
    if "iso" in groups:
        day = date.fromisoformat(groups["iso"])
        yield day, day
    elif "day" in groups:
        month = _month(groups["month"])
        day = date(int(groups.get("year", today.year)), month, int(groups["day"]))
        if "year" not in groups and day > today:
            day = date(today.year - 1, month, int(groups["day"]))
        yield day, day


def _relative(groups: dict[str, str], today: date) -> Iterator[tuple[date, date]]:
    if "near" in groups:
        days_ago = {"yesterday": 1, "the day before yesterday": 2}.get(groups["near"], 0)
        yield (today - timedelta(days_ago),) * 2
    elif "count" in groups:
        count = int(groups["count"]) if groups["count"].isdecimal() else _NUMBERS.get(groups["count"], 1)
        yield _ago(count, groups["unit"], today)
    elif "weekday" in groups:
        days_ago = (today.weekday() - _DAYS.index(groups["weekday"])) % 7
        yield (today - timedelta(days_ago or 7 if groups["which"] == "last" else days_ago),) * 2
    elif "unit" in groups:
        yield _this_or_last(groups["unit"], today, is_last=groups["which"] == "last")


def _calendar(groups: dict[str, str], today: date) -> Iterator[tuple[date, date]]:
    if "season" in groups:
        start = _SEASONS[groups["season"]]
        year = int(groups.get("year", today.year))
        if "year" not in groups and (
            date(year, start, 1) > today or (groups["which"] == "last" and _is_in_season(start, today))
        ):
            year -= 1
        yield date(year, start, 1), _end_of_month(*_add_months(year, start, 2))
    elif "month" in groups:
        month = _month(groups["month"])
        year = int(groups.get("year", today.year))
        if "year" not in groups and (month > today.month or (month == today.month and groups["which"] == "last")):
            year -= 1
        yield date(year, month, 1), _end_of_month(year, month)
    elif "year" in groups:
        yield date(int(groups["year"]), 1, 1), date(int(groups["year"]), 12, 31)


def _ago(count: int, unit: str, today: date) -> tuple[date, date]:
    if unit == "day":
        return (today - timedelta(count),) * 2
    if unit == "week":
        middle = today - timedelta(7 * count)
        return middle - timedelta(3), middle + timedelta(3)
    year, month = _add_months(today.year, today.month, -count * (12 if unit == "year" else 1))
    return (
        (date(year, 1, 1), date(year, 12, 31)) if unit == "year" else (date(year, month, 1), _end_of_month(year, month))
    )


def _this_or_last(unit: str, today: date, *, is_last: bool) -> tuple[date, date]:
    if unit == "night":
        return today - timedelta(1 if is_last else 0), today
    monday = today - timedelta(today.weekday() + (7 if is_last else 0))
    if unit == "week":
        return monday, monday + timedelta(6)
    if unit == "weekend":
        return monday + timedelta(5), monday + timedelta(6)
    if unit == "month":
        year, month = _add_months(today.year, today.month, -1 if is_last else 0)
        return date(year, month, 1), _end_of_month(year, month)
    return date(today.year - is_last, 1, 1), date(today.year - is_last, 12, 31)


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _add_months(year: int, month: int, months: int) -> tuple[int, int]:
    total = year * 12 + month - 1 + months
    return total // 12, total % 12 + 1


def _end_of_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _is_in_season(start: int, today: date) -> bool:
    """Return whether a day is in the season that starts with a month."""
    return (today.month - start) % 12 < 3
