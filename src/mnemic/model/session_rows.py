"""Memories among the sessions they belong to, in columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class SessionRows:
    """The session, time, number of terms and vector of some memories, one row each; a session of 0 is none.

    Only the order of the times, the directions of the vectors, and whether two sessions are the same mean anything.
    """

    numbers: NDArray[np.int64]
    sessions: NDArray[np.int64]
    times: NDArray[np.int64]
    lengths: NDArray[np.int32]
    vectors: NDArray[np.float32]
