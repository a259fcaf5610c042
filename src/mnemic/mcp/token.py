"""The token that HTTP clients must send: a given one, or one in a file that only its owner can read."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from mnemic.errors import InvalidInput

LEAST = 16


def token_in(file: Path) -> str:
    """Return the token in a file, creating the file with a new token if it does not exist."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        _write(file)
    return _read(file)


def checked_token(token: str, *, where: str) -> str:
    """Return a token if it can be sent in a header and is too long to be guessed; `where` names its origin."""
    if len(token) < LEAST or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInput(where, f"must be at least {LEAST} printable ASCII characters without blanks")
    return token


def _write(file: Path) -> None:
    """Create the file with a token in it, so that another program never reads it empty."""
    with TemporaryDirectory(dir=file.parent, prefix=".token-") as folder:
        partial = Path(folder, file.name)
        partial.touch(mode=0o600)
        partial.write_text(secrets.token_urlsafe(32) + "\n", encoding="ascii")
        os.link(partial, file)


def _read(file: Path) -> str:
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise InvalidInput(str(file), "can be read by others; run `chmod 600` on it, or delete it to get a new one")
    return checked_token(file.read_text(encoding="ascii", errors="replace").strip(), where=str(file))
