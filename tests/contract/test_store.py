"""What every store must do; a new store joins by one more line in `STORES`."""

from __future__ import annotations

import dataclasses
import os
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mnemic.errors import MindClosed, MnemicError
from mnemic.model import filter as filters
from mnemic.model.change import Change, Link
from mnemic.model.filter import Selection
from mnemic.model.memory import Memory
from mnemic.model.scope import Scope
from mnemic.rules.repeats import digest_of
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mnemic.model.change import ChangeKind
    from mnemic.ports import FullStore

STORES: dict[str, Callable[[Path], FullStore]] = {
    "folder": SqliteStore,
    "memory": lambda _: SqliteStore(None),
}
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
EVERYTHING = Selection(scope=None, now=NOW)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FullStore]:
    store = STORES[request.param](tmp_path / "store")
    yield store
    store.close()


def memory(text: str = "a cat", **fields: Any) -> Memory:
    return Memory(**{"id": str(uuid4()), "text": text, "scope": Scope(), "created_at": NOW} | fields)


def change(id: str, kind: ChangeKind = "revised", **after: Any) -> Change:
    return Change(0, id, kind, NOW, {}, after)


def insert(store: FullStore, *memories: Memory) -> None:
    with store.transaction() as transaction:
        transaction.insert(memories, {})


def forget(store: FullStore, *ids: str) -> None:
    with store.transaction() as transaction:
        transaction.forget(ids)
        transaction.log([change(id, "forgotten") for id in ids])


def purge(store: FullStore, selection: Selection | str) -> int:
    with store.transaction() as transaction:
        purged = transaction.purge(selection, at=NOW)
    store.scrub()
    return purged


def by_words(store: FullStore, terms: list[str], selection: Selection, limit: int) -> list[tuple[Memory, float]]:
    """Return what is found by words, as memories."""
    with store.view() as view:
        found = view.by_words(terms, selection, limit)
        memories = view.memories([number for number, _ in found], selection)
    return [(memories[number], score) for number, score in found]


def select(store: FullStore, selection: Selection) -> list[str]:
    """Return the texts that are selected, having compared every way of selecting."""
    memories, _ = store.page(selection, size=1_000, after=0)
    with store.transaction() as transaction:
        assert list(transaction.select(selection)) == [memory.id for memory in memories]
    assert store.count(selection) == len(memories)
    assert sum(store.tally(selection, "tier").values()) == len(memories)
    found = by_words(store, ["cat"], selection, 1_000)
    assert {memory.id for memory, _ in found} == {memory.id for memory in memories if "cat" in memory.text}
    return [memory.text for memory in memories]


def healthy(store: FullStore) -> bool:
    return all(finding.ok for finding in store.check(mend=False, progress=lambda *_: None))


FULL = memory(
    "a full cat",
    scope=Scope("agent", "user", "session"),
    tier="episodic",
    category="c",
    importance=7.25,
    tags=("a", "ß", "🦊"),
    metadata={"a": [1, 1.0, True, None, {"é": "\U0001f98a"}], "big": 2**70},
    source="s",
    created_at=NOW + timedelta(microseconds=1),
    occurred_at=date(2026, 3, 1),
    expires_at=NOW + timedelta(days=1),
    superseded_by=str(uuid4()),
    superseded_at=NOW + timedelta(hours=1),
    evidence=3,
    revision=4,
)


@pytest.mark.parametrize(
    "kept",
    [memory(), FULL, dataclasses.replace(FULL, occurred_at=NOW, superseded_at=date(2026, 6, 1))],
    ids=["plain", "full", "times"],
)
def test_a_memory_comes_back_exactly(store: FullStore, kept: Memory) -> None:
    insert(store, kept)
    assert store.get(kept.id) == kept
    assert repr(store.get(kept.id)) == repr(kept)
    assert store.page(EVERYTHING, size=10, after=0)[0] == [kept]
    assert [found for found, _ in by_words(store, ["cat"], EVERYTHING, 10)] == [kept]
    with store.transaction() as transaction:
        assert transaction.get([kept.id, str(uuid4())]) == {kept.id: kept}
    assert store.get(str(uuid4())) is None


