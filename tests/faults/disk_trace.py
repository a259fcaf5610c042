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
    "open,openat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
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

    @property
    def file(self) -> str:
        """Return the path of the descriptor that the call works on."""
        return str(self.arguments[0])

    @property
    def paths(self) -> list[str]:
        """Return the paths that the call names, made whole by the descriptor of the folder before them."""
        paths, folder = [], ""
        for argument in self.arguments:
            if isinstance(argument, bytes):
                paths.append(str(Path(folder, argument.decode())))
            elif argument.startswith("/"):
                folder = argument
        return paths


class Disk:
    """Follow the calls below one folder, which must be empty at first."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.top = Folder()

    def follow(self, call: Call) -> None:
        """Apply a call; files are written by position, or from the start to the end."""
        match call.name, call.arguments:
            case "open" | "openat", arguments:
                if "O_CREAT" in str(arguments):
                    self._add(call.paths[0], File())
                if "O_TRUNC" in str(arguments):
                    self._resize(call.paths[0], 0)
            case "mkdir" | "mkdirat", _:
                self._add(call.paths[0], Folder())
            case "unlink" | "unlinkat" | "rmdir", _:
                self._remove(call.paths[0])
            case "rename" | "renameat" | "renameat2" | "link" | "linkat", _:
                old, new = call.paths
                self._name(old, new)
                if call.name.startswith("rename"):
                    self._remove(old)
            case "write", [_, bytes(data), *_]:
                self._write(call.file, None, data[: call.result])
            case "pwrite64", [_, bytes(data), _, str(offset)]:
                self._write(call.file, int(offset), data[: call.result])
            case "sendfile", [_, str(source), *_]:
                self._write(call.file, None, Path(source).read_bytes()[: call.result])
            case "ftruncate", [_, str(length)]:
                self._resize(call.file, int(length))
            case "fsync" | "fdatasync", _:
                if found := self._find(call.file):
                    found.sync()
            case _ if any(self._find(str(argument)) for argument in call.arguments):
                raise AssertionError(f"the disk model does not know {call.name}")

    def write_out(self, target: Path, *, also: Callable[[], bool] = lambda: False) -> None:
        """Make a folder of what is certain; `also` decides for each unsynced write whether it survived too."""
        _write_out(self.top, target, also)

    def _find(self, path: str) -> File | Folder | None:
        if not Path(path).is_relative_to(self.root):
            return None
        here: File | Folder | None = self.top
        for part in Path(path).relative_to(self.root).parts:
            here = here.names.get(part) if isinstance(here, Folder) else None
        return here

    def _parent(self, path: str) -> Folder | None:
        found = self._find(str(Path(path).parent))
        return found if isinstance(found, Folder) else None

    def _add(self, path: str, new: File | Folder) -> None:
        if parent := self._parent(path):
            parent.names.setdefault(Path(path).name, new)

    def _name(self, old: str, new: str) -> None:
        parent, found = self._parent(new), self._find(old)
        if parent and found:
            parent.names[Path(new).name] = found

    def _remove(self, path: str) -> None:
        if parent := self._parent(path):
            parent.names.pop(Path(path).name)

    def _write(self, path: str, offset: int | None, data: bytes) -> None:
        def write(content: bytearray) -> None:
            start = len(content) if offset is None else offset
            content.extend(bytes(max(0, start - len(content))))
            content[start : start + len(data)] = data

        self._change(path, write)

    def _resize(self, path: str, length: int) -> None:
        def resize(content: bytearray) -> None:
            del content[length:]
            content.extend(bytes(length - len(content)))

        self._change(path, resize)

    def _change(self, path: str, write: Write) -> None:
        found = self._find(path)
        if isinstance(found, File):
            found.pending.append(write)


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
