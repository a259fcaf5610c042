"""Contradict: newer facts close older ones; what nobody can tell is listed for a person to decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from mnemic.core.vectors import vectors_of
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.model import checks
from mnemic.rules.claims.compare import Comparison, compare
from mnemic.rules.claims.facts import OUTDATED
from mnemic.rules.claims.opposites import opposition
from mnemic.rules.claims.reader import facts_of
from mnemic.upkeep.candidates import rivals
from mnemic.upkeep.change_model.detect import detect_changes
from mnemic.upkeep.llm_comparison import compare_with_llm
from mnemic.upkeep.report import Action

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mnemic.mind import Mind
    from mnemic.model.memory import Memory
    from mnemic.ports import Llm
    from mnemic.upkeep.options import Options
    from mnemic.upkeep.report import Report

UPDATES = "updates"
CONTRADICTS = "contradicts"
COMPATIBLE = "compatible"
"""The relation of two memories of which a person said that both are true."""

Decision = Literal["newer", "older", "both"]

_MODEL_CANDIDATES = 8
_NEAR = 0.85
"""The cosine from which opposite words in two texts are worth a person's look."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Hold two memories that cannot both be true."""

    older: Memory
    newer: Memory

    def to_dict(self) -> dict[str, object]:
        """Return the contradiction as JSON-able values."""
        return {"older": self.older.to_dict(), "newer": self.newer.to_dict()}


def contradict(
    mind: Mind,
    memory: Memory,
    near: Sequence[Memory],
    report: Report,
    *,
    options: Options,
    llm: Llm | None,
    closed: Collection[str],
    arrival: Mapping[str, int],
) -> Iterator[Action]:
    """Close what a memory updates, or is updated by, and link what it contradicts.

    `near` are the memories nearest to it, `arrival` tells the order of memories that came together.
    """
    if not options.contradict:
        return
    found = {other.id: other for other in (*near, *rivals(mind, memory, arrival))}
    others = [other for other in found.values() if other.id not in closed]
    findings = _by_rules(mind, memory, others, options, arrival)
    by = dict.fromkeys(findings, "rules")
    asked = [other for other in others if other.began_at <= memory.began_at][:_MODEL_CANDIDATES]
    if llm is not None and asked:
        verdicts, problem = compare_with_llm(llm, memory.text, [other.text for other in asked])
        report.note(problem)
        if verdicts is not None:
            for other in asked:
                findings.pop(other.id, None)
            findings |= {asked[place].id: (asked[place], memory, finding) for place, finding in verdicts.items()}
            by |= {asked[place].id: llm.name for place in verdicts}
    for id, (older, newer, finding) in findings.items():
        if not _is_linked(mind, older, newer):
            yield from _carry_out(mind, older, newer, finding, by=by[id], dry_run=report.dry_run)


def _by_rules(
    mind: Mind, memory: Memory, others: Sequence[Memory], options: Options, arrival: Mapping[str, int]
) -> dict[str, tuple[Memory, Memory, Comparison]]:
    found = {}
    undecided = []
    for other in others:
        older, newer = sorted((memory, other), key=lambda one: (one.began_at, one.created_at, arrival.get(one.id, -1)))
        later = newer.began_at - older.began_at > timedelta(hours=options.same_time)
        finding = compare_memories(older, newer, later=later)
        if finding is None and not later and _speak_of_the_same(older, newer):
            finding = _opposite(mind, older, newer)
        if finding is None and compare_outdated(newer, older):
            older, newer = newer, older
            finding = compare_memories(older, newer, later=True)
        if finding is not None:
            found[other.id] = (older, newer, finding)
        elif later and _speaker(older) == _speaker(newer):
            undecided.append((older, newer))
    settled = {newer.id for _, newer, finding in found.values() if finding.relation == "updates"}
    for (older, newer), finding in zip(undecided, detect_changes(mind.embedder, undecided, settled), strict=True):
        if finding is not None:
            found[newer.id if older is memory else older.id] = (older, newer, finding)
    return found