def contents(store: FullStore) -> object:
    counts = {name: value for name, value in store.stats().items() if name != "bytes"}
    memories, _ = store.page(EVERYTHING, size=100, after=0)
    return store.changes_since(0, 100), memories, [store.links(memory.id) for memory in memories], counts


def change_everything_and_fail(store: FullStore, one: Memory, other: Memory) -> None:
    with store.transaction() as transaction:
        transaction.insert([memory("new cat")], {})
        transaction.update([dataclasses.replace(one, text="revised dog")], {})
        transaction.log([change(one.id)])
        transaction.unlink(one.id, other.id, "r")
        transaction.link(Link(other.id, one.id, "r", NOW))
        transaction.forget([other.id])
        transaction.purge(one.id, at=NOW)
        raise ZeroDivisionError


def test_an_exception_undoes_everything(store: FullStore) -> None:
    one, other = memory("one cat"), memory("other cat")
    insert(store, one, other)
    with store.transaction() as transaction:
        transaction.link(Link(one.id, other.id, "r", NOW))
    before = contents(store)
    with pytest.raises(ZeroDivisionError):
        change_everything_and_fail(store, one, other)
    assert contents(store) == before
    assert len(by_words(store, ["cat"], EVERYTHING, 10)) == 2
    assert by_words(store, ["dog", "new"], EVERYTHING, 10) == []
    assert healthy(store)


def test_a_transaction_sees_its_own_changes(store: FullStore) -> None:
    kept = memory()
    with store.transaction() as transaction:
        transaction.insert([kept], {})
        assert transaction.get([kept.id]) == {kept.id: kept}
        assert transaction.select(EVERYTHING) == [kept.id]
        assert transaction.twins(digest_of(kept)) == [kept]
        assert [change.kind for change in transaction.changes(kept.id)[0]] == ["created"]


def test_an_id_is_stored_once(store: FullStore) -> None:
    kept = memory()
    insert(store, kept)
    with pytest.raises(MnemicError):
        insert(store, memory("other"), dataclasses.replace(kept, text="again"))
    assert select(store, EVERYTHING) == ["a cat"]


def test_an_update_replaces_a_memory_in_place(store: FullStore) -> None:
    first, second = memory("first cat"), memory("second cat")
    insert(store, first, second)
    with store.transaction() as transaction:
        transaction.update([dataclasses.replace(first, text="first dog", category="c", revision=2)], {})
        transaction.log([change(first.id)])
    assert select(store, EVERYTHING) == ["first dog", "second cat"]
    assert [found.id for found, _ in by_words(store, ["dog"], EVERYTHING, 10)] == [first.id]
    assert [found.id for found, _ in by_words(store, ["cat"], EVERYTHING, 10)] == [second.id]
    assert healthy(store)


def test_what_is_forgotten_is_found_no_more_but_has_a_history(store: FullStore) -> None:
    kept, gone = memory("kept cat"), memory("gone cat")
    insert(store, kept, gone)
    forget(store, gone.id)
    assert store.get(gone.id) is None
    assert select(store, EVERYTHING) == ["kept cat"]
    changes, last_states = store.changes(gone.id)
    assert [change.kind for change in changes] == ["created", "forgotten"]
    assert last_states == {changes[0].seq: gone}
    with store.transaction() as transaction:
        assert transaction.twins(digest_of(gone)) == []
    assert healthy(store)


def test_each_life_of_an_id_keeps_its_last_state(store: FullStore) -> None:
    first = memory("first cat")
    second = dataclasses.replace(first, text="second cat")
    insert(store, first)
    forget(store, first.id)
    insert(store, second)
    changes, last_states = store.changes(first.id)
    assert [change.kind for change in changes] == ["created", "forgotten", "created"]
    assert last_states == {changes[0].seq: first, changes[2].seq: second}
    assert select(store, EVERYTHING) == ["second cat"]


