"""List the files of the package that one `remember` and one `recall` pass through: python tools/files_passed.py"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mnemic
from mnemic import Mind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

PACKAGE = Path(mnemic.__file__).parent
SCOPES: tuple[dict[str, Any], ...] = ({"user": "ana"}, {"user": "ana", "session": "monday"})
"""A fact, and a turn of a session."""


def files_passed(call: Callable[[], object]) -> list[str]:
    """Return the files in which a function runs during a call, in the order of their first function."""
    codes: dict[Any, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.setdefault(frame.f_code)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(dict.fromkeys(_files(codes)))


def _files(codes: dict[Any, None]) -> Iterator[str]:
    for code in codes:
        file = Path(code.co_filename)
        if code.co_name != "<module>" and file.is_relative_to(PACKAGE):
            yield file.relative_to(PACKAGE).as_posix()


def walks() -> dict[str, list[str]]:
    """Return the files that each verb passes, for a fact and for a turn of a session, in a mind that is warm."""
    remembering: dict[str, None] = {}
    recalling: dict[str, None] = {}
    with tempfile.TemporaryDirectory() as folder, Mind(folder) as mind:
        _warm(mind)
        for scope in SCOPES:
            remember = partial(mind.remember, "Ana moved from Porto to Lisbon in March", **scope)
            recall = partial(mind.recall, "Where does Ana live?", **scope)
            remembering |= dict.fromkeys(files_passed(remember))
            recalling |= dict.fromkeys(files_passed(recall))
    return {"remember": list(remembering), "recall": list(recalling)}


def _warm(mind: Mind) -> None:
    """Load what is loaded once: the embedder's table, the index, and the modules imported at first use."""
    for scope in SCOPES:
        for number in range(20):
            mind.remember(f"Ana read book {number} in the garden", **scope)
        mind.recall("What did Ana read in the garden?", **scope)


def main() -> None:
    """Print the files of each verb, one per line, and how many there are."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for verb, files in walks().items():
        print(f"{verb}: {len(files)} files")
        print(*(f"  {file}" for file in files), sep="\n")


if __name__ == "__main__":
    main()
