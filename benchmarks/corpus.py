"""Seeded, Zipf-like texts and questions, the same in every run and every environment."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

VOCABULARY = 30_000
IN_SCOPE = 500
"""The number of memories of each user."""

BATCH = 1_000
"""The number of memories in one bulk call."""

_FUNCTION_WORDS = (
    "the of and to a in that is was he for it with as his on be at by i this had not are but from or have an they "
    "which one you were her all she there would their we him been has when who will more no if out so what up"
).split()
_ONSETS = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr sh sl st th tr".split()
_VOWELS = "a e i o u ai ea ou".split()
_CODAS = ["", "", "l", "m", "n", "r", "s", "t", "ck", "nd", "rt", "st"]
_ENDINGS = ["", "", "", "", "s", "ed", "ing", "er", "ly", "ness"]


class Corpus:
    """Generated memories and questions in an invented language with English function words."""

    def __init__(self, seed: int = 1) -> None:
        self._rng = random.Random(seed)
        words = dict.fromkeys(_FUNCTION_WORDS)
        while len(words) < VOCABULARY:
            words.setdefault(self._word())
        self._words = list(words)
        self._weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def texts(self, count: int) -> list[str]:
        """Return texts of 8 to 25 words."""
        return [" ".join(self._draw(self._rng.randint(8, 25))) for _ in range(count)]

    def question(self, texts: Sequence[str]) -> str:
        """Return 3 to 8 content words, most of them from one of the texts."""
        content = _content(self._rng.choice(texts).split())
        words = self._rng.sample(content, min(len(content), self._rng.randint(2, 6)))
        most = self._rng.randint(max(3, len(words)), 8)
        while len(words) < most:
            words = list(dict.fromkeys((*words, *_content(self._draw(1)))))
        return " ".join(words)

    def _draw(self, count: int) -> list[str]:
        return self._rng.choices(self._words, cum_weights=self._weights, k=count)

    def _word(self) -> str:
        choose = self._rng.choice
        syllables = (choose(_ONSETS) + choose(_VOWELS) + choose(_CODAS) for _ in range(choose((1, 2, 2))))
        return "".join(syllables) + choose(_ENDINGS)


def user_of(index: int, count: int) -> str:
    """Return the user of the memory at an index; the memories of each user are spread over the whole store."""
    return f"user-{index % max(1, count // IN_SCOPE)}"


def _content(words: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word not in _FUNCTION_WORDS))
