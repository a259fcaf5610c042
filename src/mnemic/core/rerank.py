"""A second opinion on the best candidates, within a budget of time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mnemic.errors import ModelError
from mnemic.rules.recall.calibration import odds, reranked, sigmoid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.ports import Reranker

RERANKED = 40
"""How many candidates the reranker reads at most."""
IN_CONTEXT = 20
"""How many of these it reads once more, each behind the turn before it."""
SECONDS = 1.0
_ALONE = 0.6
"""The share of the time for reading texts alone."""
_BATCH = 8
_READ_BEFORE = 200
"""How many characters of the turn before are read, from its end: there it asks what the next one answers."""


def judged(
    reranker: Reranker,
    query: str,
    passages: Sequence[str],
    before: Sequence[str | None],
    priors: Sequence[float],
    seconds: float = SECONDS,
) -> list[float]:
    """Return what the reranker says of the first passages, from 0 to 1, of as many as it gets to.

    A passage is read alone; the likeliest, by what it said and by the odds before that, are read again behind the turn
    `before`, and the mean of both readings counts. The time begins with the second passage: no model is loaded in it.
    """
    verdicts = _verdicts(reranker, query, passages[:1])
    begin = time.monotonic()
    verdicts += _read(reranker, query, passages[1:RERANKED], begin + _ALONE * seconds)
    likeliest = sorted(range(len(verdicts)), key=lambda at: reranked(priors[at], verdicts[at]), reverse=True)
    joined = {at: f"{told[-_READ_BEFORE:]} {passages[at]}" for at in likeliest if (told := before[at]) is not None}
    leaning = list(joined)[:IN_CONTEXT]
    together = _read(reranker, query, [joined[at] for at in leaning], begin + seconds)
    for at, verdict in zip(leaning, together, strict=False):
        verdicts[at] = sigmoid((odds(verdicts[at]) + odds(verdict)) / 2)
    return verdicts


def _read(reranker: Reranker, query: str, texts: Sequence[str], end: float) -> list[float]:
    """Return what the reranker says of the first texts, as many as it gets to until the end."""
    verdicts: list[float] = []
    while len(verdicts) < len(texts) and time.monotonic() < end:
        verdicts += _verdicts(reranker, query, texts[len(verdicts) : len(verdicts) + _BATCH])
    return verdicts


def _verdicts(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """Return one verdict on each text, refusing whatever is no number from 0 to 1."""
    verdicts = [float(verdict) for verdict in reranker.score(query, texts)] if texts else []
    if len(verdicts) != len(texts) or not all(0 <= verdict <= 1 for verdict in verdicts):
        raise ModelError(f"the reranker gave {verdicts} for {len(texts)} texts, not a number from 0 to 1 for each")
    return verdicts
