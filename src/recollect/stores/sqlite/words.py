"""The full-text index, and search by words in it.

Memories are indexed some at a time, since indexing one costs almost as much as indexing thirty. Those that wait,
whose number is above `meta.indexed`, are compared with the question one by one.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.model.scope import Scope
from recollect.rules.text import terms as terms_of
from recollect.stores.sqlite import rows
from recollect.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recollect.model.filter import Selection
    from recollect.model.memory import Memory

PATIENCE = 32
"""How far the index may lag behind."""

_K1, _B = 1.2, 0.75
"""As in SQLite's BM25."""
_LEAST_WEIGHT = 1e-6
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
    terms: Sequence[str],
    selection: Selection,
    limit: int,
) -> list[tuple[int, float]]:
    """Return the numbers of the best selected memories that hold any of the terms, with their BM25 score."""
    condition = Condition(selection)
    found = connection.execute(
        f"""
        SELECT words.rowid, -bm25(words, 0.0, 1.0) AS score
        FROM words JOIN memories ON memories.seq = words.rowid
        WHERE words MATCH ? AND {condition.sql}
        ORDER BY score DESC, seq DESC LIMIT ?
        """,
        (_match(terms, selection.scope), *condition.values, limit),
    ).fetchall()
    late = connection.execute(
        f"SELECT seq, text FROM memories WHERE seq > ? AND {condition.sql}",
        (indexed(connection), *condition.values),
    ).fetchall()
    holding = {seq: counts for seq, text in late if not (counts := _counts(text)).keys().isdisjoint(terms)}
    if not holding:
        return found
    found += _scores(connection, terms, holding)
    return sorted(found, key=lambda pair: (-pair[1], -pair[0]))[:limit]


def _scores(
    connection: sqlite3.Connection, terms: Sequence[str], holding: Mapping[int, Counter[str]]
) -> Iterator[tuple[int, float]]:
    """Score memories that are not indexed as if they were."""
    count, length = totals(connection)
    usual = max(length, 1) / max(count, 1)
    weights = {
        term: max(_LEAST_WEIGHT, math.log((count - held + 0.5) / (held + 0.5)))
        for term, held in frequencies(connection, terms).items()
    }
    for seq, counts in holding.items():
        damping = _K1 * (1 - _B + _B * (counts.total() + 1) / usual)
        yield seq, sum(weights[term] * counts[term] * (_K1 + 1) / (counts[term] + damping) for term in terms)


@lru_cache(maxsize=4 * PATIENCE)
def _counts(text: str) -> Counter[str]:
    return Counter(terms_of(text))


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
