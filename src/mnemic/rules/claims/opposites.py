"""Opposites: when two descriptions of the same thing exclude one another, by opposite words, numbers or negation.

This reads no grammar: it compares the words that two texts share with the words that are opposed. The caller must know
that both texts are about the same thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemic.rules.claims.values import COLOURS, number_of
from mnemic.rules.language.terms import STOP_WORDS, stem
from mnemic.rules.language.words import lemma, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Each line is a group; its parts exclude one another, the words of one part do not.
_GROUPS = """
man men guy guys gentleman male boy boys father / woman women lady ladies female girl girls mother
cat kitten / dog puppy / bird / horse / cow / fish / elephant / monkey
child children kid kids boy boys girl girls baby toddler / adult adults elderly
sit seated / stand / lie / run jog sprint race / walk stroll / swim / asleep sleep nap / dance / climb / fly / \
jump leap / ski / surf / skate skateboard / drive / crawl / kneel
asleep sleep nap bed / play ride work talk perform eat cook hold sing watch fight read drink wait shop paint \
throw smile laugh
awake / asleep sleep
eat / sing / fight / swim / cook / run / drive / ski / surf
play / fight / cook / drive
inside indoors indoor / outside outdoors outdoor
kitchen bedroom office classroom library hospital museum indoors couch sofa / beach ocean sea lake river pool / \
street road sidewalk / park field grass / forest woods / mountain mountains cliff / desert / snow
car truck / bike bicycle / boat / train / plane airplane / horse / bus / motorcycle
soccer / football / baseball / basketball / tennis / hockey / golf / chess / volleyball / rugby
guitar / piano / drum drums / violin / trumpet / flute
coffee / tea / beer / wine / water / milk
happy smile laugh cheerful joy / sad cry weep unhappy angry / bored
young / old elderly
hot / cold
warm / cold
wet / dry
empty deserted / full crowded busy
alone / group crowd together friends
open / closed shut
day daytime sunny / night nighttime
rain rainy / sunny sun
first / last
win won / lose lost
love / hate
always / never
everyone everybody all / nobody none
tall / short
big large huge / small tiny little
true / false
cheap / expensive
easy / difficult hard
early / late
left / right
buy bought / sell sold
accept / reject refuse decline
pass / fail
increase rise rose / decrease drop fall fell
allow permit / forbid forbidden ban prohibit
single / married
alive / dead
safe / dangerous
quiet silent / loud noisy
clean / dirty
rich / poor
fast quickly / slow slowly
remember / forget forgot forgotten
arrive / leave
start begin began / stop finish end
""".strip()
GROUPS = tuple(
    tuple(frozenset(lemma(word) for word in part.split()) for part in line.split("/")) for line in _GROUPS.splitlines()
)
_NEGATIONS = frozenset("not no never nobody none nothing without neither".split())
_SHARED = 0.4
"""The least share of the shorter text's words that both texts have, for opposite words to count."""

_SHARED_BY_NEGATION = 0.75


def opposition(text: str, other: str) -> str | None:
    """Return why two texts about the same thing cannot both be true."""
    words, others = _words(text), _words(other)
    stems, other_stems = _content(words), _content(others)
    opposites = list(
        _opposites(stems | _content(words, with_stop_words=True), other_stems | _content(others, with_stop_words=True))
    )
    difference = _difference(_counts(words), _counts(others)) or _difference(_colours(words), _colours(others))
    opposed = {word for pair in opposites for part in pair for word in part}
    shorter = min(len(stems - opposed), len(other_stems - opposed))
    shared = len((stems & other_stems) - opposed)
    if opposites and shared and shared >= _SHARED * shorter:
        left, right = opposites[0]
        return f"{', '.join(sorted(left))} / {', '.join(sorted(right))}"
    if difference and shared >= _SHARED * shorter:
        return difference
    if _is_negated(words) != _is_negated(others) and shared >= 2 and shared >= _SHARED_BY_NEGATION * shorter:
        return "one denies what the other says"
    return None


def _words(text: str) -> list[str]:
    return [word.lower() for word in words_of(text) if word[0].isalnum() or word[0] in "$€£"]


def _content(words: Iterable[str], *, with_stop_words: bool = False) -> frozenset[str]:
    return frozenset(lemma(word) for word in words if with_stop_words or word not in STOP_WORDS)


def _opposites(stems: frozenset[str], others: frozenset[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for group in GROUPS:
        mine = [part & stems for part in group]
        theirs = [part & others for part in group]
        if any(mine) and any(theirs) and not any(left and right for left, right in zip(mine, theirs, strict=True)):
            yield frozenset().union(*mine), frozenset().union(*theirs)


def _difference(values: dict[str, str], others: dict[str, str]) -> str | None:
    """Return the first thing that has different values in two texts, with the values."""
    for thing in sorted(values.keys() & others.keys()):
        if values[thing] != others[thing]:
            return f"{values[thing]} / {others[thing]} {thing}"
    return None


def _counts(words: Sequence[str]) -> dict[str, str]:
    """Return things with their number."""
    numbers = [number_of(word) for word in words]
    return {
        stem(words[index + 1]): f"{number:g}"
        for index, number in enumerate(numbers[:-1])
        if number is not None and number > 1 and words[index + 1] not in STOP_WORDS and numbers[index + 1] is None
    }


def _colours(words: Sequence[str]) -> dict[str, str]:
    """Return things with their colour."""
    return {
        stem(words[index + 1]): word
        for index, word in enumerate(words[:-1])
        if word in COLOURS and words[index + 1] not in STOP_WORDS
    }


def _is_negated(words: Iterable[str]) -> bool:
    return not _NEGATIONS.isdisjoint(words)
