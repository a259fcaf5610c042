"""The full-text index, and search by words in it.

Memories are indexed some at a time, since indexing one costs almost as much as indexing fifty. Those that wait,
whose number is above `meta.indexed`, are compared with the question one by one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from recollect.model.scope import Scope
from recollect.rules.text import term_counts
from recollect.rules.text import terms as terms_of
from recollect.stores.sqlite import rows
from recollect.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recollect.model.filter import Selection
    from recollect.model.memory import Memory

PATIENCE = 64
"""How far the index may lag behind."""

_K1, _B = 1.2, 0.75
"""As in SQLite's BM25."""
_LEAST_WEIGHT = 1e-6
_FEW = 300
_LARGE = 20_000
_SEARCHED_SHARE = 128
_BATCH = 1000
_PUT = "INSERT INTO words (rowid, scope, terms) VALUES (?, ?, ?)"
_TAKE = "INSERT INTO words (words, rowid, scope, terms) VALUES ('delete', ?, ?, ?)"


def indexed(connection: sqlite3.Connection) -> int:
    """Return the number up to which memories are in the index."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'indexed'").fetchone()
    return 0 if row is None else int(row[0])


def index(connection: sqlite3.Connection) -> None:
    """Index the memories that wait for it."""
    for entries in entries_of(connection, "seq > ?", indexed(connection)):
        connection.executemany(_PUT, entries)
        connection.execute("REPLACE INTO meta VALUES ('indexed', ?)", (str(entries[-1][0]),))


def entries_of(connection: sqlite3.Connection, condition: str, seq: int) -> Iterator[list[tuple[int, str, str]]]:
    """Yield in batches what the index should hold of some memories, in the order of their numbers."""
    reading = connection.execute(
        f"SELECT seq, agent, user, session, text FROM memories WHERE {condition} ORDER BY seq", (seq,)
    )
    while batch := reading.fetchmany(_BATCH):
        yield [_entry(number, Scope(*names), text) for number, *names, text in batch]


def rebuild(connection: sqlite3.Connection) -> None:
    """Index every memory afresh."""
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    connection.execute("DELETE FROM meta WHERE key = 'indexed'")
    index(connection)


def remove(connection: sqlite3.Connection, stored: Iterable[tuple[int, Memory]]) -> None:
    """Take memories out of the index; none of them may be waiting."""
    connection.executemany(_TAKE, (_entry(seq, memory.scope, memory.text) for seq, memory in stored))


def replace(connection: sqlite3.Connection, seq: int, old: Memory, new: Memory) -> None:
    """Index a memory as it is now; it may not be waiting."""
    if old.text != new.text:
        remove(connection, [(seq, old)])
        connection.execute(_PUT, _entry(seq, new.scope, new.text))


def frequencies(connection: sqlite3.Connection, terms: Iterable[str]) -> dict[str, int]:
    """Count the indexed memories that hold each term."""
    count = "SELECT count(*) FROM words WHERE words MATCH ?"
    return {term: connection.execute(count, (_match([term], None),)).fetchone()[0] for term in terms}


def totals(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return how many memories are indexed, and how many terms they hold, from the index's own account of it."""
    row = connection.execute("SELECT block FROM words_data WHERE id = 1").fetchone()
    count, *lengths = _numbers(row[0]) if row and row[0] else [0]
    return count, sum(lengths)


def best(
    connection: sqlite3.Connection,
    frequencies: Mapping[str, int],
    selection: Selection,
    limit: int,
) -> list[tuple[int, float]]:
    """Return the numbers of the best selected memories that hold any of the terms, with their BM25 score.

    `frequencies` tells how many memories hold each term.
    """
    condition = Condition(selection)
    weigh = _Scales(connection, frequencies)
    found: list[tuple[int, float]] | None = None
    if selection.scope is not None or sum(frequencies.values()) <= _FEW:
        found = _few(connection, list(frequencies), selection, condition, weigh)
    if found is None:
        terms = _rarest(frequencies, weigh.count)
        found = connection.execute(
            f"""
            SELECT words.rowid, -bm25(words, 0.0, 1.0) AS score
            FROM words CROSS JOIN memories ON memories.seq = words.rowid
            WHERE words MATCH ? AND {condition.sql}
            ORDER BY score DESC, seq DESC LIMIT ?
            """,
            (_match(terms, selection.scope), *condition.values, limit),
        ).fetchall()
    late = connection.execute(
        f"SELECT seq, text FROM memories WHERE seq > ? AND {condition.sql}",
        (indexed(connection), *condition.values),
    ).fetchall()
    found += ((seq, score) for seq, text in late if (score := weigh(text)))
    return sorted(found, key=lambda pair: (-pair[1], -pair[0]))[:limit]


def _few(
    connection: sqlite3.Connection, terms: Sequence[str], selection: Selection, condition: Condition, weigh: _Scales
) -> list[tuple[int, float]] | None:
    """Return the memories that hold any of the terms with their scores, or None when there are more than a few.

    Before it scores anything, SQLite's BM25 counts each term in the whole index; what is counted already is not
    counted again here.
    """
    found = connection.execute(
        f"""
        SELECT seq, text FROM words CROSS JOIN memories ON memories.seq = words.rowid
        WHERE words MATCH ? AND {condition.sql} LIMIT ?
        """,
        (_match(terms, selection.scope), *condition.values, _FEW + 1),
    ).fetchall()
    return [(seq, weigh(text)) for seq, text in found] if len(found) <= _FEW else None


def _rarest(frequencies: Mapping[str, int], count: int) -> list[str]:
    """Return the terms to search a large index by: the best memories hold rare ones, and common ones cost most."""
    if count < _LARGE:
        return list(frequencies)
    terms = sorted(frequencies, key=lambda term: frequencies[term])
    allowed, taken = count // _SEARCHED_SHARE, 0
    for place, term in enumerate(terms):
        taken += frequencies[term]
        if taken > allowed and place and taken > frequencies[term]:
            return terms[:place]
    return terms


class _Scales:
    """Weigh texts by BM25, as SQLite does."""

    def __init__(self, connection: sqlite3.Connection, frequencies: Mapping[str, int]) -> None:
        self.count, length = totals(connection)
        self._usual = max(length, 1) / max(self.count, 1)
        self._weights = [
            (term, (_K1 + 1) * max(_LEAST_WEIGHT, math.log((self.count - held + 0.5) / (held + 0.5))))
            for term, held in ((term, min(held, self.count)) for term, held in frequencies.items())
        ]

    def __call__(self, text: str) -> float:
        counts = term_counts(text)
        damping = _K1 * (1 - _B + _B * (sum(counts.values()) + 1) / self._usual)
        return sum(weight * held / (held + damping) for term, weight in self._weights if (held := counts.get(term)))


def _match(terms: Sequence[str], scope: Scope | None) -> str:
    held = "terms : (" + " OR ".join(f'"{term}"' for term in terms) + ")"
    if scope is None:
        return held
    return "scope : (" + " AND ".join(f'"{token}"' for token in rows.scope_tokens(scope)) + ") AND " + held


def _entry(seq: int, scope: Scope, text: str) -> tuple[int, str, str]:
    return seq, " ".join(rows.scope_tokens(scope)), " ".join(terms_of(text))


def _numbers(block: bytes) -> list[int]:
    """Read numbers in SQLite's variable-length form, seven bits to a byte."""
    numbers, number = [], 0
    for byte in block:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers
