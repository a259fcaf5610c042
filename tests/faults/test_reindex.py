"""A reindex that is killed goes on where it was, and nobody who reads meanwhile notices."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from reindexer import Slow, reindex

from mnemic import Mind

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

MEMORIES = 10_000


@pytest.mark.slow
def test_a_killed_reindex_goes_on_and_readers_do_not_notice(
    tmp_path: Path, start: Callable[..., subprocess.Popen[bytes]]
) -> None:
    chance = random.Random(1)
    with Mind(tmp_path) as reader:
        reader.remember_many({"text": f"The lamp number {n} stands in the hall"} for n in range(MEMORIES))
        for _ in range(6):
            process = start("reindexer.py", tmp_path)
            time.sleep(0.6 + chance.random() * 0.6)
            assert reader.recall("where is lamp number 7?")[0].memory.text.startswith("The lamp number")
            process.kill()
            assert process.wait() == -9, "it was done before it was killed: make it slower"
        assert 0 < reindex(tmp_path) < MEMORIES
    with Mind(tmp_path, embedder=Slow()) as mind:
        assert mind.count() == MEMORIES
        assert len(mind.recall("a light in the corridor")) == 10
        assert [finding for finding in mind.doctor() if not finding.ok] == []
