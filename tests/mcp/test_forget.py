from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp_types import ElicitResult

from tests.mcp.agents import ERAS, agent_of

if TYPE_CHECKING:
    from mnemic import Mind
    from mnemic.mcp.server import MnemicServer

pytestmark = pytest.mark.anyio
every_era = pytest.mark.parametrize("era", ERAS)


class Person:
    """Answer the questions of the server, and note them."""

    def __init__(self, action: str, content: dict[str, Any] | None = None) -> None:
        self._answer = ElicitResult(action=action, content=content)
        self.asked: list[str] = []

    async def __call__(self, _context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        return self._answer


@every_era
async def test_a_person_who_agrees_is_obeyed(server: MnemicServer, mind: Mind, era: str) -> None:
    kept = mind.remember("Ana plays the cello", user="ana").memory
    person = Person("accept", {"forget": True})
    async with agent_of(server, era=era, elicitation_callback=person) as agent:
        told = await agent.call("forget", id=kept.id)
    assert person.asked == ["Forget 1 memory?\n- Ana plays the cello"]
    assert (told["forgotten"], told["ids"]) == (True, [kept.id])
    assert mind.count(user="ana") == 0


@every_era
@pytest.mark.parametrize("person", [Person("decline"), Person("cancel"), Person("accept", {"forget": False})])
async def test_a_person_who_does_not_agree_is_obeyed(
    server: MnemicServer, mind: Mind, era: str, person: Person
) -> None:
    kept = mind.remember("Ana plays the cello", user="ana").memory
    async with agent_of(server, era=era, elicitation_callback=person) as agent:
        told = await agent.call("forget", id=kept.id, confirm=True)
    assert (told["forgotten"], told["message"]) == (False, "The user did not agree; nothing was forgotten.")
    assert mind.get(kept.id) == kept


@every_era
async def test_an_answer_of_the_wrong_kind_forgets_nothing(server: MnemicServer, mind: Mind, era: str) -> None:
    kept = mind.remember("Ana plays the cello", user="ana").memory
    async with agent_of(server, era=era, elicitation_callback=Person("accept", {"forget": "perhaps"})) as agent:
        assert "elicitation" in await agent.refused("forget", id=kept.id)
    assert mind.get(kept.id) == kept


@every_era
async def test_a_client_that_cannot_ask_is_told_first(server: MnemicServer, mind: Mind, era: str) -> None:
    kept = mind.remember("Ana plays the cello", user="ana").memory
    async with agent_of(server, era=era) as agent:
        told = await agent.call("forget", where={"text": {"contains": "cello"}})
        assert (told["forgotten"], told["ids"]) == (False, [kept.id])
        assert "would forget 1 memory; call again with confirm true" in told["message"]
        assert mind.get(kept.id) == kept
        assert (await agent.call("forget", where={"text": {"contains": "cello"}}, confirm=True))["forgotten"]
    assert mind.count(user="ana") == 0


async def test_forgetting_can_be_undone(server: MnemicServer, mind: Mind) -> None:
    mind.remember_many([{"text": f"note {n}", "user": "ana", "tags": ["x"]} for n in range(3)])
    before = [list(page) for page in mind.pages(user="ana")]
    async with agent_of(server) as agent:
        told = await agent.call("forget", where={"tags": {"contains": "x"}}, confirm=True)
        assert mind.count(user="ana") == 0
        restored = await agent.call("restore_memory", ids=told["ids"])
        again = await agent.call("restore_memory", ids=told["ids"])
    assert restored["restored"] == again["restored"] == told["ids"]
    assert [list(page) for page in mind.pages(user="ana")] == before


async def test_one_call_forgets_a_hundred_at_most(server: MnemicServer, mind: Mind) -> None:
    mind.remember_many([{"text": f"note {n}", "user": "ana"} for n in range(101)])
    async with agent_of(server) as agent:
        refused = await agent.refused("forget", where={"text": {"contains": "note"}}, confirm=True)
    assert "selects 101 memories" in refused
    assert mind.count(user="ana") == 101


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "id: is missing, and so is where"),
        ({"where": {}}, "where: is empty; name what to forget"),
        (
            {"id": "00000000-0000-7000-8000-000000000000", "where": {"tier": "working"}},
            "id: is given together with where",
        ),
    ],
)
async def test_an_id_or_a_filter_is_needed(server: MnemicServer, given: dict[str, Any], problem: str) -> None:
    async with agent_of(server) as agent:
        assert problem in await agent.refused("forget", confirm=True, **given)


async def test_a_filter_without_a_match_forgets_nothing(server: MnemicServer) -> None:
    async with agent_of(server, elicitation_callback=Person("decline")) as agent:
        told = await agent.call("forget", where={"category": "none"}, confirm=True)
    assert told == {"forgotten": False, "ids": [], "message": "No memory matches; nothing was forgotten."}


async def test_a_long_list_is_shown_in_short(server: MnemicServer, mind: Mind) -> None:
    mind.remember_many([{"text": f"note {n} " + "long " * 500, "user": "ana"} for n in range(9)])
    person = Person("decline")
    async with agent_of(server, elicitation_callback=person) as agent:
        await agent.call("forget", where={"text": {"contains": "note"}})
    assert person.asked[0].startswith("Forget 9 memories?\n- note 0 long")
    assert person.asked[0].endswith("- and 4 more")
    assert len(person.asked[0]) < 2_000
