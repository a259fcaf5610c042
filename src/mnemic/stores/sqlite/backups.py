"""Backups: copies of a store, written and restored while it is in use."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from mnemic.errors import DamagedStore, InvalidInput, NotAStore, NotFound, StoreError, StoreFull
from mnemic.sqlite import FailureTranslation
from mnemic.stores.index.files import sync
from mnemic.stores.sqlite import files, schema

_WITH_CONTENT = ("memories", "forgotten", "changes")


def write(store: sqlite3.Connection, target: Path) -> None:
    """Write a consistent copy of an open store to a new file."""
    try:
        if target.exists():
            raise InvalidInput("target", f"{target} already exists; choose a new file name")
        if not target.parent.is_dir():
            raise InvalidInput("target", f"{target.parent} is not a folder; make it first")
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as staging:
            partial = Path(staging) / target.name
            partial.touch(mode=0o600)
            with FailureTranslation(target), closing(sqlite3.connect(partial)) as copy:
                store.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
            sync(partial)
            os.link(partial, target)
        sync(target.parent)
    except OSError as error:
        raise InvalidInput("target", f"{target} cannot be written: {error.strerror}") from error


def restore(backup: Path, folder: Path, *, replace: bool = False) -> Path | None:
    """Restore a backup into a folder, even while its store is in use; return the copy of the old store, if any."""
    _check(backup)
    if (folder / files.NAME).exists() and not replace:
        raise _taken(folder)
    path = files.make(folder)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix="restoring-") as staging:
            fresh = _up_to_date_copy(backup, Path(staging))
            try:
                return _replace_content(path, fresh, replace=replace)
            except (NotAStore, DamagedStore):
                return _replace_file(path, fresh)
    except OSError as error:
        kind = StoreFull if error.errno == errno.ENOSPC else StoreError
        raise kind(f"{folder} cannot be written: {error.strerror}; the store there is as it was") from error


def _check(backup: Path) -> None:
    if not backup.is_file():
        raise NotFound(f"{backup} is not a file; give the file that `mnemic backup` wrote")
    log = backup.with_name(backup.name + "-wal")
    if log.exists() and log.stat().st_size:
        raise NotAStore(f"{backup} is a store in use, with a log beside it; copy it with `mnemic backup`")
    with FailureTranslation(backup), closing(_open_unchanged(backup)) as source:
        if source.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID:
            raise NotAStore(f"{backup} is not a backup of a Mnemic store")
        schema.check_identity(source, backup)
        if (result := source.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            raise DamagedStore(f"{backup} is damaged: {result}; take another backup")


def _open_unchanged(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _up_to_date_copy(backup: Path, staging: Path) -> Path:
    fresh = staging / files.NAME
    fresh.touch(mode=0o600)
    shutil.copyfile(backup, fresh)
    schema.open_connections(fresh).close()  # a backup of an older version is migrated
    sync(fresh)
    return fresh


def _replace_file(path: Path, fresh: Path) -> Path:
    """Move a file that SQLite cannot open aside, with its log, and replace it by the fresh one."""
    aside = _free_name(path.parent)
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(aside.with_name(aside.name + ending))
    fresh.replace(path)
    sync(path.parent)
    return aside


def _taken(folder: Path) -> InvalidInput:
    return InvalidInput("folder", f"{folder} already contains a mind; use replace=True, or choose another folder")


def _replace_content(path: Path, fresh: Path, *, replace: bool) -> Path | None:
    """Replace the content of a store by that of a fresh one, in one transaction; return the copy of the old content.

    An empty store is not copied.
    """
    copy = None
    connections = schema.open_connections(path)
    try:
        with connections.write_without_transaction() as connection:
            connection.execute("ATTACH ? AS fresh", (str(fresh),))
        with connections.write() as connection:
            if any(connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in _WITH_CONTENT):
                if not replace:
                    raise _taken(path.parent)
                copy = _free_name(path.parent)
                with connections.read() as reader:
                    write(reader, copy)
            _fill(connection)
            schema.renew_generation(connection)
    finally:
        connections.close()
    return copy


def _fill(connection: sqlite3.Connection) -> None:
    """Replace every table by that of the attached fresh store."""
    run = connection.execute
    for (name,) in run("SELECT name FROM main.sqlite_schema WHERE type = 'table'").fetchall():
        run(f"DROP TABLE {name}")
    for name, sql in run("SELECT name, sql FROM fresh.sqlite_schema WHERE type = 'table'").fetchall():
        run(sql)
        run(f"INSERT INTO main.{name} SELECT * FROM fresh.{name}")
    for (sql,) in run(
        "SELECT sql FROM fresh.sqlite_schema WHERE type = 'index' AND sql IS NOT NULL "
        "AND name NOT IN (SELECT name FROM main.sqlite_schema)"
    ).fetchall():
        run(sql)


def _free_name(folder: Path) -> Path:
    stamp = time.strftime("before-restore-%Y%m%d-%H%M%S", time.gmtime())
    names = itertools.chain([f"{stamp}.db"], (f"{stamp}-{number}.db" for number in itertools.count(2)))
    return next(folder / name for name in names if not (folder / name).exists())
