"""Open text as clauses: who, does what, whether it holds, and when. English; what is not understood is left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from recollect.rules.text import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Aspect = Literal["now", "past", "planned", "unsure"]

SPEAKER = "i"
"""The subject of whoever speaks, or of the user that a note is about."""

UNKNOWN = "?"
"""A subject of whom nothing is known: a pronoun without a name before it."""

_IRREGULAR = {
    form: verb
    for verb, forms in {
        "be": "am is are was were been being",
        "have": "has had having",
        "do": "does did done",
        "get": "got gotten",
        "go": "went gone goes",
        **dict(
            pair.split(":")
            for pair in "sell:sold,buy:bought,leave:left,break:broke broken,give:gave given,begin:began begun,"
            "drive:drove driven,eat:ate eaten,drink:drank drunk,speak:spoke spoken,teach:taught,meet:met,lose:lost,"
            "keep:kept,take:took taken,make:made,come:came,run:ran,wear:wore worn,grow:grew grown,think:thought,"
            "become:became,wed:wedded,write:wrote written,fall:fell fallen,rise:rose risen,find:found,pay:paid,"
            "hold:held,feel:felt,win:won,sing:sang sung,swim:swam swum,choose:chose chosen,forget:forgot forgotten,"
            "build:built,send:sent,spend:spent,fly:flew flown,ride:rode ridden,sleep:slept,throw:threw thrown,"
            "bring:brought,see:saw seen,know:knew known,lie:lying lay lain,sit:sat,stand:stood,stay:staid,"
            "divorce:divorced,relocate:relocated,outgrow:outgrew outgrown,rehome:rehomed,die:dying".split(",")
        ),
    }.items()
    for form in forms.split()
}
_INVARIANT = frozenset("quit put cut split read let set wed".split())
_IMPERATIVES = _INVARIANT - {"quit", "split"}
_BE_PAST = frozenset(("was", "were"))
_AUXILIARIES = frozenset(
    "am is are was were be been has have had do does did will would can could may might should must shall".split()
)
_PRONOUNS = {"i": SPEAKER, "we": SPEAKER, **dict.fromkeys(("he", "she", "they", "it", "you"), UNKNOWN)}
_NOBODY = frozenset(
    "everyone everybody nobody someone somebody people no anyone this that these those there what who which something "
    "nothing everything one most many some all a an if when where how why whether maybe perhaps".split()
)
CHANGE_WORDS = frozenset(
    "now recently lately nowadays anymore finally instead actually correction officially since new newly".split()
)
_ADVERBS = CHANGE_WORDS | frozenset(
    "really also still just always often usually never-ending already currently mostly mainly generally sometimes "
    "probably definitely absolutely truly totally completely permanently temporarily happily eventually later soon "
    "very so much then both only even kind sort deeply strongly genuinely previously formerly today yesterday".split()
) - {"new", "since"}
_OPENERS = _ADVERBS | frozenset(
    "well oh hey ok okay yes yeah no update fyi btw note and but so because although".split()
)
_TIME_OPENERS = frozenset("in on at since after last this next as by from for during until before until these".split())
_HYPOTHETICAL = frozenset("if unless whether suppose imagine when once maybe perhaps".split())
_UNSURE = frozenset("would could might may should must".split())
_WISHES = frozenset("want hope wish need try like love hate prefer dream consider think afford expect".split())
_PLANS = frozenset("plan intend decid aim schedul book arrang promis".split())
_STOPS = frozenset("stop quit ceas finish".split())
_STARTS = frozenset("start begin".split())
_ADJECTIVES = frozenset("new current own dear little big older younger elder best old first second".split())

_CONTRACTIONS = (
    (re.compile(r"[’‘]"), "'"),
    (re.compile(r"\b(ca)n't\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"\bcannot\b", re.I), "can not"),
    (re.compile(r"'m\b", re.I), " am"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"'ll\b", re.I), " will"),
    (re.compile(r"'d\b", re.I), " would"),
    (re.compile(r"\b(he|she|it|that|there|who|what|here|where)'s\b", re.I), r"\1 is"),
    (re.compile(r"\bany (more|longer)\b", re.I), "anymore"),
    (re.compile(r"\b(these|nowa)[ -]?days\b", re.I), "nowadays"),
    (re.compile(r"\bgave up on\b", re.I), "gave up"),
)
_SENTENCE = re.compile(r"[^.!?;\n]+(?:\.(?=\S)[^.!?;\n]*)*[.!?;\n]?")
_TOKEN = re.compile(r"[$€£]?\d[\d.,:]*\d%?\w*|[$€£]?\d%?\w*|[^\W_][\w'’@/+#-]*|[,:()—–]")
_JOINTS = frozenset(
    (",", ":", "(", ")", "—", "–", "and", "but", "so", "because", "then", "although", "though", "while", "yet")
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Hold one statement: a subject, the verb in its base form, the words after it."""

    subject: str
    verb: str
    rest: tuple[str, ...]
    negated: bool = False
    aspect: Aspect = "now"
    changed: bool = False
    """Whether it says that things were otherwise before."""

    definite: bool = False
    """Whether the subject is a certain thing: "the key", "my key", "Ana's key"."""

    sentence: int = 0


