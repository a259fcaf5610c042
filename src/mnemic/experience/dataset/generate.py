"""A year of invented work: days of themed sessions, failures, and learnings from them."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

from mnemic.errors import InvalidInput
from mnemic.experience.dataset import writers
from mnemic.experience.dataset.domains import DOMAINS, Domain
from mnemic.experience.dataset.shares import SCALES, quotas
from mnemic.experience.lessons import LEARNED_FROM
from mnemic.experience.summary import made_summary
from mnemic.model import checks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mnemic.experience.dataset.writers import Thread
    from mnemic.experience.routes import Place

START = date(2026, 1, 5)
MOST = 5_000_000
_DAYS, _PER_DAY = 260, 12
"""The most working days, and the number of memories per day while there are fewer days."""

_OPEN = 12
"""The most unresolved failures that later work can go back to."""


@dataclass(frozen=True, slots=True)
class Session:
    """A part of the day: its theme, its hours, its share of the day, and what is more frequent in it."""

    name: str
    theme: str
    begins: float
    ends: float
    share: float
    more: dict[str, float]


SESSIONS = (
    Session(
        "morning",
        "setup",
        9.0,
        12.0,
        0.35,
        {"write": 3.0, "file_operation": 2.0, "web_search": 2.0, "syntax": 2.0, "learning": 0.4, "interaction": 0.5},
    ),
    Session(
        "afternoon",
        "deep debugging",
        13.0,
        17.5,
        0.4,
        {"failure": 2.5, "debug": 3.0, "correction": 2.5, "write": 0.5, "conversation": 0.4, "interaction": 0.4},
    ),
    Session(
        "evening",
        "reflection",
        18.0,
        20.0,
        0.25,
        {"refactor": 3.0, "explain": 3.0, "learning": 3.0, "interaction": 3.0, "conversation": 2.5, "failure": 0.3},
    ),
)


def scale_of(scale: str | int) -> int:
    """Return the number of memories of a named scale or a number."""
    if isinstance(scale, str) and scale in SCALES:
        return SCALES[scale]
    try:
        count = int(scale)
    except (TypeError, ValueError):
        raise InvalidInput("scale", f"must be {', '.join(SCALES)} or a number, not {checks.shown(scale)}") from None
    return checks.integer("scale", count, minimum=1, maximum=MOST)


def generate(scale: str | int = "small", *, seed: int = 0, start: date = START) -> Iterator[dict[str, Any]]:
    """Generate the memories of a scale in order of time; the same seed gives the same memories."""
    work = _Work(scale_of(scale), seed)
    days = max(1, min(_DAYS, work.left // _PER_DAY))
    whole = work.left
    for number in range(days):
        day = start + timedelta(days=number // 5 * 7 + number % 5)
        today = whole * (number + 1) // days - whole * number // days
        work.start_day(number)
        for session, count in zip(SESSIONS, _parts(today), strict=True):
            for when in work.times(day, session, count):
                yield work.next(when, day, session, progress=number / days)


def _parts(count: int) -> list[int]:
    """Divide the memories of a day among its sessions."""
    parts = [int(count * session.share) for session in SESSIONS]
    parts[1] += count - sum(parts)
    return parts


class _Work:
    """The state of the work: what is left to write, its fields, and the open failures."""

    def __init__(self, count: int, seed: int) -> None:
        self.left = count
        self._rng = Random(f"experience {seed}")  # noqa: S311 - it need not be secret
        self._quotas = quotas(count)
        self._names = Counter[str]()
        self._fields: list[Domain] = []
        self._open: deque[tuple[Thread, str]] = deque(maxlen=_OPEN)
        self._learned: deque[tuple[Thread, str]] = deque(maxlen=_OPEN)

    def start_day(self, day: int) -> None:
        """Choose the fields of a day; they stay for some days."""
        if day % 4 == 0 or not self._fields:
            self._fields = self._rng.sample(DOMAINS, 3)

    def times(self, day: date, session: Session, count: int) -> list[datetime]:
        """Return times within a session, in order."""
        midnight = datetime.combine(day, time.min, UTC)
        hours = sorted(self._rng.uniform(session.begins, session.ends) for _ in range(count))
        return [(midnight + timedelta(hours=hour)).replace(microsecond=0) for hour in hours]

    def next(self, when: datetime, day: date, session: Session, *, progress: float) -> dict[str, Any]:
        """Write the next memory."""
        place = self._choose(session, progress)
        about, cause = self._about(place)
        text = writers.write(place, about, self._rng)
        summary = self._name(text.name)
        if place.outcome == "failure" and place.tool == "code_interpreter":
            self._open.append((about, summary))
        return {
            "content": text.content,
            "outcome": place.outcome,
            **({"tool": place.tool} if place.tool else {}),
            **({place.key: place.value} if place.key else {}),
            "summary": summary,
            "occurred_at": when.isoformat(),
            "session": f"{day.isoformat()} {session.name}: {session.theme}",
            **({LEARNED_FROM: cause} if cause else {}),
        }

    def _choose(self, session: Session, progress: float) -> Place:
        """Draw a place from the remaining quotas, weighted by the session; failures grow rarer over time."""
        places = [place for place, left in self._quotas.items() if left]
        weights = [self._quotas[place] * _weight(place, session, progress) for place in places]
        (place,) = self._rng.choices(places, weights)
        self._quotas[place] -= 1
        return place

    def _about(self, place: Place) -> tuple[Thread, str | None]:
        """Return the subject of the next memory, and the failure it was learned from."""
        if place.value == "debug" and self._open:
            thread, cause = self._open.popleft()
            self._learned.append((thread, cause))
            return thread, None
        if place.value in ("correction", "pattern") and (self._learned or self._open):
            thread, cause = self._learned.popleft() if self._learned else self._open[0]
            return thread, cause
        kind = place.value if place.key == "error_type" else None
        return writers.thread(self._rng, self._rng.choice(self._fields), kind), None

    def _name(self, words: str) -> str:
        """Return a summary that is not yet used."""
        name = made_summary(words, default="work")[:42].rstrip("_")
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name}_{self._names[name]}"


def _weight(place: Place, session: Session, progress: float) -> float:
    weight = 1.0
    for part in (place.outcome, place.tool, place.value):
        weight *= session.more.get(part or "", 1.0)
    return weight * (1.4 - 0.8 * progress) if place.outcome == "failure" else weight
