"""A purged memory leaves no trace: not in the file, its log, the index or a later backup."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from mnemic import Mind
from mnemic.errors import NotFound, StoreBusy
from mnemic.rules.language.terms import stem
from mnemic.stores.index.postings import keys_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    Reading = Callable[[Path, int], AbstractContextManager[None]]

WORD = "quizzaciously"
SECRET = f"the {WORD} hidden key"
OTHERS = 500


class LeavesDeletedBytes(sqlite3.Connection):
    """Delete as most builds of SQLite do; some, Debian's among them, overwrite with zeros whatever is deleted."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.execute("PRAGMA secure_delete = OFF")


@pytest.fixture(autouse=True)
def _sqlite_that_leaves_deleted_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k, factory=LeavesDeletedBytes))


def _fragments(word: str) -> list[bytes]:
    """Return the pieces of a word's stem, in the ways a file may hold them."""
    root = stem(word)
    pieces = [root[start : start + 5] for start in range(len(root) - 4)]
    return [piece.encode(encoding) for piece in pieces for encoding in ("utf-8", "utf-16-le", "utf-16-be")]


def _traces(folder: Path, word: str = WORD) -> list[str]:
    """Tell where a word occurs in any case: in the bytes of every file, and in every value of every table."""
    places = {file.name: file.read_bytes() for file in folder.iterdir()}
    with closing(sqlite3.connect(folder / "mind.db")) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").fetchall()
        for (table,) in tables:
            values = (value for row in connection.execute(f"SELECT * FROM {table}") for value in row)
            places[table] = b"\n".join(v if isinstance(v, bytes) else str(v).encode() for v in values)
    return [
        f"{fragment!r} in {name}"
        for name, content in places.items()
        for fragment in _fragments(word)
        if fragment in content.lower()
    ]


def _add_others(mind: Mind, start: int = 0, *, apart: bool = False) -> None:
    drafts = [
        {"text": f"note {number} about the harbour and quiet quinces number{number}", "user": f"user{number % 7}"}
        for number in range(start, start + OTHERS)
    ]
    for batch in [[draft] for draft in drafts] if apart else [drafts]:
        mind.remember_many(batch)


def _assert_others_are_found(mind: Mind, start: int = 0) -> None:
    for number in range(start, start + OTHERS, 7):
        assert f"number{number}" in mind.recall(f"number{number}", user=f"user{number % 7}")[0].memory.text
    assert mind.count(where={"text": {"contains": "harbour"}}, everywhere=True) % OTHERS == 0
    assert [finding for finding in mind.doctor() if not finding.ok] == []


def _indexed(mind: Mind) -> str:
    return mind.remember(SECRET).memory.id


def _in_capitals(mind: Mind) -> str:
    return mind.remember(SECRET.upper()).memory.id


def _merged(mind: Mind) -> str:
    id = _indexed(mind)
    _add_others(mind, OTHERS, apart=True)
    return id


def _revised(mind: Mind) -> str:
    id = _indexed(mind)
    mind.revise(id, text="the hidden key", metadata={"note": "changed"})
    return id


def _repeated(mind: Mind) -> str:
    id = _indexed(mind)
    mind.remember(SECRET)
    return id


def _forgotten(mind: Mind) -> str:
    id = _indexed(mind)
    mind.forget(id)
    return id


def _remembered_again_after_it_was_forgotten(mind: Mind) -> str:
    id = _forgotten(mind)
    return mind.remember(SECRET, id=id).memory.id


def _long(mind: Mind) -> str:
    return mind.remember(" ".join(f"{WORD} padding{number}" for number in range(4000))).memory.id


def _in_other_fields(mind: Mind) -> str:
    return mind.remember(
        "the hidden key",
        agent=WORD,
        user=f"{WORD}@example.org",
        session=f"session {WORD}",
        category=WORD,
        tags=[WORD, "plain"],
        metadata={WORD: [WORD]},
        source=f"{WORD}.txt",
    ).memory.id


def _superseded_and_linked(mind: Mind) -> str:
    id, other = _indexed(mind), mind.remember("the key is found").memory.id
    mind.supersede(id, other)
    mind.link(id, other, f"{WORD} relation")
    mind.link(other, id, "found")
    return id


