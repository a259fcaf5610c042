"""Days named relative to another: yesterday, next Friday, three weeks ago."""

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


def dated(sentence: str, today: date) -> tuple[str, list[date]]:
    """Return a sentence with the day written behind each relative one, and those days."""
    days: list[date] = []

    def write(found: re.Match[str]) -> str:
        day = _day(found, today)
        if day is None:
            return found.group()
        days.append(day)
        return f"{found.group()} ({day.isoformat()})"

    return _RELATIVE.sub(write, sentence), days


def _day(found: re.Match[str], today: date) -> date | None:
    try:
        return today + timedelta(days=_offset(found, today))
    except OverflowError:
        return None


def _offset(found: re.Match[str], today: date) -> int:
    if found["fixed"]:
        return _FIXED[" ".join(found["fixed"].lower().split())]
    if found["past"]:
        return -_count(found["past"]) * _UNITS[found["past_unit"].lower()]
    if found["ahead"]:
        return _count(found["ahead"]) * _UNITS[found["ahead_unit"].lower()]
    ahead = (_WEEKDAYS.index(found["weekday"].lower()) - today.weekday()) % 7
    return {"last": (ahead or 7) - 7 if ahead else -7, "this": ahead, "next": ahead or 7}[found["side"].lower()]


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.lower()]
