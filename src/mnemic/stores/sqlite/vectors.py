"""Tables of vectors: one per embedding model, one of them current."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.errors import DamagedStore, OtherEmbedder
from mnemic.model.embedding import EmbeddingModel

if TYPE_CHECKING:
    import sqlite3


def table_of(connection: sqlite3.Connection, model: EmbeddingModel) -> str | None:
    """Return the table of a model's vectors, current or not; None if there is none."""
    row = connection.execute(
        "SELECT number FROM models WHERE name = ? AND dimension = ?", (model.name, model.dimension)
    ).fetchone()
    return None if row is None else _table(row[0])


def ensure_table(connection: sqlite3.Connection, model: EmbeddingModel) -> str:
    """Return the table of a model, creating it if needed."""
    table = table_of(connection, model)
    if table is None:
        number = connection.execute(
            "INSERT INTO models (name, dimension) VALUES (?, ?)", (model.name, model.dimension)
        ).lastrowid
        table = _table(number)
        connection.execute(f"CREATE TABLE {table} (seq INTEGER PRIMARY KEY, vector BLOB NOT NULL)")
    return table


def current_table(connection: sqlite3.Connection) -> str | None:
    """Return the table that is searched; None if there is none yet."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'vectors'").fetchone()
    return None if row is None else str(row[0])


def check_current(connection: sqlite3.Connection, table: str | None) -> None:
    """Raise an error if another model's vectors are current."""
    current = current_table(connection)
    if current is not None and current != table:
        raise OtherEmbedder(
            f"the vectors of this mind come from {model_of(connection, current)}; "
            "open it with that embedder (MNEMIC_EMBEDDER names one), or run `mnemic reindex`"
        )


def model_of(connection: sqlite3.Connection, table: str) -> EmbeddingModel:
    """Return the model of a table's vectors."""
    row = connection.execute(
        "SELECT name, dimension FROM models WHERE number = ?", (table.removeprefix("vectors_"),)
    ).fetchone()
    if row is None:
        raise DamagedStore("the mind does not say which embedder its vectors come from; restore a backup")
    return EmbeddingModel(*row)


def make_current(connection: sqlite3.Connection, table: str) -> None:
    """Search this table from now on, and delete the others."""
    connection.execute("REPLACE INTO meta VALUES ('vectors', ?)", (table,))
    for other in all_tables(connection):
        if other != table:
            connection.execute(f"DROP TABLE {other}")
    connection.execute("DELETE FROM models WHERE number != ?", (table.removeprefix("vectors_"),))


def all_tables(connection: sqlite3.Connection) -> list[str]:
    """Return every table of vectors."""
    return [_table(number) for (number,) in connection.execute("SELECT number FROM models ORDER BY number")]


def _table(number: int | None) -> str:
    return f"vectors_{number}"