LIVES = [
    _indexed,
    _in_capitals,
    _merged,
    _revised,
    _repeated,
    _forgotten,
    _remembered_again_after_it_was_forgotten,
    _long,
    _in_other_fields,
    _superseded_and_linked,
]


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.__name__.strip("_"))
def test_a_purged_memory_leaves_no_trace(tmp_path: Path, life: Callable[[Mind], str]) -> None:
    folder = tmp_path / "mind"
    with Mind(folder) as mind:
        _add_others(mind)
        id = life(mind)
        assert _traces(folder) != []
        assert mind.forget(id, purge=True) == 1
        assert _traces(folder) == []
        _assert_others_are_found(mind)
        with pytest.raises(NotFound):
            mind.get(id)
        (tmp_path / "backups").mkdir()
        mind.backup(tmp_path / "backups" / "mind.db")
    assert _traces(folder) == []
    assert _traces(tmp_path / "backups") == []


def _by_scope(mind: Mind) -> int:
    mind.remember(SECRET, user="ana")
    mind.remember(SECRET, user="ana", session="monday")
    mind.forget(user="ana", session="monday")
    return mind.forget(user="ana", purge=True)


def _by_filter(mind: Mind) -> int:
    mind.remember(SECRET, metadata={"secret": True})
    mind.forget(mind.remember(f"{SECRET} again", metadata={"secret": True}).memory.id)
    return mind.forget(where={"metadata.secret": True}, purge=True)


def _one_by_one(mind: Mind) -> int:
    ids = [mind.remember(f"{SECRET} number {number}").memory.id for number in range(2)]
    return sum(mind.forget(id, purge=True) for id in ids)


@pytest.mark.parametrize("purge", [_by_scope, _by_filter, _one_by_one], ids=lambda purge: purge.__name__.strip("_"))
def test_a_purge_erases_what_was_chosen_and_nothing_else(tmp_path: Path, purge: Callable[[Mind], int]) -> None:
    with Mind(tmp_path) as mind:
        _add_others(mind)
        assert purge(mind) == 2
        assert _traces(tmp_path) == []
        assert mind.count(everywhere=True) == OTHERS
        _assert_others_are_found(mind)


def test_purging_everything_leaves_an_empty_mind_that_goes_on(tmp_path: Path) -> None:
    with Mind(tmp_path) as mind:
        _add_others(mind)
        _forgotten(mind)
        _indexed(mind)
        assert mind.forget(everything=True, purge=True) == OTHERS + 2
        assert _traces(tmp_path) == []
        assert _traces(tmp_path, "harbour") == []
        assert mind.count(everywhere=True) == 0
        _add_others(mind)
        _assert_others_are_found(mind)


def test_the_file_of_the_index_does_not_keep_a_purged_word(tmp_path: Path) -> None:
    with Mind(tmp_path) as mind:
        for start in range(0, 5 * OTHERS, OTHERS):
            _add_others(mind, start)
        id = _indexed(mind)
        mind.recall("harbour", everywhere=True)
        assert _in_index(tmp_path, WORD)
        mind.forget(id, purge=True)
        assert not _in_index(tmp_path, WORD)
        mind.recall("harbour", everywhere=True)
        assert _in_index(tmp_path, "harbour")
        assert not _in_index(tmp_path, WORD)


def _in_index(folder: Path, word: str) -> bool:
    """Return whether the file of the index holds what stands for a word."""
    file = folder / "index.bin"
    return file.exists() and keys_of([stem(word)]).tobytes() in file.read_bytes()


@pytest.mark.parametrize("readers", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_a_purge_leaves_no_trace_while_other_programs_read(tmp_path: Path, reading: Reading, readers: int) -> None:
    with Mind(tmp_path) as mind:
        _add_others(mind)
        id = _merged(mind)
        with reading(tmp_path, readers):
            mind.forget(id, purge=True)
            assert _traces(tmp_path) == []
        _assert_others_are_found(mind)
        _assert_others_are_found(mind, OTHERS)


def test_a_purge_held_up_by_a_long_reader_is_finished_by_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("stores.sqlite.store", "sqlite"):
        monkeypatch.setattr(f"mnemic.{module}.LOCK_TIMEOUT", 0.2)
    with Mind(tmp_path) as mind, closing(sqlite3.connect(tmp_path / "mind.db", isolation_level=None)) as reader:
        _add_others(mind)
        id = _indexed(mind)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        with pytest.raises(StoreBusy, match="doctor --mend"):
            mind.forget(id, purge=True)
        assert mind.recall(WORD) == []
        reader.execute("ROLLBACK")
        assert [finding.check for finding in mind.doctor() if not finding.ok] == ["purged text"]
        mind.doctor(mend=True)
        assert _traces(tmp_path) == []
        _assert_others_are_found(mind)
