"""Streams of facts that change, with questions about them: seeded, in other words than the rules' tests use."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PLACES = "Bergen Cork Ghent Leipzig Lyon Malmö Nantes Oulu Parma Split Tartu Toledo Turin Vigo Zagreb Utrecht".split()
FIRMS = "Axiom Borealis Cobalt Dynamo Ember Fathom Granite Helios Indigo Juniper Kestrel Lumen".split()
PEOPLE = "Alma Bruno Carla Dmitri Elif Farid Greta Hugo Ines Jonas Katya Leon Mira Nadia Oscar Petra".split()
TRADES = "baker plumber pharmacist librarian photographer translator carpenter electrician journalist architect".split()
FOODS = "mushrooms|olives|oysters|liquorice|blue cheese|aubergine|anchovies|coconut|tofu|beetroot".split("|")
THINGS = "motorbike|canoe|telescope|piano|caravan|sewing machine|drone|kayak|typewriter|tent".split("|")
SPORTS = "fencing|badminton|rowing|archery|squash|bouldering|handball|curling".split("|")
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday".split()
COLOURS = "amber crimson turquoise violet beige navy lilac teal".split()
SUMS = "1,850 2,300 2,750 3,100 3,600 4,200".split()
TRIPS = "the hike to the glacier|the tour of Sicily|the sailing course|the reunion dinner|the ski weekend".split("|")


@dataclass(frozen=True)
class Kind:
    """Hold how one kind of fact is told first, told to have changed, and asked for; {a} becomes {b}."""

    name: str
    values: list[str]
    first: tuple[str, ...]
    then: tuple[str, ...]
    asked: tuple[str, ...]


KINDS = (
    Kind(
        "home",
        PLACES,
        ("{who} currently lives in {a}.", "{who} has been living in {a} for three years.", "{who} resides in {a}."),
        (
            "{who} has relocated to {b}.",
            "Big news: {who} moved from {a} to {b} last month.",
            "{who} packed everything and moved to {b}.",
            "{who} settled in {b} after the summer.",
            "{who} lives in {b} now.",
        ),
        ("Where does {who} live?", "Which city does {who} live in?"),
    ),
    Kind(
        "employer",
        FIRMS,
        ("{who} works for {a}.", "{who} is employed by {a}.", "{who} has been working at {a} since 2021."),
        (
            "{who} joined {b} in March.",
            "{who} left {a} and was hired by {b}.",
            "{who} got a new job at {b}.",
            "{who} now works for {b}.",
            "{who} resigned from {a} and started at {b}.",
        ),
        ("Which company does {who} work for?", "Where does {who} work?"),
    ),
    Kind(
        "job",
        TRADES,
        ("{who} works as a {a}.", "{who} is a {a} by trade.", "{who} earns a living as a {a}."),
        (
            "{who} retrained as a {b}.",
            "{who} became a {b} this year.",
            "{who} works as a {b} these days.",
            "{who} took a job as a {b}.",
        ),
        ("What does {who} work as?", "What is the job of {who}?"),
    ),
    Kind(
        "partner",
        PEOPLE,
        ("{who} is dating {a}.", "{who} is in a relationship with {a}.", "{who} is engaged to {a}."),
        (
            "{who} split up with {a} and is seeing {b}.",
            "{who} broke up with {a}; {who} is dating {b} now.",
            "{who} got engaged to {b}.",
            "{who} married {b} in spring.",
        ),
        ("Who is {who} dating?", "Who is {who} in a relationship with?", "Who is {who} engaged or married to?"),
    ),
    Kind(
        "colour",
        COLOURS,
        ("{who}'s favourite colour is {a}.", "The favourite colour of {who} is {a}."),
        ("{who}'s favourite colour is now {b}.", "{who}'s favourite colour has changed to {b}."),
        ("What is {who}'s favourite colour?",),
    ),
    Kind(
        "meeting",
        DAYS,
        ("The class with {who} is on {a}.", "The class with {who} takes place on {a}."),
        (
            "The class with {who} has been moved to {b}.",
            "The class with {who} was rescheduled to {b}.",
            "The class with {who} is on {b} now.",
        ),
        ("When is the class with {who}?", "On which day is the class with {who}?"),
    ),
    Kind(
        "pay",
        SUMS,
        ("{who} earns {a} euros a month.", "{who}'s salary is {a} euros."),
        (
            "{who}'s salary went up to {b} euros.",
            "{who} now earns {b} euros a month.",
            "{who}'s salary is now {b} euros.",
        ),
        ("How much does {who} earn?", "What is {who}'s salary?"),
    ),
    Kind(
        "taste",
        FOODS,
        ("{who} loves {a}.", "{who} enjoys {a}.", "{who} is fond of {a}."),
        (
            "{who} no longer likes {a}.",
            "{who} has gone off {a}.",
            "{who} detests {a} these days.",
            "{who} does not enjoy {a} anymore.",
        ),
        ("Does {who} like {a}?", "What does {who} think of {a}?"),
    ),
    Kind(
        "possession",
        THINGS,
        ("{who} owns a {a}.", "{who} has a {a}.", "{who} bought a {a}."),
        ("{who} sold the {a}.", "{who} got rid of the {a}.", "{who} gave away the {a}.", "{who} no longer has a {a}."),
        ("Does {who} have a {a}?", "Who owns a {a}?"),
    ),
    Kind(
        "habit",
        SPORTS,
        ("{who} does {a} every week.", "{who} practises {a}.", "{who} plays {a}."),
        ("{who} has stopped {a}.", "{who} gave up {a}.", "{who} quit {a}."),
        ("Does {who} still do {a}?",),
    ),
    Kind(
        "plan",
        TRIPS,
        ("{who} is going to join {a} in May.", "{who} plans to join {a}.", "{who} will go on {a}."),
        ("{who} cancelled {a}.", "{who} decided not to join {a}.", "{who} called off {a}."),
        ("Is {who} joining {a}?", "What about {a}?"),
    ),
)


@dataclass(frozen=True)
class Question:
    """Hold a question, what is stale, and what is current."""

    kind: str
    text: str
    stale: str
    current: str


@dataclass(frozen=True)
class Told:
    """Hold one sentence and the day it was told."""

    text: str
    day: date


def stream(seed: int, kinds: Sequence[Kind] = KINDS, *, people: int = 12) -> tuple[list[Told], list[Question]]:
    """Return what one user tells of several people over a year, half of which changes, and questions about it."""
    rng = random.Random(seed)
    told: list[Told] = []
    questions: list[Question] = []
    for who in ["I", *rng.sample(PEOPLE, people - 1)]:
        for kind in rng.sample(_one_of_each(rng, kinds), 7):
            values = [value for value in kind.values if value != who]
            a, b = rng.sample(values, 2)
            words = {"who": who, "a": a, "b": b}
            first = _said(rng.choice(kind.first), words)
            started = date(2026, 1, 1) + timedelta(days=rng.randrange(120))
            told.append(Told(first, started))
            if rng.random() < 0.6:
                then = _said(rng.choice(kind.then), words)
                told.append(Told(then, started + timedelta(days=rng.randrange(10, 200))))
                questions.append(Question(kind.name, _said(rng.choice(kind.asked), words), first, then))
    told.sort(key=lambda one: one.day)
    return told, questions


_FIRST_PERSON = (
    (r"\bI's\b", "my"),
    (r"\b(with|of|for) I\b", r"\1 me"),
    (
        r"\bI (currently |now |really |no longer )?(is|has|does)\b",
        lambda found: f"I {found[1] or ''}{_FORMS[found[2]]}",
    ),
    (r"\bI ((?:currently |now |really |no longer )?)(\w{2,}[^s\W])s\b(?! not)", r"I \1\2"),
    (r"\b(is|has|does) I\b", lambda found: f"{_FORMS[found[1]]} I"),
    (r"\b(Is|Has|Does) I\b", lambda found: f"{_FORMS[found[1].lower()].capitalize()} I"),
    (r"\bI doesn't\b", "I don't"),
    (r"\bI goes\b", "I go"),
)
_FORMS = {"is": "am", "has": "have", "does": "do"}


def _one_of_each(rng: random.Random, kinds: Sequence[Kind]) -> list[Kind]:
    """Return one way to tell each kind of fact, so that nobody has two homes."""
    names = dict.fromkeys(kind.name for kind in kinds)
    return [rng.choice([kind for kind in kinds if kind.name == name]) for name in names]


def _said(template: str, words: dict[str, str]) -> str:
    text = template.format(**words)
    if words["who"] == "I":
        for third, first in _FIRST_PERSON:
            text = re.sub(third, first, text)
        text = text[0].upper() + text[1:]
    return re.sub(r"\ba (?=[aeio])", "an ", text)


def chatter(rng: random.Random) -> Iterator[str]:
    """Yield messages without end: some tell facts, most do not matter much."""
    while True:
        kind = rng.choice(KINDS)
        who = rng.choice(["I", *PEOPLE])
        a, b = rng.sample([value for value in kind.values if value != who], 2)
        yield _said(rng.choice(kind.first + kind.then), {"who": who, "a": a, "b": b})
        for _ in range(4):
            thing, place = rng.choice(THINGS), rng.choice(PLACES)
            yield f"{rng.choice(PEOPLE)} asked {rng.randrange(1000)} things about the {thing} near {place} today."
