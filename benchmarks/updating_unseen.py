"""The same changes in words that were written after the rules, and by which no rule was changed."""

from __future__ import annotations

from benchmarks.updating import COLOURS, DAYS, FIRMS, FOODS, PEOPLE, PLACES, SPORTS, THINGS, TRADES, TRIPS, Kind

UNSEEN = (
    Kind(
        "home",
        PLACES,
        (
            "{who} is based in {a}.",
            "{who} lives near the old harbour in {a}.",
            "For the time being {who} lives in {a} with two flatmates.",
        ),
        (
            "After the wedding, {who} moved back to {b}.",
            "{who} emigrated to {b} in September.",
            "{who} has just moved into a small flat in {b}.",
            "{who} doesn't live in {a} any more, {who} moved to {b}.",
        ),
        ("In what town does {who} live these days?", "Where is {who} living?"),
    ),
    Kind(
        "employer",
        FIRMS,
        (
            "{who} is working for {a} at the moment.",
            "{who} works at {a} as an analyst.",
            "At present {who} works with {a}.",
        ),
        (
            "{who} was recruited by {b}.",
            "{who} handed in notice at {a} and joined {b}.",
            "{who} accepted an offer from {b}.",
            "{who} has been working for {b} since last week, not for {a}.",
        ),
        ("Who employs {who}?", "For whom does {who} work?"),
    ),
    Kind(
        "job",
        TRADES,
        ("{who} is an experienced {a}.", "{who} is employed as a {a}.", "{who} has been working as a {a} for ages."),
        ("{who} changed careers and became a {b}.", "{who} is now a {b}.", "{who} got a job as a {b}."),
        ("What is {who}'s profession?", "What kind of work does {who} do?"),
    ),
    Kind(
        "partner",
        PEOPLE,
        ("{who} is married to {a}.", "{who} has been dating {a} since June.", "{who} is together with {a}."),
        (
            "{who} divorced {a} and is with {b} now.",
            "{who} and {a} broke up; {who} started dating {b}.",
            "{who} left {a} for {b}.",
            "{who} got married to {b} on Saturday.",
        ),
        ("Who is {who}'s partner?", "Who is {who} together with?"),
    ),
    Kind(
        "colour",
        COLOURS,
        ("{a} is {who}'s favourite colour.", "{who}'s all-time favourite colour is {a}."),
        ("{who}'s favourite colour isn't {a} anymore, it's {b}.", "{who}'s new favourite colour is {b}."),
        ("Which colour does {who} like best?",),
    ),
    Kind(
        "meeting",
        DAYS,
        ("The lesson with {who} starts on {a} at nine.", "The lesson with {who} is scheduled for {a}."),
        (
            "The lesson with {who} got moved to {b}.",
            "They pushed the lesson with {who} to {b}.",
            "The lesson with {who} was postponed until {b}.",
        ),
        ("What day is the lesson with {who}?",),
    ),
    Kind(
        "pay",
        ["1,850", "2,300", "2,750", "3,100", "3,600", "4,200"],
        ("{who} makes {a} euros a month.", "{who}'s monthly salary is about {a} euros."),
        ("{who}'s monthly salary was raised to {b} euros.", "{who} makes {b} euros a month since the promotion."),
        ("What does {who} make a month?", "What is {who}'s monthly salary?"),
    ),
    Kind(
        "taste",
        FOODS,
        ("{who} adores {a}.", "{who} is a big fan of {a}.", "{who} really likes {a}."),
        (
            "{who} can't stand {a} anymore.",
            "{who} used to like {a}, but not now.",
            "{who} has lost interest in {a}.",
            "{who} hates {a} now.",
        ),
        ("How does {who} feel about {a}?",),
    ),
    Kind(
        "possession",
        THINGS,
        ("{who} got a {a} for Christmas.", "{who} is the owner of a {a}.", "{who} keeps a {a} in the garage."),
        (
            "{who}'s {a} was stolen.",
            "{who} donated the {a}.",
            "{who} traded in the {a}.",
            "{who} doesn't own a {a} any longer.",
        ),
        ("Is there still a {a} in {who}'s garage?", "Does {who} own a {a}?"),
    ),
    Kind(
        "habit",
        SPORTS,
        ("{who} goes to {a} on weekends.", "{who} takes lessons in {a}.", "{who} trains in {a} twice a week."),
        ("{who} dropped {a}.", "{who} doesn't do {a} anymore.", "{who} is done with {a}."),
        ("Is {who} into {a}?",),
    ),
    Kind(
        "plan",
        TRIPS,
        ("{who} is about to book {a}.", "{who} intends to go on {a}.", "{who} is going on {a} next month."),
        ("{a} was cancelled for {who}.", "{who} won't go on {a} after all.", "{who} changed plans and skipped {a}."),
        ("Will {who} go on {a}?",),
    ),
)
