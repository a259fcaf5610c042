"""A stream in which three of ten memories say again, in other words, what was said: and near misses that do not."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product

WHO = (
    "My neighbour",
    "My cousin",
    "Our landlord",
    "The new teacher",
    "My colleague Nina",
    "Our coach",
    "The librarian",
)
GROUPS = (
    # Each group holds ways to say one thing; {0} and {1} are filled alike in all of them.
    ("{who} bought a {0} for the {1}", "{who} purchased a {0} for the {1}", "For the {1}, {who} bought a {0}"),
    ("{who} repaired the {0} in the {1}", "{who} fixed the {0} in the {1}", "In the {1}, {who} repaired the {0}"),
    ("{who} is afraid of the {0} in the {1}", "{who} is scared of the {0} in the {1}"),
    ("{who} really likes the {0} in the {1}", "{who} likes the {0} in the {1}"),
    ("{who} began to paint the {0} in the {1}", "{who} started to paint the {0} in the {1}"),
    ("{who} keeps a large {0} in the {1}", "{who} keeps a big {0} in the {1}", "In the {1}, {who} keeps a big {0}"),
    ("{who} needs assistance with the {0} in the {1}", "{who} needs help with the {0} in the {1}"),
    ("{who} told the kids about the {0} in the {1}", "{who} told the children about the {0} in the {1}"),
)
THINGS = "couch lamp ladder kettle piano mirror carpet fridge heater bench clock fence boiler radio shelf stove".split()
PLACES = "kitchen cellar garden attic garage hallway office library workshop balcony".split()
PARAPHRASES = 0.3


@dataclass(frozen=True)
class Said:
    """Hold one memory and the number of what it says: two with one number say the same."""

    text: str
    meaning: int


def stream(seed: int, count: int) -> list[Said]:
    """Return memories of which three of ten repeat an earlier one in other words."""
    rng = random.Random(seed)
    meanings = list(product(WHO, range(len(GROUPS)), THINGS, PLACES))
    rng.shuffle(meanings)
    said: list[Said] = []
    open_meanings: dict[int, list[str]] = {}
    while len(said) < count:
        if open_meanings and rng.random() < PARAPHRASES:
            number = rng.choice(list(open_meanings))
            said.append(Said(open_meanings[number].pop(), number))
            if not open_meanings[number]:
                del open_meanings[number]
        else:
            number = len(meanings)
            who, group, thing, place = meanings.pop()
            ways = [_filled(way, who, thing, place) for way in GROUPS[group]]
            rng.shuffle(ways)
            said.append(Said(ways.pop(), number))
            open_meanings[number] = ways
    return said


def _filled(way: str, who: str, thing: str, place: str) -> str:
    text = way.format(thing, place, who=who if way.startswith("{who}") else who[0].lower() + who[1:])
    return text + "."
