"""The checklist of a dataset: what breaks the rules is an error, what makes it poor a warning."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mnemic.errors import InvalidInput, WrongDataset
from mnemic.experience.dataset.distinct import Distinct, distinct
from mnemic.experience.dataset.formats import Entry, read
from mnemic.experience.dataset.shares import Counting, Share
from mnemic.experience.routes import RESERVED, ROUTES, Routes
from mnemic.experience.summary import checked_summary
from mnemic.model import checks
from mnemic.ports import silent
from mnemic.rules.language.terms import STOP_WORDS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mnemic.experience.engine import MemoryEngine
    from mnemic.model.checks import Json
    from mnemic.ports import Progress

ENOUGH = 50
"""How many memories a dataset needs before its shares mean anything."""

_WORD = re.compile(r"\w+")
_VAGUE = frozenset(
    """
    fixed fix bug bugs issue issues problem problems error errors did done made make some something thing things stuff
    research learned learnt improvements improvement looked code talked user work worked working feature features
    successfully failed failure updated update changed changes task tasks module function topic happy confused result
    output implemented debugged found documentation runtime syntax pattern codebase
    """.split()
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Hold one thing that is wrong with a dataset, and in which line."""

    line: int | None
    level: Literal["error", "warning"]
    field: str
    problem: str

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        return f"{where}{self.field}: {self.problem}"

    def to_dict(self) -> dict[str, Json]:
        """Return the problem as JSON-able values."""
        return {"line": self.line, "level": self.level, "field": self.field, "problem": self.problem}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hold what the checklist says of a dataset."""

    count: int
    problems: list[Problem] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    distinct: Distinct | None = None

    @property
    def errors(self) -> list[Problem]:
        """Return what breaks the rules."""
        return [problem for problem in self.problems if problem.level == "error"]

    def to_dict(self) -> dict[str, Json]:
        """Return the verdict as JSON-able values."""
        return {
            "count": self.count,
            "problems": [problem.to_dict() for problem in self.problems],
            "shares": [share.to_dict() for share in self.shares],
            "distinct": None if self.distinct is None else self.distinct.to_dict(),
        }


def validate(path: str | os.PathLike[str], *, routes: Routes = ROUTES) -> Verdict:
    """Check a file against the whole checklist."""
    counting, names = Counting(), Counter[str]()
    problems: list[Problem] = []

    def contents() -> Iterator[str]:
        for entry in read(path):
            found = list(entry_problems(entry, routes))
            problems.extend(found)
            if isinstance(entry.value, Mapping):
                counting.add(entry.value)
                summary = entry.value.get("summary")
                if isinstance(summary, str):
                    names[summary] += 1
                    if names[summary] == 2:
                        line = entry.lines.get("summary", entry.line)
                        problems.append(Problem(line, "warning", "summary", f"{checks.shown(summary)} is repeated"))
                if isinstance(entry.value.get("content"), str):
                    yield entry.value["content"]

    variety = distinct(contents())
    shares = counting.shares()
    if counting.total >= ENOUGH and routes == ROUTES:
        problems += [_off(share) for share in shares if not share.ok]
    return Verdict(counting.total, problems, shares, variety)


def entry_problems(entry: Entry, routes: Routes) -> Iterator[Problem]:
    """Return everything that is wrong with one entry."""
    if entry.problem is not None:
        yield Problem(entry.line, "error", "entry", entry.problem)
        return
    if not isinstance(entry.value, Mapping):
        yield Problem(entry.line, "error", "entry", f"must be an object, not {checks.shown(entry.value)}")
        return
    for error in _broken_rules(entry.value, routes):
        yield Problem(entry.lines.get(error.field, entry.line), "error", error.field, error.problem)
    content = entry.value.get("content")
    if isinstance(content, str) and content.strip() and is_generic(content):
        yield Problem(
            entry.lines.get("content", entry.line),
            "warning",
            "content",
            f"{checks.shown(content)} is too generic to be of use; name what, where and why",
        )


def _broken_rules(value: Mapping[Any, Any], routes: Routes) -> Iterator[InvalidInput]:
    metadata = {key: told for key, told in value.items() if key not in RESERVED}
    checked: Iterable[tuple[str, Any]] = (
        ("content", lambda: checks.text("content", value.get("content"))),
        ("summary", lambda: value.get("summary") is None or checked_summary(value["summary"])),
        ("occurred_at", lambda: value.get("occurred_at") is None or checks.when("occurred_at", value["occurred_at"])),
        ("metadata", lambda: checks.metadata(metadata)),
    )
    for name, check in checked:
        if name == "content" and name not in value:
            yield InvalidInput("content", "is missing")
            continue
        try:
            check()
        except InvalidInput as error:
            yield error
    if "memory_id" in value:
        yield InvalidInput("memory_id", "is given by the engine; leave it out")
    yield from routes.problems(value.get("outcome"), value.get("tool"), metadata)


def is_generic(content: str) -> bool:
    """Tell whether a content says nothing that could be used later."""
    words = {word for word in _WORD.findall(content.lower()) if not word.isdigit()}
    return len(words - STOP_WORDS - _VAGUE) < 2


def _off(share: Share) -> Problem:
    target = share.target
    wanted = f"{target.least:g}–{target.most:g} %"
    return Problem(None, "warning", target.field, f"{target.value} has {share.percent:.1f} %, not {wanted}")


def load(path: str | os.PathLike[str], engine: MemoryEngine, *, progress: Progress = silent) -> list[Path]:
    """Store a dataset whose every line keeps the rules; if one does not, nothing is stored."""
    verdict = validate(path, routes=engine.routes)
    if verdict.errors:
        raise WrongDataset([str(problem) for problem in verdict.errors])

    def counted(doing: str, done: int, _total: int) -> None:
        progress(doing, done, verdict.count)

    entries = (entry.value for entry in read(path))
    return engine.remember_many(entries, progress=counted)  # type: ignore[arg-type]
