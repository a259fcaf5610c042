"""The benchmark of recall quality, on the smallest dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks import quality

if TYPE_CHECKING:
    from pathlib import Path


def test_without_data_it_says_so(tmp_path: Path) -> None:
    assert "not measured" in quality.report(tmp_path / "nowhere", tmp_path)


def test_every_system_is_measured_and_written_down(tmp_path: Path) -> None:
    chat = tmp_path / "beam-100k" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    messages = [
        {"role": "user", "id": 0, "content": "I bake rye bread"},
        {"role": "user", "id": 1, "content": "I sail"},
    ]
    (chat / "chat.json").write_text(json.dumps([{"turns": [messages]}]))
    asked = [{"question": "Who sails?", "source_chat_ids": [1]}, {"question": "Who bakes?", "source_chat_ids": [0]}]
    (chat / "probing_questions" / "probing_questions.json").write_text(json.dumps({"plain": asked}))
    printed = quality.report(tmp_path, tmp_path)
    for system in ("mnemic", "mnemic, no cut", "bm25", "dense"):
        assert f"  {system}  " in printed
    assert "BEAM message R@10 1.000, should be 0.52: reached" in printed
    results = json.loads((tmp_path / "quality.json").read_text())["results"]
    assert {result["questions"] for result in results if result["dataset"] == "BEAM"} == {1}
