"""Merging memories, following changes, and keeping marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.errors import Conflict, NotFound

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = "0192f3c4-0000-7000-8000-000000000000"


def two(mind: Mind) -> tuple[str, str]:
    return mind.remember("a couch").memory.id, mind.remember("a sofa").memory.id


def test_the_kept_memory_gains_the_evidence_and_the_other_is_closed(mind: Mind) -> None:
    couch, sofa = two(mind)
    mind.remember("a sofa")
    assert mind.merge(sofa, into=couch).evidence == 3
    assert mind.get(sofa).superseded_by == couch
    assert [(link.from_id, link.relation) for link in mind.links(couch)] == [(sofa, "merged")]
    assert mind.history(couch)[-1].after["evidence"] == 3


def test_a_merger_can_be_undone(mind: Mind) -> None:
    couch, sofa = two(mind)
    mind.merge(sofa, into=couch)
    assert mind.unmerge(sofa).superseded_at is None
    assert mind.get(couch).evidence == 1
    assert mind.links(couch) == []
    with pytest.raises(NotFound, match="was not merged"):
        mind.unmerge(sofa)


def test_only_current_memories_are_merged(mind: Mind) -> None:
    couch, sofa = two(mind)
    mind.merge(sofa, into=couch)
    with pytest.raises(Conflict, match="superseded already"):
        mind.merge(sofa, into=couch)
    with pytest.raises(NotFound):
        mind.merge(couch, into=UNKNOWN)
    assert mind.get(couch).evidence == 2


def test_links_are_found_by_their_relation(mind: Mind) -> None:
    couch, sofa = two(mind)
    mind.link(couch, sofa, "beside")
    mind.link(sofa, couch, "like")
    assert [link.from_id for link in mind.links(relation="beside")] == [couch]
    assert [link.from_id for link in mind.links(couch, relation="like")] == [sofa]


def test_changes_are_followed_from_where_one_stopped(mind: Mind) -> None:
    couch, _ = two(mind)
    seen = mind.changes()[-1].seq
    mind.revise(couch, text="a red couch")
    assert [(change.memory_id, change.kind) for change in mind.changes(since=seen)] == [(couch, "revised")]
    assert len(mind.changes(limit=2)) == 2


def test_a_mark_is_set_only_by_whoever_knows_what_it_was(tmp_path: Path) -> None:
    with Mind(tmp_path / "mind") as one, Mind(tmp_path / "mind") as other:
        assert one.mark("seen") is None
        assert one.set_mark("seen", "5", was=None)
        assert not other.set_mark("seen", "6", was=None)
        assert other.mark("seen") == "5"
        assert other.set_mark("seen", None, was="5")
        assert one.mark("seen") is None
