"""Random pairs of sentences for training: in some the newer one closes the older one, in most it does not."""

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
"""The kind of a sentence that was not made from a template."""

GENERAL = 25
"""The weight of a fact about anything, where a fact of a certain kind has one to four."""

ENDING = frozenset("taste possession habit plan pet language health diet project".split())
"""The kinds of the benchmarks that end rather than change."""

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
"""Phrases that both sentences may share without being about the same thing."""

RELATIVES = "brother sister boss neighbour mother cousin friend colleague son daughter flatmate aunt".split()
HEDGES = (
    "Maybe |Perhaps |One day |If all goes well, |It would be nice if |I wonder whether |Nobody knows whether |"
    "It is not true that |Some day |I doubt that |There is a rumour that |In a dream |It is possible that "
).split("|")
"""Openings of a change that has not happened."""

STORIES = 0.15
"""The share of changes made from a template that fits facts of any kind."""

UNRELATED = 0.15
"""The share of pairs of a block that are two sentences of which neither closes the older one."""

EVENTS = 0.13
"""The share of pairs whose newer sentence is an event around the same thing."""

BLOCKS, TWO_BLOCKS, CHATS, WORDINGS = 0.42, 0.08, 0.2, 0.3
"""The shares of pairs from one block, from two blocks, from chats, and from wordings."""

PERSONAL = ("partner", "boss", "flatmate", "doctor")
"""The kinds whose values are people."""


class Wordings:
    """Templates by kind of fact and role of the sentence, and the values of each kind."""

    def __init__(self) -> None:
        self.templates: dict[tuple[str, str], list[str]] = {}
        self.values: dict[str, list[str]] = {}
        self.weight_of: dict[str, float] = {}

    def read(self, file: Path, weight: float) -> None:
        """Add the templates of a file, and the weight of its kinds.

        A kind that uses a pattern has the pattern's name and words beside its own name.
        """
        kind = role = ""
        for line in file.read_text().splitlines():
            if line.startswith("[") and "=" in line:
                name, _, values = line.strip("[]").partition(" = ")
                kind, *pattern = name.split(" ", 2)
                self.values[kind] = values.split("|")
                for (name, other_role), texts in [*self.templates.items()]:
                    if pattern and name == pattern[0]:
                        self.templates[kind, other_role] = [
                            text.replace(f"{{{pattern[0]}}}", f"({pattern[1]})") for text in texts
                        ]
            elif line.startswith("["):
                kind, role = line.strip("[]").split()
            elif line and not line.startswith("#"):
                self.templates.setdefault((kind, role), []).append(line)
        self.templates = {key: texts for key, texts in self.templates.items() if key[0] in (NONE, *self.values)}
        for kind in self.values:
            self.weight_of.setdefault(kind, weight)

    def add(self, kinds: Iterable[Kind]) -> None:
        """Add the templates of other kinds of fact."""
        for kind in kinds:
            self.values.setdefault(kind.name, kind.values)
            self.templates.setdefault((kind.name, "hold"), []).extend(kind.statements)
            self.templates.setdefault((kind.name, "end" if kind.name in ENDING else "change"), []).extend(kind.changes)

    def add_others(self, follow_ups: dict[str, tuple[str, ...]]) -> None:
        """Add templates about a fact that do not change it."""
        for kind, texts in follow_ups.items():
            self.templates.setdefault((kind, "other"), []).extend(texts)


