"""What every command keeps to: exit codes, one-line errors, --json, light start-up, terminals and pipes."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command

from mnemic import Mind
from mnemic.cli.app import app
from mnemic.cli.command import Command, Group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.command import Mnemic

PROGRAM = str(Path(sys.executable).parent / "mnemic")
COMMANDS = sorted(get_command(app).commands)  # type: ignore[attr-defined]
UNKNOWN = "0192f3c4-0000-7000-8000-000000000000"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(mnemic: Mnemic, command: str) -> None:
    told = mnemic(command, "--help").out
    assert f"mnemic {command}" in told
    assert "<bool>" not in told
    assert ("--json" in told) == (command not in ("demo", "experience", "mcp", "models"))


def test_without_a_command_there_is_help(mnemic: Mnemic) -> None:
    told = mnemic().out
    assert [command for command in COMMANDS if command not in told] == []


@pytest.mark.parametrize("group", ["experience", "models"])
def test_a_group_without_a_command_prints_its_help(mnemic: Mnemic, group: str) -> None:
    wrong = mnemic(group, code=2)
    assert wrong.out == mnemic(group, "--help").out
    assert wrong.err == ""


def test_the_package_runs_as_a_module() -> None:
    ran = subprocess.run([sys.executable, "-m", "mnemic", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("mnemic 0.")


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["list", "--mind", "x"], "--mind goes before the command: mnemic --mind PATH list (see mnemic list --help)"),
        (["experience", "load", "a", "--root=z"], "--root goes before the command: mnemic experience --root PATH load"),
        (["experience", "recall", "--mind", "x"], "goes before the command: mnemic --mind PATH experience recall"),
    ],
)
def test_an_option_after_its_command_is_told_its_place(mnemic: Mnemic, arguments: list[str], remedy: str) -> None:
    assert remedy in mnemic(*arguments, code=2).err


def test_help_breaks_lines_at_the_width_of_the_terminal_only() -> None:
    for command in commands(get_command(app)):
        assert "\n" not in command.help.replace("\n\n", "")


def test_the_version_is_printed(mnemic: Mnemic) -> None:
    assert mnemic("--version").out.startswith("mnemic 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall"],
        ["recall", "x", "--nonsense"],
        ["nonsense"],
        ["remember"],
        ["remember", "text", "--lines"],
        ["recall", "x", "--limit", "many"],
        ["link", UNKNOWN],
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(mnemic: Mnemic, arguments: list[str]) -> None:
    failed = mnemic(*arguments, code=2)
    assert failed.err.startswith("error: ")
    assert failed.err.count("\n") == 1
    assert "--help)" in failed.err
    assert failed.out == ""


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["recall", "x", "--user", ""], "--user: is blank"),
        (["remember", "x", "--agent", " "], "--agent: is blank"),
        (["list", "--session", ""], "session: is blank"),
        (["forget", "--user", "", "--yes"], "--user: is blank"),
        (["export", "file", "--user", ""], "--user: is blank"),
        (["stats", "--user", ""], "--user: is blank"),
        (["remember", ""], "TEXT: is blank"),
        (["remember", "a \udcff b"], "TEXT: contains a lone surrogate at position 2"),
        (["remember", "x", "--metadata", "{"], "--metadata: is not JSON"),
        (["remember", "x", "--metadata", "[1]"], "--metadata: must be a JSON object"),
        (["remember", "x", "--metadata", '{"a": NaN}'], "--metadata: is not JSON (NaN is not a number in JSON)"),
        (["remember", "x", "--importance", "nan"], "--importance: must be between 1 and 10"),
        (["remember", "x", "--occurred-at", "yesterday"], "--occurred-at: 'yesterday' is not ISO 8601"),
        (
            ["remember", "x", "--occurred-at", "2026-03-01T09:30:00"],
            "no time zone; add one, such as 2026-03-01T09:30:00Z",
        ),
        (["remember", "x", "--expires-at", "2026-03-01"], "--expires-at: 2026-03-01 is a day; give a time"),
        (["recall", "x", "--where", "a=b"], """give an object such as '{"category": "opinion"}'"""),
        (["remember", "x", "--tier", "huge"], "--tier: must be one of"),
        (["recall", "x", "--where", '{"colour": "red"}'], "colour"),
        (["recall", "x", "--limit", "0"], "--limit: must be between"),
        (
            ["recall", "x", "--user", "a", "--everywhere"],
            "--everywhere: cannot be combined with --agent, --user or --session",
        ),
        (["list", "--limit", "-1"], "--limit: must be at least 1"),
        (["list", "--after", "x"], "after: must be"),
        (["show", "7"], "ID: must be the id of a memory"),
        (["show", UNKNOWN], f"no memory {UNKNOWN}"),
        (["history", UNKNOWN], f"no memory {UNKNOWN}"),
        (["restore", "nowhere.db"], "nowhere.db is not a file"),
        (["import", "nowhere.jsonl"], "FILE: nowhere.jsonl does not exist"),
        (["--mind", "", "list"], "mind: is blank"),
    ],
)
def test_an_error_is_one_line_that_names_the_field(mnemic: Mnemic, arguments: list[str], problem: str) -> None:
    mnemic("remember", "something")
    failed = mnemic(*arguments, code=1)
    assert failed.err.startswith("error: ")
    assert problem in failed.err
    assert failed.err.count("\n") == 1
    assert failed.out == ""


@pytest.mark.parametrize(
    "command", ["list", "stats", "recall x", "export f", "backup f", f"show {UNKNOWN}", "forget --everything --yes"]
)
def test_a_mind_that_is_not_there_is_not_made_by_reading(mnemic: Mnemic, home: Path, command: str) -> None:
    assert "there is no mind in" in mnemic(*command.split(), code=1).err
    assert not home.exists()


def test_bytes_that_are_no_text_are_a_clear_error(home: Path) -> None:  # noqa: ARG001
    for command, stdin in ((b"remember \xff", b""), (b"remember -", b"\xff")):
        ran = subprocess.run([PROGRAM, *command.split()], input=stdin, capture_output=True)
        assert (ran.returncode, ran.stdout) == (1, b"")
        assert ran.stderr.startswith(b"error: TEXT: contains a lone surrogate at position 0")


def test_output_is_utf_8_whatever_the_locale(home: Path) -> None:  # noqa: ARG001
    plain = os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    subprocess.run([PROGRAM, "remember", "-"], input="Žofie pije čaj 🍵".encode(), env=plain, check=True)
    ran = subprocess.run([PROGRAM, "list"], env=plain, capture_output=True, check=True)
    assert "Žofie pije čaj 🍵" in ran.stdout.decode()


def test_a_reader_that_stops_early_is_no_error_message(home: Path) -> None:  # noqa: ARG001
    lines = "".join(f"fact number {n} with some more words\n" for n in range(3000))
    subprocess.run([PROGRAM, "remember", "--lines"], input=lines, text=True, check=True)
    ran = subprocess.run(f"{PROGRAM} list | head -n 1", shell=True, capture_output=True, text=True)  # noqa: S602
    assert ran.stdout.count("\n") == 1
    assert ran.stderr == ""


def test_a_full_disk_under_the_output_is_one_line(home: Path) -> None:  # noqa: ARG001
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [PROGRAM, "remember", "something", "--json"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (ran.returncode, ran.stderr) == (1, "error: output: No space left on device\n")


def test_an_export_flows_through_a_pipe_into_an_import(home: Path) -> None:  # noqa: ARG001
    subprocess.run([PROGRAM, "remember", "Ana plays the cello"], check=True)
    subprocess.run(f"{PROGRAM} export - | {PROGRAM} --mind other import -", shell=True, check=True)  # noqa: S602
    ran = subprocess.run([PROGRAM, "--mind", "other", "list"], capture_output=True, text=True, check=True)
    assert "Ana plays the cello" in ran.stdout


def test_an_interrupt_ends_with_130_and_no_traceback(home: Path) -> None:
    process = subprocess.Popen([PROGRAM, "remember", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (home / "mind" / "mind.db").exists():
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors in ("", "error: interrupted\n")


def on_terminal(*arguments: str, answer: str = "") -> tuple[int, str]:
    """Run a command in a terminal of its own and return its exit code and what the terminal showed."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": "100", "TERM": "xterm"}
    process = subprocess.Popen([PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    os.write(ours, answer.encode())
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(timeout=20), shown.decode()


def test_a_terminal_gets_colours_bars_and_panels_but_no_escape_from_a_memory(home: Path) -> None:  # noqa: ARG001
    subprocess.run([PROGRAM, "remember", "Ana plays \x1b[31mthe cello"], check=True)
    code, shown = on_terminal("recall", "cello")
    assert code == 0
    assert "██" in shown
    assert "Ana plays \\x1b[31mthe cello" in shown
    assert "╭" in on_terminal("explain", "cello", shown.rpartition(" · ")[2][:36])[1]
    assert "current" in on_terminal("stats")[1]


@pytest.mark.parametrize(("answer", "code", "left"), [("n\n", 1, 2), ("y\n", 0, 0)])
def test_forgetting_much_in_a_terminal_asks_first(home: Path, answer: str, code: int, left: int) -> None:  # noqa: ARG001
    subprocess.run([PROGRAM, "remember", "--lines", "--user", "ana"], input="one\ntwo\n", text=True, check=True)
    returned, shown = on_terminal("forget", "--user", "ana", answer=answer)
    assert "Forget 2 memories?" in shown
    assert returned == code
    ran = subprocess.run([PROGRAM, "list", "--user", "ana"], capture_output=True, text=True, check=True)
    assert ran.stdout.count("\n") == left


@pytest.mark.parametrize("arguments", [["--version"], ["list", "--json"], ["forget", "--user", "ana", "--yes"]])
def test_a_command_that_needs_no_meaning_loads_neither_numpy_nor_rich(home: Path, arguments: list[str]) -> None:
    Mind(home / "mind").close()
    timed = [sys.executable, "-X", "importtime", PROGRAM, *arguments]
    ran = subprocess.run(timed, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in ran.stderr.splitlines()}
    assert loaded & {"numpy", "rich", "asyncio", "http"} == set()
    assert "typer" in loaded


def test_the_demonstration_runs_without_input_and_leaves_nothing_behind(mnemic: Mnemic, home: Path) -> None:
    told = mnemic("demo").out
    headings = [line for line in told.splitlines() if line[:1].isdigit() and ". " in line[:4]]
    assert len(headings) == 9
    assert "Ana lives in Lisbon" in told
    assert "✗" not in told
    assert not home.exists()


def commands(command: Any) -> Iterator[Any]:
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from commands(inner)


def test_every_command_names_its_options_in_errors() -> None:
    assert [command.name for command in commands(get_command(app)) if not isinstance(command, (Command, Group))] == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["restore", "copy.db"],
            "--mind: {home}/mind already contains a mind; use --replace, or choose another folder",
        ),
        (["list", "--after", "x"], "--after: must be the cursor that an earlier `list` printed, not 'x'"),
        (["recall", "x", "--rerank"], "then set MNEMIC_RERANKER=onnx:ms-marco-minilm"),
        (["forget"], "ID: is missing; give an ID, a scope such as --user, --where, or --everything to empty the mind"),
        (["backup", "copy.db"], "FILE: copy.db already exists; choose a new file name"),
        (["import", "copy.db"], "error: the file is not a Mnemic export, whose first line is"),
        (["revise", UNKNOWN], "nothing to change; give at least one of --text, --tier, "),
        (["supersede", "a", "b"], "OLD: must be the id of a memory, as `mnemic list` prints it, not 'a'"),
        (["remember", "x", "--id", "a"], "--id: must be a UUID, not 'a'"),
        (
            ["explain", "x", "{ana}"],
            "memory {ana} is not in this scope; give its --agent, --user or --session, or",
        ),
        (["recall", ""], "QUERY: is blank; give a question"),
        (["mcp", "--http", "--port", "99999"], "--port: must be between 0 and 65535, not 99999"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_error_names_flags_and_not_arguments_of_python(
    mnemic: Mnemic, home: Path, arguments: list[str], error: str
) -> None:
    mnemic("remember", "x")
    ana = mnemic("remember", "y", "--user", "ana", "--json").object["memory"]["id"]
    mnemic("backup", "copy.db")
    failed = mnemic(*(argument.format(ana=ana) for argument in arguments), code=1).err
    assert error.format(home=home, ana=ana) in failed
    assert failed.count("\n") == 1
    assert "=True" not in failed
    assert "Mind(" not in failed
