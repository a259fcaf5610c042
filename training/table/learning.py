"""Training of the word-piece rows: imitate the teacher, and separate neighbours from other sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = 1_800
BATCH = 512
RATE = 4e-3
NEIGHBOUR_WEIGHT = 0.04
TEMPERATURE = 0.08
LONGEST_NEIGHBOURS = 160

Vectors = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


def bagged(texts: list[Numbers]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the pieces of all texts in one array, and the start of each text."""
    starts = np.cumsum([0, *map(len, texts)])[:-1]
    return torch.from_numpy(np.concatenate(texts)), torch.from_numpy(starts)


def batches(count: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """Yield endless batches of shuffled indexes."""
    while True:
        places = rng.permutation(count)
        for at in range(0, count - BATCH + 1, BATCH):
            yield places[at : at + BATCH]


def neighbours(document: list[Numbers], rng: np.random.Generator) -> tuple[Numbers, Numbers]:
    """Return a random sentence of a document and up to four sentences next to it."""
    at = int(rng.integers(len(document)))
    size = int(rng.integers(1, 5))
    low = max(0, at - int(rng.integers(0, size + 1)))
    around = [document[place] for place in range(low, min(len(document), low + size + 1)) if place != at]
    around = around or [document[(at + 1) % len(document)]]
    return document[at], np.concatenate(around)[:LONGEST_NEIGHBOURS]


def train(start: Vectors, texts: list[Numbers], wanted: Vectors, documents: list[list[Numbers]]) -> Vectors:
    """Return the trained rows; one thread makes every run give the same."""
    rng = np.random.default_rng(0)
    torch.set_num_threads(1)
    rows = torch.from_numpy(start.copy())
    bag = torch.nn.EmbeddingBag.from_pretrained(rows, freeze=False, mode="sum", sparse=True)
    optimiser = torch.optim.SparseAdam(list(bag.parameters()), lr=RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / STEPS)
    targets = torch.from_numpy(wanted)
    size = np.sqrt([len(document) for document in documents])
    for step, places in zip(range(STEPS), batches(len(texts), rng), strict=False):
        said = functional.normalize(bag(*bagged([texts[place] for place in places])), dim=1)
        imitation = (1 - (said * targets[places]).sum(1)).mean()
        drawn = rng.choice(len(documents), BATCH, p=size / size.sum(), replace=False)
        one, other = zip(*(neighbours(documents[place], rng) for place in drawn), strict=True)
        left = functional.normalize(bag(*bagged(list(one))), dim=1)
        right = functional.normalize(bag(*bagged(list(other))), dim=1)
        likeness = left @ right.T / TEMPERATURE
        own = torch.arange(BATCH)
        contrast = (functional.cross_entropy(likeness, own) + functional.cross_entropy(likeness.T, own)) / 2
        optimiser.zero_grad()
        loss = imitation + NEIGHBOUR_WEIGHT * contrast
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}: imitation {imitation:.4f}, contrast {contrast:.3f}", flush=True)
    trained: Vectors = bag.weight.detach().numpy()
    return trained
