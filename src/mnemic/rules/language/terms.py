"""Terms: the stemmed words by which a memory is found."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    from collections.abc import Callable

_ASCII_WORD = re.compile("[a-z0-9]+")
_MARKED = "\u0900-\u0963\u0966-\u0dff\u0e01-\u0e4e\u0e81-\u0ecd\u0f40-\u0fbc\u1000-\u1049\u1780-\u17d3"
"""Indic and other scripts whose words contain marks that `\\w` does not match."""
_WORD = re.compile(rf"(?:[^\W_]|[{_MARKED}])+")
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]+"
)
_SIGN = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
_UNSPACED = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "]+"
)
_STEM: Callable[[list[str]], list[str]] = Stemmer.Stemmer("english", 0).stemWords  # its cache costs more than it saves

_USUAL_LENGTH = 2_000
_USUAL_WORD = 40

STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could did do does
    doing don for from had has have having he her here hers him his how i if in into is it its just ll me more
    most my no nor not now of off on once only or other our ours out over own re s same she should so some such
    t than that the their theirs them then there these they this those through to too under until up us ve very
    was we were what when where which while who whom why will with would you your yours
    """.split()
)


def terms(text: str) -> list[str]:
    """Return the terms of a text in order: lower case, without accents, stemmed.

    Scripts without spaces give each character and each pair of adjacent characters; a pictograph is one term.
    """
    if text.isascii():
        return _STEM(_ASCII_WORD.findall(text.lower()))
    return _STEM(_words_of_any_script(text, singles=True))


def distinct_terms(text: str) -> frozenset[str]:
    """Return the distinct terms of a text; texts of usual length are cached."""
    return _cached_terms(text) if len(text) <= _USUAL_LENGTH else frozenset(terms(text))


@lru_cache(maxsize=8192)
def _cached_terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def query_words(text: str) -> list[str]:
    """Return the distinct words of a query, unstemmed, without stop words unless there is nothing else."""
    every = _ASCII_WORD.findall(text.lower()) if text.isascii() else _words_of_any_script(text, singles=False)
    words = list(dict.fromkeys(every))
    return [word for word in words if word not in STOP_WORDS] or words


def stem(word: str) -> str:
    """Return the term of one word; words of usual length are cached."""
    return _cached_stem(word) if len(word) <= _USUAL_WORD else _STEM([word])[0]


@lru_cache(maxsize=4096)
def _cached_stem(word: str) -> str:
    return _STEM([word])[0]


def _words_of_any_script(text: str, *, singles: bool) -> list[str]:
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold())
    words = []
    for word in _WORD.findall(plain):
        words.extend(_pairs_or_word(word, singles=singles))
    words.extend(f"sign{ord(char):x}" for char in _SIGN.findall(text))
    return words


def _pairs_or_word(word: str, *, singles: bool) -> list[str]:
    pieces = []
    end = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > end:
            pieces.append(word[end : run.start()])
        chars = run.group()
        pieces.extend(chars[i : i + 2] for i in range(max(1, len(chars) - 1)))
        if singles and len(chars) > 1:
            pieces.extend(chars)
        end = run.end()
    if end < len(word):
        pieces.append(word[end:])
    return pieces
