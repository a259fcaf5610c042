"""Reading the properties of things and people: favourites, amounts, days, places and occupations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mnemic.rules.claims import attributes as table
from mnemic.rules.claims.clauses import SPEAKER, UNKNOWN, Clause
from mnemic.rules.claims.facts import Fact
from mnemic.rules.claims.objects import (
    DETERMINERS,
    bare_object,
    before_preposition,
    destination_first,
    object_of,
    split_at,
    times_in,
    worded_value,
)
from mnemic.rules.claims.values import Value, content_of, number_of, value_of
from mnemic.rules.language import lexicon
from mnemic.rules.language.words import lemma

if TYPE_CHECKING:
    from collections.abc import Sequence

SKIPPED = DETERMINERS | frozenset(
    "small tiny nice little lovely cosy new old full-time part-time big huge first together back happily over "
    "permanently senior junior longtime".split()
)
"""Words that may stand between a verb and its object without changing what they say."""

_PREPOSITIONS = frozenset("in at on from to with".split())


def fact_from(clause: Clause, attribute: str, value: Value, words: Sequence[str], **changes: Any) -> Fact:  # noqa: ANN401
    """Return a fact with the subject, negation and tense of a clause."""
    fact = Fact(clause.subject, attribute, value, not clause.negated, clause.changed, clause.tense)
    return replace(fact, words=tuple(words), verb=clause.verb, **changes)


def read_favourite(clause: Clause) -> list[Fact]:
    """Read "my favourite X is Y" and "Y is Ana's favourite X"."""
    subject, rest = clause.subject.split(), list(clause.rest)
    noun, new = split_at(rest, "to")
    if clause.verb in table.CHANGING_TO and new:
        subject, rest = [word.lower() for word in noun] or subject, new
        clause = replace(clause, verb="becom", changed=True, tense="now")
    if clause.verb not in ("be", "becom"):
        return []
    lower = [word.lower() for word in rest]
    for words, value in ((subject, object_of(rest)), (lower, subject)):
        cut = next((index for index, word in enumerate(words[:5]) if word in ("favourite", "favorite")), None)
        if cut is not None:
            noun, of = split_at(words[cut + 1 :], "of")
            owner = " ".join(of[:1] or words[:cut] or ["my"]).removesuffix("'s")
            person = SPEAKER if owner in ("my", "our", "me", "mine") else owner
            attribute = f"favourite {' '.join(content_of(noun))}"
            return [fact_from(clause, attribute, worded_value(value), value, subject=person, single=True)]
    return []


def read_new_value(clause: Clause) -> list[Fact]:
    """Read "my rent went up to 950", "I changed my number to 42", "they moved the talk to Monday"."""
    verb, rest = clause.verb, list(clause.rest)
    lower = [word.lower() for word in rest]
    if verb == "amount" and lower[:1] == ["to"]:
        return _read_property(replace(clause, verb="be", rest=tuple(rest[1:])))
    start = 1 if verb == "take" and lower[:1] == ["place"] else 0
    if (start or verb in table.HAPPENING) and lower[start : start + 1] and lower[start] in ("on", "at", "in"):
        return _read_property(replace(clause, verb="be", rest=tuple(rest[start:])))
    if verb in ("be", "get") and lower and lemma(lower[0]) in table.RESET:
        verb, rest, lower = lemma(lower[0]), rest[1:], lower[1:]
    preposition = next((word for word in lower if word in ("to", "until", "for", "till")), None)
    if preposition is None or clause.negated or verb not in table.CHANGING_TO | table.RESET:
        return []
    noun, value = split_at(list(destination_first(rest)), preposition)
    value, _ = split_at(value, "from")
    changed = replace(clause, verb=verb, rest=tuple(value), changed=True, tense="now")
    if noun and noun[0].lower() in DETERMINERS and len(noun) <= 6:
        name = " ".join(noun[1:]).lower()
        has_owner = (
            noun[0].lower() not in ("my", "our") and clause.subject not in (SPEAKER, UNKNOWN) and " " not in name
        )
        return _read_property(replace(changed, subject=f"{clause.subject}'s {name}" if has_owner else name))
    if clause.subject == SPEAKER or any(word not in ("up", "down", "back", "forward") for word in noun):
        return []
    return _read_property(changed)


def read_amount(clause: Clause) -> list[Fact]:
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
        attribute = f"number of {value.head}" if counting else f"to {clause.verb}"
        return [fact_from(clause, attribute, value, rest, single=True)]
    return [fact_from(clause, "value", value, rest, subject=_owned(clause, noun), single=True)]


def read_possession(clause: Clause) -> list[Fact]:
    """Read "I have a new girlfriend, Ana" and "I have a budget of 900 euros"."""
    if clause.verb not in ("have", "get"):
        return []
    words = [word for word in clause.rest if word.lower() not in (*SKIPPED, ",", "called", "named", "of", "is")]
    noun = words[0].lower() if words else ""
    changed = clause.changed or "new" in clause.rest
    if noun in table.NOUNS and noun != "home" and len(words) > 1 and words[1][:1].isupper():
        value = words[1:]
    elif noun in table.SINGLE_NOUNS and "of" in clause.rest:
        value = split_at(list(clause.rest), "of")[1]
    else:
        return []
    owned = _owned(clause, noun)
    return _read_property(replace(clause, verb="be", subject=owned, rest=tuple(value), changed=changed, definite=True))


def _owned(clause: Clause, noun: str) -> str:
    """Return the subject that a noun of a clause's subject is: "rent", "ana's rent"."""
    return noun if clause.subject == SPEAKER else f"{clause.subject}'s {noun}"


