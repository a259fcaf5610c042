"""Claims in open text, and what a newer one means for an older one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.claims.compare import compare, contradiction
from mnemic.rules.claims.reader import facts_of


def relation(older: str, newer: str, *, later: bool = False) -> str | None:
    comparison = compare(older, newer, later=later)
    return None if comparison is None else comparison.relation


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Porto", "I moved to Lisbon"),
        ("I live in Porto", "I've moved from Porto to Lisbon"),
        ("I live in Porto", "I no longer live in Porto"),
        ("i live in porto", "i moved to lisbon"),
        ("Lives in Porto.", "Relocated to Lisbon."),
        ("The user lives in Porto", "User moved to Lisbon"),
        ("My sister lives in Rome", "My sister moved to Milan"),
        ("I live in Porto", "In March I settled in Lisbon."),
        ("Ana lives in Porto", "Ana sold everything and moved to Lisbon"),
        ("I work at Bosch", "I quit my job"),
        ("I work at Bosch", "I joined Siemens"),
        ("I am a nurse", "I now work as a teacher"),
        ("I am married to Tom", "I got divorced"),
        ("Ana is dating Ben", "Ana and Ben broke up"),
        ("I am single", "I got married"),
        ("I love coffee", "I don't like coffee any more"),
        ("I love coffee", "I can't stand coffee anymore"),
        ("I'm allergic to nuts", "I outgrew my allergy to nuts"),
        ("My favourite colour is blue", "My favourite colour is now green"),
        ("I own a red Volvo", "I sold my Volvo"),
        ("I have a bike", "My bike was stolen"),
        ("I have the flu", "I recovered from the flu"),
        ("I smoke", "I quit smoking"),
        ("I eat meat", "I stopped eating meat"),
        ("I am going to run the marathon in May", "I cancelled the marathon"),
        ("I plan to visit Japan in spring", "I visited Japan"),
        ("I'll visit my aunt in Rome", "I decided not to visit my aunt in Rome"),
        ("The meeting is on Friday", "The meeting has been moved to Monday"),
        ("My rent is 900 euros", "My rent went up to 950 euros"),
        ("I have two children", "I have three children now"),
        ("I am 34 years old", "I turned 35"),
        ("The keys are in the drawer", "The keys are on the table now"),
        ("Uses TSLint for linting", "Switched from TSLint to ESLint"),
        ("I am vegetarian", "I'm not vegetarian any longer"),
        ("I work as a nurse at St Mary's", "I quit nursing"),
        ("Ben is a driver", "Ben gave up driving"),
        ("I'm planning a trip to Iceland in May", "I came back from Iceland yesterday"),
        ("I'm planning a trip to Iceland in May", "We cancelled the Iceland trip"),
        ("I want to go to Norway", "We returned from Norway last week"),
        ("I work at Acme", "I left Acme on good terms"),
        ("I live in Lisbon", "I left Lisbon at Easter"),
        ("The wifi password is sunflower", "The wifi password is now secret"),
    ],
)
def test_a_word_of_change_updates_what_was(older: str, newer: str) -> None:
    assert relation(older, newer) == "updates"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Porto", "I live in Lisbon"),
        ("I love coffee", "I hate coffee"),
        ("I have two children", "I have three children"),
        ("My rent is 900 euros", "My rent is 950 euros"),
        ("I pay 40 euros a month for the phone", "I pay 35 euros a month for the phone"),
        ("I am allergic to nuts", "I am not allergic to nuts"),
        ("The shop is open", "The shop is closed"),
    ],
)
def test_without_a_word_of_change_time_decides(older: str, newer: str) -> None:
    assert relation(older, newer) == "contradicts"
    assert relation(older, newer, later=True) == "updates"


def test_what_never_changes_is_a_contradiction_at_any_time() -> None:
    assert relation("I was born in Porto", "I was born in Lisbon", later=True) == "contradicts"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ana lives in Porto", "Ben lives in Lisbon"),
        ("My sister lives in Rome", "I moved to Milan"),
        ("Ana lives in Porto", "She moved to Lisbon"),
        ("I speak French", "I speak German"),
        ("I have a dog", "I have a cat"),
        ("My sister is Ana", "My sister is Bea"),
        ("I like tea", "I like coffee"),
        ("I like food", "I don't like spicy food"),
        ("I own a car", "I don't own a red car"),
        ("I have car insurance", "I have no car"),
        ("I have two children", "I have two dogs"),
        ("I pay 40 euros a month for the phone", "I pay 30 euros a month for the gym"),
        ("I owe 50 euros to Paul", "I owe Rita 20 euros"),
        ("I live in Portugal", "I live in Porto"),
        ("I live in a flat", "I live in Porto"),
        ("I live in Porto", "I lived in Lisbon as a child"),
        ("I live in Porto", "I want to move to Lisbon"),
        ("I live in Porto", "I am moving to Lisbon next month"),
        ("I live in Porto", "If I moved to Lisbon I would miss the river"),
        ("I live in Porto", "Should I move to Lisbon?"),
        ("I live in Porto", "My boss moved to Lisbon"),
        ("My car is red", "My car is fast"),
        ("My car is red", "My car is 5 years old"),
        ("The meeting is on Friday", "The party is on Monday"),
        ("I love hiking in the rain", "I hate hiking in the city"),
        ("I can manage that", "I have not managed it"),
        ("I am married to Tom", "I left Bosch to work for Siemens"),
        ("I will arrange a workout plan", "If I missed a workout I gave up"),
        ("I plan to wait for the doctor", "I don't want to wait"),
    ],
)
def test_claims_that_can_both_be_true_are_left_alone(older: str, newer: str) -> None:
    assert relation(older, newer) is None
    assert relation(older, newer, later=True) is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Porto", "I live in fear of the exam"),
        ("I live in Porto", "I moved to the couch"),
        ("I live in Porto", "I live near Central Station"),
        ("I live in Porto", "I am staying in Berlin for the weekend"),
        ("I live in Porto", "I stay in a hotel in Berlin this week"),
        ("I live in Porto", "My boss said: I moved to Lisbon"),
        ("I live in Porto", 'Ben wrote "I moved to Lisbon"'),
        ("I work at Acme", "I work at night"),
        ("I work for Acme", "I work for hours every day"),
        ("I work at Acme", "I joined a gym"),
        ("I work at Acme", "I joined Ben for lunch"),
        ("I work at Acme", "I switched to decaf"),
        ("I work at Acme", "I left my keys at Acme"),
        ("I work at Acme", "I work with Ben"),
        ("I live with Ben", "I live with two cats"),
        ("I eat meat", "I don't eat meat on Fridays"),
        ("My favourite colour is green", "My daughter's favourite colour is pink"),
        ("The wifi password is sunflower42", "The wifi password is strong"),
        ("Emre uses an inhaler for his asthma", "Emre left his inhaler at school"),
        ("I am a teacher", "I stopped teaching yoga"),
        ("I want to go to Norway", "I flew to Spain last week"),
        ("I'm planning a trip to Iceland in May", "I bought a warm jacket for Iceland"),
        ("I'm planning a trip to Japan in October", "I went to Japan in 2015"),
        ("I'm planning a weekend in Paris", "I flew over Paris last night"),
    ],
)
def test_everyday_words_that_look_like_a_change_close_nothing(older: str, newer: str) -> None:
    assert relation(older, newer, later=True) is None


def test_whoever_says_i_may_be_called_by_name() -> None:
    assert [fact.subject for fact in facts_of("Ana lives in Porto", speaker="Ana")] == ["i"]
    assert compare("Ana lives in Porto", "I moved to Lisbon", later=False) is None


def test_a_note_that_says_what_replaced_it_gives_way_to_that() -> None:
    old = "Previously used Jenkins for builds. Replaced by Buildkite."
    assert relation(old, "Builds run on Buildkite with two agents.") == "updates"
    assert relation(old, "Deploys run on Argo.") is None


def test_a_text_that_says_more_than_what_changed_is_only_partly_outdated() -> None:
    long = "I live in Porto. I have two dogs. My sister Bea teaches physics in Braga."
    comparison = compare(long, "I moved to Lisbon", later=True)
    assert comparison is not None
    assert (comparison.relation, comparison.whole) == ("updates", False)


@pytest.mark.parametrize(
    ("one", "other", "contradictory"),
    [
        ("A man is sleeping on a bench", "A man is running past a bench", True),
        ("Two dogs play in the snow", "Three dogs play in the snow", True),
        ("A girl in a red coat waits", "A girl in a blue coat waits", True),
        ("A woman reads a book", "A woman reads outside", False),
        ("A man plays guitar on a stage", "People eat in a restaurant", False),
    ],
)
def test_descriptions_of_one_scene_may_exclude_one_another(one: str, other: str, contradictory: bool) -> None:
    assert (contradiction(one, other) is not None) is contradictory


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_read(one: str, other: str) -> None:
    assert relation(one, other, later=True) in (None, "updates", "contradicts")
    assert contradiction(one, other) != ""


words = st.lists(
    st.sampled_from(
        "I Ana my the not no longer moved live in Porto to from Lisbon sold bought car will plan is was are 3 "
        "two , and favourite colour blue with replaced by switched stop used be married quit it's can't "
        "cancelled off up".split()
    ),
    max_size=14,
).map(" ".join)


@given(words)
def test_a_text_never_clashes_with_itself_at_a_later_time(text: str) -> None:
    comparison = compare(text, text, later=True)
    assert comparison is None or any(fact.changed or not fact.holds for fact in facts_of(text))


@given(words, words)
def test_what_is_found_in_any_words_has_a_reason(one: str, other: str) -> None:
    comparison = compare(one, other, later=False)
    assert comparison is None or (comparison.relation in ("updates", "contradicts") and comparison.reason)
