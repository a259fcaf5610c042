"""Changes in wording that no rule reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.upkeep.change_model import detect
from mnemic.upkeep.change_model.pair import probabilities
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mnemic.ports import Embedder
    from mnemic.upkeep.change_model.pair import SentencePair

CHANGES = [
    ("Ana has a soft spot for oysters.", "Ana steers clear of oysters these days."),
    ("Ana treasures an antique canoe.", "Ana auctioned off the canoe."),
    ("Ana spends Saturdays on squash.", "Ana threw in the towel on squash."),
    ("Ana is coming along on the ski weekend.", "Ana had to bow out of the ski weekend."),
    ("Ana calls Porto home.", "Ana upped sticks and went to live in Lisbon."),
    ("Ana gets up at 6:15.", "Ana gets up at 7:30 now."),
    ("Ana keeps notes in Notion.", "Ana keeps notes in Obsidian now."),
    ("Ana banks with Nordea.", "Ana closed the account at Nordea and opened one at Monzo."),
    ("Ana's parcel is at the warehouse.", "Since this afternoon Ana's parcel has been on the doorstep."),
    ("Ana has black hair.", "Ana came back from the hairdresser with pink hair."),
    ("Ana goes to work by bike.", "Ana goes to work by train these days."),
    ("Ana's chess rating is 1410.", "Ana's chess rating went up to 1465."),
    ("Ana is in the local choir.", "Ana resigned from the choir."),
    ("The user prefers bullet points.", "The user wants plain text instead of bullet points."),
    ("The spare key hangs in the hall.", "We moved the spare key, it is in the blue tin now."),
    ("The wiki runs on the old rack.", "The wiki was moved off the old rack and onto Hetzner."),
    ("Ana's skipper is Ole.", "Ole was not up to it, so Ana's skipper is Tim now."),
    ("The printer on the second floor is broken.", "Someone fixed the printer on the second floor."),
    ("The rent hasn't been paid.", "I paid the rent."),
    ("Emily coaches the rowing club", "emily stepped down as coach of the rowing club"),
    ("nadia coaches the rowing club", "the rowing club has a new coach, nadia stepped down"),
    ("Dr. Ferro is my optician.", "I changed opticians, mine is Mrs. Lund now."),
    ("My niece is afraid of thunder.", "My niece slept through the whole thunderstorm, she isn't scared any longer."),
    ("My meeting with Dr. Wu is at 3 pm.", "My meeting with Dr. Wu is at 5 pm."),
    ("My meeting with Dr. Ana Silva is at 3 pm.", "My meeting with Dr. Silva is at 5 pm."),
    ("My appointment with Dr. Wu is at 3 pm.", "My appointment with Dr. Lopez replaced it."),
    ("I take piano lessons with Leon.", "I take piano lessons with Petra now."),
    ("My contract with Vodafone runs until May.", "I cancelled it and signed a contract with Telekom."),
    ("I work remotely for Google.", "I work remotely for Meta."),
    ("Our wifi password is taped to the router.", "We took the wifi password off the router and keep it in a vault."),
]
OTHERS = [
    ("Ana treasures an antique canoe.", "Ana cleaned the canoe yesterday."),
    ("Ana spends Saturdays on squash.", "Ana won a prize in squash."),
    ("Ana has a soft spot for oysters.", "Ben steers clear of oysters these days."),
    ("Ana calls Porto home.", "Ana met an old friend in Lisbon."),
    ("Ana keeps a canoe in the cellar.", "Ana tidied the cellar."),
    ("Ana goes to work by bike.", "Ana went to the lake by train on Sunday."),
    ("Ana banks with Nordea.", "Ana got a letter from Nordea."),
    ("Ana has black hair.", "Ana's sister dyed the hair pink."),
    ("Ana's chess rating is 1410.", "Ana's phone number is 1465 now."),
    ("Ana is in the local choir.", "Ana was late for the choir."),
    ("The user prefers bullet points.", "The user asked what a bullet point is."),
    ("The wiki runs on the old rack.", "The wiki was restarted."),
    ("Ana's skipper is Ole.", "Ana bought a hat for the skipper."),
    ("I like hiking.", "I like swimming too."),
    ("I hate olives.", "There were olives on the pizza."),
    ("The office is on the third floor.", "The canteen is on the fifth floor."),
    ("My doctor is Dr Smith.", "My dentist is Dr Brown."),
    ("The mortgage is 1,200 pounds a month.", "The car needed new tyres, they cost 300 pounds."),
    ("I live in Leeds.", "Can I move to York?"),
    ("I pay 40 euros a month for the phone.", "I pay 30 euros a month for the gym."),
    ("I'm married to Ben.", "My husband is at work."),
    ("I work at Acme.", "My company is on strike."),
    ("I live in Leeds.", "My home is a mess."),
    ("I live on Oak St. My dentist is Dr. Wu.", "My dentist is Dr. Lee now."),
    ("My car is a Volvo.", "Ben sold his Volvo."),
    ("I flew to Zagreb in April.", "I flew to Malaga in August."),
    ("I met Cleo at the library.", "I met Ruben at the library."),
    ("Ana's knee is in plaster.", "Ana signed the plaster on her friend's arm."),
    ("The bakery closes at noon.", "The bakery was out of rye bread at noon."),
    ("My meeting with Dr. Wu is at 3 pm.", "My meeting with Dr. Lopez is at 5 pm."),
    ("My piano lesson with Leon is on Monday.", "My piano lesson with Petra is on Friday."),
    ("My Spanish class with Leon is on Monday.", "My Spanish class with Petra is on Friday."),
    ("Where do I live?", "I moved to Lisbon."),
    ("user", "I moved to Lisbon."),
]


def closed(mind: Mind, older: Sequence[str], newer: str) -> list[str]:
    """Store older sentences and, two months later, a newer one; run upkeep and return the closed texts."""
    mind.remember_many([{"text": text, "user": "me", "occurred_at": "2026-01-01"} for text in older])
    mind.remember(newer, user="me", occurred_at="2026-03-01")
    report = upkeep(mind, user="me")
    assert report.examined == len(older) + 1
    return [action.text for action in report.actions if action.kind == "superseded"]


@pytest.mark.parametrize(("older", "newer"), CHANGES)
def test_a_change_closes_what_was(mind: Mind, older: str, newer: str) -> None:
    assert closed(mind, [older], newer) == [older]


@pytest.mark.parametrize(("older", "newer"), OTHERS)
def test_what_only_happens_closes_nothing(mind: Mind, older: str, newer: str) -> None:
    assert closed(mind, [older], newer) == []


def test_a_change_closes_only_what_it_fits_best(mind: Mind) -> None:
    older = ["Ana works out at FitHub.", "Ana banks with Nordea.", "Ana gets electricity from Eon."]
    assert closed(mind, older, "Ana changed banks and is with Monzo.") == ["Ana banks with Nordea."]


def test_which_of_equals_a_change_fits_best_is_not_decided_by_the_last_digits(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []

    def as_on_some_processors(embedder: Embedder, pairs: Sequence[SentencePair]) -> list[float]:
        chances = [chance + index * 2e-8 for index, chance in enumerate(probabilities(embedder, pairs))]
        seen.extend(chances)
        return chances

    monkeypatch.setattr(detect, "probabilities", as_on_some_processors)
    older = ["Ana's locker 12 holds the skates.", "Ana's locker 14 holds the skates."]
    assert closed(mind, older, "Ana emptied the locker and gave it back.") == []
    assert len(seen) == 2
    assert min(seen) > 0.5


def test_nothing_is_closed_with_an_embedder_that_the_networks_were_not_trained_with() -> None:
    class Other:
        name = "other"
        dimension = 4

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            import numpy as np

            return np.full((len(texts), 4), 0.5, np.float32)

    with Mind(":memory:", embedder=Other()) as mind:
        older, newer = CHANGES[0]
        assert closed(mind, [older], newer) == []
