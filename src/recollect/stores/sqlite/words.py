"""Search by words in the full-text index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.stores.sqlite import rows
from recollect.stores.sqlite.where import Condition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from recollect.model.filter import Selection


def best(
    connection: sqlite3.Connection, terms: Sequence[str], selection: Selection, limit: int
) -> list[tuple[int, float]]:
    """Return the numbers of the best selected memories that hold any of the terms, with their BM25 score."""
    condition = Condition(selection)
    match = "terms : (" + " OR ".join(f'"{term}"' for term in terms) + ")"
    if selection.scope is not None:
        tokens = rows.scope_tokens(selection.scope)
        match = "scope : (" + " AND ".join(f'"{token}"' for token in tokens) + ") AND " + match
    return connection.execute(
        f"""
        SELECT words.rowid, -bm25(words, 0.0, 1.0) AS score
        FROM words JOIN memories ON memories.seq = words.rowid
        WHERE words MATCH ? AND {condition.sql}
        ORDER BY score DESC, seq DESC LIMIT ?
        """,
        (match, *condition.values, limit),
    ).fetchall()
