"""Take the picture docs/topology.png of a generated year of work: python tools/topology_picture.py (needs Chromium)"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from mnemic.experience import MemoryEngine
from mnemic.experience.dataset.generate import generate
from mnemic.experience.picture import page

PICTURE = Path(__file__).parents[1] / "docs" / "topology.png"
COUNT = 10_000
QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")


def main() -> None:
    """Generate a tree, open its page, and take a picture."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    program = shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is missing. Install it with `apt-get install chromium`.")
    with tempfile.TemporaryDirectory() as folder:
        with MemoryEngine(Path(folder) / "brain") as engine:
            engine.remember_many(generate(COUNT, seed=1))
            topology = engine.topology()
        html = Path(folder) / "topology.html"
        html.write_text(page(topology, title="a generated year of work"), encoding="utf-8")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=list(QUIET))
            tab = browser.new_page(viewport={"width": 1360, "height": 900})
            tab.goto(html.as_uri())
            tab.wait_for_selector("html[data-ready=true]")
            tab.screenshot(path=PICTURE)
            browser.close()


if __name__ == "__main__":
    main()
