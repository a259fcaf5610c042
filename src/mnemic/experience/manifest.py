"""What the index knows of each experience beside its file: its route, its time and its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.files.format import Entry
from mnemic.files.manifest import Details, Manifest
from mnemic.model.time import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mnemic.experience.experience import Experience
    from mnemic.experience.routes import Place

REBUILD = "run `mnemic experience sync --rebuild`"
_DETAILS = Details(
    columns=("outcome", "tool", "key", "value", "filed", "belongs_in", "began_at", "summary"),
    indexes={
        "filed": "(filed, began_at)",
        "began": "(began_at)",
        "misfiled": "(path) WHERE belongs_in IS NOT NULL",
    },
)


def entry_of(experience: Experience, *, belongs_in: str | None = None) -> Entry:
    """Return an experience as the entry of its file; `belongs_in` is the folder it names when it lies elsewhere."""
    place = experience.place
    return Entry(
        experience.memory(),
        (
            *(place.outcome, place.tool, place.key, place.value, place.folder, belongs_in),
            stamp(experience.began_at),
            experience.summary,
        ),
    )


class ExperienceManifest(Manifest):
    """The manifest of an experience tree, with queries by route and time."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, _DETAILS, reopen="open it again with MemoryEngine(root)", rebuild=f"{REBUILD} to make it again"
        )

    def newest(
        self,
        places: Sequence[Place],
        *,
        since: str | None = None,
        until: str | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> list[tuple[str, str]]:
        """Return path and memory id of the experiences filed in places, newest first."""
        rows: list[tuple[str, str, str]] = []
        bounds = [(sign, bound) for sign, bound in ((">=", since), ("<=", until), ("<", before)) if bound is not None]
        span = "".join(f" AND began_at {sign} ?" for sign, _ in bounds)
        for place in places:
            rows += self._all(
                f"SELECT began_at, path, memory_id FROM memories WHERE filed = ?{span} "
                "ORDER BY began_at DESC, path DESC LIMIT ?",
                place.folder,
                *(bound for _, bound in bounds),
                -1 if limit is None else limit,
            )
        rows.sort(reverse=True)
        return [(path, id) for _, path, id in rows[:limit]]

    def tally(self) -> list[tuple[str, str | None, str | None, str | None, int, str, str]]:
        """Count experiences by place, with the first and the last time of each."""
        return self._all(
            "SELECT outcome, tool, key, value, count(*), min(began_at), max(began_at) FROM memories "
            "GROUP BY filed, outcome, tool, key, value ORDER BY filed"
        )

    def by_day(self) -> list[tuple[str, str, int]]:
        """Count experiences by day and outcome."""
        return self._all("SELECT substr(began_at, 1, 10), outcome, count(*) FROM memories GROUP BY 1, 2 ORDER BY 1")

    def all(self) -> Iterator[tuple[str, str, str]]:
        """Walk through folder of the route, time and summary of every experience, oldest first."""
        yield from self._all("SELECT filed, began_at, summary FROM memories ORDER BY began_at, path")

    def misfiled(self) -> list[tuple[str, str]]:
        """Return the paths that lie in another folder than their front matter names, each with that folder."""
        return self._all("SELECT path, belongs_in FROM memories WHERE belongs_in IS NOT NULL ORDER BY path")
