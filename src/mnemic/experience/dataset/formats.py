"""Datasets as files: JSON Lines, JSON, or Python lists of literals, which are parsed and never run."""

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
class Entry:
    """Hold one memory of a file, or what kept it from being read, with the lines of its start and of its fields."""

    line: int
    value: object = None
    problem: str | None = None
    lines: dict[str, int] = field(default_factory=dict)


def read(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """Read a dataset, entry by entry; the format follows from the ending of the name."""
    file = checks.path("file", path)
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".json": _json, ".py": _python}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise InvalidInput("file", f"{file.name} must end in {', '.join(FORMATS)}, which tells its format")
    if not file.is_file():
        raise NotFound(f"no file {file}")
    return reader(file)


def write(path: Path, entries: Iterable[Mapping[str, Any]]) -> int:
    """Write a dataset to a new file, in the format that the ending of its name tells; return how many."""
    form = path.suffix.lower()
    if form not in FORMATS:
        raise InvalidInput("out", f"{path.name} must end in {', '.join(FORMATS)}, which tells its format")
    count = 0
    opening, closing = {".json": ("[\n", "\n]\n"), ".py": ("memories = [\n", "\n]\n")}.get(form, ("", "\n"))
    between = "\n" if form == ".jsonl" else ",\n"
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise InvalidInput("out", f"{path} exists already; name a new file") from None
    try:
        with file:
            file.write(opening)
            for count, entry in enumerate(entries, start=1):
                told = repr(dict(entry)) if form == ".py" else json.dumps(entry, ensure_ascii=False)
                file.write((between if count > 1 else "") + told)
            file.write(closing)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return count


def _text(file: Path) -> str | Entry:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        return Entry(1, problem=f"is not UTF-8 at byte {error.start:,}")


def _json_lines(file: Path) -> Iterator[Entry]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                continue
            try:
                yield Entry(number, json.loads(line, parse_constant=_refuse))
            except (ValueError, RecursionError) as error:
                yield Entry(number, problem=f"is not JSON: {error}")


def _json(file: Path) -> Iterator[Entry]:
    text = _text(file)
    if isinstance(text, Entry):
        yield text
        return
    decoder, line, seen = json.JSONDecoder(parse_constant=_refuse), 1, 0
    place = _next(text, 0)
    if text[place : place + 1] != "[":
        yield Entry(1, problem="must be a list of objects: it starts with something else than [")
        return
    place = _next(text, place + 1)
    while text[place : place + 1] not in ("]", ""):
        line, seen = line + text.count("\n", seen, place), place
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            yield Entry(line, problem=f"is not JSON: {error}")
            return
        yield Entry(line, value)
        place = _next(text, place)
        if text[place : place + 1] == ",":
            place = _next(text, place + 1)
        elif text[place : place + 1] != "]":
            break
    if text[place : place + 1] != "]" or text[place + 1 :].strip():
        yield Entry(line + text.count("\n", seen, place), problem="is not JSON: the list does not end as it should")


def _next(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number in JSON")


def _python(file: Path) -> Iterator[Entry]:
    text = _text(file)
    if isinstance(text, Entry):
        yield text
        return
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except SyntaxError as error:
        yield Entry(error.lineno or 1, problem=f"is not Python: {error.msg}")
        return
    except (ValueError, RecursionError, MemoryError) as error:
        yield Entry(1, problem=f"is not Python: {error}")
        return
    for statement in tree.body:
        yield from _statement(statement)


def _statement(statement: ast.stmt) -> Iterator[Entry]:
    """Read the lists that are assigned, appended or extended; leave out what holds no data; report the rest."""
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
            yield Entry(statement.lineno, problem="is code, not data; write the memories out as literals")


def _list(value: ast.expr) -> Iterator[Entry]:
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
            yield Entry(value.lineno, problem="is code, not data; write the memories out as literals")


def _entry(value: ast.expr) -> Entry:
    lines = {}
    if isinstance(value, ast.Dict):
        for key in value.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                lines[key.value] = key.lineno
    try:
        return Entry(value.lineno, ast.literal_eval(value), lines=lines)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        return Entry(value.lineno, problem="is code, not data; write the memory out as literals")
