"""WordPiece: a tokenizer with the same results as the reference uncased BERT tokenizer."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

UNKNOWN = "[UNK]"
MAX_WORD = 100
MAX_CACHED = 50_000
IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def is_ideograph(code: int) -> bool:
    """Return whether a character is a Chinese ideograph, which is a word of its own."""
    return any(low <= code <= high for low, high in IDEOGRAPHS)


def is_punctuation(char: str) -> bool:
    """Return whether a character is punctuation, which is a word of its own; all ASCII symbols count."""
    return unicodedata.category(char)[0] == "P" or (char.isascii() and char.isprintable() and not char.isalnum())


def is_dropped(char: str) -> bool:
    """Return whether a character is dropped: control, format, private or surrogate, but not a line break or tab."""
    return char == "\ufffd" or (unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs") and char not in "\t\n\r")


def normalised(char: str) -> str:
    """Return a character in lower case and without accents, with spaces around it if it is a word of its own."""
    if is_dropped(char):
        return ""
    if char.isspace():
        return " "
    letters = (part for part in unicodedata.normalize("NFD", char) if unicodedata.category(part) != "Mn")
    lowered = "".join(part.lower() for part in letters)
    spaced = "".join(f" {part} " if is_punctuation(part) else part for part in lowered)
    return f" {spaced} " if is_ideograph(ord(char)) else spaced


class NormalisedCharacters(dict[int, str]):
    """A cache of normalised characters, as a table for `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = normalised(chr(code))
        return self[code]


NORMALISED = NormalisedCharacters()


def words_of(text: str) -> list[str]:
    """Return the lower-case words and punctuation marks of a text."""
    return text.translate(NORMALISED).split()


class WordPiece:
    """A tokenizer that splits words into the longest pieces of a vocabulary."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self.ids = {piece: index for index, piece in enumerate(vocabulary)}
        self.unknown = self.ids[UNKNOWN]
        self._cache: dict[str, tuple[int, ...]] = {}

    def pieces(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word's pieces, or the id of the unknown token."""
        if len(word) > MAX_WORD:
            return (self.unknown,)
        pieces = self._cache.get(word)
        if pieces is None:
            pieces = self._split(word)
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            self._cache[word] = pieces
        return pieces

    def encode(self, text: str) -> list[int]:
        """Return the ids of all pieces of a text."""
        return [piece for word in words_of(text) for piece in self.pieces(word)]

    def _split(self, word: str) -> tuple[int, ...]:
        pieces: list[int] = []
        start = 0
        while start < len(word):
            end = len(word)
            prefix = "##" if start else ""
            while end > start and prefix + word[start:end] not in self.ids:
                end -= 1
            if end == start:
                return (self.unknown,)
            pieces.append(self.ids[prefix + word[start:end]])
            start = end
        return tuple(pieces)
