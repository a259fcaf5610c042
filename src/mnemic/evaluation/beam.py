"""The BEAM dataset: long chats of a user with an assistant, with questions by ability, some unanswerable."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mnemic.evaluation.dataset import Chat, Dataset, GoldQuestion, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_START = datetime(2024, 1, 1, tzinfo=UTC)


def load(folder: Path) -> Dataset:
    """Read every chat in a folder."""
    paths = sorted(folder.glob("*/chat.json"), key=lambda path: (len(path.parent.name), path.parent.name))
    return Dataset("BEAM", "message", [_chat(path) for path in paths])


def _chat(path: Path) -> Chat:
    turns = list(_turns(path))
    ids = {turn.id for turn in turns}
    probes = json.loads((path.parent / "probing_questions" / "probing_questions.json").read_text(encoding="utf-8"))
    questions = []
    for kind, kind_probes in probes.items():
        for probe in kind_probes:
            gold = frozenset(str(number) for number in _numbers(probe.get("source_chat_ids"))) & ids
            if gold or kind == "abstention":
                questions.append(GoldQuestion(probe["question"], gold, len(turns), turns[-1].occurred_at, kind))
    return Chat(path.parent.name, turns, questions)


def _turns(path: Path) -> Iterator[Turn]:
    day = _START
    for number, batch in enumerate(json.loads(path.read_text(encoding="utf-8")), start=1):
        for minute, message in enumerate(message for exchange in batch["turns"] for message in exchange):
            if anchor := message.get("time_anchor"):
                day = datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC)
            text = message["content"].split(" ->-> ")[0]
            turn = f"{message['role'].capitalize()}: {text}"
            yield Turn(str(message["id"]), turn, f"batch {number}", day + timedelta(minutes=minute))


def _numbers(value: object) -> Iterator[int]:
    """Yield all integers in nested lists and dictionaries."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        yield from _numbers(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part)
