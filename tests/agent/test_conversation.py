"""ConversationMemory: what is said now, as MassGen's users know it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import ConversationMemory, Message, MnemicError
from mnemic.errors import InvalidInput, NoSuchIndex, NotFound, WrongType


def said(*contents: str) -> ConversationMemory:
    """Return a conversation in which users said things."""
    memory = ConversationMemory()
    asyncio.run(memory.add([{"role": "user", "content": content} for content in contents]))
    return memory


def contents(memory: ConversationMemory) -> list[str]:
    return [message["content"] for message in memory.messages]


def test_messages_come_back_in_order() -> None:
    memory = said("one", "two")
    asyncio.run(memory.add({"role": "assistant", "content": "three"}))
    asyncio.run(memory.add(Message("user", "four", name="ana")))
    assert contents(memory) == ["one", "two", "three", "four"]
    assert memory.messages[-1]["name"] == "ana"


def test_a_message_without_an_id_is_given_one() -> None:
    (message,) = said("hello").messages
    assert message["id"].startswith("msg_")
    assert len(message["id"]) == 16


def test_a_message_with_a_known_id_is_added_once() -> None:
    memory = ConversationMemory()
    message = {"id": "msg_1", "role": "user", "content": "hello"}
    asyncio.run(memory.add([message, message]))
    asyncio.run(memory.add(message))
    assert len(memory.messages) == 1


def test_duplicates_are_added_when_allowed() -> None:
    memory = ConversationMemory()
    message = {"id": "msg_1", "role": "user", "content": "hello"}
    asyncio.run(memory.add([message, message], allow_duplicates=True))
    assert len(memory.messages) == 2


@pytest.mark.parametrize("nothing", [None, []])
def test_nothing_adds_nothing(nothing: Any) -> None:
    memory = said("hello")
    asyncio.run(memory.add(nothing))
    assert contents(memory) == ["hello"]


def test_a_list_with_a_wrong_message_adds_none_of_it() -> None:
    memory = ConversationMemory()
    with pytest.raises(TypeError, match=r"messages\[1\]"):
        asyncio.run(memory.add([{"role": "user", "content": "hello"}, "hi"]))  # type: ignore[list-item]
    assert memory.messages == []


@pytest.mark.parametrize(
    ("wrong", "kind", "field"),
    [
        ("hello", TypeError, "messages"),
        (7, TypeError, "messages"),
        (({"role": "user"},), TypeError, "messages"),
        ({"content": "hello"}, ValueError, r"messages\[0\].role"),
        ({"role": 1, "content": "hello"}, ValueError, r"messages\[0\].role"),
        ({"role": "user", "content": "nul \0"}, ValueError, r"messages\[0\].content"),
        ({"role": "user", "content": "hello", "id": 5}, ValueError, r"messages\[0\].id"),
    ],
)
def test_a_wrong_message_is_refused_by_name(wrong: Any, kind: type[Exception], field: str) -> None:
    memory = said("hello")
    with pytest.raises(kind, match=field) as caught:
        asyncio.run(memory.add(wrong))
    assert isinstance(caught.value, MnemicError)
    assert contents(memory) == ["hello"]


def test_the_last_messages_are_returned() -> None:
    memory = said("one", "two", "three")
    assert [m["content"] for m in asyncio.run(memory.get_messages(limit=2))] == ["two", "three"]
    assert len(asyncio.run(memory.get_messages(limit=10))) == 3
    assert asyncio.run(memory.get_messages(limit=0)) == []
    assert asyncio.run(memory.get_last_message())["content"] == "three"  # type: ignore[index]


def test_an_empty_conversation_has_no_last_message() -> None:
    assert asyncio.run(ConversationMemory().get_last_message()) is None


def test_messages_are_filtered_by_role() -> None:
    memory = said("one")
    asyncio.run(memory.add({"role": "assistant", "content": "two"}))
    assert [m["content"] for m in asyncio.run(memory.get_messages_by_role("assistant"))] == ["two"]
    assert asyncio.run(memory.get_messages_by_role("tool")) == []


@pytest.mark.parametrize(("size", "left"), [(2, ["two", "three"]), (0, []), (9, ["one", "two", "three"])])
def test_truncating_keeps_the_last_messages(size: int, left: list[str]) -> None:
    memory = said("one", "two", "three")
    asyncio.run(memory.truncate_to_size(size))
    assert contents(memory) == left


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "2"])
def test_a_wrong_count_is_refused(wrong: Any) -> None:
    memory = said("one", "two")
    with pytest.raises(ValueError, match="max_messages"):
        asyncio.run(memory.truncate_to_size(wrong))
    with pytest.raises(ValueError, match="limit"):
        asyncio.run(memory.get_messages(limit=wrong))
    assert contents(memory) == ["one", "two"]


@pytest.mark.parametrize(
    ("index", "left"), [(1, ["one", "three"]), ([0, 2], ["two"]), (range(2), ["three"]), ([], ["one", "two", "three"])]
)
def test_messages_are_deleted_by_index(index: Any, left: list[str]) -> None:
    memory = said("one", "two", "three")
    asyncio.run(memory.delete(index))
    assert contents(memory) == left


@pytest.mark.parametrize(
    ("index", "kind"),
    [
        (3, IndexError),
        (-1, IndexError),
        ([0, 9], IndexError),
        ("1", TypeError),
        (True, TypeError),
        (1.0, TypeError),
        ([None], TypeError),
    ],
)
def test_a_wrong_index_deletes_nothing(index: Any, kind: type[Exception]) -> None:
    memory = said("one", "two", "three")
    with pytest.raises(kind, match="index"):
        asyncio.run(memory.delete(index))
    assert len(memory.messages) == 3


def test_clearing_leaves_nothing() -> None:
    memory = said("one")
    asyncio.run(memory.clear())
    assert asyncio.run(memory.size()) == 0


def test_a_conversation_is_not_searched() -> None:
    with pytest.raises(NotImplementedError):
        asyncio.run(said("one").retrieve("one"))


def test_what_is_returned_or_given_cannot_change_the_conversation() -> None:
    memory = ConversationMemory()
    given = {"role": "user", "content": [{"type": "text", "text": "hello"}]}
    asyncio.run(memory.add(given))
    given["content"][0]["text"] = "changed"  # type: ignore[index]
    memory.messages[0]["content"][0]["text"] = "changed"
    asyncio.run(memory.get_messages())[0]["content"].clear()
    memory.state_dict()["messages"].clear()
    assert memory.messages[0]["content"] == [{"type": "text", "text": "hello"}]


def test_a_state_travels_as_json() -> None:
    memory = said("one", "two")
    copy = ConversationMemory()
    copy.load_state_dict(json.loads(json.dumps(memory.state_dict())))
    assert copy.messages == memory.messages


def test_a_state_of_massgen_is_loaded() -> None:
    memory = ConversationMemory()
    memory.load_state_dict({"messages": [{"id": "msg_0123456789ab", "role": "user", "content": "hello"}]})
    assert contents(memory) == ["hello"]


@pytest.mark.parametrize(
    ("state", "field"),
    [
        ({"wrong": []}, "wrong"),
        ({}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": ["hello"]}, r"messages\[0\]"),
        ({"messages": [{"content": "no role"}]}, r"messages\[0\].role"),
        ({"messages": [], "extra": 1}, "extra"),
    ],
)
def test_a_wrong_state_is_refused_when_strict_and_mended_when_not(state: dict[str, Any], field: str) -> None:
    memory = said("before")
    with pytest.raises(ValueError, match=field):
        memory.load_state_dict(state)
    assert contents(memory) == ["before"]
    memory.load_state_dict(state, strict=False)
    assert contents(memory) == []


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("version", "told"), [(2, "newer Mnemic"), ("1", "version"), (0, "version"), (True, "version")]
)
def test_a_state_of_another_version_is_refused(version: Any, told: str, strict: bool) -> None:
    memory = said("before")
    with pytest.raises(ValueError, match=told):
        memory.load_state_dict({"version": version, "messages": []}, strict=strict)
    assert contents(memory) == ["before"]


def test_a_state_that_is_no_dict_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="state_dict"):
        ConversationMemory().load_state_dict([])


content = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
a_message = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"]), "content": st.none() | content},
    optional={"id": st.sampled_from(["msg_1", "msg_2", "msg_3"]), "extra": st.lists(st.integers())},
)


@given(st.lists(st.lists(a_message, max_size=4), max_size=6))
def test_any_conversation_holds_each_id_once_and_travels_unchanged(batches: list[list[dict[str, Any]]]) -> None:
    memory = ConversationMemory()
    for batch in batches:
        asyncio.run(memory.add(batch))
    ids = [message["id"] for message in memory.messages]
    assert len(ids) == len(set(ids))
    unnamed = [message["content"] for batch in batches for message in batch if "id" not in message]
    assert [m["content"] for m in memory.messages if len(m["id"]) > len("msg_1")] == unnamed
    copy = ConversationMemory()
    copy.load_state_dict(json.loads(json.dumps(memory.state_dict())))
    assert copy.messages == memory.messages


def test_the_errors_of_python_are_mnemics_own_as_well() -> None:
    assert issubclass(WrongType, InvalidInput)
    assert issubclass(NoSuchIndex, NotFound)
    with pytest.raises(NoSuchIndex):
        asyncio.run(ConversationMemory().delete(0))
    with pytest.raises(WrongType):
        asyncio.run(ConversationMemory().add(5))


def test_an_id_of_none_is_a_missing_id() -> None:
    memory = ConversationMemory()
    asyncio.run(memory.add({"role": "user", "content": "hi", "id": None}))
    assert memory.messages[0]["id"].startswith("msg_")


@pytest.mark.parametrize("content", [5, object(), b"bytes", True])
def test_content_of_another_type_is_refused(content: Any) -> None:
    memory = said("one")
    with pytest.raises(WrongType, match=r"messages\[0\]\.content"):
        asyncio.run(memory.add({"role": "user", "content": content}))
    assert contents(memory) == ["one"]
