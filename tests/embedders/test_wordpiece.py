"""Check our word pieces against the reference tokenizer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as ReferencePieces
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from mnemic.embedders.table import DATA
from mnemic.onnx.wordpiece import WordPiece, words_of

VOCABULARY = (DATA / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
OURS = WordPiece(VOCABULARY)
SCRIPTS = (
    (0x0000, 0x052F),
    (0x0530, 0x061C),
    (0x061E, 0x074F),
    (0x0900, 0x09FC),
    (0x0E00, 0x0E7F),
    (0x10A0, 0x11FF),
    (0x1E00, 0x20BF),
    (0x2190, 0x2E42),
    (0x3000, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xE000, 0xFFFD),
    (0x1F300, 0x1FAFF),
    (0x20000, 0x2FA1F),
)


def reference() -> Tokenizer:
    tokenizer = Tokenizer(ReferencePieces({piece: place for place, piece in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


REFERENCE = reference()


def characters() -> st.SearchStrategy[str]:
    return st.one_of([st.characters(min_codepoint=low, max_codepoint=high) for low, high in SCRIPTS])


@settings(max_examples=500, deadline=None)
@given(st.text(characters(), max_size=60))
def test_pieces_equal_the_reference_in_many_scripts(text: str) -> None:
    assert OURS.encode(text) == REFERENCE.encode(text, add_special_tokens=False).ids


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("abcdefgABC éßİΣςñ'.,!?-_$\t\n\r\x00\x0b\x85\u2028\u00ad\ufffd漢가😀"), max_size=200))
def test_pieces_equal_the_reference_on_odd_input(text: str) -> None:
    assert OURS.encode(text) == REFERENCE.encode(text, add_special_tokens=False).ids


def test_every_character_of_the_scripts_is_split_as_the_reference_does() -> None:
    texts = [f"a{chr(code)}b" for low, high in SCRIPTS for code in range(low, high + 1)]
    encoded = REFERENCE.encode_batch(texts, add_special_tokens=False)
    differ = [text for text, wanted in zip(texts, encoded, strict=True) if OURS.encode(text) != wanted.ids]
    assert differ == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ana's café, 2nd floor!", ["ana", "'", "s", "cafe", ",", "2nd", "floor", "!"]),
        ("日本語", ["日", "本", "語"]),
        ("ОДЕССА\u200b", ["одесса"]),
        ("\ud800\udfff\x07", []),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_word_longer_than_a_hundred_characters_is_unknown() -> None:
    assert OURS.encode("x" * 101) == [OURS.unknown]
    assert OURS.unknown not in OURS.encode("x" * 100)


def test_the_word_cache_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mnemic.onnx.wordpiece.MAX_CACHED", 10)
    pieces = WordPiece(VOCABULARY)
    first = [pieces.encode(f"word{number}") for number in range(50)]
    assert len(pieces._cache) <= 10
    assert first == [pieces.encode(f"word{number}") for number in range(50)]
