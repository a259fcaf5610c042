"""The remote language model, against a real server that misbehaves"""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from mnemic.errors import BudgetSpent, InvalidInput, ModelError, ModelUnavailable
from mnemic.llms.remote import RemoteLlm
from mnemic.model.message import Message
from tests.llms.endpoint import KEY, hangs, hangs_up, refuses, says, sends, sends_events, streams

if TYPE_CHECKING:
    from tests.llms.endpoint import Behaviour, Endpoint

ASKED = [Message("system", "Be short."), Message("assistant", "Yes?"), Message("user", "Where is Ana?")]


@dataclass
class Place:
    """A place."""

    city: str
    people: int


GOOD = '{"city": "Lisbon", "people": 500000}'
LISBON = Place("Lisbon", 500_000)


def test_a_conversation_is_sent_and_answered(endpoint: Endpoint) -> None:
    endpoint.behaviours = [says("In Lisbon.")]
    assert endpoint.llm().answer(ASKED) == "In Lisbon."
    [request] = endpoint.requests
    assert request.path == "/v1/chat/completions"
    assert [(said["role"], said["content"]) for said in request.body["messages"]] == [
        ("system", "Be short."),
        ("assistant", "Yes?"),
        ("user", "Where is Ana?"),
    ]
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("last", ["assistant", "system"])
def test_a_conversation_that_ends_without_a_question_is_to_be_continued(endpoint: Endpoint, last: str) -> None:
    endpoint.behaviours = [says(GOOD)]
    assert endpoint.llm().structured([*ASKED, Message(last, "Lisbon is ...")], Place) == LISBON
    assert endpoint.requests[0].body["messages"][-1] == {"role": "user", "content": "Continue."}


def test_it_works_under_a_running_event_loop(endpoint: Endpoint) -> None:
    async def ask() -> str:
        return endpoint.llm().answer(ASKED)

    assert asyncio.run(ask()) == "Hello."


def test_a_stream_comes_in_pieces(endpoint: Endpoint) -> None:
    endpoint.behaviours = [streams("In ", "Lis", "bon.")]
    assert list(endpoint.llm().stream(ASKED)) == ["In ", "Lis", "bon."]


def test_a_stream_can_be_left_early(endpoint: Endpoint) -> None:
    endpoint.behaviours = [streams(*"abcdefgh"), says("Still here.")]
    llm = endpoint.llm()
    pieces = llm.stream(ASKED)
    assert next(iter(pieces)) == "a"
    pieces.close()  # type: ignore[attr-defined]
    assert llm.answer(ASKED) == "Still here."


@pytest.mark.parametrize("behaviour", [streams("In ", "Lis", cut=True), streams("In ", "Lis", ends=False)])
def test_a_stream_that_breaks_off_ends_in_an_error(endpoint: Endpoint, behaviour: Behaviour) -> None:
    endpoint.behaviours = [behaviour]
    heard: list[str] = []
    with pytest.raises(ModelUnavailable, match=r"broke off|peer closed connection"):
        heard.extend(endpoint.llm().stream(ASKED))


@pytest.mark.parametrize("said", [GOOD, f"```json\n{GOOD}\n```", f"Here you are:\n```\n{GOOD}\n```\nBye."])
def test_a_shape_is_filled_from_plain_and_fenced_json(endpoint: Endpoint, said: str) -> None:
    endpoint.behaviours = [says(said)]
    assert endpoint.llm().structured(ASKED, Place) == LISBON
    assert endpoint.requests[0].has_schema


@pytest.mark.parametrize("said", ["", "Lisbon!", '{"city": "Lis', "{}", '{"city": 3, "people": "many"}', "[1]"])
def test_a_wrong_answer_is_asked_for_again_and_told_what_is_wrong(endpoint: Endpoint, said: str) -> None:
    endpoint.behaviours = [says(said), says(GOOD)]
    assert endpoint.llm().structured(ASKED, Place) == LISBON
    first, second = endpoint.requests
    assert len(second.body["messages"]) > len(first.body["messages"])


def test_wrong_answers_end_in_an_error_that_says_what_was_wrong(endpoint: Endpoint) -> None:
    endpoint.behaviours = [says('{"city": "Lisbon"}')] * 9
    with pytest.raises(ModelUnavailable, match=r"openai:tiny did not answer in the requested shape: .* people"):
        endpoint.llm().structured(ASKED, Place)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("status", [400, 422, 501])
def test_an_endpoint_that_refuses_schemas_is_asked_in_words_from_then_on(endpoint: Endpoint, status: int) -> None:
    endpoint.behaviours = [refuses(status, "response_format is not supported"), says(GOOD), says(GOOD)]
    llm = endpoint.llm()
    assert [llm.structured(ASKED, Place), llm.structured(ASKED, Place)] == [LISBON, LISBON]
    assert [request.has_schema for request in endpoint.requests] == [True, False, False]
    assert "response_format" not in endpoint.requests[1].body
    assert '"people"' in endpoint.requests[1].body["messages"][1]["content"]


