"""The checks of a dataset: broken rules are errors, poor quality gives warnings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mnemic.errors import InvalidInput, WrongDataset
from mnemic.experience.dataset.distinct import Distinct, distinct
from mnemic.experience.dataset.formats import DatasetEntry, read
from mnemic.experience.dataset.shares import Share, ShareCounter
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
"""How many memories a dataset needs before its shares are checked."""

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
class DatasetProblem:
    """One problem of a dataset, and its line."""

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
class DatasetReport:
    """The result of checking a dataset."""

    count: int
    problems: list[DatasetProblem] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    distinct: Distinct | None = None

    @property
    def errors(self) -> list[DatasetProblem]:
        """The broken rules."""
        return [problem for problem in self.problems if problem.level == "error"]

    def to_dict(self) -> dict[str, Json]:
        """Return the report as JSON-able values."""
        return {
            "count": self.count,
            "problems": [problem.to_dict() for problem in self.problems],
            "shares": [share.to_dict() for share in self.shares],
            "distinct": None if self.distinct is None else self.distinct.to_dict(),
        }


def validate(path: str | os.PathLike[str], *, routes: Routes = ROUTES) -> DatasetReport:
    """Check a file against all rules."""
    counter, names = ShareCounter(), Counter[str]()
    problems: list[DatasetProblem] = []

    def contents() -> Iterator[str]:
        for entry in read(path):
            problems.extend(entry_problems(entry, routes))
            if isinstance(entry.value, Mapping):
                counter.add(entry.value)
                summary = entry.value.get("summary")
                if isinstance(summary, str):
                    names[summary] += 1
                    if names[summary] == 2:
                        line = entry.lines.get("summary", entry.line)
                        problems.append(
                            DatasetProblem(line, "warning", "summary", f"{checks.shown(summary)} is repeated")
                        )
                if isinstance(entry.value.get("content"), str):
                    yield entry.value["content"]

    variety = distinct(contents())
    shares = counter.shares()
    if counter.total >= ENOUGH and routes == ROUTES:
        problems += [_off_target(share) for share in shares if not share.ok]
    return DatasetReport(counter.total, problems, shares, variety)


def entry_problems(entry: DatasetEntry, routes: Routes) -> Iterator[DatasetProblem]:
    """Yield everything that is wrong with one entry."""
    if entry.problem is not None:
        yield DatasetProblem(entry.line, "error", "entry", entry.problem)
        return
    if not isinstance(entry.value, Mapping):
        yield DatasetProblem(entry.line, "error", "entry", f"must be an object, not {checks.shown(entry.value)}")
        return
    for error in _broken_rules(entry.value, routes):
        yield DatasetProblem(entry.lines.get(error.field, entry.line), "error", error.field, error.problem)
    content = entry.value.get("content")
    if isinstance(content, str) and content.strip() and is_generic(content):
        yield DatasetProblem(
            entry.lines.get("content", entry.line),
            "warning",
            "content",
            f"{checks.shown(content)} is too generic to be useful; say what, where and why",
        )


def _broken_rules(value: Mapping[Any, Any], routes: Routes) -> Iterator[InvalidInput]:
    metadata = {key: item for key, item in value.items() if key not in RESERVED}
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
        yield InvalidInput("memory_id", "is chosen by the engine; leave it out")
    yield from routes.problems(value.get("outcome"), value.get("tool"), metadata)


def is_generic(content: str) -> bool:
    """Return whether a content is too vague to be useful later."""
    words = {word for word in _WORD.findall(content.lower()) if not word.isdigit()}
    return len(words - STOP_WORDS - _VAGUE) < 2


def _off_target(share: Share) -> DatasetProblem:
    target = share.target
    expected = f"{target.least:g}–{target.most:g} %"
    return DatasetProblem(None, "warning", target.field, f"{target.value} has {share.percent:.1f} %, not {expected}")


def load(path: str | os.PathLike[str], engine: MemoryEngine, *, progress: Progress = silent) -> list[Path]:
    """Store a dataset; when an entry breaks a rule, report all such entries and store nothing."""
    report = validate(path, routes=engine.routes)
    if report.errors:
        raise WrongDataset([str(problem) for problem in report.errors])

    def counted(doing: str, done: int, _total: int) -> None:
        progress(doing, done, report.count)

    entries = (entry.value for entry in read(path))
    return engine.remember_many(entries, progress=counted)  # type: ignore[arg-type]
