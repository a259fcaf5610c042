"""A stream of memories of which 30 % are paraphrases of earlier ones, with near misses among them."""

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
    # The wordings of a group mean the same; {0} and {1} are filled with the same words in all of them.
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
class Wording:
    """The text of a memory and the number of its meaning: two with the same number are paraphrases."""

    text: str
    meaning: int


def stream(seed: int, count: int) -> list[Wording]:
    """Return wordings of which 30 % repeat the meaning of an earlier one."""
    rng = random.Random(seed)
    meanings = list(product(WHO, range(len(GROUPS)), THINGS, PLACES))
    rng.shuffle(meanings)
    wordings: list[Wording] = []
    unused: dict[int, list[str]] = {}
    while len(wordings) < count:
        if unused and rng.random() < PARAPHRASES:
            number = rng.choice(list(unused))
            wordings.append(Wording(unused[number].pop(), number))
            if not unused[number]:
                del unused[number]
        else:
            number = len(meanings)
            who, group, thing, place = meanings.pop()
            wordings_left = [_filled(template, who, thing, place) for template in GROUPS[group]]
            rng.shuffle(wordings_left)
            wordings.append(Wording(wordings_left.pop(), number))
            unused[number] = wordings_left
    return wordings


def _filled(template: str, who: str, thing: str, place: str) -> str:
    text = template.format(thing, place, who=who if template.startswith("{who}") else who[0].lower() + who[1:])
    return text + "."
