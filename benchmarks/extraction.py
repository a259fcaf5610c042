"""Measure which of the turns that RealMem's gold memories come from the extraction rules keep.

python -m benchmarks.extraction                        # on the people held out
python -m benchmarks.extraction --people development   # on those the rules were written from
"""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benchmarks.measure import ROOT
from mnemic.model.message import Message
from mnemic.rules.language.terms import STOP_WORDS, terms
from mnemic.rules.learning.grounding import ungrounded
from mnemic.upkeep.extract import extract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = ROOT.parent / "shared" / "data" / "realmem"
DEVELOPMENT = ("Adeleke_Okonjo", "Kim_Ji_young", "Lin_Wanyu")
HELD_OUT = ("Kenta_Tanaka", "Liam_O_Connor")


@dataclass(frozen=True)
class Session:
    """A conversation, and its gold memories with the index of their source turn."""

    messages: list[Message]
    held_at: datetime
    gold: list[tuple[str, int]]


@dataclass(frozen=True)
class Extract:
    """An extracted text and the index of its source turn."""

    text: str
    turn: int


def sessions(folder: Path, people: tuple[str, ...]) -> Iterator[Session]:
    """Yield the sessions of these people."""
    for person in people:
        dialogues = json.loads((folder / f"{person}_dialogues_256k.json").read_text())
        for session in dialogues["dialogues"]:
            turns = session["dialogue_turns"]
            messages = [Message(turn["speaker"].lower(), turn["content"]) for turn in turns]
            held_at = datetime.strptime(session["current_time"][:10], "%Y-%m-%d").replace(tzinfo=UTC)
            gold = [
                (_gold_text(memory["content"]), _source_turn(memory, messages))
                for memory in session["extracted_memory"]
            ]
            yield Session(messages, held_at, gold)


def _gold_text(content: object) -> str:
    """Return a gold memory as text, without the heading in brackets."""
    if isinstance(content, dict):
        return " ".join(_gold_text(part) for part in content.values())
    return re.sub(r"【.*?】", "", str(content))


def _source_turn(memory: dict[str, Any], messages: list[Message]) -> int:
    """Return the index of the turn that a gold memory quotes; the dataset's own number is sometimes off by one."""
    quoted = memory["source_content_snapshot"] or ""
    near = sorted(range(len(messages)), key=lambda index: abs(index + 1 - int(memory["source_turn"] or 0)))
    for index in near:
        if messages[index].content[:80] == quoted[:80]:
            return index
    return max(near[:4], key=lambda index: SequenceMatcher(None, messages[index].content[:300], quoted[:300]).ratio())


def by_rules(session: Session) -> list[Extract]:
    """Keep what the rules of the package extract."""
    extracted = extract(session.messages, now=session.held_at)
    return [Extract(statement.text, statement.message_index) for statement in extracted.statements]


def every_turn(session: Session) -> list[Extract]:
    """Keep every turn."""
    return [Extract(message.content, index) for index, message in enumerate(session.messages)]


def every_user_turn(session: Session) -> list[Extract]:
    """Keep every turn of the user."""
    return [kept for kept in every_turn(session) if session.messages[kept.turn].role == "user"]


METHODS: dict[str, Any] = {"rules": by_rules, "every user turn": every_user_turn, "every turn": every_turn}


def measured(method: Callable[[Session], list[Extract]], sessions: list[Session]) -> dict[str, float]:
    """Return precision and recall of the source turns, and the shares of gold words and of all text kept."""
    right = kept = wanted = user_right = user_wanted = 0
    covered, length, total, facts = 0.0, 0, 0, 0
    began = time.process_time()
    for session in sessions:
        extracts = method(session)
        turns, gold = {extract.turn for extract in extracts}, {turn for _, turn in session.gold}
        users = {turn for turn in gold if session.messages[turn].role == "user"}
        right, kept, wanted = right + len(turns & gold), kept + len(turns), wanted + len(gold)
        user_right, user_wanted = user_right + len(turns & users), user_wanted + len(users)
        words = {term for extract in extracts for term in terms(extract.text)}
        covered += sum(_share(text, words) for text, _ in session.gold)
        facts += len(extracts)
        length += sum(len(extract.text) for extract in extracts)
        total += sum(len(message.content) for message in session.messages)
    return {
        "turns P": right / kept,
        "turns R": right / wanted,
        "turns F1": 2 * right / (kept + wanted),
        "user turns R": user_right / user_wanted,
        "gold words kept": covered / sum(len(session.gold) for session in sessions),
        "text kept": length / total,
        "facts/session": facts / len(sessions),
        "ms/session": (time.process_time() - began) * 1000 / len(sessions),
    }


def _share(text: str, words: set[str]) -> float:
    content = {term for term in terms(text) if term not in STOP_WORDS}
    return len(content & words) / max(1, len(content))


def grounding(sessions: list[Session]) -> dict[str, float]:
    """Return how many gold memories pass as grounded in their session, and how many in another session."""
    with_gold = [session for session in sessions if session.gold]
    own = other = count = 0
    for session, stranger in zip(with_gold, [*with_gold[7:], *with_gold[:7]], strict=True):
        here, there = (
            [f"{message.role}: {message.content}" for message in each.messages] for each in (session, stranger)
        )
        for text, _ in session.gold:
            count += 1
            own += ungrounded(text, here) is None
            other += ungrounded(text, there) is None
    return {"gold accepted": own / count, "gold of other sessions accepted": other / count}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of RealMem's dialogues")
    parser.add_argument("--people", choices=("held-out", "development"), default="held-out")
    options = parser.parse_args()
    loaded = list(sessions(options.data, HELD_OUT if options.people == "held-out" else DEVELOPMENT))
    console = Console(width=130)
    for name, part in (
        ("all sessions", loaded),
        ("sessions with gold memories", [session for session in loaded if session.gold]),
    ):
        rows = {method: measured(METHODS[method], part) for method in METHODS}
        table = Table(title=f"RealMem, {options.people} people, {name} ({len(part)})", box=SIMPLE, pad_edge=False)
        table.add_column("kept")
        for title in rows["rules"]:
            table.add_column(title, justify="right")
        for method, figures in rows.items():
            table.add_row(method, *(f"{value:.3f}" for value in figures.values()))
        console.print(table)
    console.print("grounding: " + ", ".join(f"{name} {value:.3f}" for name, value in grounding(loaded).items()))


if __name__ == "__main__":
    main()
