from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind

if TYPE_CHECKING:
    from mnemic.model.hit import Hit
    from tests.conftest import Clock

STORIES = [
    "Ana moved from Porto to Lisbon in March",
    "Ben repairs old bicycles in his garage",
    "Ana adopted a cat named Miso",
    "The bicycle shop closes on Mondays",
    "Miso the cat sleeps on the radiator",
]


@pytest.fixture
def told(mind: Mind) -> Mind:
    mind.remember_many({"text": text} for text in STORIES)
    return mind


def texts(hits: list[Hit]) -> list[str]:
    return [hit.memory.text for hit in hits]


def test_the_best_answer_comes_first(told: Mind) -> None:
    assert texts(told.recall("what is the cat of Ana called?"))[0] == STORIES[2]


def test_words_are_found_in_any_of_their_forms(told: Mind) -> None:
    assert set(texts(told.recall("BICYCLES"))) == {STORIES[1], STORIES[3]}


def test_scores_fall_and_lie_between_0_and_1(told: Mind) -> None:
    scores = [hit.score for hit in told.recall("the cat of Ana and the bicycle")]
    assert len(scores) > 2
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do I live?", "I moved to Lisbon"),
        ("What is my job?", "I work as a nurse at Santa Maria"),
    ],
)
def test_a_word_that_asks_for_the_same_answers_a_question(mind: Mind, question: str, answer: str) -> None:
    facts = ["I moved to Lisbon", "I work as a nurse at Santa Maria", "My sister Rita has two dogs", "I prefer tea"]
    mind.remember_many({"text": text} for text in facts)
    assert texts(mind.recall(question)) == [answer]


def test_an_exact_answer_stays_first_however_old_it_is(mind: Mind, clock: Clock) -> None:
    exact = "The code of the garage is 4711"
    mind.remember(exact, user="ana", session="old", importance=1)
    clock.advance(days=3_000)
    for day in range(30):
        clock.advance(days=1)
        for text in ("The garage needs paint", "We spoke of the code for the gate"):
            mind.remember(f"{text}, day {day}", user="ana", session=f"s{day}", importance=10)
    for question in ("what is the code of the garage?", "I am at the door. The code of the garage is what?"):
        assert texts(mind.recall(question, user="ana"))[0] == exact


def test_a_hit_names_the_words_it_shares(told: Mind) -> None:
    (hit,) = told.recall("which radiator?")
    assert "radiator" in hit.reasons[0]


def test_a_question_that_shares_no_word_finds_nothing(told: Mind) -> None:
    assert told.recall("quantum chromodynamics") == []


def test_stop_words_alone_do_not_make_a_hit(told: Mind) -> None:
    assert texts(told.recall("where is the radiator in the")) == [STORIES[4]]


def test_a_question_of_stop_words_only_is_still_answered(told: Mind) -> None:
    told.remember("To be, or not to be")
    assert "To be, or not to be" in texts(told.recall("to be or not to be"))


def test_limit_keeps_the_best(told: Mind) -> None:
    everything = told.recall("Ana cat bicycle radiator")
    assert told.recall("Ana cat bicycle radiator", limit=2) == everything[:2]


def test_min_score_leaves_out_the_weak(told: Mind) -> None:
    hits = told.recall("Ana cat bicycle", min_score=0)
    cut = hits[0].score
    assert told.recall("Ana cat bicycle", min_score=cut) == [hit for hit in hits if hit.score >= cut]
    assert len(hits) > 1


def test_tier_and_filter_narrow_the_search(mind: Mind) -> None:
    mind.remember("note", tier="working", category="a")
    mind.remember("note", tier="episodic", category="a")
    mind.remember("note", tier="episodic", category="b")
    found = mind.recall("note", tier="episodic", where={"category": "a"})
    assert [(hit.memory.tier, hit.memory.category) for hit in found] == [("episodic", "a")]