def lemma(word: str) -> str:
    """Return the form under which a verb is looked up."""
    small = word.lower()
    return stem(_IRREGULAR.get(small, small))


def words_of(text: str) -> list[str]:
    """Return the words of a text with contractions written out."""
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return _TOKEN.findall(text)


def clauses(text: str, verbs: frozenset[str]) -> list[Clause]:
    """Return the clauses of a text; `verbs` are the base forms by which a verb after a name is known."""
    found: list[Clause] = []
    named: str | None = None
    for number, sentence in enumerate(sentences(text)):
        last: str | None = SPEAKER
        for part in _parts(words_of(sentence), verbs):
            clause = _clause(part, verbs, before=last, named=named)
            if clause is None:
                last = None
            else:
                last = clause.subject
                named = clause.subject if clause.subject not in (SPEAKER, UNKNOWN) else named
                found.append(replace(clause, sentence=number))
    return found


def sentences(text: str) -> list[str]:
    """Return the sentences that state something; a question does not."""
    split = (found.group().strip() for found in _SENTENCE.finditer(text))
    return [sentence for sentence in split if sentence and not sentence.endswith("?")]


def _parts(words: Sequence[str], verbs: frozenset[str]) -> Iterator[list[str]]:
    """Cut a sentence where a new clause begins."""
    part: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        pair = word == "and" and len(part) == 1 and part[0][:1].isupper()
        if word.lower() in _JOINTS and part and not pair and _begins_clause(words[place + 1 :], verbs):
            yield part
            part = []
        elif word not in ("(", ")", "—", "–", ":"):
            part.append(word)
        place += 1
    if part:
        yield part


def _begins_clause(words: Sequence[str], verbs: frozenset[str]) -> bool:
    rest = [word for word in words[:8] if word.lower() not in _OPENERS and word != ","]
    if not rest:
        return False
    first = rest[0].lower()
    if first in _PRONOUNS or first in _AUXILIARIES:
        return True
    if _is_finite(rest[0], verbs) and first not in _NOBODY:
        return True
    return _subject_end(rest, verbs) is not None


def _is_finite(word: str, verbs: frozenset[str]) -> bool:
    """Tell whether a word is a known verb in a form that only verbs have."""
    small = word.lower()
    changed_form = small in _IRREGULAR or small in _INVARIANT or small.endswith(("s", "ed"))
    return changed_form and lemma(small) in verbs