def test_an_endpoint_that_refuses_everything_is_not_thought_to_refuse_schemas(endpoint: Endpoint) -> None:
    endpoint.behaviours = [refuses(400, "too long"), refuses(400, "too long"), says(GOOD)]
    llm = endpoint.llm()
    with pytest.raises(ModelUnavailable, match=r"answered 400: .*too long"):
        llm.structured(ASKED, Place)
    llm.structured(ASKED, Place)
    assert endpoint.requests[2].has_schema


def test_it_waits_as_long_as_it_is_asked_to(endpoint: Endpoint) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    endpoint.behaviours = [refuses(429, retry_after="7"), refuses(429, retry_after=soon), says("Here.")]
    assert endpoint.llm().answer(ASKED) == "Here."
    assert endpoint.waits[0] == 7
    assert 15 < endpoint.waits[1] <= 20


def test_it_does_not_wait_for_hours(endpoint: Endpoint) -> None:
    endpoint.behaviours = [refuses(429, "come back tomorrow", retry_after="86400")]
    with pytest.raises(ModelUnavailable, match=r"answered 429: .*come back tomorrow"):
        endpoint.llm().answer(ASKED)
    assert endpoint.waits == []


@pytest.mark.parametrize("failure", [refuses(500), refuses(503), refuses(429), hangs_up])
def test_what_may_pass_is_tried_again_a_few_times(endpoint: Endpoint, failure: Behaviour) -> None:
    endpoint.behaviours = [failure, failure, says("Here.")]
    assert endpoint.llm().answer(ASKED) == "Here."
    endpoint.behaviours = [failure] * 9
    with pytest.raises(ModelUnavailable):
        endpoint.llm(retries=2).answer(ASKED)
    assert len(endpoint.waits) == 4
    for wait, longest in zip(endpoint.waits, (0.5, 1, 0.5, 1), strict=True):
        assert longest / 2 <= wait <= longest


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (refuses(401, "who are you"), "answered 401: .*who are you"),
        (refuses(404, "no such model"), "answered 404"),
        (sends(b"", 302, location="http://127.0.0.1:9/"), "302"),
        (sends(b"<html>"), "JSON"),
        (sends(b"[]"), "failed"),
        (sends(b'{"a": 1}'), "failed"),
        (says("x", choices=[]), "failed"),
        (says("x" * 5_000_000), "more than 4,000,000 bytes"),
        (says(""), "answered with nothing"),
        (says(None), "answered with nothing"),
        (says("  \n"), "answered with nothing"),
    ],
)
def test_what_does_not_pass_is_an_error_at_once(endpoint: Endpoint, behaviour: Behaviour, problem: str) -> None:
    endpoint.behaviours = [behaviour]
    with pytest.raises(ModelUnavailable, match=problem):
        endpoint.llm().answer(ASKED)
    assert len(endpoint.requests) == 1


def test_a_slow_endpoint_is_given_up_and_not_asked_again(endpoint: Endpoint) -> None:
    endpoint.behaviours = [hangs, hangs]
    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 s"):
        endpoint.llm(timeout=0.2).answer(ASKED)
    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 s"):
        list(endpoint.llm(timeout=0.2).stream(ASKED))
    assert len(endpoint.requests) == 2


def test_a_stream_that_falls_silent_is_given_up(endpoint: Endpoint) -> None:
    endpoint.behaviours = [streams("In ", hang=True)]
    heard: list[str] = []
    with pytest.raises(ModelUnavailable, match="openai:tiny failed"):
        heard.extend(endpoint.llm(timeout=0.2).stream(ASKED))


def test_an_endpoint_that_is_not_there(endpoint: Endpoint) -> None:
    with pytest.raises(ModelUnavailable, match=r"openai:tiny failed: .*connect"):
        endpoint.llm(base_url="http://127.0.0.1:9/v1").answer(ASKED)


def test_what_was_used_is_counted(endpoint: Endpoint) -> None:
    llm = endpoint.llm()
    endpoint.behaviours = [says("One."), says("{"), says(GOOD), streams("a", "b")]
    llm.answer(ASKED)
    llm.structured(ASKED, Place)
    list(llm.stream(ASKED))
    assert (llm.spent.calls, llm.spent.tokens_in, llm.spent.tokens_out) == (4, 37, 17)
    assert (llm.spent.cost, llm.spent.estimated) == (None, 0)


