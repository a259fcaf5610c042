"""Looking back: what the counts of the tree say."""

from __future__ import annotations
