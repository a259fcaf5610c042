"""How important a text is, by rules that give their reasons."""

from __future__ import annotations

import re

from mnemic.rules.language.patterns import phrase, straight_quotes, words
from mnemic.rules.learning.categories import is_question

START = 3.0

_RELATIVES = words(
    """wife husband partner girlfriend boyfriend son daughter child children kids? baby mother father mum mom dad
    parents brother sister twin grand\\w+ uncle aunt cousin boss birthday anniversary"""
)
_RULES = (
    (
        3.0,
        "health or safety",
        phrase(
            rf"\b{words('allerg* diagnos* cancer diabet* pregnan* surgery medication hospital emergency suicid*')}\b",
            rf"\b{words('asthma* epilep* insulin seizure* disab* injur* heart_attack depress* panic_attack*')}\b",
        ),
    ),
    (
        2.5,
        "a change in someone's life",
        phrase(
            rf"\b{words('married wedding divorc* engaged gave_birth was_born died death funeral graduat* promoted')}\b",
            rf"\b{words('got_fired was_fired laid_off retire* new_job quit moved_to moving_to bought_a_house')}\b",
        ),
    ),
    (
        2.0,
        "a standing instruction",
        phrase(rf"\b{words('always never from_now_on call_me remember_that remember_to')}\b|don't ever"),
    ),
    (
        2.0,
        "who someone is",
        phrase(
            rf"\b(?:my|his|her|their|our|\w+'s) {_RELATIVES}\b|\bname is\b|\bis called\b|\bborn (?:in|on)\b",
            r"\b(?:live|lives|work|works) (?:in|at|as|for)\b",
        ),
    ),
    (
        1.5,
        "a preference",
        phrase(rf"\b{words('prefer* loves? hates? favou?rite dislike* enjoys? vegetarian vegan')}\b|can't stand"),
    ),
    (
        1.5,
        "a decision, a promise or a goal",
        phrase(
            rf"\b{words('decided decision goal plan planned planning deadline promise[ds]? agreed committed chose')}\b"
        ),
    ),
    (1.0, "a date, an amount or a number", re.compile(r"\d[\d.,:/-]*")),
    (0.5, "a name", re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]+")),
)
_SMALL_TALK = phrase(
    rf"^(?:[\w ]{{1,30}}: )?{words('hi hello hey thanks thank_you ok okay yes no sure bye lol haha cool great')}\b"
    r"(?:\W+\w+){0,3}\W*$"
)


def importance_of(text: str) -> tuple[float, tuple[str, ...]]:
    """Return an importance from 1 to 10 and its reasons, each with the words that gave it."""
    text = straight_quotes(text)
    score = START
    reasons = [f"{START:g} to start with"]
    for points, reason, pattern in _RULES:
        if match := pattern.search(text):
            score += points
            reasons.append(f"+{points:g} for {reason}: {match.group().strip()[:40]}")
    if _SMALL_TALK.search(text):
        score -= 2
        reasons.append("-2 for small talk")
    elif is_question(text.strip()):
        score -= 1
        reasons.append("-1 for a question")
    return min(10.0, max(1.0, score)), tuple(reasons)
