"""Pairs of sentences to learn from, drawn by chance: some close the older one, most do not."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import fact_changes
from mnemic.rules.claims.clauses import SPEAKER
from mnemic.rules.claims.frames import frame_of
from mnemic.upkeep.change_model.network import batch_of
from mnemic.upkeep.change_model.pair import sentence_pair
from training.changes.kinds import OF_MANY, SAME, are_alike, name_others

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.blocks import Block
    from benchmarks.fact_changes import Kind
    from mnemic.upkeep.change_model.network import Array, Batch
    from mnemic.upkeep.change_model.pair import SentencePair

NONE = "none"
BY_NAME = "by name"
UNKNOWN = ""
"""The kind of what was not told by a wording."""

GENERAL = 25
"""How often a fact about anything is drawn, where one of a certain kind is drawn one to four times."""

ENDING = frozenset("taste possession habit plan pet language health diet project".split())
"""The kinds of the benchmarks whose change is an end."""

PEOPLE = (
    fact_changes.PEOPLE
    + (
        "Tobias Wanda Ruben Celeste Matteo Pavel Yasmin Gideon Lorna Beatrix Cormac Fiona Gustav Theo Marisol Ivo "
        "Saskia Chiara Anselm Ulla Sven Amara Kofi Priya Wei Noor Diego"
    ).split()
)
THINGS = [*fact_changes.THINGS, *fact_changes.PLACES, *fact_changes.FOODS, *fact_changes.SPORTS]
CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
BEFORE = (
    "Heard that |Guess what, |FYI, |By the way, |Good news: |Since last month, |It's official: |Turns out |Yesterday |"
    "As of today, |Apparently |Because of work, |After the holidays |In the end |I was told that |Last week |"
    "According to a friend, |To save money, |After a long talk |Funny enough, |So |This year |With the new baby, |"
    "You won't believe it: |Note: |Since the spring |Because of the price |At the weekend |A colleague says that |"
    "For the record, |Change of plan: |Two weeks were enough: |Congratulations are due: |Because of the new rota, |"
    "Over Easter |At New Year |Since school started, |Please take note: |Under the new rules |As of this quarter, |"
    "After some haggling |Long story short, |Would you believe it, |On second thoughts |Once the money came in, |"
    "When the lease ran out, |Following the advice of a friend, |For reasons of cost |News from the family: |"
    "A quick update: |You should know that |Everybody is talking about it: |Small correction: |"
    "Ever since the accident |Thanks to a tip |With a heavy heart |Out of the blue |By the end of the month |"
    "Behind closed doors |I hardly believed it when I heard that |It took a while, but |As agreed with everybody, |"
    "On a whim |From one day to the next |Much to my surprise, "
).split("|")
AFTER = (
    " last week| after all|, I hear|, which surprised everyone| because of the price|, apparently| to save money|"
    ", by the way| on doctor's orders| at last|, they say| for a change| without much ado| in the end|"
    " after a long talk| at New Year|, and everybody is happy about it|, so please take note|, and that's settled|"
    " from next week| as of this minute| overnight| without telling anyone|, believe it or not| over Easter|"
    ", if I got that right|, says the family| on a whim|; I saw it myself|, and it shows| for good"
).split("|")
BEFORE_HOLDING = (
    "As you know, |By the way, |At the moment |For now, |Apparently |These days |I think |FYI, |"
    "According to a friend, |For years now, |On weekdays "
).split("|")
AFTER_HOLDING = (
    " these days| at the moment| for now|, by the way|, as you know| and likes it| for years now| most of the time|"
    ", I hear"
).split("|")

ADJUNCTS = (
    " in the cellar| in the garage| near the station| with the kids| on Sundays| at the club| in the evenings| at work|"
    " in the garden| at the weekend| in the new house| by the river| in the village| with friends| in spring"
).split("|")
"""What both sentences may say without speaking of the same thing."""

RELATIVES = "brother sister boss neighbour mother cousin friend colleague son daughter flatmate aunt".split()
HEDGES = (
    "Maybe |Perhaps |One day |If all goes well, |It would be nice if |I wonder whether |Nobody knows whether |"
    "It is not true that |Some day |I doubt that |There is a rumour that |In a dream |It is possible that "
).split("|")
"""What may come before a change that has not happened."""

STORIES = 0.15
"""The share of changes that are told by a story which fits facts of any kind."""

BESIDE = 0.15
"""The share of what was told of which both sentences leave the same fact as it is, and so each other."""

HAPPENING = 0.13
"""The share of pairs that tell what happens around a thing."""

TOLD, APART, CHATTED, WORDED = 0.42, 0.08, 0.2, 0.3
"""The shares of pairs that were told, that are apart, that people said in chats, and that come from wordings."""

PERSONAL = ("partner", "boss", "flatmate", "doctor")
"""The kinds whose values are people."""


class Wordings:
    """Hold how facts of each kind are told, by the role of a sentence, and what values the kinds have."""

    def __init__(self) -> None:
        self.told: dict[tuple[str, str], list[str]] = {}
        self.values: dict[str, list[str]] = {}
        self.often: dict[str, float] = {}

    def read(self, file: Path, often: float) -> None:
        """Add the wordings of a file, and how often its kinds are told of.

        A kind that is told by a pattern has its verbs or nouns beside its name.
        """
        kind = role = ""
        for line in file.read_text().splitlines():
            if line.startswith("[") and "=" in line:
                name, _, values = line.strip("[]").partition(" = ")
                kind, *pattern = name.split(" ", 2)
                self.values[kind] = values.split("|")
                for place, texts in [*self.told.items()]:
                    if pattern and place[0] == pattern[0]:
                        self.told[kind, place[1]] = [
                            text.replace(f"{{{pattern[0]}}}", f"({pattern[1]})") for text in texts
                        ]
            elif line.startswith("["):
                kind, role = line.strip("[]").split()
            elif line and not line.startswith("#"):
                self.told.setdefault((kind, role), []).append(line)
        self.told = {place: texts for place, texts in self.told.items() if place[0] in (NONE, *self.values)}
        for kind in self.values:
            self.often.setdefault(kind, often)

    def add(self, kinds: Iterable[Kind]) -> None:
        """Add the wordings of a benchmark."""
        for kind in kinds:
            self.values.setdefault(kind.name, kind.values)
            self.told.setdefault((kind.name, "hold"), []).extend(kind.statements)
            self.told.setdefault((kind.name, "end" if kind.name in ENDING else "change"), []).extend(kind.changes)

    def add_others(self, follow_ups: dict[str, tuple[str, ...]]) -> None:
        """Add what is told around facts of a kind without any change."""
        for kind, texts in follow_ups.items():
            self.told.setdefault((kind, "other"), []).extend(texts)


class Pairs:
    """Draw pairs of sentences."""

    def __init__(self, wordings: Wordings, blocks: Sequence[Block], chatted: Sequence[tuple[str, str]]) -> None:
        self.rng = random.Random(0)
        self.chatted = chatted
        self.beside = [one.others for one in blocks if len(one.others) > 1]
        self.lines = [(one.older, newer, True) for one in blocks for newer in one.closing]
        self.lines += [(one.older, newer, False) for one in blocks for newer in one.others]
        self.newer: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for _, newer, _ in self.lines:
            owner = _owner(newer)
            self.newer[_sort(owner)].append((newer, owner))
        self.told, self.values = wordings.told, wordings.values
        self.kinds = sorted({kind for kind, role in self.told if role == "hold"})
        self.things = {
            kind: wordings.told[kind, "things"][0].split("|") for kind, role in self.told if role == "things"
        }
        self.often = wordings.often
        self.weights = [
            GENERAL
            if kind in ("any", "fact")
            else self.often[kind]
            * min(4, 1 + sum(len(self.told.get((kind, role), ())) for role in ("hold", "change", "end")) / 25)
            for kind in self.kinds
        ]
        self.unlike = {kind: self._unlike_kinds(kind) for kind in self.kinds}
        self.roles = {
            kind: [role for role in ("hold", "change", "end", "other") if (kind, role) in self.told]
            for kind in self.kinds
        }
        self.impersonal = {
            kind for (kind, role), texts in self.told.items() if any("{who}" not in one for one in texts)
        }
        names = [NONE, *sorted({SAME.get(kind, kind) for kind in self.kinds} - {"any", "fact"})]
        self.numbers = {name: place for place, name in enumerate(names)} | {"any": 0, "fact": 0, UNKNOWN: -1}

    def _unlike_kinds(self, kind: str) -> tuple[list[str], list[float]]:
        """Return the kinds whose facts close none of a kind, and how often they are told of, added up."""
        found = [one for one in self.kinds if not are_alike(kind, one)]
        return found, [*accumulate(self.often[one] for one in found)]

    def batch(self, count: int) -> tuple[Batch, Array, NDArray[np.int64]]:
        """Return pairs, whether the newer sentence closes the older one, and the kinds of both, -1 where unknown."""
        pairs: list[SentencePair] = []
        closes, kinds = [], []
        while len(pairs) < count:
            older, newer, closing, kind, other = self._drawn()
            frames = frame_of(older), frame_of(newer)
            pair = sentence_pair(*frames)
            if pair is None or older == newer:
                continue
            pairs.append(pair)
            closes.append(closing and not (kind in OF_MANY and name_others(*frames)))
            kinds.append([self.numbers[SAME.get(one, one)] for one in (kind, other)])
        return batch_of(pairs), np.array(closes, np.float32), np.array(kinds)

    def _drawn(self) -> tuple[str, str, bool, str, str]:
        ways = (self._from_told, self._from_two_matters, self._from_chats, self._from_wordings)
        return self.rng.choices(ways, (TOLD, APART, CHATTED, WORDED))[0]()

    def _from_told(self) -> tuple[str, str, bool, str, str]:
        if self.rng.random() < BESIDE:
            older, newer = self.rng.sample(self.rng.choice(self.beside), 2)
            return older, newer, False, UNKNOWN, UNKNOWN
        return *self.rng.choice(self.lines), UNKNOWN, UNKNOWN

    def _from_two_matters(self) -> tuple[str, str, bool, str, str]:
        """Return what was told of two matters, as if of one person; of some, those with the most words in common."""
        older = self.rng.choice(self.lines)[0]
        owner = _owner(older)
        some = self.rng.choices(self.newer[_sort(owner)], k=self.rng.choice((1, 6)))
        found = [newer if other == owner else _renamed(newer, other, owner) for newer, other in some]
        return older, max(found, key=partial(_overlap, older)), False, UNKNOWN, UNKNOWN

    def _from_chats(self) -> tuple[str, str, bool, str, str]:
        """Return what people said in chats, where one sentence hardly ever closes another."""
        return *self.rng.choice(self.chatted), False, UNKNOWN, UNKNOWN

    def _from_wordings(self) -> tuple[str, str, bool, str, str]:
        rng = self.rng
        kind = rng.choices(self.kinds, self.weights)[0]
        who = "I" if rng.random() < 0.12 else "the user" if rng.random() < 0.05 else rng.choice(PEOPLE)
        a, b = self._two(kind, who)
        self.thing = rng.choice(self.things.get(kind, [""]))
        self.adjunct = rng.choice(ADJUNCTS) if rng.random() < 0.07 else ""
        older = self._older(kind, who, a)
        ways = [role for role in ("change", "end") if (kind, role) in self.told]
        drawn = rng.random()
        way = rng.choices(ways, [len(self.told[kind, role]) for role in ways])[0]
        if drawn < 0.3:
            return older, self._changed(kind, way, who, a, b), True, kind, kind
        if drawn < 0.34 and kind not in self.impersonal:
            return self._of_a_relative(kind, way, who, a, b)
        if drawn < 0.36:
            hedged = self._said(kind, way, who, a, b)
            return (
                older,
                f"{rng.choice(HEDGES)}{hedged[0].lower() if who == 'I' else hedged[0]}{hedged[1:]}",
                False,
                kind,
                NONE,
            )
        if drawn < 0.82 - HAPPENING:
            found = [self._unlike(kind, who, a) for _ in range(rng.choice((1, 6)))]
            newer, other = max(found, key=lambda one: _overlap(older, one[0]))
            return older, newer, False, kind, other
        if drawn < 0.82 and (kind, "other") in self.told:
            return older, self._said(kind, "other", who, a, b), False, kind, NONE
        if drawn < 0.87:
            return older, self._said(NONE, "other", who, a, rng.choice(THINGS)), False, kind, NONE
        if drawn < 0.91 and kind in self.things:
            thing, self.thing = self.thing, rng.choice(self.things[kind])
            newer = self._said(kind, rng.choice((*ways, "hold")), who, a, b)
            if thing in older and self.thing in newer:
                return older, newer, False, kind, kind
        if drawn < 0.91 and ways == ["end"] and a != b:
            return older, self._said(kind, rng.choice(("end", "hold")), who, b, b), False, kind, kind
        if drawn < 0.93:
            return older, self._said(kind, "hold", who, a, a), False, kind, kind
        if drawn < 0.965 and (kind, "other") in self.told:
            event = self._said(kind, "other", who, a, b)
            role = rng.choice((*ways, "other"))
            teller = rng.choice((who, rng.choice(PEOPLE))) if role == "other" else who
            return event, self._said(kind, role, teller, a, who if teller != who else b), False, NONE, _kind(kind, role)
        return self._of_somebody_else(who, kind, older)

    def _unlike(self, kind: str, who: str, a: str) -> tuple[str, str]:
        """Return what is told of a fact of another kind, and which kind that is."""
        kinds, often = self.unlike[kind]
        other = self.rng.choices(kinds, cum_weights=often)[0]
        role = self.rng.choice(self.roles[other])
        self.thing = self.rng.choice(self.things.get(other, [""]))
        told = self._said if role in ("hold", "other") else self._changed
        return told(other, role, who, *self._two(other, who, a)), _kind(other, role)

    def _of_a_relative(self, kind: str, way: str, who: str, a: str, b: str) -> tuple[str, str, bool, str, str]:
        """Return what is told of a person or of a relative of theirs, and of one of both later on."""
        relative, another = (f"{who}'s {one}" for one in self.rng.sample(RELATIVES, 2))
        first, then = self.rng.choice(((who, relative), (relative, who), (relative, another), (relative, relative)))
        older, newer = self._older(kind, first, a), self._said(kind, way, then, a, b)
        return older, newer, first == then, kind, kind

    def _of_somebody_else(self, who: str, kind: str, older: str) -> tuple[str, str, bool, str, str]:
        """Return what is told of a person, and of somebody else to whom they belong."""
        rng = self.rng
        other = rng.choice(PERSONAL)
        if rng.random() < 0.6:
            kind, older = other, self._older(other, who, rng.choice(PEOPLE))
        somebody = rng.choice([one for one in PEOPLE if one != who])
        a, b = rng.sample([who, rng.choice(PEOPLE)], 2)
        return older, self._said(other, rng.choice(("hold", "change")), somebody, a, b), False, kind, other

    def _two(self, kind: str, *taken: str) -> tuple[str, str]:
        values = [value for value in self.values[kind] if value not in taken] or self.values[kind]
        a, b = self.rng.sample(values, 2) if len(values) > 1 else (values[0], values[0])
        return a, b

    def _older(self, kind: str, who: str, value: str) -> str:
        """Return how a fact came to hold, or that it does."""
        if (kind, "change") in self.told and self.rng.random() < 0.25:
            return self._said(kind, "change", who, self._two(kind, value)[0], value)
        return self._said(kind, "hold", who, value, value)

    def _changed(self, kind: str, role: str, who: str, a: str, b: str) -> str:
        story = (NONE, role) in self.told and kind not in self.impersonal and self.rng.random() < STORIES
        return self._said(NONE if story else kind, role, who, a, b)

    def _said(self, kind: str, role: str, who: str, a: str, b: str) -> str:
        rng = self.rng
        text = rng.choice(self.told[kind, role])
        while CHOICE.search(text):
            text = CHOICE.sub(lambda found: rng.choice(found[1].split("|")), text)
        text = re.sub(" +", " ", text).strip().rstrip(".")
        before, after, often = (BEFORE_HOLDING, AFTER_HOLDING, 0.12) if role == "hold" else (BEFORE, AFTER, 0.2)
        text = (rng.choice(before) if rng.random() < often else "") + text
        text += self.adjunct or (rng.choice(after) if rng.random() < often else "")
        said = fact_changes.filled(text, {"who": who, "a": a, "b": b, "x": self.thing})
        return f"{said[0].upper()}{said[1:]}."


def _overlap(one: str, other: str) -> int:
    """Return how many words and kinds of values two sentences have in common."""
    frames = frame_of(one), frame_of(other)
    return len({*frames[0].stems} & {*frames[1].stems}) + len({*frames[0].kinds} & {*frames[1].kinds})


def _owner(text: str) -> str:
    """Return whom a sentence is about, nothing for a thing."""
    return next(iter(frame_of(text).owners), "")


def _renamed(text: str, owner: str, other: str) -> str:
    """Return a sentence about somebody as one about somebody else."""
    return re.sub(rf"(?i)\b{re.escape(owner)}\b", other.capitalize(), text)


def _sort(owner: str) -> str:
    """Return what sort of owner one is: none, the speaker, or somebody with a name."""
    return owner if owner in ("", SPEAKER) else BY_NAME


def _kind(kind: str, role: str) -> str:
    return NONE if role == "other" else kind