@pytest.mark.parametrize("by_id", [True, False])
def test_purging_leaves_one_line_of_history(store: FullStore, by_id: bool) -> None:
    kept, gone = memory("kept cat", scope=Scope(user="ana")), memory("gone cat")
    insert(store, kept, gone)
    with store.transaction() as transaction:
        transaction.log([change(gone.id, text="secret")])
    assert purge(store, gone.id if by_id else Selection(scope=Scope(), now=NOW)) == 1
    changes, last_states = store.changes(gone.id)
    assert [change.kind for change in changes] == ["purged"]
    assert last_states == {}
    assert "secret" not in repr(store.changes_since(0, 100))
    assert select(store, EVERYTHING) == ["kept cat"]
    assert purge(store, str(uuid4())) == 0
    assert healthy(store)


def test_purging_takes_forgotten_memories_too(store: FullStore) -> None:
    gone = memory("gone cat", scope=Scope(user="ana"))
    insert(store, gone)
    forget(store, gone.id)
    assert purge(store, Selection(scope=Scope(user="bob"), now=NOW)) == 0
    assert purge(store, Selection(scope=Scope(user="ana"), now=NOW)) == 1
    assert [change.kind for change in store.changes(gone.id)[0]] == ["purged"]


def test_purging_a_selection_spares_another_life_of_the_id(store: FullStore) -> None:
    of_ana = memory("cat of ana", scope=Scope(user="ana"))
    of_bob = dataclasses.replace(of_ana, text="cat of bob", scope=Scope(user="bob"))
    insert(store, of_ana)
    forget(store, of_ana.id)
    insert(store, of_bob)
    assert purge(store, Selection(scope=Scope(user="ana"), now=NOW)) == 1
    assert store.get(of_bob.id) == of_bob
    assert list(store.changes(of_bob.id)[1].values()) == [of_bob]
    assert len(by_words(store, ["cat"], EVERYTHING, 10)) == 1
    assert healthy(store)


def test_what_a_purged_memory_superseded_stays_closed(store: FullStore) -> None:
    new = memory("new")
    old = memory("old", superseded_by=new.id, superseded_at=NOW)
    insert(store, new, old)
    purge(store, new.id)
    left = store.get(old.id)
    assert left is not None
    assert (left.superseded_by, left.superseded_at) == (None, NOW)


def test_sequence_numbers_rise_and_are_never_used_again(store: FullStore) -> None:
    seen: list[int] = []

    def note() -> None:
        fresh = [change.seq for change in store.changes_since(max(seen, default=0), 100)]
        assert fresh
        assert fresh == sorted(set(fresh))
        assert not set(fresh) & set(seen)
        seen.extend(fresh)

    for _ in range(3):
        kept = memory()
        insert(store, kept)
        note()
        with store.transaction() as transaction:
            transaction.log([change(kept.id), change(kept.id)])
        note()
        assert purge(store, kept.id) == 1
        note()
    insert(store, memory(), memory())
    note()
    assert purge(store, EVERYTHING) == 2
    note()


def test_changes_are_told_oldest_first_and_in_parts(store: FullStore) -> None:
    memories = [memory(f"cat {n}") for n in range(5)]
    insert(store, *memories)
    everything = store.changes_since(0, 100)
    assert [change.memory_id for change in everything] == [memory.id for memory in memories]
    parts: list[Change] = []
    while part := store.changes_since(parts[-1].seq if parts else 0, 2):
        parts.extend(part)
    assert parts == everything


def test_a_change_keeps_its_before_and_after(store: FullStore) -> None:
    kept = memory()
    insert(store, kept)
    told = Change(
        0, kept.id, "revised", NOW, {"text": "é", "metadata": {"a": 1}}, {"text": None, "metadata": {"a": True}}
    )
    with store.transaction() as transaction:
        transaction.log([told])
    (_, stored), _ = store.changes(kept.id)
    assert repr(dataclasses.replace(stored, seq=0)) == repr(told)