def test_of_two_equal_answers_the_later_comes_first(mind: Mind, clock: Clock) -> None:
    mind.remember("red bicycle", session="s1")
    clock.advance(hours=1)
    newer = mind.remember("red bicycle", session="s2").memory
    assert mind.recall("bicycle", everywhere=True)[0].memory.id == newer.id


def test_superseded_and_expired_memories_are_left_out_unless_asked_for(mind: Mind, clock: Clock) -> None:
    old = mind.remember("Ana lives in Porto").memory
    new = mind.remember("Ana lives in Lisbon").memory
    mind.supersede(old.id, new.id)
    ended = mind.remember("Ana lives in a hotel", expires_at=clock.now).memory
    assert [hit.memory.id for hit in mind.recall("Ana")] == [new.id]
    everything = mind.recall("Ana", include_superseded=True)
    assert {hit.memory.id for hit in everything} == {old.id, new.id, ended.id}


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '""',
        '"cat',
        "cat AND",
        "AND",
        "OR OR",
        "NOT cat",
        "NEAR(cat miso, 5)",
        "NEAR",
        "cat*",
        "*",
        "-",
        "-cat",
        "cat - dog",
        "^cat",
        "{terms scope}: cat",
        "scope: nobody",
        "terms:cat",
        "(cat",
        "cat)",
        "()",
        "cat + miso",
        "'; DROP TABLE memories; --",
        "%",
        "\\",
        "cat\ttab\nline",
        "?",
    ],
)
def test_search_syntax_in_a_question_is_only_text(told: Mind, query: str) -> None:
    found = texts(told.recall(query))
    if "cat" in query.lower():
        assert set(found) == {STORIES[2], STORIES[4]}
    else:
        assert not set(found) & {STORIES[2], STORIES[4]}
        assert set(texts(told.recall(f"{query} cat", min_score=0))[:2]) == {STORIES[2], STORIES[4]}
    assert told.count() == len(STORIES)


def test_the_name_of_the_index_column_is_not_a_word_of_a_memory(mind: Mind) -> None:
    mind.remember("plain words")
    (hit,) = mind.recall("nobody scope terms", min_score=0)
    assert not any("words:" in reason for reason in hit.reasons)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_question_is_answered_without_complaint(query: str) -> None:
    with Mind(":memory:") as mind:
        mind.remember("a cat AND a dog OR nobody NEAR it")
        if not query.isspace():
            (hit,) = mind.recall(query, min_score=0)
            assert 0 <= hit.score <= 1
            assert mind.recall(query) in ([], [hit])


def test_a_question_of_very_many_words_is_answered(mind: Mind) -> None:
    words = " ".join(f"word{n}" for n in range(5_000))
    kept = mind.remember(words).memory
    assert [hit.memory for hit in mind.recall(words)] == [kept]


def test_asking_changes_nothing(told: Mind) -> None:
    before = [memory for page in told.pages() for memory in page]
    told.recall("cat")
    told.context("cat", budget=1_000)
    told.explain("cat", before[0].id)
    assert [memory for page in told.pages() for memory in page] == before
    assert len(told.history(before[0].id)) == 1


@pytest.fixture
def replaced(mind: Mind) -> tuple[str, str]:
    """Return the first and the last memory of a line in which each took the place of the one before it."""
    old, middle, new = (
        mind.remember(text, user="me", tags=["tools"]).memory.id
        for text in ("Checks the code with TSLint", "Checks the code with ESLint", "Formats everything with Biome")
    )
    mind.supersede(old, middle)
    mind.supersede(middle, new)
    return old, new


def test_a_question_for_what_was_replaced_finds_what_took_its_place(mind: Mind, replaced: tuple[str, str]) -> None:
    old, new = replaced
    (hit,) = mind.recall("TSLint", user="me")
    assert (hit.memory.id, hit.reasons[-1]) == (new, f"took the place of {old}")
    told = mind.explain("TSLint", new, user="me")
    assert (told.recalled, told.rank, told.score, told.reasons) == (True, 1, hit.score, hit.reasons)
    assert mind.recall("TSLint", user="somebody else") == []


