"""Memories as JSON Lines: everything in a mind, in a file that people and programs can read.

The first line is a header, `{"mnemic": 1}`. Then comes one line for each memory, in the order they were stored:

    {"memory": {…},
     "history": [{"kind": "created", "at": …}, {"kind": …, "at": …, "before": {…}, "after": {…}}, …],
     "links": [{"to_id": …, "relation": …, "created_at": …}, …]}

`history` and `links` may be left out. The last line, `{"end": 2}`, counts the memories, so that a file that was cut
short is detected.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mnemic.errors import InvalidInput, NotFound, WrongFile
from mnemic.files.disk import sync_folder
from mnemic.model import checks
from mnemic.model.batches import weighed_batches
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
    """How many memories an import added, and how many the mind had already."""

    created: int
    skipped: int


# Export


def write(records: Iterable[Record], target: BinaryIO) -> int:
    """Write records as JSON Lines; return how many."""
    target.write(_line({"mnemic": VERSION}))
    count = 0
    for record in records:
        target.write(_line(to_dict(record)))
        count += 1
    target.write(_line({"end": count}))
    return count


def write_file(records: Iterable[Record], path: Path) -> int:
    """Write records to a new file, which appears only once it is complete and on the disk; return how many."""
    if path.exists():
        raise InvalidInput("file", f"{path} already exists; choose a new file name")
    try:
        with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=".export-") as folder:
            partial = Path(folder) / path.name
            with open(partial, "wb", opener=_private) as target:
                count = write(records, target)
                target.flush()
                os.fsync(target.fileno())
            os.link(partial, path)
        sync_folder(path.absolute().parent)
    except OSError as error:
        raise InvalidInput("file", f"{path} cannot be written: {error.strerror}") from None
    return count


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


# Import


def read_file(mind: Mind, path: Path, *, progress: Progress) -> Imported:
    """Import the memories of a file; when anything in it is wrong, report all of it and import nothing."""
    try:
        with path.open("rb") as source:
            return read(mind, source, progress=progress)
    except FileNotFoundError:
        raise InvalidInput("file", f"{path} does not exist") from None
    except OSError as error:
        raise InvalidInput("file", f"{path} cannot be read: {error.strerror}") from None


def read(mind: Mind, source: BinaryIO, *, progress: Progress) -> Imported:
    """Import the memories of an open file that can be read from its start again."""
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
    """The check of a file, line by line, and what was wrong so far."""

    mind: Mind
    ids: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    has_links: bool = False
    ended: bool = False

    def line(self, number: int, line: bytes) -> None:
        """Check one line."""
        try:
            if number == 1:
                _check_header(line)
            else:
                self._check_body(_value(line))
        except WrongFile:
            raise
        except InvalidInput as error:
            self.problems.append(f"line {number}: {error}")
        if len(self.problems) == MOST_PROBLEMS:
            raise WrongFile([*self.problems, f"only the first {MOST_PROBLEMS} problems are listed"])

    def end(self) -> None:
        """Refuse a file that has a problem or no end."""
        if not self.ended and not self.problems:
            self.problems.append('the file is cut short: its last line must be the number of memories, as {"end": 2}')
        if self.problems:
            raise WrongFile(self.problems)

    def _check_body(self, value: dict[str, Any]) -> None:
        if self.ended:
            raise InvalidInput("end", "came before this line; remove what follows it")
        if "end" in value:
            self._check_end(value)
        else:
            self._check_record(from_dict(value))

    def _check_end(self, value: dict[str, Any]) -> None:
        self.ended = True
        checks.fields("the last line", value, frozenset({"end"}))
        if not self.problems and value["end"] != len(self.ids):
            raise InvalidInput("end", f"says {value['end']!r} memories, but the file has {len(self.ids)}")

    def _check_record(self, record: Record) -> None:
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
            raise InvalidInput("memory.id", f"{id} is already stored with other content")


def _check_header(line: bytes) -> None:
    try:
        value = _value(line)
    except InvalidInput:
        value = {}
    if "mnemic" not in value:
        problem = f'the file is not a Mnemic export, whose first line is {{"mnemic": {VERSION}}}'
        raise WrongFile([f"{problem}; a backup is read by `mnemic restore`"])
    checks.fields("the header", value, frozenset({"mnemic"}))
    checks.integer("mnemic", value["mnemic"], minimum=VERSION, maximum=VERSION)


def _batches(source: BinaryIO) -> Iterator[list[Record]]:
    records = ((value, len(line)) for line in _lines(source) if "memory" in (value := _value(line)))
    for batch in weighed_batches(records, BATCH, weight=itemgetter(1), limit=BATCH_BYTES):
        yield [from_dict(value) for value, _ in batch]


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
