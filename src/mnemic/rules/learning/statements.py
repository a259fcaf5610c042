"""Statements: what is worth remembering of a conversation, in the words of whoever said it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.rules.language.dates import resolve_dates
from mnemic.rules.language.sentences import sentences
from mnemic.rules.language.terms import STOP_WORDS, terms
from mnemic.rules.learning.categories import FACT, category_of, is_foreign, is_question, states_something

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from mnemic.model.message import Message

SPEAKING = ("user", "assistant")
"""The roles whose messages are remembered: neither system prompts nor the results of tools."""

_PASTED = 1_500
_SHORT = 8
_FOLLOWS = re.compile(
    r"^(?:(?:and|but|so|also|because|then)\s+)?(?:he|she|it|they|his|her|hers|its|their|this|that|these|those|both)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:would you like|do you want|want me|shall|should (?:i|we)|ready|sound|make sense|need (?:help|anything)|"
    r"any (?:questions|other)|what do you think|how (?:about|does)|let me know|help you|anything else|can i|may i)\b",
    re.IGNORECASE,
)
_TO_ME = re.compile(r"\byou(?:r|rs)?\b", re.IGNORECASE)
_OF_ME = re.compile(r"(?:i|my|we|our)\b", re.IGNORECASE)
_NOTED = re.compile(
    r"^(?:ok(?:ay)?|sure|thanks|thank you|great|cool|fine|got it|right|good|hi|hello|hey|bye|lol)\b", re.I
)
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|above|previous)\b"
    r"|\bsystem prompt\b|\byou are now\b|\bdeveloper mode\b|\bjailbreak\b|\breveal your\b"
    r"|\b(?:reply|respond|answer|output|print|say)\b.{0,20}\b(?:only|exactly|nothing but)\b"
    r"|\b(?:delete|erase|wipe|drop|overwrite|forget)\b.{0,25}\b(?:memor(?:y|ies)|everything)\b"
    r"|\b(?:store|save|record|remember) (?:in|to) (?:your )?memory\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing worth remembering, its kind, the index of the message it comes from, and the day it tells of."""

    text: str
    category: str
    message_index: int
    occurred_at: date | None = None


def statements(
    messages: Sequence[Message],
    *,
    today: date,
    names: Mapping[str, str] | None = None,
    recalled: Sequence[str] = (),
) -> list[Statement]:
    """Return the statements of a conversation in order, each a sentence, or a few that belong together.

    `names` gives the speaker of a role. Statements that repeat a `recalled` memory are left out.
    """
    by_text: dict[str, Statement] = {}
    question = None
    for index, message in enumerate(messages):
        if message.role not in SPEAKING:
            continue
        said = [sentence for sentence in sentences(message.content) if not overrides(sentence)]
        speaker = speaker_of(message, names or {})
        for category, words in _passages(said, message, question):
            if repeats(words, recalled, exactly=message.role == "user"):
                continue
            words_with_days, days = resolve_dates(words, today)
            past = [day for day in days if day <= today]
            text = f"{speaker}: {words_with_days}"
            by_text.setdefault(text, Statement(text, category, index, past[0] if len(past) == 1 else None))
        question = said[-1] if message.role == "assistant" and said and is_question(said[-1]) else None
    return list(by_text.values())


def speaker_of(message: Message, names: Mapping[str, str]) -> str:
    """Return who said a message: its own name, else the name of its role."""
    return message.name or names.get(message.role, message.role)


def overrides(sentence: str) -> bool:
    """Return whether a sentence gives orders to a later reader of the conversation (prompt injection)."""
    return _OVERRIDE.search(sentence) is not None


def repeats(words: str, recalled: Sequence[str], *, exactly: bool) -> bool:
    """Return whether words only repeat a recalled text: the same words, or nine in ten content words from it."""
    said = terms(words)
    if exactly:
        return any(said == terms(text) or said == terms(text.partition(": ")[2]) for text in recalled)
    content = {term for term in said if term not in STOP_WORDS}
    return any(len(content & set(terms(text))) >= 0.9 * len(content) for text in recalled)


def _passages(said: Sequence[str], message: Message, question: str | None) -> Iterator[tuple[str, str]]:
    """Yield the kind and the words of each statement; a sentence that needs the one before it stays with it."""
    if message.role == "user" and question and (answer := _answer(said, question)):
        yield FACT, answer
        return
    pasted, foreign = len(message.content) > _PASTED, is_foreign(" ".join(said))
    passage: tuple[str, str] | None = None
    before = ""
    for sentence in said:
        follows = _FOLLOWS.match(sentence) is not None
        if passage and before and follows and states_something(sentence):
            passage = (passage[0], f"{passage[1]} {sentence}")
            continue
        if passage:
            yield passage
        category = category_of(sentence, role=message.role, pasted=pasted, foreign=foreign)
        needs_context = follows and before and states_something(before)
        passage = (category, f"{before} {sentence}" if needs_context else sentence) if category else None
        before = sentence
    if passage:
        yield passage


def _answer(said: Sequence[str], question: str) -> str | None:
    """Return a short answer together with its question, if it means nothing without it."""
    if len(said) != 1 or len(said[0].split()) > _SHORT or is_question(said[0]):
        return None
    asks_for_it = _TO_ME.search(question) is not None and _OFFER.search(question) is None
    stands_alone = _OF_ME.match(said[0]) is not None and category_of(said[0], role="user") is not None
    if not asks_for_it or stands_alone or _NOTED.match(said[0]):
        return None
    return f"{said[0]} (asked: {question})"
