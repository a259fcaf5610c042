"""What the tests of language models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.llms.endpoint import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.llms.endpoint import Endpoint


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("MNEMIC_LLM", "MNEMIC_LLM_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as endpoint:
        yield endpoint
