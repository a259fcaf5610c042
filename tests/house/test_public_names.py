"""The names a user imports from the package."""

from __future__ import annotations

import pytest

import recollect


def test_the_visible_names_are_the_public_names() -> None:
    visible = [name for name in dir(recollect) if not name.startswith("_")]
    assert visible == sorted(recollect.__all__)


@pytest.mark.parametrize("name", recollect.__all__)
def test_a_public_name_resolves(name: str) -> None:
    assert getattr(recollect, name).__module__.startswith("recollect.")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Mindd'"):
        recollect.Mindd  # noqa: B018
