"""Generated chat: statements to an assistant or a friend, and questions about them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SLOT = re.compile(r"\{(\w+)\}")

# Numbers of WordNet's lexicographer files, by the slot they fill.
NOUN_FILES = {
    "act": 4,
    "animal": 5,
    "thing": 6,
    "trait": 7,
    "body": 8,
    "idea": 9,
    "talk": 10,
    "event": 11,
    "feeling": 12,
    "food": 13,
    "group": 14,
    "place": 15,
    "substance": 27,
    "role": 18,
    "plant": 20,
    "asset": 21,
    "state": 26,
}
VERB_FILES = {"do": 41, "make": 36, "move": 38, "think": 31, "say": 32, "use": 34, "change": 30, "own": 40}

BASIC_COLORS = ("red", "blue", "green", "yellow", "purple", "pink")
COLORS = (*BASIC_COLORS, "orange", "teal", "white", "black", "grey", "turquoise")
COUNTRIES = ("en_GB", "en_US", "en_IN", "en_NG", "en_IE")


@dataclass(frozen=True)
class Topic:
    """The templates of statements and questions about one subject."""

    said: tuple[str, ...]
    asked: tuple[str, ...]


def script() -> tuple[dict[str, list[str]], list[Topic]]:
    """Read the word lists and the topics beside this file."""
    lists, *blocks = (Path(__file__).parent / "chat.txt").read_text(encoding="utf-8").split("\n\n")
    words = {name: values.split("|") for name, values in (line.split("=", 1) for line in lists.splitlines())}
    return words, [Topic(marked(block, ". "), marked(block, "? ")) for block in blocks]


def marked(block: str, mark: str) -> tuple[str, ...]:
    """Return the lines of a block that start with a mark, without it."""
    return tuple(line.removeprefix(mark) for line in block.splitlines() if line.startswith(mark))


def nouns(wordnet: Path, counts: dict[str, int], part: str, number: int, *, most: int = 400) -> list[str]:
    """Return the most frequent words whose first sense lies in one lexicographer file."""
    first: dict[str, str] = {}
    for line in (wordnet / f"index.{part}").read_text().splitlines():
        if not line.startswith(" "):
            fields = line.split()
            first[fields[0]] = fields[6 + int(fields[3])]
    found: dict[str, int] = {}
    for line in (wordnet / f"data.{part}").read_text().splitlines():
        fields = line.split()
        if not line.startswith(" ") and int(fields[1]) == number:
            for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
                if word.isalpha() and word.islower() and first[word] == fields[0]:
                    found[word] = counts.get(word, 0)
    return sorted(found, key=lambda word: (-found[word], word))[:most]


def vocabulary(packages: Path, counts: dict[str, int]) -> dict[str, list[str]]:
    """Return the words for every slot."""
    wordnet = next(packages.glob("wordnet-base/**/data.noun")).parent
    slots = {slot: nouns(wordnet, counts, "noun", number) for slot, number in NOUN_FILES.items()}
    slots |= {slot: nouns(wordnet, counts, "verb", number, most=200) for slot, number in VERB_FILES.items()}
    faker = packages / "faker" / "faker" / "providers"
    names = [name for country in COUNTRIES for name in first_names(faker / "person" / country / "__init__.py")]
    slots["name"] = slots["other"] = sorted({name for name in names if name.isalpha()})
    zones = (packages / "tzdata" / "tzdata" / "zones").read_text().split()
    cities = sorted({zone.split("/")[-1].replace("_", " ") for zone in zones if zone.startswith(("Europe/", "A"))})
    slots["city"] = slots["city2"] = cities
    slots["job"] = [job.lower().split(",")[0] for job in listed(faker / "job/__init__.py") if "/" not in job]
    slots["color"] = list(COLORS)
    slots["food2"], slots["thing2"] = slots["food"], slots["thing"]
    return slots


def first_names(path: Path) -> list[str]:
    """Return the strings of a name list before its last names."""
    return re.findall(r'"([A-Z][a-z]{2,12})"', path.read_text().split("last_names")[0])


def listed(path: Path) -> list[str]:
    """Return the quoted strings of a Python file that start with a capital."""
    return re.findall(r'"([A-Z][^"{}]{2,40})"', path.read_text())


def fill(template: str, slots: dict[str, str]) -> str:
    """Return a template filled with words, with a capital at its start."""
    text = SLOT.sub(lambda found: slots[found[1]], template)
    return text[:1].upper() + text[1:]


def pairs(packages: Path, counts: dict[str, int], *, count: int, seed: int = 7) -> Iterator[tuple[str, str]]:
    """Yield pairs of a question and a statement about the same generated event."""
    rng = random.Random(seed)
    lists, topics = script()
    openers, closers = lists.pop("opener"), lists.pop("closer")
    words = vocabulary(packages, counts) | lists
    for _ in range(count):
        topic = rng.choice(topics)
        slots = {slot: rng.choice(choices) for slot, choices in words.items()}
        first, second = rng.choice(topic.said), rng.choice(topic.said)
        said = rng.choice(openers) + first + (" " + second if rng.random() < 0.25 else "") + rng.choice(closers)
        speaker = f"{slots['name']}: " if rng.random() < 0.4 else ""
        yield fill(rng.choice(topic.asked), slots), speaker + fill(said, slots)