class Pairs:
    """A source of random pairs of sentences."""

    def __init__(self, wordings: Wordings, blocks: Sequence[Block], chats: Sequence[tuple[str, str]]) -> None:
        self.rng = random.Random(0)
        self.chats = chats
        self.unrelated = [block.others for block in blocks if len(block.others) > 1]
        self.lines = [(block.older, newer, True) for block in blocks for newer in block.closing]
        self.lines += [(block.older, newer, False) for block in blocks for newer in block.others]
        self.newer: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for _, newer, _ in self.lines:
            owner = _owner(newer)
            self.newer[_owner_type(owner)].append((newer, owner))
        self.templates, self.values = wordings.templates, wordings.values
        self.kinds = sorted({kind for kind, role in self.templates if role == "hold"})
        self.things = {
            kind: wordings.templates[kind, "things"][0].split("|") for kind, role in self.templates if role == "things"
        }
        self.weight_of = wordings.weight_of
        self.weights = [
            GENERAL
            if kind in ("any", "fact")
            else self.weight_of[kind]
            * min(4, 1 + sum(len(self.templates.get((kind, role), ())) for role in ("hold", "change", "end")) / 25)
            for kind in self.kinds
        ]
        self.unlike = {kind: self._unlike_kinds(kind) for kind in self.kinds}
        self.roles = {
            kind: [role for role in ("hold", "change", "end", "other") if (kind, role) in self.templates]
            for kind in self.kinds
        }
        self.impersonal = {
            kind for (kind, role), texts in self.templates.items() if any("{who}" not in text for text in texts)
        }
        names = [NONE, *sorted({SAME.get(kind, kind) for kind in self.kinds} - {"any", "fact"})]
        self.numbers = {name: number for number, name in enumerate(names)} | {"any": 0, "fact": 0, UNKNOWN: -1}

    def _unlike_kinds(self, kind: str) -> tuple[list[str], list[float]]:
        """Return the kinds whose facts close none of a kind, and their cumulative weights."""
        others = [other for other in self.kinds if not are_alike(kind, other)]
        return others, [*accumulate(self.weight_of[other] for other in others)]

    def batch(self, count: int) -> tuple[Batch, Array, NDArray[np.int64]]:
        """Return pairs, whether the newer sentence closes the older one, and the kinds of both, -1 where unknown."""
        pairs: list[SentencePair] = []
        closes, kinds = [], []
        while len(pairs) < count:
            older, newer, closing, kind, other = self._draw()
            frames = frame_of(older), frame_of(newer)
            pair = sentence_pair(*frames)
            if pair is None or older == newer:
                continue
            pairs.append(pair)
            closes.append(closing and not (kind in OF_MANY and name_others(*frames)))
            kinds.append([self.numbers[SAME.get(name, name)] for name in (kind, other)])
        return batch_of(pairs), np.array(closes, np.float32), np.array(kinds)

    def _draw(self) -> tuple[str, str, bool, str, str]:
        sources = (self._from_block, self._from_two_blocks, self._from_chats, self._from_wordings)
        return self.rng.choices(sources, (BLOCKS, TWO_BLOCKS, CHATS, WORDINGS))[0]()

    def _from_block(self) -> tuple[str, str, bool, str, str]:
        if self.rng.random() < UNRELATED:
            older, newer = self.rng.sample(self.rng.choice(self.unrelated), 2)
            return older, newer, False, UNKNOWN, UNKNOWN
        return *self.rng.choice(self.lines), UNKNOWN, UNKNOWN

    def _from_two_blocks(self) -> tuple[str, str, bool, str, str]:
        """Return sentences of two blocks as if about one person; of several, the one with most words in common."""
        older = self.rng.choice(self.lines)[0]
        owner = _owner(older)
        drawn = self.rng.choices(self.newer[_owner_type(owner)], k=self.rng.choice((1, 6)))
        candidates = [newer if other == owner else _renamed(newer, other, owner) for newer, other in drawn]
        return older, max(candidates, key=partial(_overlap, older)), False, UNKNOWN, UNKNOWN

    def _from_chats(self) -> tuple[str, str, bool, str, str]:
        """Return two statements of a chat, where one hardly ever closes another."""
        return *self.rng.choice(self.chats), False, UNKNOWN, UNKNOWN

    def _from_wordings(self) -> tuple[str, str, bool, str, str]:
        rng = self.rng
        kind = rng.choices(self.kinds, self.weights)[0]
        who = "I" if rng.random() < 0.12 else "the user" if rng.random() < 0.05 else rng.choice(PEOPLE)
        a, b = self._two(kind, who)
        self.thing = rng.choice(self.things.get(kind, [""]))
        self.adjunct = rng.choice(ADJUNCTS) if rng.random() < 0.07 else ""
        older = self._older(kind, who, a)
        change_roles = [role for role in ("change", "end") if (kind, role) in self.templates]
        drawn = rng.random()
        change_role = rng.choices(change_roles, [len(self.templates[kind, role]) for role in change_roles])[0]
        if drawn < 0.3:
            return older, self._changed(kind, change_role, who, a, b), True, kind, kind
        if drawn < 0.34 and kind not in self.impersonal:
            return self._of_a_relative(kind, change_role, who, a, b)
        if drawn < 0.36:
            hedged = self._sentence(kind, change_role, who, a, b)
            return (
                older,
                f"{rng.choice(HEDGES)}{hedged[0].lower() if who == 'I' else hedged[0]}{hedged[1:]}",
                False,
                kind,
                NONE,
            )
        if drawn < 0.82 - EVENTS:
            candidates = [self._unlike(kind, who, a) for _ in range(rng.choice((1, 6)))]
            newer, other = max(candidates, key=lambda candidate: _overlap(older, candidate[0]))
            return older, newer, False, kind, other
        if drawn < 0.82 and (kind, "other") in self.templates:
            return older, self._sentence(kind, "other", who, a, b), False, kind, NONE
        if drawn < 0.87:
            return older, self._sentence(NONE, "other", who, a, rng.choice(THINGS)), False, kind, NONE
        if drawn < 0.91 and kind in self.things:
            thing, self.thing = self.thing, rng.choice(self.things[kind])
            newer = self._sentence(kind, rng.choice((*change_roles, "hold")), who, a, b)
            if thing in older and self.thing in newer:
                return older, newer, False, kind, kind
        if drawn < 0.91 and change_roles == ["end"] and a != b:
            return older, self._sentence(kind, rng.choice(("end", "hold")), who, b, b), False, kind, kind
        if drawn < 0.93:
            return older, self._sentence(kind, "hold", who, a, a), False, kind, kind
        if drawn < 0.965 and (kind, "other") in self.templates:
            event = self._sentence(kind, "other", who, a, b)
            role = rng.choice((*change_roles, "other"))
            teller = rng.choice((who, rng.choice(PEOPLE))) if role == "other" else who
            return (
                event,
                self._sentence(kind, role, teller, a, who if teller != who else b),
                False,
                NONE,
                _kind(kind, role),
            )
        return self._of_somebody_else(who, kind, older)

    def _unlike(self, kind: str, who: str, a: str) -> tuple[str, str]:
        """Return a sentence about a fact of another kind, and that kind."""
        kinds, weights = self.unlike[kind]
        other = self.rng.choices(kinds, cum_weights=weights)[0]
        role = self.rng.choice(self.roles[other])
        self.thing = self.rng.choice(self.things.get(other, [""]))
        make = self._sentence if role in ("hold", "other") else self._changed
        return make(other, role, who, *self._two(other, who, a)), _kind(other, role)

    def _of_a_relative(self, kind: str, change_role: str, who: str, a: str, b: str) -> tuple[str, str, bool, str, str]:
        """Return a fact about a person or a relative of theirs, and a change of it for one of them."""
        relative, another = (f"{who}'s {relation}" for relation in self.rng.sample(RELATIVES, 2))
        first, then = self.rng.choice(((who, relative), (relative, who), (relative, another), (relative, relative)))
        older, newer = self._older(kind, first, a), self._sentence(kind, change_role, then, a, b)
        return older, newer, first == then, kind, kind

    def _of_somebody_else(self, who: str, kind: str, older: str) -> tuple[str, str, bool, str, str]:
        """Return a fact about a person, and one about somebody else that names them."""
        rng = self.rng
        other = rng.choice(PERSONAL)
        if rng.random() < 0.6:
            kind, older = other, self._older(other, who, rng.choice(PEOPLE))
        somebody = rng.choice([person for person in PEOPLE if person != who])
        a, b = rng.sample([who, rng.choice(PEOPLE)], 2)
        return older, self._sentence(other, rng.choice(("hold", "change")), somebody, a, b), False, kind, other

    def _two(self, kind: str, *taken: str) -> tuple[str, str]:
        values = [value for value in self.values[kind] if value not in taken] or self.values[kind]
        a, b = self.rng.sample(values, 2) if len(values) > 1 else (values[0], values[0])
        return a, b

    def _older(self, kind: str, who: str, value: str) -> str:
        """Return a sentence that states a fact, or the change by which it became true."""
        if (kind, "change") in self.templates and self.rng.random() < 0.25:
            return self._sentence(kind, "change", who, self._two(kind, value)[0], value)
        return self._sentence(kind, "hold", who, value, value)

    def _changed(self, kind: str, role: str, who: str, a: str, b: str) -> str:
        story = (NONE, role) in self.templates and kind not in self.impersonal and self.rng.random() < STORIES
        return self._sentence(NONE if story else kind, role, who, a, b)

    def _sentence(self, kind: str, role: str, who: str, a: str, b: str) -> str:
        rng = self.rng
        text = rng.choice(self.templates[kind, role])
        while CHOICE.search(text):
            text = CHOICE.sub(lambda match: rng.choice(match[1].split("|")), text)
        text = re.sub(" +", " ", text).strip().rstrip(".")
        before, after, share = (BEFORE_HOLDING, AFTER_HOLDING, 0.12) if role == "hold" else (BEFORE, AFTER, 0.2)
        text = (rng.choice(before) if rng.random() < share else "") + text
        text += self.adjunct or (rng.choice(after) if rng.random() < share else "")
        sentence = fact_changes.filled(text, {"who": who, "a": a, "b": b, "x": self.thing})
        return f"{sentence[0].upper()}{sentence[1:]}."


def _overlap(one: str, other: str) -> int:
    """Return the number of words and kinds of values that two sentences share."""
    frames = frame_of(one), frame_of(other)
    return len({*frames[0].stems} & {*frames[1].stems}) + len({*frames[0].kinds} & {*frames[1].kinds})


def _owner(text: str) -> str:
    """Return the person a sentence is about, empty for a thing."""
    return next(iter(frame_of(text).owners), "")


def _renamed(text: str, owner: str, other: str) -> str:
    """Return a sentence with its person replaced by another."""
    return re.sub(rf"(?i)\b{re.escape(owner)}\b", other.capitalize(), text)


def _owner_type(owner: str) -> str:
    """Return the type of an owner: none, the speaker, or somebody with a name."""
    return owner if owner in ("", SPEAKER) else BY_NAME


def _kind(kind: str, role: str) -> str:
    return NONE if role == "other" else kind
