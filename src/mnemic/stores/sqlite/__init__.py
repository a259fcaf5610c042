"""The SQLite store: one file in a folder, or a database in memory."""

from mnemic.stores.sqlite.backups import restore
from mnemic.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "restore"]
