"""The same changes on unseen wording: neither the rules nor the networks were made from it."""

from __future__ import annotations

from benchmarks.fact_changes import (
    COLOURS,
    DAYS,
    FIRMS,
    FOODS,
    PEOPLE,
    PLACES,
    SPORTS,
    SUMS,
    THINGS,
    TRADES,
    TRIPS,
    Kind,
)

UNSEEN_KINDS = (
    Kind(
        "home",
        PLACES,
        ("{who} has been in {a} for years and lives by the canal.", "{who} lives in {a} with a cousin."),
        ("{who} sold the house and moved to {b}.", "{who} took a flat in {b}.", "{who} lives in {b} since Easter."),
        ("Where does {who} live?",),
    ),
    Kind(
        "employer",
        FIRMS,
        ("{who} works at the head office of {a}.", "{who} got a job at {a}."),
        (
            "{who} handed in the notice and joined {b}.",
            "{who} is working at {b} now.",
            "{who} left {a} to work for {b}.",
        ),
        ("Where does {who} work?",),
    ),
    Kind(
        "job",
        TRADES,
        ("{who} became a {a} after school.", "{who} works as a {a} in a small shop."),
        (
            "{who} switched careers and is a {b} now.",
            "{who} has found work as a {b}.",
            "{who} is working as a {b} instead.",
        ),
        ("What does {who} work as?",),
    ),
    Kind(
        "partner",
        PEOPLE,
        ("{who} and {a} are dating.", "{who} is happily married to {a}."),
        (
            "{who} ended things with {a} and is dating {b}.",
            "{who} remarried; {who}'s husband is {b}.",
            "{who} left {a}.",
        ),
        ("Who is {who} with?",),
    ),
    Kind(
        "colour",
        COLOURS,
        ("{who}'s favourite colour used to vary but is {a}.", "{who}'s favourite colour: {a}."),
        ("{who} prefers {b} to {a} now.", "{who}'s favourite colour turned to {b}."),
        ("What is {who}'s favourite colour?",),
    ),
    Kind(
        "meeting",
        DAYS,
        ("The tutorial with {who} takes place every {a}.", "The tutorial with {who} is due on {a}."),
        ("The tutorial with {who} moves to {b}.", "The tutorial with {who} was brought forward to {b}."),
        ("When is the tutorial with {who}?",),
    ),
    Kind(
        "pay",
        SUMS,
        ("{who}'s mortgage is {a} euros a month.", "{who} pays a mortgage of {a} euros."),
        ("{who}'s mortgage fell to {b} euros.", "{who}'s mortgage is up to {b} euros."),
        ("How high is {who}'s mortgage?",),
    ),
    Kind(
        "taste",
        FOODS,
        ("{who} can't get enough of {a}.", "{who} enjoys eating {a}."),
        ("{who} no longer enjoys {a}.", "{who} has stopped eating {a}.", "{who} lost the taste for {a}."),
        ("Does {who} like {a}?",),
    ),
    Kind(
        "possession",
        THINGS,
        ("{who} just bought a used {a}.", "{who} has a {a} in the shed."),
        ("{who} sold the {a} last week.", "{who} gave the {a} to a nephew.", "{who} doesn't have a {a} now."),
        ("Does {who} have a {a}?",),
    ),
    Kind(
        "habit",
        SPORTS,
        ("{who} enjoys {a} every Tuesday.", "{who} is a member of the {a} club."),
        ("{who} has quit {a}.", "{who} resigned from the {a} club.", "{who} gave {a} up."),
        ("Does {who} still do {a}?",),
    ),
    Kind(
        "plan",
        TRIPS,
        ("{who} is set to join {a}.", "{who} will attend {a} on Friday."),
        ("{who} called {a} off.", "{who} is not going to {a}.", "{who} withdrew from {a}."),
        ("Is {who} going to {a}?",),
    ),
)
