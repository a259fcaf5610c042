"""Run the server over stdio or HTTP, for one scope of one mind."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mnemic import wiring
from mnemic.core.scoped import ScopedMind
from mnemic.mcp.experiences import Experiences
from mnemic.mcp.server import MnemicServer, build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mnemic.model.scope import Scope


@contextmanager
def opened_server(
    mind: str | Path | None, scope: Scope, experience: Path | None, *, settings: wiring.Settings | None = None
) -> Iterator[MnemicServer]:
    """Open what the server needs, and close it afterwards; logs go to stderr only."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    settings = settings or wiring.load_settings()
    experiences = Experiences(experience or wiring.experience_folder_of(scope, settings=settings), settings)
    with wiring.open_mind(mind, settings=settings) as opened:
        try:
            yield build(ScopedMind(opened, scope), experiences)
        finally:
            experiences.close()
