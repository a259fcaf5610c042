"""Dataset files: JSON Lines, JSON, or Python lists of literals, which are parsed and never executed."""

from __future__ import annotations

import ast
import json
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput, NotFound
from mnemic.model import checks

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

FORMATS = (".jsonl", ".json", ".py")


@dataclass(frozen=True, slots=True)
class DatasetEntry:
    """One experience of a file, or why it cannot be read, with the line of its start and of each field."""

    line: int
    value: object = None
    problem: str | None = None
    lines: dict[str, int] = field(default_factory=dict)


def read(path: str | os.PathLike[str]) -> Iterator[DatasetEntry]:
    """Read a dataset, entry by entry, in the format of its file extension."""
    file = checks.path("file", path)
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".json": _json, ".py": _python}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise InvalidInput("file", f"{file.name} must end in one of {', '.join(FORMATS)}")
    if not file.is_file():
        raise NotFound(f"no file {file}")
    return reader(file)


def write(path: Path, entries: Iterable[Mapping[str, Any]]) -> int:
    """Write a dataset to a new file, in the format of its file extension; return how many entries."""
    extension = path.suffix.lower()
    if extension not in FORMATS:
        raise InvalidInput("out", f"{path.name} must end in one of {', '.join(FORMATS)}")
    count = 0
    opening, closing = {".json": ("[\n", "\n]\n"), ".py": ("memories = [\n", "\n]\n")}.get(extension, ("", "\n"))
    separator = "\n" if extension == ".jsonl" else ",\n"
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise InvalidInput("out", f"{path} already exists; choose a new file name") from None
    try:
        with file:
            file.write(opening)
            for count, entry in enumerate(entries, start=1):
                text = repr(dict(entry)) if extension == ".py" else json.dumps(entry, ensure_ascii=False)
                file.write((separator if count > 1 else "") + text)
            file.write(closing)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return count


def _text(file: Path) -> str | DatasetEntry:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        return DatasetEntry(1, problem=f"is not UTF-8 at byte {error.start:,}")


def _json_lines(file: Path) -> Iterator[DatasetEntry]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                continue
            try:
                yield DatasetEntry(number, json.loads(line, parse_constant=_refuse))
            except (ValueError, RecursionError) as error:
                yield DatasetEntry(number, problem=f"is not JSON: {error}")


def _json(file: Path) -> Iterator[DatasetEntry]:
    text = _text(file)
    if isinstance(text, DatasetEntry):
        yield text
        return
    decoder, line, seen = json.JSONDecoder(parse_constant=_refuse), 1, 0
    index = _next(text, 0)
    if text[index : index + 1] != "[":
        yield DatasetEntry(1, problem="must be a list of objects, starting with [")
        return
    index = _next(text, index + 1)
    while text[index : index + 1] not in ("]", ""):
        line, seen = line + text.count("\n", seen, index), index
        try:
            value, index = decoder.raw_decode(text, index)
        except (ValueError, RecursionError) as error:
            yield DatasetEntry(line, problem=f"is not JSON: {error}")
            return
        yield DatasetEntry(line, value)
        index = _next(text, index)
        if text[index : index + 1] == ",":
            index = _next(text, index + 1)
        elif text[index : index + 1] != "]":
            break
    if text[index : index + 1] != "]" or text[index + 1 :].strip():
        yield DatasetEntry(line + text.count("\n", seen, index), problem="is not JSON: the list has no proper end")


def _next(text: str, index: int) -> int:
    while index < len(text) and text[index] in " \t\r\n":
        index += 1
    return index


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number in JSON")


def _python(file: Path) -> Iterator[DatasetEntry]:
    text = _text(file)
    if isinstance(text, DatasetEntry):
        yield text
        return
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except SyntaxError as error:
        yield DatasetEntry(error.lineno or 1, problem=f"is not Python: {error.msg}")
        return
    except (ValueError, RecursionError, MemoryError) as error:
        yield DatasetEntry(1, problem=f"is not Python: {error}")
        return
    for statement in tree.body:
        yield from _statement(statement)


def _statement(statement: ast.stmt) -> Iterator[DatasetEntry]:
    """Read lists that are assigned, appended or extended; skip statements without data; report the rest."""
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) | ast.AugAssign(value=value):
            yield from _list(value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[value])):
            yield _entry(value)
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(attr="extend"), args=[value]))
            | ast.Expr(value=(ast.List() | ast.Tuple()) as value)
        ):
            yield from _list(value)
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Pass():
            return
        case _:
            yield DatasetEntry(statement.lineno, problem="is code, not data; write the memories out as literals")


def _list(value: ast.expr) -> Iterator[DatasetEntry]:
    match value:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for element in elements:
                if isinstance(element, ast.Starred):
                    yield from _list(element.value)
                else:
                    yield _entry(element)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _list(left)
            yield from _list(right)
        case ast.Name() | ast.Constant():
            return
        case _:
            yield DatasetEntry(value.lineno, problem="is code, not data; write the memories out as literals")


def _entry(value: ast.expr) -> DatasetEntry:
    lines = {}
    if isinstance(value, ast.Dict):
        for key in value.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                lines[key.value] = key.lineno
    try:
        return DatasetEntry(value.lineno, ast.literal_eval(value), lines=lines)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        return DatasetEntry(value.lineno, problem="is code, not data; write the memory out as literals")
