"""The texts of generated work: one writer for each place of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mnemic.experience.dataset import phrases as p
from mnemic.experience.dataset.domains import DOMAINS, SYNTAX, Domain, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from mnemic.experience.routes import Place


@dataclass(frozen=True, slots=True)
class Thread:
    """The subject of some work: a part of a field, a feature for it, and a fault in it."""

    domain: Domain
    part: str
    feature: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class Text:
    """A content, and the words for its summary."""

    content: str
    name: str


def thread(rng: Random, domain: Domain | None = None, kind: str | None = None) -> Thread:
    """Draw a subject, from one field and with one kind of fault if they are given."""
    domain = domain or rng.choice(DOMAINS)
    kind = kind or rng.choices(("runtime", "logic", "timeout"), (5, 3, 1))[0]
    faults = SYNTAX if kind == "syntax" else [fault for fault in domain.faults if fault.kind == kind]
    return Thread(domain, rng.choice(domain.parts), rng.choice(domain.features), rng.choice(faults))


def write(place: Place, about: Thread, rng: Random) -> Text:
    """Write the text of an experience in one place of the table."""
    content, name = _WRITERS[place.outcome, place.tool, place.value](about, rng)
    return Text(content[0].upper() + content[1:], name)


def _debug(t: Thread, rng: Random) -> tuple[str, str]:
    fault, verified, noticed = t.fault, rng.choice(p.VERIFIED), rng.choice(p.NOTICED)
    text = rng.choice(
        (
            f"Fixed {fault.symptom} in the {t.part} by {fault.fix}; {verified}",
            f"Traced {fault.symptom} in the {t.part}: {fault.cause}. Solved by {fault.fix}, and {verified}",
            f"The {t.part} no longer shows {fault.symptom}: {noticed}, {fault.cause}, and {fault.fix} cured it",
            f"Found out why the {t.part} had {fault.symptom}: {fault.cause}. Mended by {fault.fix}; {verified}",
            f"{noticed}: {fault.symptom} in the {t.part}. Cured by {fault.fix}; {verified}",
        )
    )
    return text, f"{fault.name} fix {t.part}"


def _write(t: Thread, rng: Random) -> tuple[str, str]:
    detail, verified, library = rng.choice(p.DETAILS), rng.choice(p.VERIFIED), rng.choice(t.domain.libraries)
    text = rng.choice(
        (
            f"Implemented {t.feature} for the {t.part} {detail}; {verified}",
            f"Built {t.feature} into the {t.part} on top of {library}, {detail}; {verified}",
            f"Added {t.feature} to the {t.part} {detail}, and checked that {verified}",
            f"Wrote the first version of {t.feature} in the {t.part} with {library} {detail}",
            f"The {t.part} now has {t.feature}, {detail}; {verified}",
        )
    )
    return text, f"{t.feature} in {t.part}"


def _refactor(t: Thread, rng: Random) -> tuple[str, str]:
    move, reason, result = rng.choice(p.MOVES), rng.choice(p.REASONS), rng.choice(p.RESULTS)
    text = rng.choice(
        (
            f"Refactored the {t.part}: {move} {reason}; {result}",
            f"In the {t.part}, {move} {reason}. As a result {result}",
            f"Cleaned up around {t.feature}: {move} in the {t.part} {reason}; {result}",
        )
    )
    return text, f"{t.part} refactor {' '.join(move.split()[:4])}"


def _explain(t: Thread, rng: Random) -> tuple[str, str]:
    concept, device = rng.choice(t.domain.concepts), rng.choice(p.DEVICES)
    text = rng.choice(
        (
            f"Explained how the {t.part} uses {concept} {device}, with {t.fault.symptom} as the example",
            f"Walked through the code of the {t.part} to show {concept} {device}",
            f"Documented why the {t.part} depends on {concept}, {device}; {t.fault.lesson}",
        )
    )
    return text, f"explain {concept} {t.part}"


def _technical(t: Thread, rng: Random) -> tuple[str, str]:
    source, library = rng.choice(p.SOURCES), rng.choice(t.domain.libraries)
    concept, fact = rng.choice(t.domain.concepts), rng.choice(t.domain.facts)
    text = rng.choice(
        (
            f"Found {source} on {t.feature} with {library}: {t.fault.lesson}",
            f"{source} explains {t.fault.symptom} in {library}: {t.fault.cause}",
            f"Looked up {concept} for the {t.part} in {source}: {fact}",
            f"Found in {source} how {library} handles {t.feature}; for the {t.part} it matters that {fact}",
        )
    )
    return text, f"{library} {t.feature} {concept}"


def _research(t: Thread, rng: Random) -> tuple[str, str]:
    concept, method, finding = rng.choice(t.domain.concepts), rng.choice(p.METHODS), rng.choice(p.FINDINGS)
    text = rng.choice(
        (
            f"Read {method} of {concept}: {finding}, which speaks for {t.feature} in the {t.part}",
            f"Found a paper on {concept} in {t.domain.name}, {method}; {finding}",
            f"Collected three papers about {concept} for the {t.part}; in {method}, {finding}",
        )
    )
    return text, f"{concept} {' '.join(method.split()[1:3])} paper"


def _general(t: Thread, rng: Random) -> tuple[str, str]:
    what, use = rng.choice(p.GENERAL), rng.choice(p.GENERAL_USE)
    text = rng.choice(
        (
            f"Looked up {what} while planning {t.feature} for the {t.part}; {use}",
            f"Searched for {what}, needed for the {t.part}, and {use}",
            f"Found {what} in {rng.choice(p.SOURCES)}; {use}, and {t.feature} can go on",
        )
    )
    return text, f"{what} {t.part}"


def _file_success(t: Thread, rng: Random) -> tuple[str, str]:
    files, care = rng.choice(p.FILES), rng.choice(p.FILE_CARE)
    action = rng.choice(p.FILE_ACTIONS).format(what=files)
    text = rng.choice(
        (
            f"Successfully {action} for the {t.part}; {care}",
            f"{action} before {t.feature} went in; {care}",
            f"For the {t.part}, {action}: {care}, and {rng.choice(p.FILE_CARE)}",
        )
    )
    return text, f"{action.split()[0]} {files} {t.part}"


def _file_failure(t: Thread, rng: Random) -> tuple[str, str]:
    files, fault, cost = rng.choice(p.FILES), rng.choice(p.FILE_FAULTS), rng.choice(p.COSTS)
    action = rng.choice(p.FILE_ACTIONS).format(what=files)
    text = rng.choice(
        (
            f"Could not finish the work on {files} for the {t.part}: {fault}; it {cost}",
            f"Half way, having {action}, {fault}, which {cost}",
            f"{fault} {rng.choice(p.OCCASIONS)}, so {files} of the {t.part} stayed where they were",
        )
    )
    return text, f"{files} {' '.join(fault.split()[-3:])} fail"


def _conversation(t: Thread, rng: Random) -> tuple[str, str]:
    concept, audience = rng.choice(t.domain.concepts), rng.choice(p.AUDIENCES)
    device, reaction = rng.choice(p.DEVICES), rng.choice(p.REACTIONS)
    text = rng.choice(
        (
            f"Explained {concept} to {audience} {device}; {reaction}",
            f"Talked {audience} through {t.feature} of the {t.part} {device}; {reaction}",
            f"Answered {audience} why {t.fault.lesson}, {device}; {reaction}",
        )
    )
    return text, f"{concept} for {audience}"


def _code_failure(t: Thread, rng: Random) -> tuple[str, str]:
    fault, occasion = t.fault, rng.choice(p.OCCASIONS)
    noticed, cost = rng.choice(p.NOTICED), rng.choice(p.COSTS)
    text = rng.choice(
        (
            f"Hit {fault.symptom} in the {t.part} {occasion}: {fault.cause}",
            f"{fault.symptom} in the {t.part} {occasion}; {noticed}, and it {cost}",
            f"The change for {t.feature} left {fault.symptom} in the {t.part}: {fault.cause}, which {cost}",
            f"The {t.part} failed {occasion} with {fault.symptom}; {noticed}",
            f"Working on {t.feature}, ran into {fault.symptom} {occasion}. The cause in the {t.part}: {fault.cause}",
        )
    )
    return text, f"{fault.name} {t.part} fail"


def _search_failure(reason: str) -> Callable[[Thread, Random], tuple[str, str]]:
    def writer(t: Thread, rng: Random) -> tuple[str, str]:
        why, library = rng.choice(p.SEARCH_FAULTS[reason]), rng.choice(t.domain.libraries)
        concept, source = rng.choice(t.domain.concepts), rng.choice(p.SOURCES)
        text = rng.choice(
            (
                f"Searched for {t.fault.symptom} with {library}: {why}",
                f"No help from the web on {t.feature} for the {t.part}: {why}; it {rng.choice(p.COSTS)}",
                f"Looked for {concept} in {source} {rng.choice(p.OCCASIONS)}: {why}",
            )
        )
        return text, f"{library} {t.fault.name} search {reason}"

    return writer


def _unknown(t: Thread, rng: Random) -> tuple[str, str]:
    oddity, cost = rng.choice(p.ODDITIES), rng.choice(p.COSTS)
    text = rng.choice(
        (
            f"While working on {t.feature} for the {t.part}, {oddity}; it {cost}",
            f"{oddity} {rng.choice(p.OCCASIONS)}, during {t.feature} of the {t.part}; {rng.choice(p.NOTICED)}",
        )
    )
    return text, f"{' '.join(oddity.split()[:5])} {t.part}"


def _correction(t: Thread, rng: Random) -> tuple[str, str]:
    fault = t.fault
    text = rng.choice(
        (
            f"Learned that {fault.lesson}: {fault.symptom} in the {t.part} came up because {fault.cause}",
            f"{fault.lesson}; the {t.part} had {fault.symptom} until it was mended by {fault.fix}",
            f"Next time begin with {fault.fix}: {rng.choice(p.OCCASIONS)}, {fault.symptom} in the {t.part} "
            f"came from the fact that {fault.cause}",
        )
    )
    return text, f"{fault.name} correction {t.part}"


def _pattern(t: Thread, rng: Random) -> tuple[str, str]:
    fault, pattern = t.fault, rng.choice(p.PATTERNS)
    text = rng.choice(
        (
            f"Pattern in the {t.part}: {pattern}; {rng.choice(p.NOTICED)}",
            f"In {t.domain.name}, {pattern}, as with {fault.symptom} in the {t.part}",
            f"Again {fault.symptom}, this time in the {t.part}: {fault.lesson}, and {pattern}",
        )
    )
    return text, f"{t.part} pattern {fault.name}"


def _preference(t: Thread, rng: Random) -> tuple[str, str]:
    liked, disliked = (part.strip() for part in rng.choice(p.PREFERENCES).split("|"))
    context = rng.choice(p.PREFERENCE_CONTEXT)
    text = rng.choice(
        (
            f"User prefers {liked} over {disliked} {context}, as came out while discussing {t.feature}",
            f"User asked for {liked} instead of {disliked} {context}, most of all around the {t.part}",
            f"For the {t.part}, {liked} are wanted rather than {disliked} {context}",
        )
    )
    return text, f"prefers {liked} {t.part}"


def _fact(t: Thread, rng: Random) -> tuple[str, str]:
    fact, library = rng.choice(t.domain.facts), rng.choice(t.domain.libraries)
    text = rng.choice(
        (
            f"{fact}; in {library} this decides how {t.feature} has to work in the {t.part}",
            f"Learned from {rng.choice(p.SOURCES)} that {fact}, which explains {t.fault.symptom} in the {t.part}",
            f"Worth knowing for the {t.part}: {fact}, and {t.fault.lesson}",
        )
    )
    return text, f"{t.part} fact {t.fault.name}"


def _interaction(lines: tuple[str, ...]) -> Callable[[Thread, Random], tuple[str, str]]:
    def writer(t: Thread, rng: Random) -> tuple[str, str]:
        about = rng.choice(
            (
                f"{t.feature} in the {t.part}",
                f"the {t.part} {rng.choice(p.OCCASIONS)}",
                f"the case of {t.fault.symptom}",
            )
        )
        statement = rng.choice(lines).format(about=about)
        return f"User {statement} {rng.choice(p.AFTERTHOUGHTS)}", f"user {statement.split()[0]} {t.feature} {t.part}"

    return writer


_WRITERS: dict[tuple[str, str | None, str | None], Callable[[Thread, Random], tuple[str, str]]] = {
    ("success", "code_interpreter", "write"): _write,
    ("success", "code_interpreter", "debug"): _debug,
    ("success", "code_interpreter", "refactor"): _refactor,
    ("success", "code_interpreter", "explain"): _explain,
    ("success", "web_search", "technical"): _technical,
    ("success", "web_search", "research"): _research,
    ("success", "web_search", "general"): _general,
    ("success", "file_operation", None): _file_success,
    ("success", "conversation", None): _conversation,
    **{("failure", "code_interpreter", kind): _code_failure for kind in ("syntax", "runtime", "logic", "timeout")},
    **{("failure", "web_search", reason): _search_failure(reason) for reason in p.SEARCH_FAULTS},
    ("failure", "file_operation", None): _file_failure,
    ("failure", "unknown", None): _unknown,
    ("learning", None, "pattern"): _pattern,
    ("learning", None, "correction"): _correction,
    ("learning", None, "preference"): _preference,
    ("learning", None, "fact"): _fact,
    ("interaction", None, "positive"): _interaction(p.PRAISE),
    ("interaction", None, "neutral"): _interaction(p.NEUTRAL),
    ("interaction", None, "negative"): _interaction(p.COMPLAINTS),
}
