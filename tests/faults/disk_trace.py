"""What a disk holds for certain, worked out from the system calls of a program.

A file's bytes are certain once the file was synced, its name once its folder was. Everything else may be lost
with the power, or kept: `Disk.write_out` makes a folder as it may be found afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "open,openat,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
    "write,writev,pwrite64,pwritev,pwritev2,truncate,ftruncate,fallocate,copy_file_range,sendfile,fsync,fdatasync,sync"
)
STRACE_OPTIONS = ("-f", "-y", "-xx", "-s", "100000000", "-e", f"trace={CALLS}", "-e", "signal=none")

Write = Callable[[bytearray], None]


@dataclass
class File:
    """Hold a file's synced bytes, and the writes that were not synced yet."""

    synced: bytearray = field(default_factory=bytearray)
    pending: list[Write] = field(default_factory=list)

    def sync(self) -> None:
        for write in self.pending:
            write(self.synced)
        self.pending.clear()


@dataclass
class Folder:
    """Hold the names in a folder as programs see them, and as they were last synced."""

    names: dict[str, File | Folder] = field(default_factory=dict)
    synced: dict[str, File | Folder] = field(default_factory=dict)

    def sync(self) -> None:
        self.synced = dict(self.names)


@dataclass
class Call:
    """Hold one completed system call: its name, its arguments with paths and data decoded, its result."""

    name: str
    arguments: list[str | bytes]
    result: int


class Disk:
    """Follow the calls below one folder, which must be empty at first."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.top = Folder()

    def follow(self, call: Call) -> None:
        """Apply a call."""
        match call.name, call.arguments:
            case "open" | "openat" | "creat", arguments:
                path = next(argument for argument in arguments if isinstance(argument, bytes))
                if "O_CREAT" in str(arguments) or call.name == "creat":
                    self._add(path, File())
            case "mkdir" | "mkdirat", arguments:
                self._add(next(argument for argument in arguments if isinstance(argument, bytes)), Folder())
            case "unlink" | "unlinkat", arguments:
                self._remove(next(argument for argument in arguments if isinstance(argument, bytes)))
            case "write", [str(where), bytes(data), *_] if "(deleted)" not in where:
                self._write(where, None, data[: call.result])
            case "pwrite64", [str(where), bytes(data), _, str(offset)] if "(deleted)" not in where:
                self._write(where, int(offset), data[: call.result])
            case "ftruncate", [str(where), str(length)] if "(deleted)" not in where:
                self._resize(where, int(length))
            case "fsync" | "fdatasync", [str(where)] if "(deleted)" not in where:
                if found := self._find(where):
                    found.sync()
            case _, arguments if any(self._relative(argument) for argument in arguments):
                raise AssertionError(f"the disk model does not know {call.name}({arguments})")

    def write_out(self, target: Path, *, also: Callable[[], bool] = lambda: False) -> None:
        """Make a folder of what is certain; `also` decides for each unsynced write whether it survived too."""
        _write_out(self.top, target, also)

    def _relative(self, path: str | bytes) -> tuple[str, ...] | None:
        text = path.decode() if isinstance(path, bytes) else path
        return Path(text).relative_to(self.root).parts if text.startswith(f"{self.root}/") else None

    def _find(self, path: str | bytes) -> File | Folder | None:
        if str(path) == str(self.root):
            return self.top
        here: File | Folder | None = self.top
        for part in self._relative(path) or [""]:
            here = here.names.get(part) if isinstance(here, Folder) else None
        return here

    def _parent(self, path: bytes) -> Folder | None:
        found = self._find(str(Path(path.decode()).parent))
        return found if isinstance(found, Folder) else None

    def _add(self, path: bytes, new: File | Folder) -> None:
        if parent := self._parent(path):
            parent.names.setdefault(Path(path.decode()).name, new)

    def _remove(self, path: bytes) -> None:
        if parent := self._parent(path):
            parent.names.pop(Path(path.decode()).name)

    def _write(self, where: str, offset: int | None, data: bytes) -> None:
        found = self._find(where)
        if not isinstance(found, File):
            return

        def write(content: bytearray) -> None:
            start = len(content) if offset is None else offset
            content.extend(bytes(max(0, start - len(content))))
            content[start : start + len(data)] = data

        found.pending.append(write)

    def _resize(self, where: str, length: int) -> None:
        found = self._find(where)
        if not isinstance(found, File):
            return

        def resize(content: bytearray) -> None:
            del content[length:]
            content.extend(bytes(length - len(content)))

        found.pending.append(resize)


def _write_out(folder: Folder, target: Path, also: Callable[[], bool]) -> None:
    target.mkdir()
    for name, found in folder.synced.items():
        if isinstance(found, Folder):
            _write_out(found, target / name, also)
        else:
            content = bytearray(found.synced)
            for write in found.pending:
                if also():
                    write(content)
            (target / name).write_bytes(content)


_CALL = re.compile(r"(?:\d+ +)?(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>\d+)")
_UNFINISHED = re.compile(r"(?P<pid>\d+) +(?P<start>.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"(?P<pid>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)$")


def completed_calls(trace: Path) -> Iterator[Call]:
    """Read the calls that succeeded, in the order in which they ended."""
    begun: dict[str, str] = {}
    with trace.open() as lines:
        for line in lines:
            if unfinished := _UNFINISHED.match(line):
                begun[unfinished["pid"]] = unfinished["start"]
                continue
            if resumed := _RESUMED.match(line):
                line = begun.pop(resumed["pid"]) + resumed["rest"]
            if found := _CALL.match(line):
                yield Call(found["name"], _arguments(found["arguments"]), int(found["result"]))


def _arguments(text: str) -> list[str | bytes]:
    """Return descriptors as the path they stand for, quoted data as bytes, and the rest as written."""
    arguments: list[str | bytes] = []
    for argument in text.split(", "):
        if quoted := re.fullmatch(r'"(.*)"', argument):
            arguments.append(_from_hex(quoted[1]))
        elif descriptor := re.fullmatch(r"\w+<(.*)>(\(deleted\))?", argument):
            arguments.append(_from_hex(descriptor[1]).decode() + (descriptor[2] or ""))
        else:
            arguments.append(argument)
    return arguments


def _from_hex(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