def read_identity(clause: Clause) -> list[Fact]:
    """Read "X is Y": an age, an occupation, or what a thing is, where and when."""
    words = bare_object(clause.rest)
    if clause.verb not in ("be", "turn", "becom") or not words:
        return []
    if clause.verb != "be":
        clause = replace(clause, changed=True, tense="now")
    if number_of(words[0]) is not None and (len(words) == 1 or words[1:] in (["years"], ["years", "old"])):
        attribute = "value" if _head_noun(clause.subject) in table.SINGLE_NOUNS else "age"
        return [fact_from(clause, attribute, value_of(words[:1]), words, single=True)]
    occupation = before_preposition(words)
    if occupation and _is_occupation(occupation[-1]) and clause.rest[0].lower() in ("a", "an"):
        value = Value("words", frozenset(content_of(occupation)), lemma(occupation[-1]))
        job = fact_from(clause, "job", value, occupation, single=True)
        employer = value_of(split_at(object_of(clause.rest), "at")[1], names=True)
        if employer.kind not in ("name", "country"):
            return [job]
        return [job, replace(job, attribute="employer", value=employer, words=tuple(words))]
    return [] if clause.subject == SPEAKER or clause.verb == "turn" else _read_property(clause)


def _is_occupation(noun: str) -> bool:
    return noun in table.OCCUPATIONS or lexicon.is_a("trade", noun)


def _read_property(clause: Clause) -> list[Fact]:
    """Read what a thing is; two values of one kind exclude one another. People are several things at a time."""
    noun = " ".join(word for word in clause.subject.removeprefix("my ").split() if word not in table.PERIODS)
    name, _, owner = noun.partition(" of ")
    noun = f"{owner}'s {name}" if owner and " " not in owner else noun
    words = object_of(clause.rest)
    if len(words) > 1 and lemma(words[0]) in table.SETTLED:
        words = words[2:]
    owner, _, kind = clause.subject.removeprefix("my ").rpartition(" ")
    if kind in table.NOUNS and (not owner or owner.endswith("'s")):
        value = worded_value(words) if kind == "job" else value_of(words, names=True, cased=clause.cased)
        person = owner.removesuffix("'s") or SPEAKER
        fact = fact_from(clause, table.NOUNS[kind], value, words, subject=person, single=True)
        return [] if value.is_empty or _is_unnamed(fact) else [fact]
    if clause.tense == "planned":
        clause = replace(clause, tense="now")
    is_place = bool(words) and words[0].lower() in ("in", "at", "on") and not times_in(words)
    value = value_of(words[1:], names=True) if is_place else value_of(words)
    head = _head_noun(noun)
    single = head in (table.WORDED if value.kind == "words" else table.SINGLE_NOUNS)
    several = head in table.PEOPLE or (" " not in noun and not single and not clause.definite)
    is_adjective = (
        value.kind == "words" and len(words) == 1 and lexicon.is_a("adjective", words[0]) and not clause.changed
    )
    if (
        value.is_empty
        or is_adjective
        or (
            value.kind in ("name", "country", "words")
            and not single
            and (several or value.kind == "words")
            and not is_place
        )
    ):
        return []
    attribute = "place" if is_place else "value"
    fixed = head in table.FIXED_NOUNS
    return [fact_from(clause, attribute, value, words, subject=noun, single=True, fixed=fixed)]


def _is_unnamed(fact: Fact) -> bool:
    """Return whether a job, home, employer or partner is described and not named: "stressful", "at work", "a mess"."""
    if fact.words[0].lower() in _PREPOSITIONS and fact.attribute != "home":
        return True
    if fact.attribute == "job":
        return len(fact.words) == 1 and lexicon.is_a("adjective", fact.words[0])
    return fact.value.kind not in ("name", "country")


def _head_noun(subject: str) -> str:
    """Return the noun that says what a subject is: "salary" of "Ana's monthly salary"."""
    return (before_preposition(subject.split()) or [""])[-1]
