"""Whose memories an agent sees: exactly those of its names."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind, PersistentMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

AWKWARD = [
    "&",
    "=",
    "/",
    "*",
    "a&b=c",
    "a=b&c",
    "../x",
    "%",
    "_",
    "a b",
    " a",
    "a",
    "A",
    "ä",
    "a\u0308",
    "👩‍👩‍👧",
    "x" * 200,
    "x" * 201,
    "'",
    '"',
    "a'--",
    "None",
    "null",
    "0",
    "\t",
    "?",
    "[a]",
]
NAMES = [name for name in AWKWARD if name.strip()]
name = st.sampled_from(NAMES) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=200
).filter(str.strip)
Scope = tuple[str | None, str | None, str | None]
scope = st.tuples(*(st.none() | name,) * 3).filter(any)


def covers(asked: Scope, kept: Scope) -> bool:
    return all(one is None or one == other for one, other in zip(asked, kept, strict=True))


def check(scopes: Sequence[Scope]) -> None:
    """Keep one memory in each scope, and compare what each scope sees with the rule."""
    with Mind(":memory:") as mind:
        memories = [PersistentMemory(*names, mind=mind) for names in scopes]

        async def work() -> None:
            for place, memory in enumerate(memories):
                saved = await memory.save_to_memory("why", [f"the secret number {place}"])
                assert saved["success"]
            for asked, memory in zip(scopes, memories, strict=True):
                seen = await memory.recall_from_memory(["secret number"], limit=100)
                mine = {f"the secret number {place}" for place, kept in enumerate(scopes) if covers(asked, kept)}
                assert set(seen["memories"]) == mine
                told = await memory.retrieve("secret number", limit=100)
                assert {line.partition("] ")[2] for line in told.splitlines() if line.startswith("- ")} == mine

        asyncio.run(work())


def test_every_combination_of_names_is_kept_apart() -> None:
    check([names for names in product((None, "ana"), (None, "ana"), (None, "ana")) if any(names)])


def test_awkward_names_are_kept_apart() -> None:
    check([(one, None, None) for one in NAMES] + [(None, "ana", one) for one in NAMES])


@given(st.lists(scope, min_size=2, max_size=8, unique=True))
def test_any_names_are_kept_apart(scopes: list[Scope]) -> None:
    check(scopes)
