"""The names a user imports from the package."""

from __future__ import annotations

import pytest

import mnemic


def test_the_visible_names_are_the_public_names() -> None:
    visible = [name for name in dir(mnemic) if not name.startswith("_")]
    assert visible == sorted(mnemic.__all__)


@pytest.mark.parametrize("name", mnemic.__all__)
def test_a_public_name_resolves(name: str) -> None:
    assert getattr(mnemic, name).__module__.startswith("mnemic.")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Mindd'"):
        mnemic.Mindd  # noqa: B018
