"""What a text claims: subject, attribute, value, and whether it holds; and what two claims mean for one another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from recollect.rules import attributes as table
from recollect.rules.clauses import SPEAKER, Aspect, Clause, clauses, lemma
from recollect.rules.values import MONTHS, Value, content_of, number_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Relation = Literal["updates", "contradicts"]

ANY = "any"
"""The attribute of a replacement that does not say what it is a value of."""

PLAN = "plan"
ANYONE = ""
"""The subject of what was cancelled by nobody in particular."""

OUTDATED = "outdated"
"""The attribute of a text that says of itself that something took its place."""

_DETERMINERS = frozenset("a an the my our his her their your this that these those some any".split())
_SKIPPED = _DETERMINERS | frozenset(
    "new old full-time part-time big huge first together back happily over permanently senior junior longtime".split()
)
_CUTS = frozenset(
    "since because when until till which who that whose where during while ago again anymore though although if as "
    "after before last every each once twice next".split()
)
_PREPOSITIONS = frozenset("in on at to for with of from by about into over near under between without through".split())
_EVERYTHING = frozenset(
    (
        "job",
        "work",
        "compani",
        "firm",
        "employ",
        "posit",
        "partner",
        "husband",
        "wife",
        "girlfriend",
        "boyfriend",
        "spous",
    )
)


@dataclass(frozen=True, slots=True)
class Fact:
    """Hold one claim."""

    subject: str
    attribute: str
    value: Value
    holds: bool = True
    changed: bool = False
    """Whether it says that things were otherwise before."""

    aspect: Aspect = "now"
    one: bool = False
    fixed: bool = False
    ends_all: bool = False
    instead_of: Value | None = None
    sentence: int = 0
    words: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """Return what the claim is about, as a person reads it."""
        value = " ".join(self.words)
        return f"{self.subject}, {self.attribute}: {'' if self.holds else 'not '}{value}".strip()


@dataclass(frozen=True, slots=True)
class Judgement:
    """Say what a newer claim does to an older one, and why."""

    relation: Relation
    reason: str


def facts(text: str, *, speaker: str | None = None) -> list[Fact]:
    """Return the claims of a text; `speaker` is the name by which others call whoever says "I"."""
    found = [fact for clause in clauses(text, table.VERBS) for fact in _read(clause)]
    if speaker is None:
        return found
    return [replace(fact, subject=SPEAKER) if fact.subject == speaker.lower() else fact for fact in found]


def judge(older: Fact, newer: Fact, *, later: bool) -> Judgement | None:
    """Say what a newer claim means for an older one; `later` tells that time enough passed for things to change.

    Without a word of change and without time between them, two claims that exclude one another are a contradiction.
    """
    if newer.subject not in (older.subject, ANYONE) or older.aspect == "past" or older.attribute == OUTDATED:
        return None
    if _fulfils(older, newer):
        return Judgement("updates", f"the plan has happened: {newer.about}")
    clash = _clash(older, newer)
    if clash is None or newer.aspect == "past":
        return None
    if older.fixed:
        return Judgement("contradicts", f"{clash}, and that never changes")
    if newer.changed or later:
        return Judgement("updates", clash)
    return Judgement("contradicts", f"{clash}, told at the same time")


def _clash(older: Fact, newer: Fact) -> str | None:
    """Return why two claims exclude one another."""
    told = f"{older.about} / {newer.about}"
    if newer.instead_of is not None and older.holds and _named_by(newer.instead_of, older.value):
        return f"replaced: {told}"
    if older.attribute != newer.attribute or (older.aspect == "planned" and older.attribute != PLAN):
        return None
    if older.holds and newer.holds:
        return f"another value: {told}" if older.one and older.value.excludes(newer.value) else None
    if older.holds == newer.holds:
        return None
    if not newer.holds and newer.ends_all and older.one:
        return f"ended: {told}"
    positive, negative = (older, newer) if older.holds else (newer, older)
    definite = not newer.holds and newer.changed
    if older.attribute == PLAN:
        shared = len(positive.value.parts & negative.value.parts)
        return f"will not happen: {told}" if shared and shared == len(negative.value.parts) else None
    return f"the opposite: {told}" if _denies(negative.value, positive.value, definite=definite) else None


def _denies(negative: Value, positive: Value, *, definite: bool) -> bool:
    """Tell whether denying one value denies the other: no coffee means no iced coffee, but not the reverse.

    The end of a definite thing may name it more closely than its beginning did.
    """
    if negative.is_empty or positive.is_empty:
        return negative.is_empty and positive.is_empty
    if negative.kind != "words" or positive.kind != "words":
        return negative.same_as(positive)
    if negative.parts == positive.parts:
        return True
    if negative.head != positive.head:
        return False
    return negative.parts <= positive.parts or (definite and positive.parts <= negative.parts)


def _named_by(replaced: Value, value: Value) -> bool:
    return not replaced.is_empty and replaced.parts <= value.parts


def _fulfils(older: Fact, newer: Fact) -> bool:
    if older.attribute != PLAN or not older.holds or not newer.holds or newer.attribute == PLAN:
        return False
    done = newer.value.parts | frozenset(content_of(newer.words))
    planned = older.value.parts
    return newer.aspect == "past" and len(planned & done) >= 2 and len(planned & done) * 2 >= len(planned)


def outdated_by(claims: Iterable[Fact], others: Iterable[Fact], other_words: Sequence[str]) -> str | None:
    """Return why a text that says what took its place gives way to another text, which tells of that."""
    stems = frozenset(content_of(other_words))
    given_up = [fact.value for fact in others if fact.attribute == OUTDATED]
    for fact in claims:
        named = fact.value.parts
        if (
            fact.attribute == OUTDATED
            and named
            and named <= stems
            and not any(named <= gone.parts for gone in given_up)
        ):
            return f"says itself that it was replaced by {' '.join(fact.words)}"
    return None


# Reading a clause


def _read(clause: Clause) -> list[Fact]:
    for reader in (_plan, _cancelled, _replacement, _changed_noun, _favourite, _count, _known, _is, _general):
        found = reader(clause)
        if found:
            return [replace(fact, sentence=clause.sentence) for fact in (*_state(clause), *found)]
    return []


def _plan(clause: Clause) -> list[Fact]:
    if clause.aspect != "planned":
        return []
    words = (clause.verb, *_object(clause.rest))
    value = Value("words", frozenset(content_of(words)) - _times(words))
    return [Fact(clause.subject, PLAN, value, not clause.negated, clause.changed, "planned", words=words)]


def _cancelled(clause: Clause) -> list[Fact]:
    words: Sequence[str]
    subject = clause.subject.split()
    passive = clause.verb == "be" and clause.rest and lemma(clause.rest[0]) in table.CANCELLING
    called_off = clause.verb == "call" and clause.rest[:1] == ("off",)
    if clause.negated:
        return []
    if passive or (clause.verb == "be" and clause.rest[:2] == ("called", "off")):
        words = subject
    elif clause.verb in table.CANCELLING or called_off or (clause.verb == "fall" and clause.rest[:1] == ("through",)):
        words = subject if clause.verb == "fall" else _object(clause.rest[called_off:])
    else:
        return []
    if any(lemma(word) in ("subscript", "membership") for word in words):
        return []
    content = content_of(words)
    value = Value("words", frozenset(content), content[-1] if content else "")
    who = clause.subject if words is not subject else ANYONE
    cancelled = Fact(who, PLAN, value, holds=False, changed=True, words=tuple(words))
    return [cancelled] if content else []


def _replacement(clause: Clause) -> list[Fact]:
    rest, verb = clause.rest, clause.verb
    small = [word.lower() for word in rest]
    if verb == "be" and small[:1] == ["replaced"]:
        verb, rest, small = "replac", rest[1:], small[1:]
    if clause.negated or verb not in table.REPLACING:
        if verb in ("use", "eat", "drink") and "instead" in small:
            cut = small.index("instead")
            old = rest[cut + 2 :] if small[cut + 1 : cut + 2] == ["of"] else ()
            return [_swap(clause, rest[:cut], old)] if old else []
        return []
    if verb == "replac" and small[:1] == ["by"]:
        new = _object(rest[1:])
        value = Value("words", frozenset(content_of(_before_preposition(new))))
        return [Fact(clause.subject, OUTDATED, value, changed=True, words=tuple(new))]
    for joint in ("with", "for", "by", "to"):
        if joint in small:
            cut = small.index(joint)
            old, new = rest[:cut], rest[cut + 1 :]
            if small[:1] == ["from"]:
                return [_swap(clause, new, old[1:])]
            if verb in ("replac", "swap", "trade", "exchang"):
                return [_swap(clause, new, old)]
            return []
    if verb == "replac" and rest:
        new = tuple(clause.subject.split()) if clause.subject != SPEAKER else ()
        return [_swap(replace(clause, subject=SPEAKER), new, rest)]
    return []


def _swap(clause: Clause, new: Sequence[str], old: Sequence[str]) -> Fact:
    gone = frozenset(content_of(_before_preposition(_object(old))))
    words = tuple(_object(new))
    value = Value("words", frozenset(content_of(words)))
    return Fact(
        clause.subject, ANY, value, changed=True, instead_of=Value("words", gone), words=(*words, "instead", "of", *old)
    )


def _changed_noun(clause: Clause) -> list[Fact]:
    """Read "my rent went up to 950", "I changed my number to 42" and "the talk takes place on Monday"."""
    small = [word.lower() for word in clause.rest]
    verb = clause.verb
    place = 1 if verb == "take" and small[:1] == ["place"] else 0
    if (place or verb in table.HAPPENING) and small[place : place + 1] and small[place] in ("on", "at", "in"):
        return _owned(clause.subject, clause.rest[place:], changed=clause.changed, clause=replace(clause, verb="be"))
    if verb == "be" and small and lemma(small[0]) in table.RESET:
        clause, small, verb = replace(clause, rest=clause.rest[1:]), small[1:], lemma(small[0])
    joint = next((word for word in small if word in ("to", "until", "for", "till")), None)
    if joint is None or clause.negated or verb not in table.CHANGING_TO | table.RESET:
        return []
    cut = small.index(joint)
    noun = small[:cut]
    if noun[:1] and noun[0] in _DETERMINERS and len(noun) <= 4:
        return _owned(" ".join(noun[1:]), clause.rest[cut + 1 :], changed=True, clause=clause)
    if clause.subject == SPEAKER or any(word not in ("up", "down", "back", "forward") for word in noun):
        return []
    return _owned(clause.subject, clause.rest[cut + 1 :], changed=True, clause=clause)


def _favourite(clause: Clause) -> list[Fact]:
    subject, rest = clause.subject.split(), list(clause.rest)
    if clause.verb in table.CHANGING_TO and rest[:1] == ["to"]:
        clause, rest = replace(clause, verb="becom", changed=True, aspect="now"), rest[1:]
    if clause.verb not in ("be", "becom"):
        return []
    small = [other.lower() for other in rest]
    for word in ("favourite", "favorite"):
        if word in subject:
            cut = subject.index(word)
            owner, noun = " ".join(subject[:cut]).removesuffix("'s").removeprefix("my"), subject[cut + 1 :]
            if "of" in noun:
                noun, owner = noun[: noun.index("of")], " ".join(noun[noun.index("of") + 1 :])
            return _favourite_fact(clause, owner.strip() or SPEAKER, noun, _object(rest))
        if word in small[:3]:
            cut = small.index(word)
            owner = small[cut - 1].removesuffix("'s") if cut else "my"
            return _favourite_fact(clause, SPEAKER if owner in ("my", "our") else owner, small[cut + 1 :], subject)
    return []


def _favourite_fact(clause: Clause, owner: str, noun: Sequence[str], words: Sequence[str]) -> list[Fact]:
    attribute = "favourite " + " ".join(content_of(noun))
    content = content_of(words)
    value = Value("words", frozenset(content), content[-1] if content else "")
    return [
        Fact(owner, attribute, value, not clause.negated, clause.changed, clause.aspect, one=True, words=tuple(words))
    ]


def _known(clause: Clause) -> list[Fact]:
    """Read the verbs of the table; one verb may tell of several attributes."""
    found: list[Fact] = []
    longest = 0
    clause = replace(clause, rest=_to_first(clause.rest))
    for attribute in table.ATTRIBUTES:
        for role in ("states", "starts", "ends", "against"):
            for pattern in getattr(attribute, role):
                taken = _matched(pattern, clause)
                if taken is None or len(pattern) < longest:
                    continue
                fact = _known_fact(attribute, role, clause, clause.rest[taken:])
                if fact is not None:
                    found = found if len(pattern) == longest else []
                    longest = len(pattern)
                    found.append(fact)
    return found


def _matched(pattern: table.Pattern, clause: Clause) -> int | None:
    """Return how many words after the verb a pattern takes."""
    if pattern[0] != clause.verb:
        return None
    taken = 0
    for wanted in pattern[1:]:
        while (
            taken < len(clause.rest) and clause.rest[taken].lower() in _SKIPPED and clause.rest[taken].lower() != wanted
        ):
            taken += 1
        if taken == len(clause.rest) or lemma(clause.rest[taken]) != lemma(wanted):
            return None
        taken += 1
    return taken


def _known_fact(attribute: table.Attribute, role: str, clause: Clause, rest: Sequence[str]) -> Fact | None:
    positive = role in ("states", "starts")
    words = _object(rest)
    old, words = _from_to(words)
    if clause.verb in ("stand", "bear") and not clause.negated:
        return None
    disliked = clause.verb in ("stand", "bear")
    holds = (positive != clause.negated) if not disliked else False
    aspect: Aspect = clause.aspect
    changed = clause.changed or (role in ("starts", "ends") and not clause.negated)
    if role in ("starts", "ends"):
        if clause.negated:
            return None
        aspect = "now"
    elif attribute.fixed or (clause.negated and clause.changed):
        aspect = "now"
    if words and words[0].lower() == "no":
        holds, words = not holds, words[1:]
    content = content_of(_before_preposition(words))
    if attribute.one:
        value = value_of(words, names=attribute.names)
        if attribute.names and value.kind not in ("name", "country"):
            everything = role == "ends" and attribute.ends_all and (not content or set(content) & _EVERYTHING)
            if not everything:
                return None
            return Fact(clause.subject, attribute.name, value, False, True, ends_all=True, one=True, words=tuple(words))
        if value.is_empty and not (role == "ends" and attribute.ends_all):
            return None
    else:
        value = Value("words", frozenset(content_of(words)), content[-1] if content else "")
        if value.is_empty:
            return None
    return Fact(
        clause.subject,
        attribute.name,
        value,
        holds,
        changed,
        aspect,
        one=attribute.one,
        fixed=attribute.fixed,
        ends_all=value.is_empty and role == "ends",
        instead_of=value_of(old, names=True) if old else None,
        words=tuple(words),
    )


def _state(clause: Clause) -> list[Fact]:
    """Read a state that excludes the others of its group: "I am single", "I got divorced", "The shop is closed"."""
    if clause.verb not in ("be", "becom", "get", "retir", "divorc") or clause.aspect == "planned":
        return []
    words = {"retir": ["retired"], "divorc": ["divorced"]}.get(clause.verb, _plain(clause.rest))
    state = next((word for word in words[:2] if word in table.GROUPS), None)
    if state is None or (state in ("on", "off") and len(words) > 1) or (words[0] != state and len(words) > 2):
        return []
    changed = clause.changed or clause.verb != "be"
    aspect: Aspect = clause.aspect if clause.verb == "be" else "now"
    told = Fact(clause.subject, table.GROUPS[state], Value("words", frozenset((state,)), state), words=(state,))
    told = replace(told, holds=not clause.negated, changed=changed, aspect=aspect, one=True)
    if state not in ("single", "divorced", "separated", "widowed") or clause.negated:
        return [told]
    nobody = Value("nothing", frozenset())
    return [told, replace(told, attribute="partner", value=nobody, holds=False, ends_all=True)]


def _plain(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in _object(words) if word.lower() not in _DETERMINERS]


def _is(clause: Clause) -> list[Fact]:
    """Read "X is Y": an age, a trade, or what a thing is, where and when."""
    if clause.verb not in ("be", "turn", "becom"):
        return []
    small = _plain(clause.rest)
    if not small:
        return []
    told = Fact(clause.subject, "", Value("nothing", frozenset()), not clause.negated, clause.changed, one=True)
    told = replace(told, words=tuple(small), aspect=clause.aspect if clause.verb == "be" else "now")
    if number_of(small[0]) is not None and (len(small) == 1 or small[1:] in (["years"], ["years", "old"])):
        attribute = "value" if clause.subject.removeprefix("my ") in table.SINGLE_NOUNS else "age"
        return [
            replace(told, attribute=attribute, value=value_of(small[:1]), changed=told.changed or clause.verb == "turn")
        ]
    trade = _before_preposition(small)
    if trade and trade[-1] in table.OCCUPATIONS and clause.rest[0].lower() in ("a", "an"):
        return [replace(told, attribute="job", value=Value("words", frozenset(content_of(trade)), lemma(trade[-1])))]
    if clause.subject == SPEAKER or clause.verb == "turn":
        return []
    return _owned(clause.subject, clause.rest, changed=clause.changed, clause=clause)


def _owned(noun: str, rest: Sequence[str], *, changed: bool, clause: Clause) -> list[Fact]:
    """Read what a thing is; people are more than one thing at a time."""
    noun = noun.removeprefix("my ")
    head = noun.split()[-1] if noun else ""
    words = _object(rest)
    place = words[:1] and words[0].lower() in ("in", "at", "on") and not _times(words)
    value = value_of(words[1:], names=True) if place else value_of(words)
    known = head in table.SINGLE_NOUNS
    if value.is_empty or (value.kind == "words" and not known):
        return []
    if (
        value.kind in ("name", "country", "words")
        and not known
        and (head in table.PEOPLE or len(noun.split()) == 1 and clause.rest and not place and not _is_thing(noun))
    ):
        return []
    attribute = "place" if place else "value"
    return [
        Fact(
            noun,
            attribute,
            value,
            not clause.negated,
            changed,
            clause.aspect if clause.verb == "be" else "now",
            one=True,
            fixed=head in table.FIXED_NOUNS,
            words=tuple(words),
        )
    ]


def _is_thing(noun: str) -> bool:
    return noun in table.SINGLE_NOUNS


def _count(clause: Clause) -> list[Fact]:
    """Read how much or how many: "I weigh 80 kg", "I have two children"."""
    rest = _object(clause.rest)
    counting = clause.verb in ("have", "own", "keep", "rais")
    if not rest or not (counting or clause.verb in table.MEASURING):
        return []
    value = value_of(rest)
    if value.kind != "number" or len(value.parts) != 1 or (counting and number_of(rest[0]) is None):
        return []
    subject, attribute = clause.subject, f"number of {value.head}" if counting else f"to {clause.verb}"
    if clause.verb in table.MEASURED:
        noun = table.MEASURED[clause.verb]
        subject, attribute = noun if subject == SPEAKER else f"{subject}'s {noun}", "value"
    told = Fact(subject, attribute, value, not clause.negated, clause.changed, clause.aspect, one=True)
    return [replace(told, words=tuple(rest))]


def _general(clause: Clause) -> list[Fact]:
    """Read any other verb: only its own denial closes it."""
    words = _object(clause.rest)
    content = content_of(_before_preposition(words))
    value = Value("words", frozenset(content_of(words)), content[-1] if content else "")
    aspect: Aspect = "now" if clause.negated and clause.changed else clause.aspect
    if clause.verb in ("be", "have", "do") and value.is_empty:
        return []
    if value.is_empty and clause.negated and clause.changed:
        given_up = Value("words", frozenset((clause.verb,)), clause.verb)
        return [
            Fact(clause.subject, name, told, holds=False, changed=True, words=(clause.verb,))
            for name, told in (("activity", given_up), (f"to {clause.verb}", value))
        ]
    return [
        Fact(
            clause.subject,
            f"to {clause.verb}",
            value,
            not clause.negated,
            clause.changed,
            aspect,
            words=(clause.verb, *words),
        )
    ]


# Words


def _object(words: Sequence[str]) -> list[str]:
    """Return the words after a verb up to where something else begins, without times."""
    found: list[str] = []
    for place, word in enumerate(words):
        small = word.lower()
        following = words[place + 1].lower() if place + 1 < len(words) else ""
        if small in _CUTS or word in (",", "(") or (small in ("and", "but", "or") and following in ("i", "my")):
            if word == "," and following and words[place + 1][:1].isupper():
                continue
            break
        if small in ("in", "on", "from", "by", "this") and found and (_is_time(following)):
            break
        if (
            small == "for"
            and found
            and (number_of(following) is not None or following in ("a", "years", "months", "now"))
        ):
            break
        found.append(word)
    return found


def _is_time(word: str) -> bool:
    number = number_of(word)
    return (
        word in MONTHS
        or word in ("spring", "summer", "autumn", "winter", "week", "month", "year")
        or (number is not None and 1900 <= number <= 2100)
    )


def _times(words: Sequence[str]) -> frozenset[str]:
    value = value_of(words)
    return (
        frozenset(lemma(word) for word in words if _is_time(word.lower()))
        if value.kind != "time"
        else frozenset(lemma(word) for word in words if value_of([word]).kind == "time")
    )


def _before_preposition(words: Sequence[str]) -> list[str]:
    for place, word in enumerate(words):
        if place and word.lower() in _PREPOSITIONS:
            return list(words[:place])
    return list(words)


def _to_first(words: Sequence[str]) -> tuple[str, ...]:
    """Turn "from Porto to Lisbon" into "to Lisbon from Porto"."""
    small = [word.lower() for word in words]
    if small[:1] != ["from"] or "to" not in small:
        return tuple(words)
    cut = small.index("to")
    end = next((place for place, word in enumerate(small) if place > cut and word in _CUTS), len(words))
    return (*words[cut:end], *words[:cut], *words[end:])


def _from_to(words: list[str]) -> tuple[list[str], list[str]]:
    """Split "Porto from Lisbon" and "from Lisbon to Porto" into what was and what is."""
    small = [word.lower() for word in words]
    if "from" not in small:
        return [], words
    cut = small.index("from")
    if "to" in small[cut:]:
        to = small.index("to", cut)
        return words[cut + 1 : to], words[to + 1 :]
    return words[cut + 1 :], words[:cut]
