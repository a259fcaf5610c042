"""Statements: what in a conversation is worth keeping, in the words of whoever said it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.rules.days import dated
from recollect.rules.sentences import sentences
from recollect.rules.text import STOP_WORDS, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from recollect.model.message import Message

SPEAKING = ("user", "assistant")
"""The roles that say things worth keeping: a system prompt and what a tool returns are not remembered."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Hold one thing that was said, with the speaker in front of it, and what kind of thing it is."""

    text: str
    category: str
    place: int
    occurred_at: date | None = None


_LISTED = tuple[tuple[str, re.Pattern[str]], ...]


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE | re.VERBOSE)


_KINDS: _LISTED = (
    (
        "instruction",
        _pattern(r"\b(?:always|never|from\ now\ on|going\ forward|call\ me|remember\ that|make\ sure|don't\ forget)\b"),
    ),
    (
        "preference",
        _pattern(
            r"\b(?:i|we)\ (?:really\ |also\ |just\ )*(?:like|love|enjoy|prefer|hate|dislike|adore|can't\ stand|don't\ like)\b|\bmy\ favou?rite\b|\ballergic\b"
        ),
    ),
    (
        "plan",
        _pattern(
            r"\b(?:i|we)(?:'ll|\ will|'m\ going\ to|'re\ going\ to|\ plan|\ want\ to|\ intend|\ hope\ to|'m\ planning)\b|\bmy\ (?:goal|plan|target)\b"
        ),
    ),
    (
        "decision",
        _pattern(
            r"\b(?:i|we)(?:'ve|\ have)?\ (?:decided|chose|chosen|settled|agreed|finali[sz]ed)\b|\blet's\ go\ with\b"
        ),
    ),
    ("fact", _pattern(r"\b(?:i|we)(?:'m|'ve|'d|'re|\ \w+)|\b(?:my|our|mine)\b")),
)
_REFUSED = _pattern(
    r"""\?[\"')\]]*$
    | ^(?:hi|hey|hello|good\ (?:morning|evening|afternoon|night)|thanks|thank\ you|bye|goodbye|welcome)\b[^.,!]{0,30}[.!,]*$
    | ^(?:ok(?:ay)?|yes|no|yeah|sure|great|cool|perfect|awesome|got\ it|i\ see|sounds\ good|alright|exactly|right)\b\W*$
    """
)
_FOLLOWS = _pattern(r"^(?:(?:and|but|so|also)\ )?(?:he|she|it|they|his|her|its|their|this|that|these|those|there)\b")
_NAMED = re.compile(r"(?<=[\w,;:] )[A-Z][\w'’-]+|\d")
_OVERRIDE = _pattern(
    r"""\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|everything|above|previous)\b
    | \bsystem\ prompt\b | \byou\ are\ now\b
    | \b(?:reply|respond|answer|output|say)\ (?:only|exactly|just)\b
    | \b(?:delete|erase|wipe)\b.{0,20}\bmemor(?:y|ies)\b
    """
)


def statements(
    messages: Sequence[Message],
    *,
    today: date,
    names: Mapping[str, str] | None = None,
    recalled: Sequence[str] = (),
) -> list[Statement]:
    """Return what is worth keeping of a conversation, in order, each as a sentence or a few that belong together.

    `names` gives the speaker of a role. What repeats a memory that was `recalled` is left out.
    """
    known = [set(_content(text)) for text in recalled]
    found: dict[str, Statement] = {}
    for place, message in enumerate(messages):
        if message.role not in SPEAKING:
            continue
        speaker = message.name or (names or {}).get(message.role, message.role)
        for category, words in _passages(message):
            if not _repeats(words, known):
                told, days = dated(words, today)
                past = [day for day in days if day <= today]
                statement = Statement(f"{speaker}: {told}", category, place, past[0] if len(past) == 1 else None)
                found.setdefault(statement.text, statement)
    return list(found.values())


def overrides(sentence: str) -> bool:
    """Tell whether a sentence tries to give orders to whoever reads the conversation later."""
    return _OVERRIDE.search(sentence) is not None


def _passages(message: Message) -> Iterator[tuple[str, str]]:
    kept: list[tuple[str, str]] = []
    adjacent = False
    for sentence in sentences(message.content):
        if _REFUSED.search(sentence) or overrides(sentence):
            adjacent = False
            continue
        if adjacent and _FOLLOWS.match(sentence):
            kept[-1] = (kept[-1][0], f"{kept[-1][1]} {sentence}")
            continue
        category = _category(sentence, message.role)
        adjacent = category is not None
        if category is not None:
            kept.append((category, sentence))
    yield from kept


def _category(sentence: str, role: str) -> str | None:
    if len(_content(sentence)) < 2:
        return None
    if role == "assistant":
        return (
            "fact" if re.search(r"\byou(?:r|'re|'ve)?\b", sentence, re.IGNORECASE) and _NAMED.search(sentence) else None
        )
    for category, pattern in _KINDS:
        if pattern.search(sentence):
            return category
    return "fact" if _NAMED.search(sentence) else None


def _content(text: str) -> list[str]:
    return [term for term in terms(text) if term not in STOP_WORDS]


def _repeats(words: str, known: Sequence[set[str]]) -> bool:
    content = set(_content(words))
    return any(len(content & seen) >= 0.9 * len(content) for seen in known)
