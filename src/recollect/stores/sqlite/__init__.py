"""The embedded store: one SQLite file in a folder, or in memory."""

from recollect.stores.sqlite.backups import restore
from recollect.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "restore"]
