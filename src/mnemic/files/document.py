"""A small Markdown file: front matter between two lines of three hyphens, then the content.

The front matter is a part of YAML: `key: value` lines, lists with one `- value` per line, and comments. A value is
plain text, quoted text, or JSON; `yes`, `007` and dates are plain text. Other parts of YAML are refused with their line
number. The content starts after one empty line and ends before the last line break, and is kept exactly.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
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
_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*!|>%@`?{}\[\],-][^\n]*?)[ \t]*:(?=[ \t]|$)""")
_ITEM = re.compile(r"( *)-(?=[ \t]|$)")
_NESTED = re.compile(r"[^\"'{\[].*?:([ \t]|$)|[-?]([ \t]|$)")
_COMMENT = re.compile(r"(^|[ \t]+)#.*")
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_CONSTANTS: dict[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_UNREADABLE = tuple("&*!|>%@`")
"""How anchors, tags, block text and other parts of YAML begin."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)


def written(fields: Mapping[str, Json], content: str) -> bytes:
    """Return a document as a file."""
    lines = [f"{_written_key(key)}: {_written_value(value)}\n" for key, value in fields.items()]
    return f"{_FENCE}{''.join(lines)}{_FENCE}\n{content}\n".encode()


def _written_key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else _ENCODER.encode(key)


def _written_value(value: Json) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_PLAIN:
        return value
    return _ENCODER.encode(value)


def read(data: bytes) -> tuple[dict[str, Any], str]:
    """Return the front matter and the content of a file, or refuse it with what is wrong."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("file", f"is not UTF-8 at byte {error.start:,}") from None
    text = text.removeprefix("\ufeff")
    if re.match(r"---[ \t]*\r\n", text):
        text = text.replace("\r\n", "\n")
    fields: dict[str, Any] = {}
    if fence := _FENCE_LINE.match(text):
        head, text = _split_at_fence(text[fence.end() :])
        fields = _fields(head)
        text = text.removeprefix("\n")
    return fields, checks.text("content", text.removesuffix("\n"))


def _split_at_fence(text: str) -> tuple[str, str]:
    fence = _FENCE_LINE.search(text)
    if fence is None:
        raise InvalidInput("front matter", "has no end; close it with a line of three hyphens")
    return text[: fence.start()], text[fence.end() :]


def _fields(head: str) -> dict[str, Any]:
    """Read the lines of the front matter; the first is line 2 of the file."""
    fields: dict[str, Any] = {}
    list_key: str | None = None  # the last key, if it has no value: a list may follow
    for number, line in enumerate(head.split("\n"), start=2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            if list_key is not None and (item := _ITEM.match(line)):
                if not fields[list_key]:
                    indent = item[1]
                elif item[1] != indent:
                    raise ValueError("is indented differently from the item above; align them")
                fields[list_key] = [*(fields[list_key] or []), _item(line[item.end() :].strip())]
                continue
            key, value = _field(line)
            if key in fields:
                raise ValueError(f"gives {checks.shown(key)} again; remove one of them")
            fields[key] = _value(value)
            list_key = None if _without_comment(value) else key
        except ValueError as error:
            raise InvalidInput("front matter", f"line {number} {error}") from None
    return fields


def _field(line: str) -> tuple[str, str]:
    if line[0] in " \t":
        raise ValueError("is indented; nested values are not read, write them as JSON in one line")
    match = _KEY.match(line)
    is_quoted = line[0] in "\"'"
    if match is None or (not is_quoted and _COMMENT.search(match[1])):
        raise ValueError("is not a key, a colon, a space and a value")
    key = str(_value(match[1])) if is_quoted else match[1]
    return key, line[match.end() :].strip()


def _item(value: str) -> Json:
    if _NESTED.match(_without_comment(value)):
        raise ValueError("holds a list or a key inside a list, which is not read; write it as JSON")
    return _value(value)


def _value(value: str) -> Json:
    """Read a value: JSON, quoted text, or plain text up to a comment."""
    if value.startswith(('"', "[", "{")):
        return _json(value)
    if value.startswith("'"):
        quoted = _SINGLE_QUOTED.match(value)
        if quoted is None:
            raise ValueError("has a quotation mark that is not closed")
        _refuse_rest(value[quoted.end() :])
        return quoted[1].replace("''", "'")
    value = _without_comment(value)
    if value.startswith(_UNREADABLE):
        raise ValueError(f"has a value that begins with {value[0]}, which is not read; put it in quotation marks")
    if value in _CONSTANTS:
        return _CONSTANTS[value]
    if value[0] in "-0123456789":
        with suppress(ValueError):
            return json.loads(value, parse_constant=_no_number)  # type: ignore[no-any-return]
    return value


def _json(value: str) -> Json:
    try:
        parsed, end = json.JSONDecoder(parse_constant=_no_number).raw_decode(value)
    except (ValueError, RecursionError):
        raise ValueError('has a value that is not JSON; write it like ["a", "b"], {"a": 1} or "a"') from None
    _refuse_rest(value[end:])
    return parsed  # type: ignore[no-any-return]


def _without_comment(value: str) -> str:
    return _COMMENT.sub("", value) if "#" in value else value


def _refuse_rest(rest: str) -> None:
    if _without_comment(rest).strip():
        raise ValueError(f"has more after its value: {checks.shown(rest.strip())}")


def _no_number(name: str) -> None:
    raise ValueError(f"has {name}, which is not JSON")
