"""The arithmetic of the networks."""

from __future__ import annotations

import numpy as np
import pytest

from mnemic.upkeep.change_model.network import product


@pytest.mark.parametrize("shape", [(1, 4), (70, 4), (3, 5, 4)])
@pytest.mark.parametrize("columns", [1, 20_000, 100_000])
def test_a_product_made_of_parts_is_the_product(shape: tuple[int, ...], columns: int) -> None:
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=shape).astype(np.float32)
    weights = rng.normal(size=(4, columns)).astype(np.float32)
    assert np.allclose(product(matrix, weights), matrix @ weights, atol=1e-4)
