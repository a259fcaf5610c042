"""Values of attributes: numbers, times, colours, names or plain words, and when two values exclude one another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mnemic.rules.language.terms import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["nothing", "number", "time", "colour", "country", "name", "words"]

NUMBERS = {
    word: number
    for number, words in enumerate(
        "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
        "seventeen|eighteen|nineteen|twenty".split("|")
    )
    for word in (words,)
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12}
MULTIPLES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "k": 1_000, "m": 1_000_000}
DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
MONTHS = frozenset(
    "january february march april june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec".split()
)
DAY_PARTS = frozenset("noon midnight morning afternoon evening night dawn today tomorrow tonight".split())
COLOURS = frozenset(
    "red blue green yellow orange purple violet pink brown black white grey gray beige turquoise teal navy maroon "
    "silver gold crimson scarlet magenta cyan indigo lilac".split()
)
COUNTRIES = frozenset(
    "argentina australia austria bangladesh belgium bolivia brazil bulgaria canada chile china colombia croatia cuba "
    "cyprus czechia denmark ecuador egypt england estonia ethiopia finland france germany ghana greece hungary iceland "
    "india indonesia iran iraq ireland israel italy jamaica japan jordan kenya korea latvia lebanon lithuania "
    "luxembourg malaysia malta mexico morocco nepal netherlands nigeria norway pakistan peru philippines poland "
    "portugal qatar romania russia scotland senegal serbia singapore slovakia slovenia spain sweden switzerland syria "
    "taiwan thailand tunisia turkey uganda ukraine uruguay usa uk us venezuela vietnam wales zambia zimbabwe america "
    "europe asia africa states kingdom zealand".split()
)
_PARTS_OF_NAMES = frozenset("united new south north saudi arab emirates".split())
_COMMON_NOUNS = frozenset(
    "house flat apartment studio room dorm city centre center suburb suburbs village countryside downtown town place "
    "home abroad here there parents street area neighbourhood neighborhood district company startup start-up firm "
    "university school college hospital office job position role team big small old new little large nice tiny".split()
)
_FILLERS = STOP_WORDS | frozenset(
    "really very quite pretty still also around about roughly approximately nearly almost usually always often "
    "sometimes called named exactly currently now lovely great another own lot best good yesterday today "
    "tomorrow dr mr mrs ms prof".split()
)
_NOUNS_IN_LY = frozenset("family italy july reply supply jelly belly fly bully rally".split())
_NUMBER = re.compile(r"[$€£]?(\d+(?:[.,]\d+)*)(k|m)?(?:st|nd|rd|th)?%?", re.IGNORECASE)
_CLOCK = re.compile(r"\d{1,2}(?::\d{2})?(?:am|pm)|\d{1,2}:\d{2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its kind, the words that identify it, and its main word or unit."""

    kind: Kind
    parts: frozenset[str]
    head: str = ""

    @property
    def is_empty(self) -> bool:
        """Return whether there is no value."""
        return not self.parts

    def same_as(self, other: Value) -> bool:
        """Return whether both may name the same thing: one has all words of the other."""
        if self.is_empty or other.is_empty:
            return False
        if self.kind == other.kind == "number":
            return not self.excludes(other)
        if self.kind == other.kind == "time":
            return self.parts == other.parts
        return self.parts <= other.parts or other.parts <= self.parts

    def excludes(self, other: Value) -> bool:
        """Return whether both cannot hold at once for a single-valued attribute."""
        if self.is_empty or other.is_empty or self.kind != other.kind:
            return False
        if self.kind == "number":
            return self.parts != other.parts and (not self.head or not other.head or self.head == other.head)
        if self.kind == "time":
            return not (self.parts <= other.parts or other.parts <= self.parts)
        return not self.parts & other.parts


NOTHING = Value("nothing", frozenset())


