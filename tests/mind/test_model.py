"""Whatever is done in whatever order, the mind agrees with a simple model of itself."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mnemic import Mind
from mnemic.errors import Conflict, InvalidInput, NotFound
from tests.conftest import Clock

if TYPE_CHECKING:
    from mnemic.model.memory import Memory

IDS = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(3)]
ANY = st.sampled_from(IDS)
TEXTS = st.sampled_from(["cat", "dog runs", "cat dog", "vögel", "猫が好き", "🐈 cat"])
SCOPES = st.fixed_dictionaries({}, optional={key: st.sampled_from("ab") for key in ("agent", "user", "session")})
REFUSED = (Conflict, InvalidInput, NotFound)


class MindAndModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock(datetime(2026, 5, 1, tzinfo=UTC))
        self.mind = Mind(":memory:", clock=self.clock)
        self.memories: dict[str, Memory] = {}
        self.forgotten: list[Memory] = []
        self.links: set[tuple[str, str]] = set()

    @initialize(texts=st.tuples(*[TEXTS] * len(IDS)), scope=SCOPES)
    def remember_some(self, texts: tuple[str, ...], scope: dict[str, Any]) -> None:
        for id, text in zip(IDS, texts, strict=True):
            self.remember(id, text, scope, None)

    def teardown(self) -> None:
        self.mind.close()

    def lives(self) -> list[Memory]:
        return [*self.memories.values(), *self.forgotten]

    def take_out(self, ids: set[str]) -> None:
        for id in ids:
            self.forgotten.append(self.memories.pop(id))
        self.links = {link for link in self.links if not ids.intersection(link)}

    def erase(self, lives: list[Memory]) -> None:
        self.take_out({memory.id for memory in lives if memory in self.memories.values()})
        self.forgotten = [memory for memory in self.forgotten if memory not in lives]
        gone = {memory.id for memory in lives} - self.memories.keys()
        for id, memory in self.memories.items():
            if memory.superseded_by in gone:
                self.memories[id] = dataclasses.replace(memory, superseded_by=None)

    @rule(hours=st.sampled_from([0, 1, 48]))
    def wait(self, hours: int) -> None:
        self.clock.advance(hours=hours)

    @rule(id=ANY, text=TEXTS, scope=SCOPES, days=st.sampled_from([None, 0, 1]))
    def remember(self, id: str, text: str, scope: dict[str, Any], days: int | None) -> None:
        expires_at = None if days is None else self.clock.now + timedelta(days=days)
        with suppress(Conflict):
            remembered = self.mind.remember(text, id=id, expires_at=expires_at, **scope)
            assert remembered.created == (remembered.memory.id not in self.memories)
            self.memories[remembered.memory.id] = remembered.memory

    @rule(id=ANY, text=TEXTS)
    def revise(self, id: str, text: str) -> None:
        with suppress(NotFound):
            self.memories[id] = self.mind.revise(id, text=text)

    @rule(id=ANY, value=st.sampled_from([1, True, 1.0, None]))
    def revise_metadata(self, id: str, value: Any) -> None:
        with suppress(NotFound):
            self.memories[id] = self.mind.revise(id, metadata={"value": value})

    @rule(old=ANY, new=ANY)
    def supersede(self, old: str, new: str) -> None:
        with suppress(*REFUSED):
            self.memories[old] = self.mind.supersede(old, new)

    @rule(id=ANY)
    def unsupersede(self, id: str) -> None:
        with suppress(NotFound):
            self.memories[id] = self.mind.unsupersede(id)

    @rule(one=ANY, other=ANY)
    def link(self, one: str, other: str) -> None:
        with suppress(*REFUSED):
            self.mind.link(one, other, "near")
            self.links.add((one, other))

    @rule(one=ANY, other=ANY)
    def unlink(self, one: str, other: str) -> None:
        with suppress(*REFUSED):
            self.mind.unlink(one, other, "near")
            self.links.remove((one, other))

    @rule(id=ANY)
    def forget(self, id: str) -> None:
        with suppress(NotFound):
            self.mind.forget(id)
            self.take_out({id})

    @rule(id=ANY)
    def purge(self, id: str) -> None:
        with suppress(NotFound):
            self.mind.forget(id, purge=True)
            self.erase([memory for memory in self.lives() if memory.id == id])

    @rule(user=st.sampled_from("ab"))
    def forget_user(self, user: str) -> None:
        self.mind.forget(user=user)
        self.take_out({id for id, memory in self.memories.items() if memory.scope.user == user})

    @rule(user=st.sampled_from("ab"))
    def purge_user(self, user: str) -> None:
        self.mind.forget(user=user, purge=True)
        self.erase([memory for memory in self.lives() if memory.scope.user == user])

    @rule()
    def move_to_another_mind(self) -> None:
        with Mind(":memory:", clock=self.clock) as other:
            assert all(other.adopt(list(self.mind.records(everywhere=True))))
            assert contents(other) == contents(self.mind)

    @invariant()
    def they_agree(self) -> None:
        stored = {
            memory.id: memory
            for page in self.mind.pages(everywhere=True, include_superseded=True, size=2)
            for memory in page
        }
        assert repr(sorted(stored.items())) == repr(sorted(self.memories.items()))
        linked = {(link.from_id, link.to_id) for id in stored for link in self.mind.links(id)}
        assert linked == self.links
        for word in ("cat", "dog", "vogel", "猫が"):
            hits = self.mind.recall(word, everywhere=True, include_superseded=True)
            plain = word.replace("vogel", "vögel")
            holding = {id for id, memory in stored.items() if plain in memory.text}
            beside = {hit.memory.id for hit in hits if hit.memory.id not in holding}
            assert holding <= {hit.memory.id for hit in hits}
            assert all(stored[id].scope.session is not None for id in beside), "only turns lean on those around them"
        assert all(finding.ok for finding in self.mind.doctor())


def contents(mind: Mind) -> list[Any]:
    return [
        (
            record.memory,
            [(change.kind, change.at, change.before, change.after) for change in record.history],
            record.links,
        )
        for record in mind.records(everywhere=True)
    ]


TestMindAndModel = MindAndModel.TestCase
TestMindAndModel.settings = settings(max_examples=25, stateful_step_count=50)