def test_what_took_a_place_is_found_only_among_what_is_asked_for(mind: Mind, replaced: tuple[str, str]) -> None:
    _, new = replaced
    assert [hit.memory.id for hit in mind.recall("TSLint", user="me", where={"tags": {"contains": "tools"}})] == [new]
    mind.revise(new, tags=["editors"])
    assert mind.recall("TSLint", user="me", where={"tags": {"contains": "tools"}}) == []
    assert mind.recall("TSLint", user="me", tier="episodic") == []


def test_what_others_have_stored_changes_no_score(mind: Mind) -> None:
    for text in STORIES:
        mind.remember(text, user="ana")
    question = "Which cat moved to Lisbon?"
    alone = [(hit.memory.id, hit.score, hit.reasons) for hit in mind.recall(question, user="ana", min_score=0)]
    mind.remember_many({"text": f"Which cat moved to Lisbon, and why, {n}", "user": "ben"} for n in range(2_500))
    assert [(hit.memory.id, hit.score, hit.reasons) for hit in mind.recall(question, user="ana", min_score=0)] == alone


def test_a_short_answer_is_found_by_the_question_before_it(mind: Mind) -> None:
    said = [
        ("Ben", "Did you see the match?"),
        ("Ana", "Only the end of it."),
        ("Ben", "Do you even own a record player?"),
        ("Ana", "I do now, for fifteen euros at the flea market."),
        ("Ben", "Nice. I have to run, the bus is here."),
    ]
    for who, what in said:
        mind.remember(f"{who}: {what}", user="us", session="monday")
    answer, *_ = mind.recall("How much did Ana pay for her record player?", user="us")
    assert answer.memory.text == "Ana: I do now, for fifteen euros at the flea market."
    assert "neighbour: an adjacent turn matches too" in answer.reasons


def test_a_word_that_others_use_all_the_time_still_finds_an_exact_answer(mind: Mind) -> None:
    mind.remember_many({"text": f"The zebra crossing {n} was repainted in white", "user": "ana"} for n in range(300))
    ticket = mind.remember("Ticket kxq7 is for the boiler", user="ana").memory.id
    mind.remember_many({"text": f"kxq7 {n}", "user": "ben"} for n in range(2_500))
    assert ticket in [hit.memory.id for hit in mind.recall("zebra stripes kxq7", user="ana", limit=3)]


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("Wifi password: hunter2", "What is the password of the wifi?"),
        ("Shoe size: 43", "Which size of shoe does he wear?"),
        ("The answer is: forty two", "What was the answer?"),
    ],
)
def test_a_heading_in_a_session_is_no_speaker(mind: Mind, fact: str, question: str) -> None:
    mind.remember(fact, user="ana", session="monday")
    mind.remember("Ben: see you tomorrow at the lake", user="ana", session="monday")
    hits = mind.recall(question, user="ana")
    assert hits[0].memory.text == fact
    assert all("speaker" not in reason for hit in hits for reason in hit.reasons)


def test_a_question_in_a_script_without_case_keeps_its_words(mind: Mind) -> None:
    mind.remember_many({"text": f"今天去了第{n}家商店", "user": "ana"} for n in range(60))
    cat = mind.remember("小猫在花园里睡觉", user="ana").memory.id
    assert cat in [hit.memory.id for hit in mind.recall("今天小猫在哪里？", user="ana")]


def test_it_is_told_who_speaks(mind: Mind) -> None:
    mind.remember("Ana: I went to the lake on Sunday", user="us", session="monday")
    mind.remember("user: I went to the lake on Sunday", user="us", session="tuesday")
    reasons = {hit.memory.text[:3]: hit.reasons for hit in mind.recall("When did user Ana go to the lake?", user="us")}
    assert "speaker: the question names who speaks" in reasons["Ana"]
    assert "speaker: the question names who speaks" not in reasons["use"]