def test_an_endpoint_that_does_not_count_is_estimated(endpoint: Endpoint) -> None:
    endpoint.behaviours = [says("Somewhere in Lisbon.", usage=None)]
    llm = endpoint.llm()
    llm.answer(ASKED)
    assert llm.spent.estimated == 1
    assert 5 < llm.spent.tokens < 50


ANTHROPIC: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            **{"id": "1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5", "content": []},
            "usage": {"input_tokens": 1000, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "In Lisbon."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 100}},
    {"type": "message_stop"},
]


def test_a_model_of_anthropic_is_asked_in_its_own_way_and_has_a_price(endpoint: Endpoint) -> None:
    endpoint.behaviours = [sends_events(*ANTHROPIC), sends_events(*ANTHROPIC), sends_events(*ANTHROPIC[:4])]
    llm = RemoteLlm("anthropic:claude-haiku-4-5", base_url=endpoint.url.removesuffix("/v1"), key=KEY)
    assert llm.answer(ASKED) == "In Lisbon."
    assert endpoint.requests[0].path == "/v1/messages"
    assert any(KEY in value for value in endpoint.requests[0].headers.values())
    assert (llm.spent.tokens_in, llm.spent.tokens_out) == (1000, 100)
    assert llm.spent.cost is not None
    assert 0 < llm.spent.cost < 1
    assert list(llm.stream(ASKED)) == ["In Lisbon."]
    with pytest.raises(ModelUnavailable, match="broke off its answer"):
        list(llm.stream(ASKED))


def test_a_model_of_openai_is_asked_in_its_own_way(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    said = {"type": "output_text", "text": "In Lisbon.", "annotations": []}
    answer = {
        **{"id": "1", "object": "response", "created_at": 1, "model": "gpt-5-mini", "status": "completed"},
        **{"parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
        "output": [{"id": "2", "type": "message", "role": "assistant", "status": "completed", "content": [said]}],
    }
    endpoint.behaviours = [sends(json.dumps(answer).encode())]
    assert RemoteLlm("openai:gpt-5-mini", key=KEY).answer(ASKED) == "In Lisbon."
    assert endpoint.requests[0].path == "/v1/responses"


def test_a_spent_budget_stops_before_the_next_question(endpoint: Endpoint) -> None:
    llm = endpoint.llm(budget=20)
    llm.answer(ASKED)
    llm.answer(ASKED)
    for ask in (llm.answer, lambda asked: list(llm.stream(asked)), lambda asked: llm.structured(asked, Place)):
        with pytest.raises(BudgetSpent, match="openai:tiny has used 30 of 20 tokens"):
            ask(ASKED)
    assert len(endpoint.requests) == 2


def test_a_spent_budget_stops_asking_again_too(endpoint: Endpoint) -> None:
    endpoint.behaviours = [says("{")] * 3
    with pytest.raises(BudgetSpent):
        endpoint.llm(budget=10).structured(ASKED, Place)
    assert len(endpoint.requests) == 1


def test_the_key_is_nowhere_to_be_seen(endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.behaviours = [refuses(401, f"the key {KEY} is wrong")]
    llm = endpoint.llm()
    with pytest.raises(ModelError) as caught:
        llm.answer(ASKED)
    assert "the key *** is wrong" in str(caught.value)
    assert caught.value.__cause__ is None
    assert KEY not in repr(llm) + caplog.text + str(caught.value)


@pytest.mark.parametrize(
    ("model", "options", "problem"),
    [
        ("gpt", {}, "llm: must name a provider and a model"),
        ("openai:", {}, "llm: must name a provider and a model"),
        ("nobody:gpt", {"key": KEY}, "llm: 'nobody:gpt' names no known provider"),
        ("openai:gpt", {"key": KEY, "timeout": 0}, "timeout: must be more than 0"),
        ("openai:gpt", {"key": KEY, "retries": -1}, "retries: must be between"),
    ],
)
def test_wrong_options_are_refused(model: str, options: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        RemoteLlm(model, **options)


@pytest.mark.parametrize("wrong", [[], "hello", [3], [{"role": "user"}]])
def test_wrong_messages_are_refused_before_anything_is_sent(endpoint: Endpoint, wrong: object) -> None:
    llm = endpoint.llm()
    for ask in (llm.answer, llm.stream, lambda asked: llm.structured(asked, Place)):
        with pytest.raises(InvalidInput, match="messages"):
            ask(wrong)
    assert endpoint.requests == []


def test_without_the_extra_the_error_names_it() -> None:
    program = (
        "import sys; sys.modules['pydantic_ai'] = None\n"
        "from mnemic.errors import ModelMissing\n"
        "try:\n    import mnemic.llms.remote\n"
        "except ModelMissing as error: print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.startswith("pydantic_ai is not installed; install Mnemic with its extra 'llm'")
