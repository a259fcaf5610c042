"""Measure what extraction by rules finds: the turns that RealMem's gold memories come from.

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
    """Hold a conversation, and the gold memories with the turn they come from."""

    messages: list[Message]
    held_at: datetime
    gold: list[tuple[str, int]]


@dataclass(frozen=True)
class Found:
    """Hold what a way of extracting returns: the text and the turn it comes from."""

    text: str
    place: int


def sessions(folder: Path, people: tuple[str, ...]) -> Iterator[Session]:
    """Yield the sessions of these people."""
    for person in people:
        told = json.loads((folder / f"{person}_dialogues_256k.json").read_text())
        for session in told["dialogues"]:
            turns = session["dialogue_turns"]
            messages = [Message(turn["speaker"].lower(), turn["content"]) for turn in turns]
            held_at = datetime.strptime(session["current_time"][:10], "%Y-%m-%d").replace(tzinfo=UTC)
            gold = [(_told(memory["content"]), _place(memory, messages)) for memory in session["extracted_memory"]]
            yield Session(messages, held_at, gold)


def _told(content: object) -> str:
    """Return a gold memory as text, without the heading in brackets."""
    if isinstance(content, dict):
        return " ".join(_told(part) for part in content.values())
    return re.sub(r"【.*?】", "", str(content))


def _place(memory: dict[str, Any], messages: list[Message]) -> int:
    """Return the turn that a gold memory quotes: its number is sometimes off by one."""
    quoted = memory["source_content_snapshot"] or ""
    near = sorted(range(len(messages)), key=lambda place: abs(place + 1 - int(memory["source_turn"] or 0)))
    for place in near:
        if messages[place].content[:80] == quoted[:80]:
            return place
    return max(near[:4], key=lambda place: SequenceMatcher(None, messages[place].content[:300], quoted[:300]).ratio())


def by_rules(session: Session) -> list[Found]:
    """Extract by the rules of the product."""
    return [Found(fact.text, fact.place) for fact in extract(session.messages, now=session.held_at).facts]


def every_turn(session: Session) -> list[Found]:
    """Keep everything that was said."""
    return [Found(message.content, place) for place, message in enumerate(session.messages)]


def every_user_turn(session: Session) -> list[Found]:
    """Keep everything that the user said."""
    return [found for found in every_turn(session) if session.messages[found.place].role == "user"]


WAYS: dict[str, Any] = {"rules": by_rules, "every user turn": every_user_turn, "every turn": every_turn}


def measured(way: Callable[[Session], list[Found]], told: list[Session]) -> dict[str, float]:
    """Return precision and recall of the source turns, how much of the gold words is kept, and how much is kept."""
    right = kept = wanted = user_right = user_wanted = 0
    covered, length, total, facts = 0.0, 0, 0, 0
    began = time.process_time()
    for session in told:
        found = way(session)
        places, gold = {one.place for one in found}, {place for _, place in session.gold}
        users = {place for place in gold if session.messages[place].role == "user"}
        right, kept, wanted = right + len(places & gold), kept + len(places), wanted + len(gold)
        user_right, user_wanted = user_right + len(places & users), user_wanted + len(users)
        said = {term for one in found for term in terms(one.text)}
        covered += sum(_share(text, said) for text, _ in session.gold)
        facts += len(found)
        length += sum(len(one.text) for one in found)
        total += sum(len(message.content) for message in session.messages)
    return {
        "turns P": right / kept,
        "turns R": right / wanted,
        "turns F1": 2 * right / (kept + wanted),
        "user turns R": user_right / user_wanted,
        "gold words kept": covered / sum(len(session.gold) for session in told),
        "text kept": length / total,
        "facts/session": facts / len(told),
        "ms/session": (time.process_time() - began) * 1000 / len(told),
    }


def _share(text: str, said: set[str]) -> float:
    content = {term for term in terms(text) if term not in STOP_WORDS}
    return len(content & said) / max(1, len(content))


def grounding(told: list[Session]) -> dict[str, float]:
    """Return how many gold memories pass as grounded in their session, and how many in another session."""
    with_gold = [session for session in told if session.gold]
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
    given = parser.parse_args()
    told = list(sessions(given.data, HELD_OUT if given.people == "held-out" else DEVELOPMENT))
    console = Console(width=130)
    for name, part in (("all sessions", told), ("sessions with gold memories", [s for s in told if s.gold])):
        rows = {way: measured(WAYS[way], part) for way in WAYS}
        table = Table(title=f"RealMem, {given.people} people, {name} ({len(part)})", box=SIMPLE, pad_edge=False)
        table.add_column("kept")
        for title in rows["rules"]:
            table.add_column(title, justify="right")
        for way, figures in rows.items():
            table.add_row(way, *(f"{value:.3f}" for value in figures.values()))
        console.print(table)
    console.print("grounding: " + ", ".join(f"{name} {value:.3f}" for name, value in grounding(told).items()))


if __name__ == "__main__":
    main()
