"""The LoCoMo and REALTALK datasets: two people talk over many sessions; answers name their turns."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from mnemic.evaluation.dataset import Chat, Dataset, GoldQuestion, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ADVERSARIAL = 5
_TURN = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")


def load(path: Path, name: str = "LoCoMo") -> Dataset:
    """Read a file of conversations in LoCoMo's format; its adversarial questions have no answer."""
    chats = json.loads(path.read_text(encoding="utf-8"))
    return Dataset(name, "turn", [_chat(chat["sample_id"], chat["conversation"], chat["qa"]) for chat in chats])


def load_realtalk(folder: Path) -> Dataset:
    """Read every chat of REALTALK in a folder."""
    chats = []
    for path in sorted(folder.glob("*.json")):
        conversation = json.loads(path.read_text(encoding="utf-8"))
        chats.append(_chat(path.stem, conversation, conversation.get("qa", ())))
    return Dataset("REALTALK", "turn", chats)


def _chat(name: str, conversation: dict[str, Any], qa: list[dict[str, Any]]) -> Chat:
    turns = list(_turns(conversation))
    ids = {turn.id for turn in turns}
    questions = []
    for question in qa:
        kind = int(question.get("category") or 0)
        gold = frozenset(_turn_ids(question.get("evidence"))) & ids
        if kind == _ADVERSARIAL:
            gold = frozenset()
        elif not gold:
            continue
        questions.append(
            GoldQuestion(question["question"], gold, len(turns), turns[-1].occurred_at, f"category {kind}")
        )
    return Chat(name, turns, questions)


def _turn_ids(evidence: object) -> Iterator[str]:
    """Yield the ids of the turns that evidence names, also several in one text, and as "D30:05" or "D:11:26"."""
    for session, turn in _TURN.findall(json.dumps(evidence)):
        yield f"D{int(session)}:{int(turn)}"


def _turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    for number in sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key))):
        start = _time(conversation.get(f"session_{number}_date_time", ""))
        for minute, turn in enumerate(conversation[f"session_{number}"]):
            text = turn.get("clean_text") or turn.get("text") or ""
            if caption := turn.get("blip_caption"):
                text = f"{text} [shares {caption}]".strip()
            if text.strip():
                at = _time(turn.get("date_time", "")) or (start and start + timedelta(minutes=minute))
                yield Turn(turn["dia_id"], f"{turn['speaker']}: {text}", f"session {number}", at)


def _time(text: str) -> datetime | None:
    for form in ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
