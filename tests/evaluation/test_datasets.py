"""Each dataset's format, as its authors publish it, in the smallest file that shows it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mnemic.evaluation import beam, locomo, precision, realmem

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))


def session(uuid: str, day: str, *turns: dict[str, Any], extracted: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {
        "session_uuid": uuid,
        "current_time": f"{day} (Friday)",
        "dialogue_turns": list(turns),
        "extracted_memory": list(extracted),
    }


def turn(speaker: str, content: str, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "content": content, "is_query": False, **more}


REALMEM = {
    "_metadata": {"person_name": "Ana"},
    "dialogues": [
        session(
            "s1",
            "2025-12-19",
            turn("User", "I sail"),
            turn("Assistant", "Nice"),
            extracted=({"content": "sails", "source_turn": 2, "source_content_snapshot": "I sail"},),
        ),
        session(
            "s2",
            "2025-12-20",
            turn("User", "What do I do?", is_query=True, category_name="plain"),
            turn(
                "Assistant",
                "You sail",
                memory_used=[
                    {"session_uuid": "s1", "content": "sails"},
                    {"session_uuid": "s3", "content": "later"},
                ],
            ),
            turn("User", "And now?", is_query=True),
            turn("Assistant", "No idea"),
        ),
        session("s3", "2025-12-21", turn("User", "Later")),
    ],
}


def test_realmem_by_session_sees_only_the_past(tmp_path: Path) -> None:
    write(tmp_path / "Ana_dialogues_256k.json", REALMEM)
    (chat,) = realmem.load(tmp_path).chats
    assert [message.text for message in chat.turns[:2]] == ["User: I sail", "Assistant: Nice"]
    (question,) = chat.questions
    assert (question.text, question.gold, question.seen) == ("What do I do?", frozenset({"s1"}), 2)
    assert question.asked_at == datetime(2025, 12, 20, 9, tzinfo=UTC)
    assert chat.unit_of["s1:1"] == "s1"


def test_realmem_by_turn_names_the_turn_a_memory_came_from(tmp_path: Path) -> None:
    write(tmp_path / "Ana_dialogues_256k.json", REALMEM)
    dataset = realmem.load(tmp_path, "turn")
    assert (dataset.unit, dataset.chats[0].questions[0].gold) == ("turn", frozenset({"s1:0"}))


def test_beam_holds_messages_and_questions_by_ability(tmp_path: Path) -> None:
    message = {"role": "user", "id": 4, "time_anchor": "March-15-2024", "content": "I bake ->-> 1,1"}
    write(tmp_path / "7" / "chat.json", [{"turns": [[message, {"role": "assistant", "id": 5, "content": "Good"}]]}])
    probes = {
        "abstention": [{"question": "Who?"}],
        "temporal": [{"question": "When?", "source_chat_ids": {"first": [4], "second": [5, 99]}}],
        "lost": [{"question": "What?", "source_chat_ids": [99]}],
    }
    write(tmp_path / "7" / "probing_questions" / "probing_questions.json", probes)
    (chat,) = beam.load(tmp_path).chats
    assert [message.text for message in chat.turns] == ["User: I bake", "Assistant: Good"]
    assert chat.turns[0].occurred_at == datetime(2024, 3, 15, tzinfo=UTC)
    assert [(question.kind, question.gold) for question in chat.questions] == [
        ("abstention", frozenset()),
        ("temporal", frozenset({"4", "5"})),
    ]


def test_locomo_names_the_turns_of_two_people(tmp_path: Path) -> None:
    conversation = {
        "speaker_a": "Ana",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I paint"},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a boat"},
        ],
        "session_2_date_time": "2:00 pm on 9 May, 2023",
        "session_3": [{"speaker": "Ana", "dia_id": "D3:5", "text": "I sail"}],
    }
    qa = [
        {"question": "Who paints?", "evidence": ["D1:1; D9:9"], "category": 4},
        {"question": "What do they do?", "evidence": ["D3:05 D:1:2", "D"], "category": 1},
        {"question": "Who dives?", "evidence": ["D1:1"], "category": 5, "adversarial_answer": "Ana"},
        {"question": "Unknown?", "evidence": [], "category": 1},
    ]
    write(tmp_path / "locomo10.json", [{"sample_id": "conv-1", "conversation": conversation, "qa": qa}])
    (chat,) = locomo.load(tmp_path / "locomo10.json").chats
    assert [message.text for message in chat.turns] == ["Ana: I paint", "Bo: Look! [shares a boat]", "Ana: I sail"]
    assert chat.turns[0].occurred_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert [(question.kind, question.gold) for question in chat.questions] == [
        ("category 4", frozenset({"D1:1"})),
        ("category 1", frozenset({"D3:5", "D1:2"})),
        ("category 5", frozenset()),
    ]


def test_realtalk_has_one_file_for_each_pair(tmp_path: Path) -> None:
    conversation = {
        "name": {"speaker_1": "Ana", "speaker_2": "Bo"},
        "session_1_date_time": "29.12.2023, 20:31:39",
        "session_1": [
            {"clean_text": "Hello", "speaker": "Ana", "dia_id": "D1:1", "date_time": "x"},
            {"clean_text": "Hi", "speaker": "Bo", "dia_id": "D1:2", "date_time": "29.12.2023, 21:00:00"},
        ],
        "qa": [{"question": "Who?", "evidence": ["D1:1"], "category": 1}],
    }
    write(tmp_path / "Chat_1.json", conversation)
    (chat,) = locomo.load_realtalk(tmp_path).chats
    assert (chat.turns[0].text, chat.questions[0].gold) == ("Ana: Hello", frozenset({"D1:1"}))
    assert chat.turns[0].occurred_at == datetime(2023, 12, 29, 20, 31, 39, tzinfo=UTC)
    assert chat.turns[1].occurred_at == datetime(2023, 12, 29, 21, 0, tzinfo=UTC)


def test_precisionmembench_keeps_the_cases_that_say_exactly_what_to_return(tmp_path: Path) -> None:
    belief = {
        "_id": "b1",
        "user_id": "u",
        "type": "entity",
        "canonical_name": "kube_cluster",
        "aliases": ["k8s"],
        "content": "Runs on EKS.",
        "scope": ["domain:code"],
        "pinned": False,
        "resolved_at": None,
        "superseded_by": None,
    }
    only = {"relevantBeliefs": {"shouldOnlyInclude": ["b1"]}}
    cases = [
        {"caseId": "a", "scope": ["domain:code"], "query": "k8s?", "expect": only},
        {"caseId": "b", "scope": ["domain:code"], "query": " ", "expect": only},
        {"caseId": "c", "scope": ["domain:code"], "query": "x", "expect": {"relevantBeliefs": {"mustExclude": []}}},
    ]
    question = {"turnIndex": 3, "scope": ["domain:code"], "userMessage": "and now?", "expect": only}
    write(tmp_path / "beliefs.seed.json", [belief])
    write(tmp_path / "retrieval.cases.json", cases)
    write(tmp_path / "session-retrieval.cases.json", [{"caseId": "s", "turns": [question]}])
    beliefs, loaded = precision.load(tmp_path)
    assert beliefs[0].text == "kube cluster, k8s: Runs on EKS."
    assert [(case.name, case.gold) for case in loaded] == [("a", frozenset({"b1"})), ("s 3", frozenset({"b1"}))]
