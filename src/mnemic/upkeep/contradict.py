"""Updates and contradictions: newer facts close older ones; what cannot be decided is listed for a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from mnemic.core.vectors import vectors_of
from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.model import checks
from mnemic.rules.claims.compare import Comparison, compare, compare_replacement
from mnemic.rules.claims.opposites import opposition
from mnemic.rules.claims.reader import facts_of
from mnemic.upkeep.candidates import memories_on_same_attributes
from mnemic.upkeep.change_model.detect import detect_changes
from mnemic.upkeep.llm import RULES
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
"""The relation of two memories that a person declared both true."""

Decision = Literal["newer", "older", "both"]

_LLM_CANDIDATES = 8
_SIMILAR = 0.85
"""The least cosine of two texts with opposite words that are listed as a contradiction."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories that cannot both be true."""

    older: Memory
    newer: Memory

    def to_dict(self) -> dict[str, object]:
        """Return the contradiction as JSON-able values."""
        return {"older": self.older.to_dict(), "newer": self.newer.to_dict()}


def contradict(
    mind: Mind,
    memory: Memory,
    similar: Sequence[Memory],
    report: Report,
    *,
    options: Options,
    llm: Llm | None,
    closed: Collection[str],
    arrival: Mapping[str, int],
) -> Iterator[Action]:
    """Close the older of each two memories where the newer one updates it, and link contradictions.

    `similar` are the memories most similar to `memory`, `arrival` gives the order of memories in the same batch.
    """
    if not options.contradict:
        return
    candidates = {other.id: other for other in (*similar, *memories_on_same_attributes(mind, memory, arrival))}
    others = [other for other in candidates.values() if other.id not in closed]
    compared = _compare_by_rules(mind, memory, others, options, arrival)
    by = dict.fromkeys(compared, RULES)
    for_llm = [other for other in others if other.began_at <= memory.began_at][:_LLM_CANDIDATES]
    if llm is not None and for_llm:
        answers, problem = compare_with_llm(llm, memory.text, [other.text for other in for_llm])
        report.note(problem)
        if answers is not None:
            for other in for_llm:
                compared.pop(other.id, None)
            compared |= {
                for_llm[index].id: (for_llm[index], memory, comparison) for index, comparison in answers.items()
            }
            by |= {for_llm[index].id: llm.name for index in answers}
    for id, (older, newer, comparison) in compared.items():
        if not _is_linked(mind, older, newer):
            yield from _apply(mind, older, newer, comparison, by=by[id], dry_run=report.dry_run)


def _compare_by_rules(
    mind: Mind, memory: Memory, others: Sequence[Memory], options: Options, arrival: Mapping[str, int]
) -> dict[str, tuple[Memory, Memory, Comparison]]:
    compared = {}
    undecided = []
    for other in others:
        older, newer = sorted(
            (memory, other), key=lambda each: (each.began_at, each.created_at, arrival.get(each.id, -1))
        )
        later = newer.began_at - older.began_at > timedelta(hours=options.same_time)
        comparison = _compare_memories(older, newer, later=later)
        if comparison is None and not later and _have_same_subjects(older, newer):
            comparison = _compare_opposites(mind, older, newer)
        if comparison is None and (replaced := _compare_replacement(newer, older)):
            older, newer, comparison = newer, older, replaced
        if comparison is not None:
            compared[other.id] = (older, newer, comparison)
        elif later and _speaker(older) == _speaker(newer):
            undecided.append((older, newer))
    settled = {newer.id for _, newer, comparison in compared.values() if comparison.relation == "updates"}
    for (older, newer), change in zip(undecided, detect_changes(mind.embedder, undecided, settled), strict=True):
        if change is not None:
            compared[newer.id if older is memory else older.id] = (older, newer, change)
    return compared


def _compare_memories(older: Memory, newer: Memory, *, later: bool) -> Comparison | None:
    """Compare a newer memory with an older one of the same speaker by the rules."""
    if _speaker(older) == _speaker(newer):
        return compare(older.text, newer.text, later=later, speaker=older.scope.user, newer_speaker=newer.scope.user)
    return None


def _compare_replacement(outdated: Memory, replacement: Memory) -> Comparison | None:
    """Compare a memory that says what replaced it with an older memory of the same speaker."""
    if _speaker(outdated) != _speaker(replacement):
        return None
    return compare_replacement(
        outdated.text, replacement.text, speaker=outdated.scope.user, replacement_speaker=replacement.scope.user
    )


def _speaker(memory: Memory) -> object:
    """Return who said a memory, None for the user."""
    role = memory.metadata.get("speaker") or memory.metadata.get("name") or memory.metadata.get("role")
    return None if role in ("user", "human") else role


def _have_same_subjects(memory: Memory, other: Memory) -> bool:
    subjects = {fact.subject for fact in facts_of(memory.text, memory.scope.user)}
    others = {fact.subject for fact in facts_of(other.text, other.scope.user)}
    return _speaker(memory) == _speaker(other) and bool(subjects) and subjects == others


def _compare_opposites(mind: Mind, older: Memory, newer: Memory) -> Comparison | None:
    if any(fact.tense == "past" for text in (older.text, newer.text) for fact in facts_of(text)):
        return None
    reason = opposition(older.text, newer.text)
    if reason is None:
        return None
    vectors = vectors_of(mind.embedder, [older.text, newer.text])
    return Comparison("contradicts", f"opposites: {reason}") if float(vectors[0] @ vectors[1]) >= _SIMILAR else None


def _is_linked(mind: Mind, older: Memory, newer: Memory) -> bool:
    """Return whether the two were compared before."""
    return any(
        {link.from_id, link.to_id} == {older.id, newer.id} and link.relation in (UPDATES, CONTRADICTS, COMPATIBLE)
        for link in mind.links(newer.id)
    )


def _apply(
    mind: Mind, older: Memory, newer: Memory, comparison: Comparison, *, by: str, dry_run: bool
) -> Iterator[Action]:
    if comparison.relation == "contradicts":
        yield Action("contradiction", older.id, older.text, comparison.reason, newer.id, by)
    else:
        kind: Literal["superseded", "partly outdated"] = "superseded" if comparison.whole else "partly outdated"
        yield Action(kind, older.id, older.text, comparison.reason, newer.id, by)
    if dry_run:
        return
    if comparison.relation == "updates" and comparison.whole:
        try:
            mind.supersede(older.id, newer.id)
        except (Conflict, NotFound):
            return
    mind.link(newer.id, older.id, CONTRADICTS if comparison.relation == "contradicts" else UPDATES)


def contradictions(mind: Mind) -> list[Contradiction]:
    """Return the open contradictions, oldest first."""
    found = []
    now = mind.clock()
    for link in mind.links(relation=CONTRADICTS):
        newer, older = mind.get(link.from_id), mind.get(link.to_id)
        if all(memory.superseded_at is None and not memory.is_expired(now) for memory in (newer, older)):
            found.append(Contradiction(older, newer))
    return found


def decide(mind: Mind, older_id: str, newer_id: str, keep: Decision) -> None:
    """Decide a contradiction: the newer memory closes the older one, or the reverse, or both stay."""
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
