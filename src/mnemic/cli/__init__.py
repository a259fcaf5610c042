"""The command line: `mnemic`."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from mnemic.errors import MnemicError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main() -> None:
    """Run the command line and exit."""
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "surrogateescape"),
        (sys.stderr, "backslashreplace"),
    ):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 an error, 2 wrong usage, 130 interrupted."""
    import typer
    from typer.main import get_command

    from mnemic.cli.app import app
    from mnemic.cli.command import misplaced_option

    try:
        code = get_command(app).main(list(arguments), prog_name="mnemic", standalone_mode=False)
        sys.stdout.flush()
    except MnemicError as error:
        return _fail(*(error.problems or [str(error)]))
    except typer.TyperException as error:
        command = getattr(getattr(error, "ctx", None), "command_path", "mnemic")
        problem = misplaced_option(error) or error.format_message()
        return _fail(f"{problem} (see {command} --help)", code=error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("interrupted", code=130)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain again on exit
        reader_left = isinstance(error, BrokenPipeError)
        return 1 if reader_left else _fail(f"{error.filename or 'output'}: {error.strerror}")
    return code if isinstance(code, int) else 0


def _fail(*problems: str, code: int = 1) -> int:
    for problem in problems:
        sys.stderr.write("error: " + " ".join(problem.split()) + "\n")
    return code
