"""The embedded store: one SQLite file in a folder, or in memory."""

from mnemic.stores.sqlite.backups import restore
from mnemic.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "restore"]
