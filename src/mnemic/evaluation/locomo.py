"""LoCoMo and REALTALK: two people talk over many sessions; answers name the turns that hold them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from mnemic.evaluation.dataset import Chat, Dataset, Question, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ADVERSARIAL = 5
_TURN = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")


def load(path: Path, name: str = "LoCoMo") -> Dataset:
    """Read LoCoMo's one file of conversations, or one like it; its adversarial questions have no answer."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Dataset(name, "turn", [_chat(chat["sample_id"], chat["conversation"], chat["qa"]) for chat in told])


def load_realtalk(folder: Path) -> Dataset:
    """Read every chat of REALTALK in a folder."""
    chats = []
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        chats.append(_chat(path.stem, told, told.get("qa", ())))
    return Dataset("REALTALK", "turn", chats)


def _chat(name: str, conversation: dict[str, Any], asked: list[dict[str, Any]]) -> Chat:
    turns = list(_turns(conversation))
    ids = {turn.id for turn in turns}
    questions = []
    for question in asked:
        kind = int(question.get("category") or 0)
        gold = frozenset(_named(question.get("evidence"))) & ids
        if kind == _ADVERSARIAL:
            gold = frozenset()
        elif not gold:
            continue
        questions.append(Question(question["question"], gold, len(turns), turns[-1].occurred_at, f"category {kind}"))
    return Chat(name, turns, questions)


def _named(evidence: object) -> Iterator[str]:
    """Yield the turns that some evidence names, several in one text and "D30:05" or "D:11:26" among them."""
    for session, place in _TURN.findall(json.dumps(evidence)):
        yield f"D{int(session)}:{int(place)}"


def _turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    for number in sorted(int(named[1]) for key in conversation if (named := _SESSION.fullmatch(key))):
        began = _time(conversation.get(f"session_{number}_date_time", ""))
        for place, turn in enumerate(conversation[f"session_{number}"]):
            text = turn.get("clean_text") or turn.get("text") or ""
            if seen := turn.get("blip_caption"):
                text = f"{text} [shares {seen}]".strip()
            if text.strip():
                at = _time(turn.get("date_time", "")) or (began and began + timedelta(minutes=place))
                yield Turn(turn["dia_id"], f"{turn['speaker']}: {text}", f"session {number}", at)


def _time(told: str) -> datetime | None:
    for form in ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S"):
        try:
            return datetime.strptime(told, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
