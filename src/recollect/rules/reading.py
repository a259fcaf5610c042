"""Reading claims from text: one reader for each way of telling a fact; the first that understands a clause reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.rules import attributes as table
from recollect.rules.clauses import SPEAKER, UNKNOWN, Clause, clauses
from recollect.rules.facts import ANY, ANYONE, OUTDATED, PLAN, Fact
from recollect.rules.phrases import (
    DETERMINERS,
    as_words,
    before_preposition,
    object_of,
    parted,
    particle_first,
    plain,
    times_in,
    to_first,
)
from recollect.rules.values import NOTHING, Value, content_of, number_of, value_of
from recollect.rules.verbs import lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

_SKIPPED = DETERMINERS | frozenset(
    "small tiny nice little lovely cosy new old full-time part-time big huge first together back happily over "
    "permanently senior junior longtime".split()
)
_WORK = frozenset(map(lemma, "job work company firm employer position".split()))
_WHOLE = {
    "employer": _WORK,
    "job": _WORK,
    "partner": frozenset(map(lemma, "partner husband wife girlfriend boyfriend spouse".split())),
}
"""The words that name an attribute rather than its value: "I quit my job" ends whatever job it was."""

_ALONE = ("single", "divorced", "separated", "widowed")


def facts(text: str, *, speaker: str | None = None) -> list[Fact]:
    """Return the claims of a text; `speaker` is the name by which others call whoever says "I"."""
    found = [fact for clause in clauses(text, table.VERBS) for fact in _read(clause)]
    known = (fact for fact in found if fact.subject != UNKNOWN)
    if speaker is None:
        return list(known)
    return [replace(fact, subject=SPEAKER) if fact.subject == speaker.lower() else fact for fact in known]


def _read(clause: Clause) -> list[Fact]:
    for reader in _READERS:
        found = reader(clause)
        if found:
            return [replace(fact, sentence=clause.sentence) for fact in (*_state(clause), *found)]
    return []


def _told(clause: Clause, attribute: str, value: Value, words: Sequence[str], **changes: Any) -> Fact:  # noqa: ANN401
    told = Fact(clause.subject, attribute, value, not clause.negated, clause.changed, clause.aspect)
    return replace(told, words=tuple(words), verb=clause.verb, **changes)


def _plan(clause: Clause) -> list[Fact]:
    """Read what is going to happen, or no longer is."""
    booked = not clause.negated and any(
        (clause.verb, *clause.rest)[: len(pattern)] == pattern for pattern in table.BOOKING
    )
    if not (clause.aspect == "planned" or booked) or (clause.verb == "be" and clause.definite):
        return []
    words = (clause.verb, *object_of(clause.rest))
    content = frozenset(content_of(words)) - times_in(words) - table.LIGHT_VERBS
    changed = clause.changed or clause.negated
    return [_told(clause, PLAN, Value("words", content), words, changed=changed, aspect="planned")] if content else []


def _cancelled(clause: Clause) -> list[Fact]:
    """Read what is not going to happen: "I called off the trip", "the trip was cancelled"."""
    rest, who = particle_first(clause.rest), clause.subject
    off = next(
        (len(words) for verb, *words in table.CALLING_OFF if verb == clause.verb and [*rest[: len(words)]] == words), 0
    )
    if clause.verb == "be" and rest and (lemma(rest[0]) in table.CANCELLING or rest[:2] == ("called", "off")):
        words, person = clause.subject.split(), parted(list(rest), "for")[1]
        who = " ".join(person).lower().replace("me", SPEAKER) if person else ANYONE
    elif clause.verb == "fall" and rest[:1] == ("through",):
        words, who = clause.subject.split(), ANYONE
    elif off or clause.verb in table.CANCELLING:
        words = object_of(rest[off:])
    else:
        return []
    content = frozenset(content_of(words)) - times_in(words) - table.LIGHT_VERBS
    if clause.negated or not content or content & table.SUBSCRIPTIONS:
        return []
    return [_told(clause, PLAN, Value("words", content), words, subject=who, holds=False, changed=True, aspect="now")]


def _replacement(clause: Clause) -> list[Fact]:
    """Read "switched from A to B", "replaced A with B", "A was replaced by B", "use B instead of A"."""
    verb, rest = clause.verb, list(clause.rest)
    if verb == "be" and rest[:1] == ["replaced"]:
        verb, rest = "replac", rest[1:]
    if clause.negated:
        return []
    if verb not in table.REPLACING:
        new, old = parted(rest, "instead")
        return [_swap(clause, new, old[1:])] if old[:1] == ["of"] else []
    if verb == "replac" and rest[:1] == ["by"]:
        new = object_of(rest[1:])
        value = Value("words", frozenset(content_of(before_preposition(new))))
        return [_told(clause, OUTDATED, value, new, changed=True)]
    for joint in ("with", "for", "by", "to"):
        old, new = parted(rest, joint)
        if new and old[:1] == ["from"]:
            return [_swap(clause, new, old[1:])]
        if new:
            return [_swap(clause, new, old)] if verb in table.SWAPPING else []
    if verb == "replac" and rest:
        new = [] if clause.subject == SPEAKER else clause.subject.split()
        return [_swap(replace(clause, subject=SPEAKER), new, rest)]
    return []


def _swap(clause: Clause, new: Sequence[str], old: Sequence[str]) -> Fact:
    gone = Value("words", frozenset(content_of(before_preposition(object_of(old)))))
    words = object_of(new)
    value = Value("words", frozenset(content_of(words)))
    return _told(clause, ANY, value, (*words, "instead", "of", *old), changed=True, aspect="now", instead_of=gone)


def _favourite(clause: Clause) -> list[Fact]:
    """Read "my favourite X is Y" and "Y is Ana's favourite X"."""
    subject, rest = clause.subject.split(), list(clause.rest)
    noun, new = parted(rest, "to")
    if clause.verb in table.CHANGING_TO and new:
        subject, rest = [word.lower() for word in noun] or subject, new
        clause = replace(clause, verb="becom", changed=True, aspect="now")
    if clause.verb not in ("be", "becom"):
        return []
    small = [other.lower() for other in rest]
    for words, value in ((subject, object_of(rest)), (small, subject)):
        cut = next((place for place, word in enumerate(words[:5]) if word in ("favourite", "favorite")), None)
        if cut is not None:
            noun, of = parted(words[cut + 1 :], "of")
            owner = (of or words[:cut] or ["my"])[0].removesuffix("'s")
            who = SPEAKER if owner in ("my", "our", "me", "mine") else owner
            return [
                _told(clause, f"favourite {' '.join(content_of(noun))}", as_words(value), value, subject=who, one=True)
            ]
    return []


def _reset(clause: Clause) -> list[Fact]:
    """Read "my rent went up to 950", "I changed my number to 42", "they moved the talk to Monday"."""
    verb, rest = clause.verb, list(clause.rest)
    small = [word.lower() for word in rest]
    if verb == "amount" and small[:1] == ["to"]:
        return _thing(replace(clause, verb="be", rest=tuple(rest[1:])))
    place = 1 if verb == "take" and small[:1] == ["place"] else 0
    if (place or verb in table.HAPPENING) and small[place : place + 1] and small[place] in ("on", "at", "in"):
        return _thing(replace(clause, verb="be", rest=tuple(rest[place:])))
    if verb in ("be", "get") and small and lemma(small[0]) in table.RESET:
        verb, rest, small = lemma(small[0]), rest[1:], small[1:]
    joint = next((word for word in small if word in ("to", "until", "for", "till")), None)
    if joint is None or clause.negated or verb not in table.CHANGING_TO | table.RESET:
        return []
    noun, value = parted(list(to_first(rest)), joint)
    value, _ = parted(value, "from")
    changed = replace(clause, verb=verb, rest=tuple(value), changed=True, aspect="now")
    if noun and noun[0].lower() in DETERMINERS and len(noun) <= 6:
        thing = " ".join(noun[1:]).lower()
        whose = noun[0].lower() not in ("my", "our") and clause.subject not in (SPEAKER, UNKNOWN) and " " not in thing
        return _thing(replace(changed, subject=f"{clause.subject}'s {thing}" if whose else thing))
    if clause.subject == SPEAKER or any(word not in ("up", "down", "back", "forward") for word in noun):
        return []
    return _thing(changed)


def _count(clause: Clause) -> list[Fact]:
    """Read how much or how many: "I weigh 80 kg", "I have two children"."""
    rest = object_of(clause.rest)
    counting = clause.verb in ("have", "own", "keep", "rais")
    if not rest or not (counting or clause.verb in table.MEASURING):
        return []
    value = value_of(rest)
    if value.kind != "number" or len(value.parts) != 1 or (counting and number_of(rest[0]) is None):
        return []
    noun = table.MEASURED.get(clause.verb) or next((word for word in rest if word in ("rent", "salary")), None)
    if noun is None or (noun != "weight" and value.head not in ("euro", "dollar", "pound")):
        return [_told(clause, f"number of {value.head}" if counting else f"to {clause.verb}", value, rest, one=True)]
    owner = noun if clause.subject == SPEAKER else f"{clause.subject}'s {noun}"
    return [_told(clause, "value", value, rest, subject=owner, one=True)]


def _known(clause: Clause) -> list[Fact]:
    """Read the verbs of the table: the longest pattern decides; one verb may tell of several attributes."""
    clause = replace(clause, rest=particle_first(to_first(clause.rest)))
    found: dict[int, list[Fact]] = {}
    for attribute in table.ATTRIBUTES:
        for role, patterns in attribute.roles:
            for pattern in patterns:
                taken = _matched(pattern, clause)
                if taken is not None:
                    fact = _known_fact(attribute, role, clause, clause.rest[taken:])
                    found.setdefault(len(pattern), []).extend([] if fact is None else [fact])
    longest = max((length for length, told in found.items() if told), default=0)
    return found.get(longest, [])


def _matched(pattern: table.Pattern, clause: Clause) -> int | None:
    """Return how many words after the verb a pattern takes."""
    under_way = clause.progressive and pattern[0] == "be" and pattern[1:2] and lemma(pattern[1]) == clause.verb
    if pattern[0] != clause.verb and not under_way:
        return None
    small = [word.lower() for word in clause.rest]
    taken = 0
    for wanted in pattern[2 if under_way else 1 :]:
        while taken < len(small) and small[taken] in _SKIPPED and small[taken] != wanted:
            taken += 1
        if taken == len(small) or lemma(small[taken]) != lemma(wanted):
            return None
        taken += 1
    return taken


def _known_fact(attribute: table.Attribute, role: str, clause: Clause, rest: Sequence[str]) -> Fact | None:
    begins_or_ends = role in ("starts", "ends")
    unbearable = clause.verb in ("stand", "bear")
    if clause.negated if begins_or_ends else unbearable and not clause.negated:
        return None
    words, old = parted(object_of(rest), "from")
    if role == "ends" and attribute.names and not old:
        words, _ = parted(words, "for")
    holds = not unbearable and (role in ("states", "starts")) != clause.negated
    if words and words[0].lower() == "no":
        holds, words = not holds, words[1:]
    if attribute.name == "taste" and words and lemma(words[0]) in table.CONSUMING | {"to"}:
        words = [word for word in words if lemma(word) not in table.CONSUMING and word != "to"]
    value = value_of(words, names=True) if attribute.names else as_words(words)
    head = content_of(before_preposition(words))[-1:]
    over = role == "ends" and attribute.ends_all and (not words or not _WHOLE[attribute.name].isdisjoint(head))
    if not over and (value.is_empty or (attribute.names and value.kind not in ("name", "country"))):
        return None
    lasting = begins_or_ends or attribute.fixed or (clause.negated and clause.changed)
    return _told(
        clause,
        attribute.name,
        NOTHING if over else value,
        words,
        holds=holds,
        changed=clause.changed or begins_or_ends,
        aspect="now" if lasting else clause.aspect,
        one=attribute.one,
        fixed=attribute.fixed,
        ends_all=over,
        instead_of=value_of(old, names=True) if old else None,
    )


def _pair(clause: Clause) -> list[Fact]:
    """Read what two people are, or end: "Ana and Ben are together", "Ana and Ben broke up"."""
    pair = clause.subject.split(" and ")
    parting = clause.verb in table.PARTING and not clause.negated
    pairing = clause.verb in ("be", "get", "date") and (
        clause.verb == "date" or not table.PAIRED.isdisjoint(clause.rest)
    )
    if len(pair) != 2 or not (parting or pairing):
        return []
    holds = pairing and not clause.negated
    names = [SPEAKER if name in ("i", "me") else name for name in pair]
    return [
        _told(
            clause,
            "partner",
            Value("name", frozenset((other,))),
            (other,),
            subject=one,
            holds=holds,
            changed=clause.changed or parting,
            aspect="now" if parting else clause.aspect,
            one=True,
        )
        for one, other in (names, names[::-1])
    ]


def _having(clause: Clause) -> list[Fact]:
    """Read "I have a new girlfriend, Ana" and "I have a budget of 900 euros"."""
    if clause.verb not in ("have", "get"):
        return []
    words = [word for word in clause.rest if word.lower() not in (*_SKIPPED, ",", "called", "named", "of", "is")]
    noun = words[0].lower() if words else ""
    changed = clause.changed or "new" in clause.rest
    if noun in table.NOUNS and noun != "home" and len(words) > 1 and words[1][:1].isupper():
        whole = replace(clause, verb="be", rest=tuple(words[1:]), changed=changed)
        owner = noun if clause.subject == SPEAKER else f"{clause.subject}'s {noun}"
        return _thing(replace(whole, subject=owner, definite=True))
    if noun in table.SINGLE_NOUNS and "of" in clause.rest:
        owner = noun if clause.subject == SPEAKER else f"{clause.subject}'s {noun}"
        value = parted(list(clause.rest), "of")[1]
        return _thing(replace(clause, verb="be", subject=owner, rest=tuple(value), changed=changed, definite=True))
    return []


def _lost(clause: Clause) -> list[Fact]:
    """Read "my bike was stolen", "Ana's dog died"."""
    gone = clause.verb in table.GOING or (
        clause.verb in ("be", "get") and clause.rest[:1] and lemma(clause.rest[0]) in table.GONE
    )
    if not gone or clause.negated or not clause.definite:
        return []
    first, _, noun = clause.subject.partition(" ")
    owner = first.removesuffix("'s") if first.endswith("'s") and noun else SPEAKER
    words = (noun if owner != SPEAKER else clause.subject.removeprefix("my ")).split()
    value = as_words(words)
    return [_told(clause, "possession", value, words, subject=owner, holds=False, changed=True, aspect="now")]


def _state(clause: Clause) -> list[Fact]:
    """Read a state that excludes the others of its group: "I am single", "I got divorced", "The shop is closed"."""
    if clause.verb not in ("be", "becom", "get", "retir", "divorc") or clause.aspect == "planned":
        return []
    words = {"retir": ["retired"], "divorc": ["divorced"]}.get(clause.verb, plain(clause.rest))
    state = next((word for word in words[:2] if word in table.GROUPS), None)
    if state is None or (state in ("on", "off") and len(words) > 1) or (words[0] != state and len(words) > 2):
        return []
    value = Value("words", frozenset((state,)), state)
    told = _told(clause, table.GROUPS[state], value, (state,), one=True)
    if clause.verb != "be":
        told = replace(told, changed=True, aspect="now")
    if state not in _ALONE or clause.negated:
        return [told]
    return [told, replace(told, attribute="partner", value=NOTHING, holds=False, ends_all=True)]


def _is(clause: Clause) -> list[Fact]:
    """Read "X is Y": an age, a trade, or what a thing is, where and when."""
    small = plain(clause.rest)
    if clause.verb not in ("be", "turn", "becom") or not small:
        return []
    if clause.verb != "be":
        clause = replace(clause, changed=True, aspect="now")
    if number_of(small[0]) is not None and (len(small) == 1 or small[1:] in (["years"], ["years", "old"])):
        attribute = "value" if _noun(clause.subject) in table.SINGLE_NOUNS else "age"
        return [_told(clause, attribute, value_of(small[:1]), small, one=True)]
    trade = before_preposition(small)
    if trade and trade[-1] in table.OCCUPATIONS and clause.rest[0].lower() in ("a", "an"):
        job = _told(clause, "job", Value("words", frozenset(content_of(trade)), lemma(trade[-1])), trade, one=True)
        firm = value_of(parted(object_of(clause.rest), "at")[1], names=True)
        named = firm.kind in ("name", "country")
        return [job, *([replace(job, attribute="employer", value=firm, words=tuple(small))] if named else [])]
    return [] if clause.subject == SPEAKER or clause.verb == "turn" else _thing(clause)


def _thing(clause: Clause) -> list[Fact]:
    """Read what a thing is; two values of one kind exclude one another. People are more than one thing at a time."""
    noun = " ".join(word for word in clause.subject.removeprefix("my ").split() if word not in table.PERIODS)
    thing, _, owner = noun.partition(" of ")
    noun = f"{owner}'s {thing}" if owner and " " not in owner else noun
    words = object_of(clause.rest)
    if len(words) > 1 and lemma(words[0]) in table.SETTLED:
        words = words[2:]
    owner, _, kind = clause.subject.removeprefix("my ").rpartition(" ")
    if kind in table.NOUNS and (not owner or owner.endswith("'s")):
        value = value_of(words, names=True) if kind != "job" else as_words(words)
        who = owner.removesuffix("'s") or SPEAKER
        return [_told(clause, table.NOUNS[kind], value, words, subject=who, one=True)] if not value.is_empty else []
    if clause.aspect == "planned":
        clause = replace(clause, aspect="now")
    place = bool(words) and words[0].lower() in ("in", "at", "on") and not times_in(words)
    value = value_of(words[1:], names=True) if place else value_of(words)
    head = _noun(noun)
    single = head in (table.WORDED if value.kind == "words" else table.SINGLE_NOUNS)
    many = head in table.PEOPLE or (" " not in noun and not single and not clause.definite)
    if value.is_empty or (
        value.kind in ("name", "country", "words") and not single and (many or value.kind == "words") and not place
    ):
        return []
    return [
        _told(
            clause, "place" if place else "value", value, words, subject=noun, one=True, fixed=head in table.FIXED_NOUNS
        )
    ]


def _noun(subject: str) -> str:
    """Return the word that says what a subject is: "salary" of "Ana's monthly salary"."""
    return (before_preposition(subject.split()) or [""])[-1]


def _general(clause: Clause) -> list[Fact]:
    """Read any other verb: only its own denial closes it."""
    words = object_of(clause.rest)
    value = as_words(words)
    if clause.negated and clause.changed:
        clause = replace(clause, aspect="now")
    if value.is_empty and (words or clause.verb in ("be", "have", "do")):
        return []
    told = _told(clause, f"to {clause.verb}", value, (clause.verb, *words))
    if value.is_empty and clause.negated and clause.changed:
        return [told, replace(told, attribute="activity", value=Value("words", frozenset((clause.verb,)), clause.verb))]
    return [told]


_READERS = (_plan, _cancelled, _replacement, _pair, _having, _lost, _favourite, _reset, _count, _known, _is, _general)
