"""Seeded streams of facts that change, with questions about them."""

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
    """One kind of fact: its values, and templates that state it, change it from {a} to {b}, and ask for it."""

    name: str
    values: list[str]
    statements: tuple[str, ...]
    changes: tuple[str, ...]
    questions: tuple[str, ...]


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
    """A question with the stale and the current answer."""

    kind: str
    text: str
    stale: str
    current: str


@dataclass(frozen=True)
class Statement:
    """A sentence and the day on which it was said."""

    text: str
    day: date


def stream(seed: int, kinds: Sequence[Kind] = KINDS, *, people: int = 12) -> tuple[list[Statement], list[Question]]:
    """Return what one user says about several people over a year, and questions about the facts that changed."""
    rng = random.Random(seed)
    statements: list[Statement] = []
    questions: list[Question] = []
    for who in ["I", *rng.sample(PEOPLE, people - 1)]:
        for kind in rng.sample(_one_of_each(rng, kinds), 7):
            values = [value for value in kind.values if value != who]
            a, b = rng.sample(values, 2)
            words = {"who": who, "a": a, "b": b}
            older = filled(rng.choice(kind.statements), words)
            start = date(2026, 1, 1) + timedelta(days=rng.randrange(120))
            statements.append(Statement(older, start))
            if rng.random() < 0.6:
                newer = filled(rng.choice(kind.changes), words)
                statements.append(Statement(newer, start + timedelta(days=rng.randrange(10, 200))))
                questions.append(Question(kind.name, filled(rng.choice(kind.questions), words), older, newer))
    statements.sort(key=lambda statement: statement.day)
    return statements, questions


_FORMS = {"is": "am", "has": "have", "does": "do"}
_FIRST_PERSON = (
    (r"\bI's\b", "my"),
    (r"\b(with|of|for) I\b", r"\1 me"),
    (
        r"\bI (currently |now |really |no longer )?(is|has|does)\b",
        lambda match: f"I {match[1] or ''}{_FORMS[match[2]]}",
    ),
    (r"\bI ((?:currently |now |really |no longer )?)(\w{2,}[^s\W])s\b(?! not)", r"I \1\2"),
    (r"\b(is|has|does) I\b", lambda match: f"{_FORMS[match[1]]} I"),
    (r"\b(Is|Has|Does) I\b", lambda match: f"{_FORMS[match[1].lower()].capitalize()} I"),
    (r"\bI doesn't\b", "I don't"),
    (r"\bI goes\b", "I go"),
)


def _one_of_each(rng: random.Random, kinds: Sequence[Kind]) -> list[Kind]:
    """Return one of the kinds of each name, so that nobody has two homes."""
    names = dict.fromkeys(kind.name for kind in kinds)
    return [rng.choice([kind for kind in kinds if kind.name == name]) for name in names]


def filled(template: str, words: dict[str, str]) -> str:
    """Return a template filled with words, in the first person when the words are about "I"."""
    text = template.format(**words)
    if words["who"] == "I":
        for third, first in _FIRST_PERSON:
            text = re.sub(third, first, text)
        text = text[0].upper() + text[1:]
    return re.sub(r"\ba (?=[aeio])", "an ", text)


def chatter(rng: random.Random) -> Iterator[str]:
    """Yield endless messages of which one in five states a fact."""
    while True:
        kind = rng.choice(KINDS)
        who = rng.choice(["I", *PEOPLE])
        a, b = rng.sample([value for value in kind.values if value != who], 2)
        yield filled(rng.choice(kind.statements + kind.changes), {"who": who, "a": a, "b": b})
        for _ in range(4):
            thing, place = rng.choice(THINGS), rng.choice(PLACES)
            yield f"{rng.choice(PEOPLE)} asked {rng.randrange(1000)} things about the {thing} near {place} today."
