"""Reading what things are: favourites, amounts, days, places and trades."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mnemic.rules.claims import attributes as table
from mnemic.rules.claims.clauses import SPEAKER, UNKNOWN, Clause
from mnemic.rules.claims.facts import Fact
from mnemic.rules.claims.phrases import (
    DETERMINERS,
    as_words,
    before_preposition,
    object_of,
    parted,
    plain,
    times_in,
    to_first,
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

_LEADING = frozenset("in at on from to with".split())


def told_by(clause: Clause, attribute: str, value: Value, words: Sequence[str], **changes: Any) -> Fact:  # noqa: ANN401
    """Return a claim in the tone of a clause."""
    told = Fact(clause.subject, attribute, value, not clause.negated, clause.changed, clause.aspect)
    return replace(told, words=tuple(words), verb=clause.verb, **changes)


def favourite(clause: Clause) -> list[Fact]:
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
            owner = " ".join(of[:1] or words[:cut] or ["my"]).removesuffix("'s")
            who = SPEAKER if owner in ("my", "our", "me", "mine") else owner
            attribute = f"favourite {' '.join(content_of(noun))}"
            return [told_by(clause, attribute, as_words(value), value, subject=who, one=True)]
    return []


def reset(clause: Clause) -> list[Fact]:
    """Read "my rent went up to 950", "I changed my number to 42", "they moved the talk to Monday"."""
    verb, rest = clause.verb, list(clause.rest)
    small = [word.lower() for word in rest]
    if verb == "amount" and small[:1] == ["to"]:
        return thing(replace(clause, verb="be", rest=tuple(rest[1:])))
    place = 1 if verb == "take" and small[:1] == ["place"] else 0
    if (place or verb in table.HAPPENING) and small[place : place + 1] and small[place] in ("on", "at", "in"):
        return thing(replace(clause, verb="be", rest=tuple(rest[place:])))
    if verb in ("be", "get") and small and lemma(small[0]) in table.RESET:
        verb, rest, small = lemma(small[0]), rest[1:], small[1:]
    joint = next((word for word in small if word in ("to", "until", "for", "till")), None)
    if joint is None or clause.negated or verb not in table.CHANGING_TO | table.RESET:
        return []
    noun, value = parted(list(to_first(rest)), joint)
    value, _ = parted(value, "from")
    changed = replace(clause, verb=verb, rest=tuple(value), changed=True, aspect="now")
    if noun and noun[0].lower() in DETERMINERS and len(noun) <= 6:
        name = " ".join(noun[1:]).lower()
        whose = noun[0].lower() not in ("my", "our") and clause.subject not in (SPEAKER, UNKNOWN) and " " not in name
        return thing(replace(changed, subject=f"{clause.subject}'s {name}" if whose else name))
    if clause.subject == SPEAKER or any(word not in ("up", "down", "back", "forward") for word in noun):
        return []
    return thing(changed)


def count(clause: Clause) -> list[Fact]:
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
        return [told_by(clause, f"number of {value.head}" if counting else f"to {clause.verb}", value, rest, one=True)]
    owner = noun if clause.subject == SPEAKER else f"{clause.subject}'s {noun}"
    return [told_by(clause, "value", value, rest, subject=owner, one=True)]


def having(clause: Clause) -> list[Fact]:
    """Read "I have a new girlfriend, Ana" and "I have a budget of 900 euros"."""
    if clause.verb not in ("have", "get"):
        return []
    words = [word for word in clause.rest if word.lower() not in (*SKIPPED, ",", "called", "named", "of", "is")]
    noun = words[0].lower() if words else ""
    changed = clause.changed or "new" in clause.rest
    if noun in table.NOUNS and noun != "home" and len(words) > 1 and words[1][:1].isupper():
        whole = replace(clause, verb="be", rest=tuple(words[1:]), changed=changed)
        owner = noun if clause.subject == SPEAKER else f"{clause.subject}'s {noun}"
        return thing(replace(whole, subject=owner, definite=True))
    if noun in table.SINGLE_NOUNS and "of" in clause.rest:
        owner = noun if clause.subject == SPEAKER else f"{clause.subject}'s {noun}"
        value = parted(list(clause.rest), "of")[1]
        return thing(replace(clause, verb="be", subject=owner, rest=tuple(value), changed=changed, definite=True))
    return []


def is_a(clause: Clause) -> list[Fact]:
    """Read "X is Y": an age, a trade, or what a thing is, where and when."""
    small = plain(clause.rest)
    if clause.verb not in ("be", "turn", "becom") or not small:
        return []
    if clause.verb != "be":
        clause = replace(clause, changed=True, aspect="now")
    if number_of(small[0]) is not None and (len(small) == 1 or small[1:] in (["years"], ["years", "old"])):
        attribute = "value" if _noun(clause.subject) in table.SINGLE_NOUNS else "age"
        return [told_by(clause, attribute, value_of(small[:1]), small, one=True)]
    trade = before_preposition(small)
    if trade and _is_trade(trade[-1]) and clause.rest[0].lower() in ("a", "an"):
        job = told_by(clause, "job", Value("words", frozenset(content_of(trade)), lemma(trade[-1])), trade, one=True)
        firm = value_of(parted(object_of(clause.rest), "at")[1], names=True)
        named = firm.kind in ("name", "country")
        return [job, *([replace(job, attribute="employer", value=firm, words=tuple(small))] if named else [])]
    return [] if clause.subject == SPEAKER or clause.verb == "turn" else thing(clause)


def _is_trade(noun: str) -> bool:
    return noun in table.OCCUPATIONS or lexicon.is_a("trade", noun)


def thing(clause: Clause) -> list[Fact]:
    """Read what a thing is; two values of one kind exclude one another. People are more than one thing at a time."""
    noun = " ".join(word for word in clause.subject.removeprefix("my ").split() if word not in table.PERIODS)
    name, _, owner = noun.partition(" of ")
    noun = f"{owner}'s {name}" if owner and " " not in owner else noun
    words = object_of(clause.rest)
    if len(words) > 1 and lemma(words[0]) in table.SETTLED:
        words = words[2:]
    owner, _, kind = clause.subject.removeprefix("my ").rpartition(" ")
    if kind in table.NOUNS and (not owner or owner.endswith("'s")):
        value = as_words(words) if kind == "job" else value_of(words, names=True, cased=clause.cased)
        who = owner.removesuffix("'s") or SPEAKER
        told = told_by(clause, table.NOUNS[kind], value, words, subject=who, one=True)
        return [] if value.is_empty or _says_how(told) else [told]
    if clause.aspect == "planned":
        clause = replace(clause, aspect="now")
    place = bool(words) and words[0].lower() in ("in", "at", "on") and not times_in(words)
    value = value_of(words[1:], names=True) if place else value_of(words)
    head = _noun(noun)
    single = head in (table.WORDED if value.kind == "words" else table.SINGLE_NOUNS)
    many = head in table.PEOPLE or (" " not in noun and not single and not clause.definite)
    described = value.kind == "words" and len(words) == 1 and lexicon.is_a("adjective", words[0]) and not clause.changed
    if (
        value.is_empty
        or described
        or (value.kind in ("name", "country", "words") and not single and (many or value.kind == "words") and not place)
    ):
        return []
    return [
        told_by(
            clause, "place" if place else "value", value, words, subject=noun, one=True, fixed=head in table.FIXED_NOUNS
        )
    ]


def _says_how(fact: Fact) -> bool:
    """Tell whether a job, a home, an employer or a partner is not named: "stressful", "at work", "a mess"."""
    if fact.words[0].lower() in _LEADING and fact.attribute != "home":
        return True
    if fact.attribute == "job":
        return len(fact.words) == 1 and lexicon.is_a("adjective", fact.words[0])
    return fact.value.kind not in ("name", "country")


def _noun(subject: str) -> str:
    """Return the word that says what a subject is: "salary" of "Ana's monthly salary"."""
    return (before_preposition(subject.split()) or [""])[-1]
