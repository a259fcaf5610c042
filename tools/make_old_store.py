"""Write a store of the present schema version and its contents as JSON, for the tests of later versions.

Run it once for each schema version, before the next one: python tools/make_old_store.py tests/data
"""

from __future__ import annotations

import argparse
import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from mnemic import Mind
from mnemic.stores.sqlite import schema

QUERIES = ["Where does Ana live?", "東京", "القهوة", "café", "🦊", "harbour note 17", "secret"]


class Clock:
    """A clock that advances by a minute with each call."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


def fill(mind: Mind) -> list[str]:
    """Store a varied, fixed set of memories and return their ids."""
    rng = random.Random(1)
    ids: list[str] = []

    def remember(text: str, **fields: Any) -> str:  # noqa: ANN401
        ids.append(str(UUID(int=rng.getrandbits(128), version=4)))
        return mind.remember(text, id=ids[-1], **fields).memory.id

    porto = remember("Ana lives in Porto", user="ana", occurred_at=date(2019, 3, 1), tags=["home"])
    lisbon = remember("Ana lives in Lisbon", user="ana", occurred_at=date(2024, 6, 30), tags=["home", "new"])
    mind.supersede(porto, lisbon)
    mind.remember("Ana lives in Lisbon", user="ana", occurred_at=date(2024, 6, 30))
    mind.link(lisbon, porto, "follows")

    tea = remember("Ana likes tea", user="ana", category="taste", importance=7.5, source="chat.json")
    mind.revise(tea, text="Ana likes green tea", metadata={"year": 2023, "sure": True, "notes": ["a", {"b": None}]})
    mind.revise(tea, expires_at=datetime(2031, 1, 1, tzinfo=UTC), category=None)
    mind.link(tea, lisbon, "noticed in")

    remember("The market closes early today", agent="guide", expires_at=datetime(2026, 1, 5, 23, tzinfo=UTC))
    closed_by_mistake = remember("Ben plays the cello", user="ben", agent="guide", tier="working")
    mind.supersede(closed_by_mistake, remember("Ben plays the viola", user="ben", agent="guide"), at="2026-05-05")
    mind.unsupersede(closed_by_mistake)

    forgotten = remember("Ben told me a secret", user="ben")
    mind.revise(forgotten, importance=9)
    mind.forget(forgotten)
    mind.forget(remember("Ben's purged secret", user="ben"), purge=True)

    remember("東京の桜は美しい", user="ゆき", metadata={"都市": "東京"})
    remember("القهوة جاهزة في الصباح", user="ليلى")
    remember("Le café de la gare sert des crêpes 🦊", user="élise", tags=["café", "🦊"])
    remember("quotes \" ' and \\ and\ttabs\nand lines", category='a "category"')
    remember("a long letter " + " ".join(f"line{number} of the letter" for number in range(150)), tier="episodic")
    for number in range(12):
        remember(
            f"turn {number} of the talk",
            user="ana",
            session="monday",
            tier="short_term",
            occurred_at=datetime(2026, 1, 4, 18, number, tzinfo=UTC),
        )
    for number in range(40):
        remember(f"harbour note {number}", agent="guide", metadata={"number": number})
    return ids


def contents(mind: Mind, ids: list[str]) -> dict[str, Any]:
    """Return everything that can be read from a mind."""
    memories = [memory for page in mind.pages(everywhere=True, include_superseded=True) for memory in page]
    return {
        "memories": [memory.to_dict() for memory in memories],
        "history": {id: [change.to_dict() for change in mind.history(id)] for id in ids},
        "links": {memory.id: [link.to_dict() for link in mind.links(memory.id)] for memory in memories},
        "answers": {query: _answer(mind, query) for query in QUERIES},
    }


def _answer(mind: Mind, query: str) -> str | None:
    hits = mind.recall(query, everywhere=True)
    return hits[0].memory.id if hits else None


def main() -> None:
    """Write the store and its contents into a folder named after the schema version."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of the old stores: tests/data")
    folder = parser.parse_args().folder / f"store-v{schema.VERSION}"
    folder.mkdir(parents=True)
    with TemporaryDirectory() as work, Mind(work, clock=Clock()) as mind:
        data = contents(mind, fill(mind))
        mind.backup(folder / "mind.db")
    (folder / "contents.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    print(f"{folder}: {len(data['memories'])} memories")


if __name__ == "__main__":
    main()
