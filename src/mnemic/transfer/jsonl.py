"""Memories as JSON Lines: everything a mind holds, in a file that people and programs can read.

The first line is a header, `{"mnemic": 1}`. Then comes one line for each memory, in the order of arrival:

    {"memory": {…},
     "history": [{"kind": "created", "at": …}, {"kind": …, "at": …, "before": {…}, "after": {…}}, …],
     "links": [{"to_id": …, "relation": …, "created_at": …}, …]}

`history` and `links` may be left out. The last line, `{"end": 2}`, counts the memories, so that a file that was cut
short is noticed.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mnemic.errors import InvalidInput, NotFound, WrongFile
from mnemic.model import checks
from mnemic.transfer.records import as_object, from_dict, to_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from mnemic.mind import Mind
    from mnemic.model.change import Record
    from mnemic.ports import Progress

VERSION = 1
BATCH = 1000
BATCH_BYTES = 32 * 1024 * 1024
MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Imported:
    """Count what an import did: memories that are new here, and memories that were here already."""

    created: int
    skipped: int


# Export


def write(records: Iterable[Record], target: BinaryIO) -> int:
    """Write records as JSON Lines, and count them."""
    target.write(_line({"mnemic": VERSION}))
    count = 0
    for record in records:
        target.write(_line(to_dict(record)))
        count += 1
    target.write(_line({"end": count}))
    return count


def write_file(records: Iterable[Record], path: Path) -> int:
    """Write records to a new file, which appears only when it is complete and on the disk."""
    if path.exists():
        raise InvalidInput("file", f"{path} exists already; choose a new file name")
    try:
        with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=".export-") as workshop:
            partial = Path(workshop) / path.name
            with open(partial, "wb", opener=_private) as target:
                count = write(records, target)
                target.flush()
                os.fsync(target.fileno())
            os.link(partial, path)
        _sync(path.absolute().parent)
    except OSError as error:
        raise InvalidInput("file", f"{path} cannot be written: {error.strerror}") from None
    return count


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


# Import


def read_file(mind: Mind, path: Path, *, progress: Progress) -> Imported:
    """Take in the memories of a file; when anything in it is wrong, say what, and change nothing."""
    try:
        with path.open("rb") as source:
            return read(mind, source, progress=progress)
    except OSError as error:
        raise InvalidInput("file", f"{path} cannot be read: {error.strerror}") from None


def read(mind: Mind, source: BinaryIO, *, progress: Progress) -> Imported:
    """Take in the memories of a file that is open and can be read again from its start."""
    size = source.seek(0, os.SEEK_END)
    check = _Check(mind)
    for number, line in enumerate(_lines(source), start=1):
        check.line(number, line)
        if number % 100 == 0:
            progress("checking", source.tell(), size)
    check.end()
    created = 0
    for batch in _batches(source):
        created += sum(mind.adopt(batch))
        progress("importing", source.tell(), size)
    if check.has_links:
        for batch in _batches(source):
            mind.adopt(record for record in batch if record.links)
            progress("linking", source.tell(), size)
    return Imported(created, len(check.ids) - created)


@dataclass(slots=True)
class _Check:
    """Look at a file line by line, and collect what is wrong with it."""

    mind: Mind
    ids: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    has_links: bool = False
    ended: bool = False

    def line(self, number: int, line: bytes) -> None:
        """Look at one line."""
        try:
            if number == 1:
                _check_header(_value(line))
            else:
                self._take(_value(line))
        except InvalidInput as error:
            self.problems.append(f"line {number}: {error}")
        if len(self.problems) == MOST_PROBLEMS:
            raise WrongFile([*self.problems, f"there may be more than these {MOST_PROBLEMS}"])

    def end(self) -> None:
        """Refuse a file that has a problem or no end."""
        if not self.ended and not self.problems:
            self.problems.append('the file is cut short: its last line must count the memories, as in {"end": 2}')
        if self.problems:
            raise WrongFile(self.problems)

    def _take(self, value: dict[str, Any]) -> None:
        if self.ended:
            raise InvalidInput("end", "came before this line; nothing may follow it")
        if "end" in value:
            self._take_end(value)
        else:
            self._take_record(from_dict(value))

    def _take_end(self, value: dict[str, Any]) -> None:
        self.ended = True
        checks.fields("the last line", value, frozenset({"end"}))
        if not self.problems and value["end"] != len(self.ids):
            raise InvalidInput("end", f"counts {value['end']!r} memories, but the file holds {len(self.ids)}")

    def _take_record(self, record: Record) -> None:
        id = record.memory.id
        if id in self.ids:
            raise InvalidInput("memory.id", f"{id} is in the file twice")
        self.ids.add(id)
        self.has_links = self.has_links or bool(record.links)
        try:
            stored = self.mind.get(id)
        except NotFound:
            return
        if stored != record.memory:
            raise InvalidInput("memory.id", f"{id} is stored already with other content")


def _check_header(value: dict[str, Any]) -> None:
    if "mnemic" not in value:
        raise InvalidInput("mnemic", f'is missing; the first line must be {{"mnemic": {VERSION}}}')
    checks.fields("the header", value, frozenset({"mnemic"}))
    checks.whole("mnemic", value["mnemic"], least=VERSION, most=VERSION)


def _batches(source: BinaryIO) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for line in _lines(source):
        value = _value(line)
        if "memory" not in value:
            continue
        batch.append(from_dict(value))
        size += len(line)
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _lines(source: BinaryIO) -> Iterator[bytes]:
    source.seek(0)
    while line := source.readline():
        yield line


def _value(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("JSON", f"cannot be read: {error}") from None
    return as_object("JSON", value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")