OWNERS = [
    Scope(),
    Scope(user="ana"),
    Scope(user="ana", session="s"),
    Scope("ana"),
    Scope(user="Ana"),
    Scope("g", "*", "s"),
]


@pytest.mark.parametrize("asked", [*OWNERS, Scope(session="s"), Scope(user="*"), Scope(user="%"), None], ids=str)
def test_a_scope_selects_by_exact_match(store: FullStore, asked: Scope | None) -> None:
    insert(store, *(memory(f"cat {owner}", scope=owner) for owner in OWNERS))
    expected = [f"cat {owner}" for owner in OWNERS if asked is None or asked.covers(owner)]
    assert select(store, Selection(scope=asked, now=NOW)) == expected


def test_a_tier_and_a_filter_select(store: FullStore) -> None:
    insert(
        store,
        memory("cat one", tier="working", category="a"),
        memory("cat two", tier="working"),
        memory("cat three", category="a"),
    )
    where = filters.parse({"category": "a"})
    assert select(store, Selection(scope=None, now=NOW, tier="working")) == ["cat one", "cat two"]
    assert select(store, Selection(scope=None, now=NOW, where=where)) == ["cat one", "cat three"]
    assert select(store, Selection(scope=None, now=NOW, tier="working", where=where)) == ["cat one"]


def test_time_selects(store: FullStore) -> None:
    day = timedelta(days=1)
    insert(
        store,
        memory("cat open"),
        memory("cat ended", expires_at=NOW),
        memory("cat ending", expires_at=NOW + day),
        memory("cat replaced", superseded_at=NOW.date()),
        memory("cat to be replaced", superseded_at=(NOW + day).date()),
        memory("cat ahead", occurred_at=(NOW + day).date()),
        memory("cat before", occurred_at=NOW - day, superseded_at=NOW),
    )
    assert select(store, EVERYTHING) == ["cat open", "cat ending", "cat to be replaced", "cat ahead"]
    assert len(select(store, dataclasses.replace(EVERYTHING, include_superseded=True))) == 7
    assert select(store, dataclasses.replace(EVERYTHING, as_of=NOW - day)) == ["cat before"]
    assert select(store, dataclasses.replace(EVERYTHING, as_of=NOW)) == ["cat open", "cat ending", "cat to be replaced"]
    assert select(store, dataclasses.replace(EVERYTHING, as_of=(NOW + day).date())) == ["cat open", "cat ahead"]
    ever = dataclasses.replace(EVERYTHING, as_of=NOW - day, include_superseded=True)
    assert select(store, ever) == ["cat before"]


def test_words_are_ranked_best_first_within_the_limit(store: FullStore) -> None:
    insert(store, *(memory(f"cat number {n}") for n in range(5)), memory("cat dog"), memory("nothing of the kind"))
    found = by_words(store, ["cat", "dog"], EVERYTHING, 100)
    scores = [score for _, score in found]
    assert found[0][0].text == "cat dog"
    assert len(found) == 6
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert by_words(store, ["cat", "dog"], EVERYTHING, 2) == found[:2]
    assert by_words(store, ["bird"], EVERYTHING, 100) == []


def test_pages_follow_the_order_of_arrival(store: FullStore) -> None:
    memories = [memory(f"cat {n}", created_at=NOW - timedelta(days=n)) for n in range(7)]
    insert(store, *memories[:4])
    insert(store, *memories[4:])
    walked: list[Memory] = []
    after: int | None = 0
    sizes = []
    while after is not None:
        page, after = store.page(EVERYTHING, size=3, after=after)
        walked += page
        sizes.append(len(page))
    assert walked == memories
    assert sizes == [3, 3, 1]
    assert store.page(EVERYTHING, size=7, after=0)[1] is None


