"""The quality of trained networks on sentences that none of them was trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.fact_changes_unseen import UNSEEN_KINDS
from benchmarks.upkeep import everyday, updates
from mnemic.upkeep.change_model import network
from training.changes.sources import EMBEDDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mnemic.upkeep.change_model.network import Network

STREAMS = 10


def figures(networks: Sequence[Network]) -> dict[str, float]:
    """Return the shares of `benchmarks.upkeep` on everyday sentences and on unseen wording, in percent."""
    with patch.object(network, "_load", lambda: (EMBEDDER.name, networks)):
        measured = [*everyday(), *updates("unseen wording", UNSEEN_KINDS, STREAMS)]
    return {figure.operation: figure.readings["value"] for figure in measured}
