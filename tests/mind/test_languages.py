"""Every script is stored exactly and found; only English is tuned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mnemic import Mind
from mnemic.embedders.table import TableEmbedder
from mnemic.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def mind() -> Iterator[Mind]:
    """Open a mind that keeps no vectors, so that only words find."""
    with Mind.over(SqliteStore(None), embedder=TableEmbedder()) as mind:
        yield mind


TOLD = {
    "Chinese": ("安娜三月从波尔图搬到了里斯本", "安娜住在里斯本吗", "今天天气很好"),
    "Chinese, one character": ("他养了一只猫", "猫", "今天天气很好"),
    "Japanese": ("アナは三月にリスボンへ引っ越した", "リスボンに住んでいるのは誰", "猫が好きだ"),
    "Japanese, half width": ("ﾘｽﾎﾞﾝへ引っ越した", "リスボン", "猫が好きだ"),
    "Korean": ("아나는 삼월에 리스본으로 이사했다", "리스본", "고양이를 좋아한다"),
    "Korean, decomposed": ("리스본으로 이사했다", "\u1105\u1175\u1109\u1173\u1107\u1169\u11ab", "고양이를 좋아한다"),
    "Thai": ("แอนนาย้ายไปลิสบอนเมื่อเดือนมีนาคม", "ลิสบอน", "วันนี้ฝนตก"),
    "Arabic": ("انتقلت آنا إلى لشبونة في مارس", "لشبونة", "أحب القطط"),
    "Arabic, vowels in the text": ("اِنْتَقَلَتْ إِلَى المَدِينَةِ", "المدينة", "أحب القطط"),
    "Arabic, vowels in the question": ("انتقلت إلى المدينة", "المَدِينَةِ", "أحب القطط"),
    "Persian": ("آنا در ماه مارس به لیسبون رفت", "لیسبون", "هوا خوب است"),
    "Hebrew": ("אנה עברה לליסבון במרץ", "אנה", "מזג האוויר נעים"),
    "Hebrew, points in the text": ("שָׁלוֹם לָךְ", "שלום", "מזג האוויר נעים"),
    "Russian": ("Анна переехала в Лиссабон в марте", "лиссабон", "Сегодня хорошая погода"),
    "Greek": ("Η Άννα μετακόμισε στη Λισαβόνα", "λισαβονα", "Ο καιρός είναι καλός"),
    "Greek, final sigma": ("ΟΔΟΣ ΕΡΜΟΥ", "οδός", "Ο καιρός είναι καλός"),
    "Hindi": ("अन्ना मार्च में लिस्बन चली गई", "लिस्बन", "आज मौसम अच्छा है"),
    "Bengali": ("আনা মার্চে লিসবনে গেছে", "লিসবনে", "আজ আবহাওয়া ভালো"),
    "Tamil": ("அனா மார்ச்சில் லிஸ்பனுக்கு சென்றார்", "லிஸ்பனுக்கு", "இன்று வானிலை நன்று"),
    "Turkish": ("Ana İstanbul'a taşındı", "istanbul", "bugün hava güzel"),
    "Turkish, upper case": ("ana istanbul'a taşındı", "İSTANBUL", "bugün hava güzel"),
    "German": ("Ana wohnt in der Mühlstraße", "MUHLSTRASSE", "das Wetter ist schön"),
    "accents in the text": ("we met at the café", "cafe", "we met in the park"),
    "accents in the question": ("we met at the cafe", "CAFÉ", "we met in the park"),
    "accents decomposed": ("we met at the cafe\u0301", "caf\u00e9", "we met in the park"),
    "Vietnamese": ("Ana chuyển đến Lisbon", "chuyen", "hôm nay trời đẹp"),
    "Amharic": ("አና ወደ ሊዝበን ሄደች", "ሊዝበን", "ዛሬ ጥሩ ቀን ነው"),
    "wide letters": ("ＬＩＳＢＯＮ", "lisbon", "porto"),
    "styled letters": ("𝐋𝐢𝐬𝐛𝐨𝐧", "lisbon", "porto"),
    "trade mark": ("Miso™ food", "misotm", "porto"),
    "emoji": ("🎉🐈", "🐈", "🎸"),
    "emoji in text": ("Ana loves 🍣 for lunch", "🍣", "Ana loves 🍕 for lunch"),
    "emoji with a skin tone": ("👍🏽", "👍🏿", "👎"),
    "flag": ("🇵🇹", "🇵🇹", "🎸"),
    "mixed scripts": ("iPhone手机坏了", "手机", "电脑好了"),
    "digits in another script": ("room ١٢٣", "١٢٣", "room"),
}


@pytest.mark.parametrize("language", TOLD)
def test_it_is_stored_exactly_and_found(mind: Mind, language: str) -> None:
    text, query, other = TOLD[language]
    kept = mind.remember(text, user="ana").memory
    mind.remember(other, user="ana")
    assert mind.get(kept.id).text == text
    hits = mind.recall(query, user="ana")
    assert [hit.memory.text for hit in hits] == [text]
    assert hits[0].score > 0
    assert hits[0].reasons != ("words: ",)


@pytest.mark.parametrize("language", TOLD)
def test_another_text_in_the_same_script_is_not_found(mind: Mind, language: str) -> None:
    _, query, other = TOLD[language]
    mind.remember(other)
    assert mind.recall(query) == []


def test_a_hindi_word_is_not_torn_into_letters(mind: Mind) -> None:
    mind.remember("राम का घर")
    assert mind.recall("किताब") == []


def test_one_shared_character_is_not_a_hit(mind: Mind) -> None:
    mind.remember("日本很远")
    assert mind.recall("里斯本") == []
    assert len(mind.recall("本")) == 1
