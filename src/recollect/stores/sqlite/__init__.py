"""The embedded store: one SQLite file in a folder, or in memory."""

from recollect.stores.sqlite.store import SqliteStore, restore

__all__ = ["SqliteStore", "restore"]
