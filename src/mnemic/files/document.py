"""An experience as a small Markdown file: front matter between two lines of three hyphens, then the content.

Each line of the front matter is a key, a colon and a value: plain words, or JSON where words would not do. The content
starts after one empty line and ends before the last line break, and is kept exactly.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput
from mnemic.model import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mnemic.model.checks import Json

MAX_BYTES = 4 * checks.MAX_TEXT
"""The size beyond which the content would be too long."""

_FENCE = "---\n"
_FENCE_LINE = re.compile(r"^---[ \t]*(\n|\Z)", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z][\w-]*|\d{4}-\d{2}-\d{2}(T[\d:.+-]+)?", re.ASCII)
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_NOT_PLAIN = frozenset({"true", "false", "null", "yes", "no", "on", "off", "nan", "infinity", "y", "n"})
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_DECODER = json.JSONDecoder(parse_constant=lambda name: _refuse(f"holds {name}, which is no JSON"))


def written(fields: Mapping[str, Json], content: str) -> bytes:
    """Return the file of an experience."""
    lines = [f"{_key(key)}: {_value(value)}\n" for key, value in fields.items()]
    return f"{_FENCE}{''.join(lines)}{_FENCE}\n{content}\n".encode()


def read(data: bytes) -> tuple[dict[str, Any], str]:
    """Return the front matter and the content of a file, or say what is wrong with it."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("file", f"is not UTF-8 at byte {error.start:,}") from None
    text = text.removeprefix("\ufeff")
    if re.match(r"---[ \t]*\r\n", text):
        text = text.replace("\r\n", "\n")
    fields: dict[str, Any] = {}
    if opened := _FENCE_LINE.match(text):
        head, text = _until_fence(text[opened.end() :])
        fields = _fields(head)
        text = text.removeprefix("\n")
    return fields, checks.text("content", text.removesuffix("\n"))


def _until_fence(text: str) -> tuple[str, str]:
    """Part a text at the first line that is a fence and nothing else."""
    found = _FENCE_LINE.search(text)
    if found is None:
        raise InvalidInput("front matter", "has no end; close it with a line of three hyphens")
    return text[: found.start()], text[found.end() :]


def _fields(head: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for number, line in enumerate(head.split("\n"), start=2):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            key, value = _parted(line)
        except ValueError:
            raise InvalidInput("front matter", f"line {number} is not a key, a colon and a value") from None
        if key in fields:
            raise InvalidInput("front matter", f"line {number} gives {checks.shown(key)} again")
        fields[key] = _parsed(value.strip())
    return fields


def _parted(line: str) -> tuple[str, str]:
    if line.startswith('"'):
        key, end = json.JSONDecoder().raw_decode(line)
        if not line[end:].startswith(":"):
            raise ValueError(line)
        return key, line[end + 1 :]
    key, colon, value = line.partition(":")
    if not colon or not key.strip():
        raise ValueError(line)
    return key.strip(), value


def _parsed(value: str) -> Json:
    try:
        parsed: Json = _DECODER.decode(value)
    except (ValueError, RecursionError):
        if len(value) > 1 and value[0] == value[-1] == "'":
            return value[1:-1].replace("''", "'")
        return value
    return parsed


def _refuse(problem: str) -> None:
    raise ValueError(problem)


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else _ENCODER.encode(key)


def _value(value: Json) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_PLAIN:
        return value
    return _ENCODER.encode(value)