def _clause(words: Sequence[str], verbs: frozenset[str], *, before: str | None, named: str | None) -> Clause | None:
    opening = 0
    changed = unsure = past = False
    while opening < len(words) and (words[opening].lower() in _OPENERS or words[opening] == ","):
        changed = changed or words[opening].lower() in CHANGE_WORDS
        past = past or words[opening].lower() in ("previously", "formerly")
        opening += 1
    words = list(words[opening:])
    if not words:
        return None
    small = [word.lower() for word in words]
    if small[0] in _HYPOTHETICAL:
        return None
    if small[0] in _TIME_OPENERS:
        start = next((place for place in range(1, min(len(words), 8)) if _begins_here(words, place, verbs)), None)
        if start is None:
            return None
        words, small = words[start:], small[start:]
    if small[0] in _PRONOUNS:
        subject, end = _PRONOUNS[small[0]], 1
        if subject == UNKNOWN and small[0] != "you":
            subject = (before if small[0] == "it" else named) or UNKNOWN
            subject = UNKNOWN if subject == SPEAKER else subject
    elif (_is_finite(words[0], verbs) and small[0] not in _IMPERATIVES) or small[:2] == ["no", "longer"]:
        subject, end = before, 0
    else:
        found = _subject_end(words, verbs)
        if found is None:
            return None
        end = found
        subject = _noun_subject(words[:end])
        changed = changed or "new" in small[:end]
    if subject is None:
        return None
    clause = _predicate(subject, words[end:], verbs)
    if clause is None or unsure or clause.aspect == "unsure":
        return None
    return replace(
        clause,
        definite=small[0] in ("my", "our", "the") or small[0].endswith("'s"),
        changed=clause.changed or changed,
        aspect="past" if past and clause.aspect == "now" and not clause.changed else clause.aspect,
    )


def _begins_here(words: Sequence[str], place: int, verbs: frozenset[str]) -> bool:
    """Tell whether the subject begins at a place, after words that tell a time."""
    if words[place].lower() in ("i", "we", "he", "she", "they"):
        return True
    return words[place][:1].isupper() and place + 1 < len(words) and _is_finite(words[place + 1], verbs)


def _subject_end(words: Sequence[str], verbs: frozenset[str]) -> int | None:
    """Return where the verb begins after a noun as subject."""
    small = [word.lower() for word in words]
    if not words or small[0] in _NOBODY:
        return None
    owned = small[0] in ("my", "our", "the", "his", "her", "their", "your") or small[0].endswith("'s")
    favourite = any(word in ("favourite", "favorite") for word in small[:4])
    for place in range(2 if owned else 1, min(len(words), 8)):
        word = small[place]
        if word in _AUXILIARIES or (word == "no" and small[place + 1 : place + 2] == ["longer"]):
            return place
        if word in _ADVERBS or word == "never":
            continue
        if not favourite and (_is_finite(words[place], verbs) or (place == 1 and _is_action(words))):
            return place
        if not favourite and lemma(word) in verbs and small[place - 1].endswith("s") and owned:
            return place
        if word == "and" and place == 1 and words[0][:1].isupper() and words[2:3] and words[2][:1].isupper():
            continue
        if word in (",", "and", "or", "that", "who", "which", "to") or (place >= 2 and not owned and words[place].islower()):
            return None
    return None


def _is_action(words: Sequence[str]) -> bool:
    """Tell whether a text opens with a name and what its bearer did: "Ana packed"."""
    return words[0][:1].isupper() and words[1].islower() and words[1].endswith("ed") and len(words[1]) > 4


def _noun_subject(words: Sequence[str]) -> str | None:
    small = [word.lower() for word in words if word.lower() not in _ADVERBS]
    if small[0] in ("his", "her", "their", "your"):
        return UNKNOWN
    if small in (["user"], ["the", "user"]):
        return SPEAKER
    if small[0] in ("my", "our"):
        named = [word.lower() for word in words[2:] if word[:1].isupper()]
        if named and "'s" not in " ".join(small):
            return " ".join(named)
        return "my " + " ".join(word for word in small[1:] if word not in _ADJECTIVES)
    if small[0] == "the":
        return " ".join(word for word in small[1:] if word not in _ADJECTIVES)
    return " ".join(small)


