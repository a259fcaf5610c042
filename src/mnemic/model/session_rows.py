"""Session rows: the columns of memories that session scores need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class SessionRows:
    """The session, time, number of terms and vector of memories, one row each; session 0 means no session.

    Times are meant for sorting only, session numbers for comparing, and vectors for their direction.
    """

    numbers: NDArray[np.int64]
    sessions: NDArray[np.int64]
    times: NDArray[np.int64]
    lengths: NDArray[np.int32]
    vectors: NDArray[np.float32]
