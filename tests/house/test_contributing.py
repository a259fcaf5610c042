"""The generated parts of CONTRIBUTING.md are up to date, and a call passes few files."""

from __future__ import annotations

import re

import pytest

from tools.contributing import PAGE, page
from tools.files_passed import walks

MOST_FILES = {"remember": 16, "recall": 28}
"""What is measured. The aim is 12 and 20: lower a number with the change that reaches it, and never raise one."""


DESCRIPTION = re.compile(r"^(\d+\. `[^`]+`): .*$", re.MULTILINE)


def test_the_page_shows_the_layers_and_the_walk() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown, present = (DESCRIPTION.sub(r"\1", each) for each in (text, page(text)))
    if shown != present:  # what a file is for may be reworded without a word here
        pytest.fail("CONTRIBUTING.md is out of date; run `python tools/contributing.py`")


@pytest.mark.parametrize("verb", MOST_FILES)
def test_a_verb_passes_few_files(verb: str) -> None:
    files = walks()[verb]
    assert len(files) <= MOST_FILES[verb], f"{verb} passes {files}"