def compare_memories(older: Memory, newer: Memory, *, later: bool) -> Comparison | None:
    """Say what a newer memory means for an older one, each read with its own speaker."""
    if _speaker(older) == _speaker(newer):
        return compare(older.text, newer.text, later=later, speaker=older.scope.user, newer_speaker=newer.scope.user)
    return None


def compare_outdated(outdated: Memory, current: Memory) -> bool:
    """Tell whether a newer memory says of itself that the older one took its place."""
    if not _is_outdated(outdated):
        return False
    found = compare_memories(outdated, current, later=True)
    return found is not None and found.reason.startswith("says itself")


def _is_outdated(memory: Memory) -> bool:
    """Tell whether a memory says of itself that something took its place."""
    return any(fact.attribute == OUTDATED for fact in facts_of(memory.text, memory.scope.user))


def _speaker(memory: Memory) -> object:
    """Return whose words a memory holds, when it is a message; the user's when nothing is said."""
    role = memory.metadata.get("speaker") or memory.metadata.get("name") or memory.metadata.get("role")
    return None if role in ("user", "human") else role


def _speak_of_the_same(one: Memory, other: Memory) -> bool:
    subjects = {fact.subject for fact in facts_of(one.text, one.scope.user)}
    others = {fact.subject for fact in facts_of(other.text, other.scope.user)}
    return _speaker(one) == _speaker(other) and bool(subjects) and subjects == others


def _opposite(mind: Mind, older: Memory, newer: Memory) -> Comparison | None:
    if any(fact.tense == "past" for text in (older.text, newer.text) for fact in facts_of(text)):
        return None
    reason = opposition(older.text, newer.text)
    if reason is None:
        return None
    one, other = vectors_of(mind.embedder, [older.text, newer.text])
    return Comparison("contradicts", f"opposites: {reason}") if float(one @ other) >= _NEAR else None


def _is_linked(mind: Mind, older: Memory, newer: Memory) -> bool:
    """Tell whether the two were judged before."""
    return any(
        {link.from_id, link.to_id} == {older.id, newer.id} and link.relation in (UPDATES, CONTRADICTS, COMPATIBLE)
        for link in mind.links(newer.id)
    )


def _carry_out(
    mind: Mind, older: Memory, newer: Memory, finding: Comparison, *, by: str, dry_run: bool
) -> Iterator[Action]:
    if finding.relation == "contradicts":
        yield Action("contradiction", older.id, older.text, finding.reason, newer.id, by)
    else:
        kind: Literal["superseded", "partly outdated"] = "superseded" if finding.whole else "partly outdated"
        yield Action(kind, older.id, older.text, finding.reason, newer.id, by)
    if dry_run:
        return
    if finding.relation == "updates" and finding.whole:
        try:
            mind.supersede(older.id, newer.id)
        except (Conflict, NotFound):
            return
    mind.link(newer.id, older.id, CONTRADICTS if finding.relation == "contradicts" else UPDATES)


def contradictions(mind: Mind) -> list[Contradiction]:
    """Return the contradictions that wait for a decision, oldest first."""
    waiting = []
    now = mind.clock()
    for link in mind.links(relation=CONTRADICTS):
        newer, older = mind.get(link.from_id), mind.get(link.to_id)
        if all(one.superseded_at is None and not one.is_expired(now) for one in (newer, older)):
            waiting.append(Contradiction(older, newer))
    return waiting


def decide(mind: Mind, older_id: str, newer_id: str, keep: Decision) -> None:
    """Decide a contradiction: the newer holds and closes the older, or the reverse, or both hold."""
    if keep not in ("newer", "older", "both"):
        raise InvalidInput("keep", f"must be newer, older or both, not {checks.shown(keep)}")
    older, newer = mind.get(older_id), mind.get(newer_id)
    if not any(
        (link.from_id, link.to_id) == (newer.id, older.id) for link in mind.links(newer.id, relation=CONTRADICTS)
    ):
        raise NotFound(f"no open contradiction between {older.id} and {newer.id}; `mnemic contradictions` lists them")
    if keep == "newer":
        mind.supersede(older.id, newer.id)
    elif keep == "older":
        mind.supersede(newer.id, older.id)
    else:
        mind.link(newer.id, older.id, COMPATIBLE)
    mind.unlink(newer.id, older.id, CONTRADICTS)