def value_of(words: Sequence[str], *, names: bool = False, cased: bool = False) -> Value:
    """Read words as a value; `names` expects a name, in lower case too unless the text is `cased`."""
    numbers = _numbers(words)
    lower = [word.lower() for word in words]
    times = {_clock(word) for word in lower if _CLOCK.fullmatch(word)} | {
        word[:3] for word in lower if word in DAYS or word in MONTHS or word in DAY_PARTS
    }
    found_names = _names(words, in_lower_case=names and not cased)
    if times and not (names and found_names):
        return Value("time", frozenset(times | set(numbers)))
    if numbers and not (names and found_names):
        return Value("number", frozenset(numbers), _unit(words))
    if found_names:
        countries = found_names & COUNTRIES
        return (
            Value("country", countries)
            if countries and found_names - countries <= _PARTS_OF_NAMES
            else Value("name", found_names - countries or found_names)
        )
    colours = frozenset(word for word in lower if word in COLOURS)
    content = content_of(words)
    if colours and len(content) == len(colours):
        return Value("colour", colours)
    return Value("words", frozenset(content), content[-1]) if content else NOTHING


def content_of(words: Sequence[str]) -> list[str]:
    """Return the stems of the content words, in order."""
    return [
        stem(word.lower())
        for word in words
        if word.lower() not in _FILLERS
        and word[:1].isalnum()
        and not (word.endswith("ly") and word not in _NOUNS_IN_LY)
    ]


def number_of(word: str) -> float | None:
    """Return the number that a word is."""
    word = word.lower()
    if word in NUMBERS:
        return float(NUMBERS[word])
    match = _NUMBER.fullmatch(word)
    if match is None:
        return None
    digits = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", match[1]).replace(",", ".")
    if digits.count(".") > 1:
        return None
    return float(digits) * MULTIPLES[(match[2] or "").lower()] if match[2] else float(digits)


def _numbers(words: Sequence[str]) -> list[str]:
    """Return the numbers among words; adjacent ones are combined: "two hundred" is 200."""
    numbers: list[float] = []
    continues = False
    for word in words:
        number = number_of(word)
        if number is not None:
            if continues and numbers[-1] >= 20 and number < 10 and numbers[-1] % 10 == 0:
                numbers[-1] += number
            else:
                numbers.append(number)
            continues = True
        elif continues and word.lower() in MULTIPLES:
            numbers[-1] *= MULTIPLES[word.lower()]
        else:
            continues = continues and word == "-"
    return [f"{number:g}" for number in numbers]


_UNITS = {
    unit: name
    for name, units in {
        "euro": "€ euros eur",
        "dollar": "$ dollars usd bucks",
        "pound": "£ pounds gbp quid",
        "kg": "kilos kilo kilograms kilogram kgs",
        "km": "kilometres kilometers kilometre kilometer kms",
        "year": "years yrs",
    }.items()
    for unit in (name, *units.split())
}


def _unit(words: Sequence[str]) -> str:
    """Return what a number counts."""
    for index in reversed(range(len(words))):
        if number_of(words[index]) is not None:
            following = (word.lower() for word in words[index + 1 :] if word.lower() not in MULTIPLES)
            unit = words[index][0] if words[index][0] in "$€£" else next(following, "")
            return "" if unit in STOP_WORDS else _UNITS.get(unit, stem(unit))
    return ""


def _names(words: Sequence[str], *, in_lower_case: bool) -> frozenset[str]:
    capitalised = frozenset(
        word.lower().removesuffix("'s")
        for word in words
        if word[:1].isupper() and word.lower() not in _FILLERS and word != "I"
    )
    if capitalised or not in_lower_case:
        return capitalised
    lower = (word.lower() for word in words)
    return frozenset(
        word for word in lower if word not in _FILLERS and word not in _COMMON_NOUNS and word[:1].isalpha()
    )


def _clock(word: str) -> str:
    """Return a time of day as hours and minutes: 3pm is 15:00."""
    hours, _, minutes = word.removesuffix("am").removesuffix("pm").partition(":")
    hour = int(hours) % 12 + 12 if word.endswith("pm") else int(hours) % (12 if word.endswith("am") else 24)
    return f"{hour:02}:{minutes or '00'}"