def test_a_cursor_outlives_changes_around_it(store: FullStore) -> None:
    memories = [memory(f"cat {n}") for n in range(6)]
    insert(store, *memories)
    _, after = store.page(EVERYTHING, size=3, after=0)
    assert after is not None
    forget(store, memories[2].id, memories[4].id)
    purge(store, memories[0].id)
    late = memory("late cat")
    insert(store, late)
    page, after = store.page(EVERYTHING, size=100, after=after)
    assert page == [memories[3], memories[5], late]
    assert after is None


@pytest.mark.parametrize("field", ["agent", "user", "session", "tier", "category", "source"])
def test_a_tally_counts_by_value(store: FullStore, field: str) -> None:
    tiers = ("working", "episodic", "episodic")
    for n, value in enumerate(("a", "b", "b")):
        scope = Scope(**{field: value}) if field in ("agent", "user", "session") else Scope()
        own = {"tier": tiers[n]} if field == "tier" else {field: value} if field in ("category", "source") else {}
        insert(store, memory(f"cat {n}", scope=scope, **own))
    insert(store, memory("ended", expires_at=NOW))
    assert sorted(store.tally(EVERYTHING, field).values()) == [1, 2]


def test_twins_share_scope_tier_text_and_time_outside_sessions(store: FullStore) -> None:
    kept = memory("cat", scope=Scope(user="ana"))
    twin = dataclasses.replace(kept, id=str(uuid4()), importance=9.0, metadata={"a": 1}, expires_at=NOW)
    turn = dataclasses.replace(kept, id=str(uuid4()), scope=Scope(user="ana", session="s"))
    others = [
        memory("cat"),
        memory("dog", scope=Scope(user="ana")),
        dataclasses.replace(kept, id=str(uuid4()), tier="working"),
    ]
    insert(store, kept, twin, turn, *others)
    with store.transaction() as transaction:
        assert transaction.twins(digest_of(kept)) == [kept, twin]
        assert transaction.twins(digest_of(memory("bird"))) == []


def test_links_are_told_from_both_ends_and_once(store: FullStore) -> None:
    one, two, three = (memory(text) for text in ("one", "two", "three"))
    insert(store, one, two, three)
    links = [Link(one.id, two.id, "a", NOW), Link(three.id, one.id, "b", NOW)]
    with store.transaction() as transaction:
        assert [transaction.link(link) for link in links] == [(link, True) for link in links]
        assert transaction.link(dataclasses.replace(links[0], created_at=NOW + timedelta(days=1))) == (links[0], False)
    assert {link.relation for link in store.links(one.id)} == {"a", "b"}
    assert store.links(two.id) == links[:1]
    with store.transaction() as transaction:
        assert not transaction.unlink(two.id, one.id, "a")
        assert transaction.unlink(one.id, two.id, "a")
        assert not transaction.unlink(one.id, two.id, "a")
    assert store.links(one.id) == links[1:]


@pytest.mark.parametrize("end", [0, 1])
def test_links_end_with_either_of_their_memories(store: FullStore, end: int) -> None:
    pair = memory("one"), memory("two")
    insert(store, *pair)
    with store.transaction() as transaction:
        transaction.link(Link(pair[0].id, pair[1].id, "r", NOW))
    forget(store, pair[end].id)
    assert store.links(pair[1 - end].id) == []
    insert(store, dataclasses.replace(pair[end], text="new life"))
    assert store.links(pair[1 - end].id) == []
    assert healthy(store)


def test_a_batch_may_be_large(store: FullStore) -> None:
    memories = [memory(f"cat {n}", scope=Scope(user=f"u{n % 3}")) for n in range(2_500)]
    insert(store, *memories)
    ids = [memory.id for memory in memories]
    with store.transaction() as transaction:
        assert len(transaction.get(ids)) == 2_500
        transaction.update([dataclasses.replace(memory, revision=2) for memory in memories], {})
        transaction.forget(ids[:1_200])
        transaction.log([change(id, "forgotten") for id in ids[:1_200]])
    assert store.count(EVERYTHING) == 1_300
    assert purge(store, EVERYTHING) == 2_500
    assert healthy(store)