def _predicate(subject: str, words: Sequence[str], verbs: frozenset[str]) -> Clause | None:
    """Read auxiliaries, negation and adverbs up to the main verb."""
    negated = changed = past = planned = False
    place = 0
    while place < len(words):
        small = words[place].lower()
        after = [word.lower() for word in words[place + 1 : place + 4]]
        if small == "no" and after[:1] == ["longer"]:
            negated = changed = True
            place += 2
        elif small in ("not", "never"):
            negated = True
            place += 1
        elif small in _ADVERBS:
            changed = changed or small in CHANGE_WORDS
            place += 1
        elif small in _UNSURE or (small in ("have", "has", "had") and after[:1] == ["to"]):
            return None
        elif small in ("will", "shall"):
            planned = True
            place += 1
        elif small == "can":
            place += 1
        elif small in ("do", "does", "did") and _continues(words, place, verbs, base=True):
            past = past or small == "did"
            place += 1
        elif small in ("have", "has", "had") and _continues(words, place, verbs, participle=True):
            past = past or small == "had"
            place += 1
        elif lemma(small) == "be" and after[:2] in (["going", "to"], ["about", "to"], ["due", "to"]):
            planned = True
            place += 3
        elif lemma(small) == "be" and _progressive(words, place):
            past = past or small in _BE_PAST
            planned = planned or (small not in _BE_PAST and _soon(words[place:]))
            place += 1
        elif small == "used" and after[:1] == ["to"]:
            negated = changed = True
            place += 2
        elif lemma(small) in _PLANS and "to" in after[:2]:
            planned = True
            negated = negated or after[:1] == ["not"]
            place += 2 + (after[0] == "not")
        elif lemma(small) in _WISHES and after[:1] and after[0] in ("to", "about", "of"):
            return None
        elif (lemma(small) in _STOPS or (lemma(small) == "give" and after[:1] == ["up"])) and _gerund(words, place):
            negated = changed = True
            place += 2 if after[:1] == ["up"] else 1
        elif lemma(small) in _STARTS and (_gerund(words, place) or after[:1] == ["to"]):
            changed = True
            place += 2 if after[:1] == ["to"] else 1
        else:
            break
    if place >= len(words):
        return None
    main = words[place]
    following = list(words[place + 1 :])
    while (
        lemma(main) == "be"
        and following
        and (following[0].lower() in _ADVERBS or following[0].lower() in ("not", "never", "no"))
    ):
        if following[0].lower() == "no" and [word.lower() for word in following[1:2]] != ["longer"]:
            break
        taken = 2 if following[0].lower() == "no" else 1
        negated = negated or following[0].lower() in ("not", "never", "no")
        changed = changed or following[0].lower() == "no" or following[0].lower() in CHANGE_WORDS
        following = following[taken:]
    rest = _without_change_words(following)
    changed = changed or len(rest) != len(following)
    past = past or _is_past(main, words[:place])
    aspect: Aspect = "planned" if planned else "past" if past else "now"
    return Clause(subject, lemma(main), rest, negated, aspect, changed)


def _without_change_words(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word.lower() not in CHANGE_WORDS - {"new", "since"})


def _continues(
    words: Sequence[str], place: int, verbs: frozenset[str], *, base: bool = False, participle: bool = False
) -> bool:
    """Tell whether an auxiliary goes on to a main verb."""
    for word in words[place + 1 : place + 4]:
        small = word.lower()
        if small in ("not", "never", "no", "longer") or small in _ADVERBS:
            if base and small == "not":
                return True
            continue
        if participle:
            return small in _IRREGULAR or small in _INVARIANT or (small.endswith("ed") and len(small) > 4)
        return lemma(small) in verbs
    return False


def _progressive(words: Sequence[str], place: int) -> bool:
    for word in words[place + 1 : place + 4]:
        small = word.lower()
        if small in ("not", "never", "no", "longer") or small in _ADVERBS:
            continue
        return small.endswith("ing") and len(small) > 4
    return False


def _gerund(words: Sequence[str], place: int) -> bool:
    after = [word.lower() for word in words[place + 1 : place + 3] if word.lower() != "up"]
    return bool(after) and after[0].endswith("ing") and len(after[0]) > 4


def _soon(words: Sequence[str]) -> bool:
    """Tell whether a progressive means a plan: "I am moving to Rome", "I am meeting Bo on Friday"."""
    small = [word.lower() for word in words]
    arriving = any(
        word in ("moving", "relocating", "leaving", "joining", "getting", "selling", "flying") for word in small
    )
    return arriving or any(word in ("tomorrow", "tonight", "next", "soon") for word in small)


def _is_past(main: str, before: Sequence[str]) -> bool:
    small = main.lower()
    if any(word.lower() in ("have", "has", "do", "does", "am", "is", "are", "will", "to") for word in before):
        return False
    if any(word.lower() == "did" for word in before):
        return True
    if small in ("been", "being", "having", "goes", "has", "does", "am", "is", "are", "lying", "dying"):
        return False
    return small in _IRREGULAR or small in _INVARIANT or (small.endswith("ed") and len(small) > 3)
