"""The RealMem dataset: long dialogues of a person with an assistant; a question sees only earlier sessions."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from mnemic.evaluation.dataset import Chat, Dataset, GoldQuestion, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def load(folder: Path, unit: Literal["session", "turn"] = "session") -> Dataset:
    """Read every person's file in a folder."""
    return Dataset("RealMem", unit, [_chat(path, unit) for path in sorted(folder.glob("*_dialogues_*.json"))])


def _chat(path: Path, unit: Literal["session", "turn"]) -> Chat:
    person = json.loads(path.read_text(encoding="utf-8"))
    sessions = person["dialogues"]
    turns: list[Turn] = []
    starts: dict[str, int] = {}
    clock = _day(sessions[0])
    for session in sessions:
        starts[session["session_uuid"]] = len(turns)
        clock = max(clock, _day(session))
        for turn in _turns(session):
            clock += timedelta(minutes=1)
            turns.append(replace(turn, occurred_at=clock))
    sources = {} if unit == "session" else _sources(sessions)
    questions = []
    for session, text, used in _queries(sessions):
        seen = starts[session["session_uuid"]]
        if unit == "session":
            gold = {part["session_uuid"] for part in used if starts.get(part["session_uuid"], seen) < seen}
        else:
            ids = {sources.get((part["session_uuid"], str(part["content"]))) for part in used}
            visible = {turn.id for turn in turns[:seen]}
            gold = {id for id in ids if id in visible}
        if gold:
            questions.append(GoldQuestion(text, frozenset(gold), seen, _day(session), str(session["category"])))
    unit_of = {turn.id: str(turn.session) for turn in turns} if unit == "session" else {}
    return Chat(person["_metadata"]["person_name"], turns, questions, unit_of)


def _turns(session: dict[str, Any]) -> Iterator[Turn]:
    for index, turn in enumerate(session["dialogue_turns"]):
        if turn["content"].strip():
            yield Turn(
                f"{session['session_uuid']}:{index}",
                f"{turn['speaker']}: {turn['content']}",
                session["session_uuid"],
            )


def _day(session: dict[str, Any]) -> datetime:
    return datetime.strptime(session["current_time"][:10], "%Y-%m-%d").replace(hour=9, tzinfo=UTC)


def _queries(sessions: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str, Sequence[dict[str, Any]]]]:
    for session in sessions:
        for turn, answer in itertools.pairwise(session["dialogue_turns"]):
            if turn.get("is_query") and answer.get("memory_used"):
                yield session | {"category": turn.get("category_name") or ""}, turn["content"], answer["memory_used"]


def _sources(sessions: Sequence[dict[str, Any]]) -> dict[tuple[str, str], str]:
    """Return the turn of each extracted memory, found by its quoted text because its number may be wrong."""
    sources = {}
    for session in sessions:
        texts = [turn["content"] for turn in session["dialogue_turns"]]
        for memory in session["extracted_memory"]:
            quoted = memory["source_content_snapshot"]
            index = texts.index(quoted) if quoted in texts else int(memory["source_turn"]) - 1
            sources[session["session_uuid"], str(memory["content"])] = f"{session['session_uuid']}:{index}"
    return sources
