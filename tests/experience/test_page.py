"""The page of the topology, in a real browser."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect, sync_playwright

from mnemic.experience.dataset.generate import generate
from mnemic.experience.picture import page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from mnemic.experience import MemoryEngine

QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
NASTY = "</script><script>document.title='owned'</script>"


def test_the_page_asks_nothing_of_the_network_and_escapes_what_it_shows(engine: MemoryEngine) -> None:
    engine.remember(NASTY, "learning", insight_type="fact", learned_from="<b>")
    engine.remember(f"Failure {NASTY}", "failure", "unknown", "b")
    html = page(engine.topology(), title="<i>brain</i>")
    assert NASTY not in html
    assert "<i>brain" not in html
    for attribute in ("src=", 'href="http', "@import", "url("):
        assert attribute not in html


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        missing = "chromium is missing; install it with `apt-get install chromium`"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture
def shown(browser: Browser, engine: MemoryEngine, tmp_path: Path) -> Iterator[Page]:
    engine.remember_many(generate(400, seed=1))
    file = tmp_path / "topology.html"
    file.write_text(page(engine.topology(), title="brain"))
    tab = browser.new_page(viewport={"width": 1300, "height": 900})
    noise: list[str] = []
    tab.on("console", lambda message: noise.append(message.text))
    tab.on("pageerror", lambda error: noise.append(str(error)))
    tab.on("request", lambda request: noise.append(request.url) if request.url != file.as_uri() else None)
    tab.goto(file.as_uri())
    tab.wait_for_selector("html[data-ready=true]")
    yield tab
    assert [line for line in noise if line != "data:,"] == []
    tab.close()


def scale(tab: Page) -> float:
    found: float = tab.evaluate("topologyView.view.scale")
    return found


def colours(tab: Page) -> Any:
    """Count the distinct colours of the picture."""
    return tab.evaluate(
        """() => {
            const tree = document.getElementById("tree");
            const pixels = tree.getContext("2d").getImageData(0, 0, tree.width, tree.height).data;
            const seen = new Set();
            for (let i = 0; i < pixels.length; i += 4)
                if (pixels[i + 3] > 200) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
            return seen.size;
        }"""
    )


@pytest.mark.slow
def test_the_tree_is_drawn_and_can_be_zoomed_by_wheel_keys_and_buttons(shown: Page) -> None:
    assert shown.evaluate("topologyView.count") == 400
    assert colours(shown) > 20
    whole = scale(shown)
    shown.click("#in")
    assert scale(shown) > whole
    shown.focus("#tree")
    shown.keyboard.press("0")
    assert scale(shown) == pytest.approx(whole)
    shown.keyboard.press("+")
    shown.keyboard.press("ArrowLeft")
    assert scale(shown) > whole
    shown.dblclick("#tree")
    shown.mouse.wheel(0, 400)
    shown.wait_for_timeout(300)
    assert scale(shown) < whole


@pytest.mark.slow
def test_searching_finds_summaries_and_leads_to_them(shown: Page, engine: MemoryEngine) -> None:
    whole = scale(shown)
    shown.fill("#query", "failure syntax")
    wanted = sum("failure/code_interpreter/syntax" in dot.folder for dot in engine.topology().dots)
    expect(shown.locator("#found")).to_have_text(f"{wanted} of 400 experiences")
    shown.locator("#hits button").first.press("Enter")
    assert scale(shown) > whole
    shown.fill("#query", "nothing has this name")
    expect(shown.locator("#found")).to_have_text("0 of 400 experiences")


@pytest.mark.slow
def test_the_table_tells_the_same_and_leads_into_the_picture(shown: Page) -> None:
    rows = shown.locator("tbody tr")
    assert rows.count() == 25
    assert "success/code_interpreter/debug" in rows.nth(1).inner_text()
    whole = scale(shown)
    rows.nth(1).get_by_role("button").press("Enter")
    assert scale(shown) > whole


@pytest.mark.slow
def test_both_themes_are_readable_and_everything_has_a_name(shown: Page) -> None:
    light = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    shown.click("#theme")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") != light
    unnamed = shown.evaluate(
        """() => [...document.querySelectorAll("button, input, canvas, svg[role=img]")].filter((one) =>
            !(one.textContent.trim() || one.getAttribute("aria-label") || (one.labels && one.labels.length))).length"""
    )
    assert unnamed == 0


@pytest.mark.slow
def test_the_picture_is_not_blank(shown: Page, tmp_path: Path) -> None:
    picture = shown.screenshot(path=tmp_path / "topology.png")
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 40_000


@pytest.mark.slow
def test_a_phone_shows_it_without_scrolling_sideways(shown: Page) -> None:
    shown.set_viewport_size({"width": 390, "height": 800})
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