def test_stats_count_what_is_kept(store: FullStore) -> None:
    kept, gone, erased = memory("kept"), memory("gone"), memory("erased")
    insert(store, kept, gone, erased)
    forget(store, gone.id)
    purge(store, erased.id)
    stats = store.stats()
    assert (stats["memories"], stats["forgotten"], stats["links"]) == (1, 1, 0)
    assert stats["changes"] == len(store.changes_since(0, 100))
    assert stats["bytes"] > 0


def test_a_check_tells_its_progress_and_finds_nothing_wrong(store: FullStore) -> None:
    insert(store, memory(), FULL)
    told: list[tuple[int, int]] = []
    findings = store.check(mend=True, progress=lambda _, done, total: told.append((done, total)))
    assert findings
    assert all(finding.problem is None for finding in findings)
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


def test_a_closed_store_says_so(store: FullStore, tmp_path: Path) -> None:
    store.close()
    store.close()
    uses: list[Callable[[], object]] = [
        lambda: store.get(str(uuid4())),
        lambda: store.count(EVERYTHING),
        lambda: store.page(EVERYTHING, size=1, after=0),
        lambda: by_words(store, ["cat"], EVERYTHING, 1),
        lambda: store.tally(EVERYTHING, "tier"),
        lambda: store.changes(str(uuid4())),
        lambda: store.changes_since(0, 1),
        lambda: store.links(str(uuid4())),
        lambda: store.stats(),
        lambda: store.scrub(),
        lambda: store.backup(tmp_path / "copy.db"),
        lambda: healthy(store),
        lambda: insert(store, memory()),
    ]
    for use in uses:
        with pytest.raises(MindClosed):
            use()


def test_a_forked_process_is_turned_away_and_the_parent_goes_on(store: FullStore) -> None:
    insert(store, memory())
    child = os.fork()
    if child == 0:
        refused = 0
        for use in (lambda: store.count(EVERYTHING), lambda: insert(store, memory())):
            try:
                use()
            except MindClosed:
                refused += 1
        store.close()
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    insert(store, memory("another cat"))
    assert store.count(EVERYTHING) == 2
    assert healthy(store)


def test_a_memory_is_found_by_words_at_once_with_the_score_it_will_keep(store: FullStore) -> None:
    insert(store, *(memory(f"note {n} about the weather and a dog named rex{n % 7}") for n in range(200)))
    late = memory("a dog, a cat and another cat")
    insert(store, late)
    ((_, at_once),) = by_words(store, ["cat"], EVERYTHING, 10)
    insert(store, *(memory("much about the weather, little else, but at some length") for _ in range(100)))
    ((found, later),) = by_words(store, ["cat"], EVERYTHING, 10)
    assert found == late
    assert at_once == pytest.approx(later, rel=0.2)
    assert [found for found, _ in by_words(store, ["cat", "dog"], EVERYTHING, 1)] == [late]


def test_what_waits_to_be_indexed_can_be_changed_and_forgotten(store: FullStore) -> None:
    kept, gone = memory("a cat"), memory("another cat")
    insert(store, kept, gone)
    with store.transaction() as transaction:
        transaction.update([dataclasses.replace(kept, text="a dog")], {})
    forget(store, gone.id)
    assert by_words(store, ["cat"], EVERYTHING, 10) == []
    assert [found.id for found, _ in by_words(store, ["dog"], EVERYTHING, 10)] == [kept.id]
    assert healthy(store)


def test_terms_are_counted_roughly(store: FullStore) -> None:
    insert(store, *(memory("a cat") for _ in range(100)), *(memory("a dog") for _ in range(100)))
    with store.view() as view:
        assert view.frequencies(["cat", "bird"], EVERYTHING) == (200, {"cat": 100, "bird": 0})
