"""Relative dates: yesterday, next Friday, three weeks ago."""

from __future__ import annotations

import re
from datetime import date, timedelta

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
} | {"a": 1, "an": 1}
_UNITS = {"day": 1, "week": 7}
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_RELATIVE = re.compile(
    rf"""\b(?:
      (?P<fixed>the\ day\ before\ yesterday|the\ day\ after\ tomorrow|yesterday|today|tonight|tomorrow|last\ night)
    | (?P<past>{_COUNT})\ (?P<past_unit>day|week)s?\ ago
    | in\ (?P<ahead>{_COUNT})\ (?P<ahead_unit>day|week)s?\b(?!\ of)
    | (?P<side>last|next|this)\ (?P<weekday>{"|".join(_WEEKDAYS)})
    )\b(?!\ ?\(|['’])""",
    re.VERBOSE | re.IGNORECASE,
)
_FIXED = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}


def resolve_dates(sentence: str, today: date) -> tuple[str, list[date]]:
    """Return a sentence with the date after each relative one, and those dates."""
    days: list[date] = []

    def write(match: re.Match[str]) -> str:
        day = _day(match, today)
        if day is None:
            return match.group()
        days.append(day)
        return f"{match.group()} ({day.isoformat()})"

    return _RELATIVE.sub(write, sentence), days


def _day(match: re.Match[str], today: date) -> date | None:
    try:
        return today + timedelta(days=_offset(match, today))
    except OverflowError:
        return None


def _offset(match: re.Match[str], today: date) -> int:
    if match["fixed"]:
        return _FIXED[" ".join(match["fixed"].lower().split())]
    if match["past"]:
        return -_count(match["past"]) * _UNITS[match["past_unit"].lower()]
    if match["ahead"]:
        return _count(match["ahead"]) * _UNITS[match["ahead_unit"].lower()]
    ahead = (_WEEKDAYS.index(match["weekday"].lower()) - today.weekday()) % 7
    return {"last": (ahead or 7) - 7 if ahead else -7, "this": ahead, "next": ahead or 7}[match["side"].lower()]


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.lower()]
