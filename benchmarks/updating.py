"""Streams of facts that change, with questions about them: seeded, and told in other words than the rules' tests use."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import date, timedelta

PLACES = "Bergen Cork Ghent Leipzig Lyon Malmö Nantes Oulu Parma Split Tartu Toledo Turin Vigo Zagreb Utrecht".split()
FIRMS = "Axiom Borealis Cobalt Dynamo Ember Fathom Granite Helios Indigo Juniper Kestrel Lumen".split()
PEOPLE = "Alma Bruno Carla Dmitri Elif Farid Greta Hugo Ines Jonas Katya Leon Mira Nadia Oscar Petra".split()
TRADES = "baker plumber pharmacist librarian photographer translator carpenter electrician journalist architect".split()
FOODS = "mushrooms|olives|oysters|liquorice|blue cheese|aubergine|anchovies|coconut|tofu|beetroot".split("|")
THINGS = "motorbike|canoe|telescope|piano|caravan|sewing machine|drone|kayak|typewriter|tent".split("|")
SPORTS = "fencing|badminton|rowing|archery|squash|bouldering|handball|curling".split("|")
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday".split()
COLOURS = "amber crimson turquoise violet beige navy lilac teal".split()
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
        ["1,850", "2,300", "2,750", "3,100", "3,600", "4,200"],
        ("{who} earns {a} euros a month.", "{who}'s salary is {a} euros."),
        ("{who}'s salary went up to {b} euros.", "{who} now earns {b} euros a month.", "{who}'s salary is now {b} euros."),
        ("How much does {who} earn?", "What is {who}'s salary?"),
    ),
)


@dataclass(frozen=True)
class Ending:
    """Hold how one kind of fact is told, and how it is told to be over."""

    name: str
    values: list[str]
    first: tuple[str, ...]
    then: tuple[str, ...]
    asked: tuple[str, ...]


ENDINGS = (
    Ending(
        "taste",
        FOODS,
        ("{who} loves {a}.", "{who} enjoys {a}.", "{who} is fond of {a}."),
        ("{who} no longer likes {a}.", "{who} has gone off {a}.", "{who} detests {a} these days.", "{who} does not enjoy {a} anymore."),
        ("Does {who} like {a}?", "What does {who} think of {a}?"),
    ),
    Ending(
        "possession",
        THINGS,
        ("{who} owns a {a}.", "{who} has a {a}.", "{who} bought a {a}."),
        ("{who} sold the {a}.", "{who} got rid of the {a}.", "{who} gave away the {a}.", "{who} no longer has a {a}."),
        ("Does {who} have a {a}?", "Who owns a {a}?"),
    ),
    Ending(
        "habit",
        SPORTS,
        ("{who} does {a} every week.", "{who} practises {a}.", "{who} plays {a}."),
        ("{who} has stopped {a}.", "{who} gave up {a}.", "{who} quit {a}."),
        ("Does {who} still do {a}?",),
    ),
    Ending(
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


def stream(seed: int, *, people: int = 12) -> tuple[list[Told], list[Question]]:
    """Return what one user tells of several people over a year, half of which changes, and questions about it."""
    rng = random.Random(seed)
    told: list[Told] = []
    questions: list[Question] = []
    for who in ["I", *rng.sample(PEOPLE, people - 1)]:
        for kind in rng.sample(KINDS + ENDINGS, 7):
            values = [value for value in kind.values if value != who]
            a, b = rng.sample(values, 2)
            words = {"who": who, "a": a, "b": b}
            first = _said(rng.choice(kind.first), words)
            started = date(2026, 1, 1) + timedelta(days=rng.randrange(120))
            told.append(Told(first, started))
            if rng.random() < 0.6:
                then = _said(rng.choice(kind.then), words)
                told.append(Told(then, started + timedelta(days=rng.randrange(10, 200))))
                questions.append(Question(kind.name, _asked(rng.choice(kind.asked), words), first, then))
    told.sort(key=lambda one: one.day)
    return told, questions


_FIRST_PERSON = (
    (" I's ", " my "), ("I's ", "My "), ("of I is ", "of mine is "), ("with I is ", "with me is "), ("with I ", "with me "), (" I is ", " I am "), ("I is ", "I am "), ("I has ", "I have "), ("I lives", "I live"),
    ("I currently lives", "I currently live"), ("I resides", "I reside"), ("I works", "I work"), ("I now works", "I now work"),
    ("I earns", "I earn"), ("I now earns", "I now earn"), ("I loves", "I love"), ("I enjoys", "I enjoy"), ("I owns", "I own"),
    ("I does not", "I do not"), ("I does", "I do"), ("I practises", "I practise"), ("I plays", "I play"), ("I plans", "I plan"),
    ("I detests", "I detest"), ("no longer likes", "no longer like"), ("no longer has", "no longer have"), ("I was", "I was"),
    ("with I ", "with me "), ("with I?", "with me?"), ("of I ", "of me "), ("of I?", "of me?"), ("does I ", "do I "), ("is I ", "am I "),
    ("Does I ", "Do I "), ("Is I ", "Am I "),
)  # fmt: skip


def _said(template: str, words: dict[str, str]) -> str:
    text = template.format(**words)
    if words["who"] == "I":
        for third, first in _FIRST_PERSON:
            text = text.replace(third, first)
    return re.sub(r"\ba (?=[aeio])", "an ", text)


def _asked(template: str, words: dict[str, str]) -> str:
    return _said(template, words)
