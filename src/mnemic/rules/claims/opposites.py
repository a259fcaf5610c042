"""When two descriptions of the same thing exclude one another: by opposite words, by number, or by denial.

This reads no grammar: it compares what two texts share with what they oppose. It is for texts known to be about the
same thing; whether they are is for the caller to know.
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
_DENIALS = frozenset("not no never nobody none nothing without neither".split())
_SHARED = 0.4
"""How much of the shorter text the longer one must share before opposite words count; denial needs more."""

_SHARED_BY_DENIAL = 0.75


def opposed(one: str, other: str) -> str | None:
    """Return why two texts about the same thing cannot both be true."""
    words, others = _words(one), _words(other)
    stems, other_stems = _content(words), _content(others)
    opposites = list(_opposites(stems | _content(words, keep=True), other_stems | _content(others, keep=True)))
    counted = _differing(_counted(words), _counted(others)) or _differing(_coloured(words), _coloured(others))
    against = {word for pair in opposites for part in pair for word in part}
    shorter = min(len(stems - against), len(other_stems - against))
    shared = len((stems & other_stems) - against)
    if opposites and shared and shared >= _SHARED * shorter:
        left, right = opposites[0]
        return f"{', '.join(sorted(left))} / {', '.join(sorted(right))}"
    if counted and shared >= _SHARED * shorter:
        return counted
    denied, other_denied = _denied(words), _denied(others)
    if denied != other_denied and shared >= 2 and shared >= _SHARED_BY_DENIAL * shorter:
        return "one denies what the other says"
    return None


def _words(text: str) -> list[str]:
    return [word.lower() for word in words_of(text) if word[0].isalnum() or word[0] in "$€£"]


def _content(words: Iterable[str], *, keep: bool = False) -> frozenset[str]:
    return frozenset(lemma(word) for word in words if keep or word not in STOP_WORDS)


def _opposites(stems: frozenset[str], others: frozenset[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    for group in GROUPS:
        mine = [part & stems for part in group]
        theirs = [part & others for part in group]
        if any(mine) and any(theirs) and not any(here and there for here, there in zip(mine, theirs, strict=True)):
            yield frozenset().union(*mine), frozenset().union(*theirs)


def _differing(said: dict[str, str], others: dict[str, str]) -> str | None:
    """Return the thing of which two texts say different things."""
    for thing in sorted(said.keys() & others.keys()):
        if said[thing] != others[thing]:
            return f"{said[thing]} / {others[thing]} {thing}"
    return None


def _counted(words: Sequence[str]) -> dict[str, str]:
    """Return things with the number that is given of them."""
    numbers = [number_of(word) for word in words]
    return {
        stem(words[place + 1]): f"{number:g}"
        for place, number in enumerate(numbers[:-1])
        if number is not None and number > 1 and words[place + 1] not in STOP_WORDS and numbers[place + 1] is None
    }


def _coloured(words: Sequence[str]) -> dict[str, str]:
    """Return things with their colour."""
    return {
        stem(words[place + 1]): word
        for place, word in enumerate(words[:-1])
        if word in COLOURS and words[place + 1] not in STOP_WORDS
    }


def _denied(words: Iterable[str]) -> bool:
    return not _DENIALS.isdisjoint(words)
