"""From a board's cell to a BibTeX entry and a permanent link, and frozen pages, in a real browser."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from typing import Any

import pytest
from playwright.sync_api import expect

from site_builder.building import build
from tests.exports.conftest import build as make_results

pytestmark = pytest.mark.browser


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A whole site of a tiny world with two snapshots, under the sub-path /x/, on a port of this machine."""
    if not list(metadata.entry_points(group="mkdocs.plugins", name="rexrank")):
        pytest.skip("the package is not installed here, so mkdocs does not find its plugin")
    folder = tmp_path_factory.mktemp("browser")
    make_results(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REXRANK_HOME", str(folder / "state"))
        patch.setenv("REXRANK_CACHE", str(folder / "state" / "cache"))
        build(results=folder / "results", out=folder / "www" / "x", base_url="https://board.example/x/")
    handler = functools.partial(_Quiet, directory=str(folder / "www"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/x/"
    server.shutdown()
    server.server_close()


def test_a_bibtex_entry_and_a_permanent_link_are_two_clicks_from_a_cell(browser: Any, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}boards/tiny-knee/findings/")
    page.locator("tr:has(a[href*='models/middle/']) td[data-v]").first.click()
    page.get_by_role("link", name="Cite this number").click()
    page.wait_for_url("**/models/middle/#cite")
    entry = page.locator("#cite ~ pre").first
    entry.wait_for()
    assert entry.is_visible()
    text = entry.inner_text()
    assert text.startswith("@misc{rexrank-2026-2-tiny-knee-findings-middle,")
    assert "https://board.example/x/snapshots/2026.2/tiny-knee.findings/#middle" in text
    page.get_by_role("button", name="Copy BibTeX of").first.click()
    expect(page.locator(".rx-status")).to_have_text("BibTeX copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("@misc{rexrank-2026-2-")
    # The permanent link leads to the row itself, in a page that no later build changes.
    page.locator('#cite ~ p a[href*="snapshots/2026.2/"]').first.click()
    page.wait_for_url("**/snapshots/2026.2/tiny-knee.findings/#middle")
    assert page.locator("tr#middle").is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["snapshots/2026.1/", "snapshots/2026.1/tiny-knee.findings/"])
def test_a_frozen_page_is_whole_without_scripts_and_asks_nobody_else(
    browser: Any, address: str, path: str, scheme: str
) -> None:
    context = browser.new_context(
        java_script_enabled=False, color_scheme=scheme, viewport={"width": 390, "height": 800}
    )
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + path, wait_until="load")
    assert not said
    assert {url.removeprefix(address) for url in asked} - {"data:,"} == {path, "snapshots/newer/2026.1.svg"}
    assert page.locator("h1").is_visible()
    assert page.get_by_role("link", name="the latest snapshot").is_visible()
    # The page itself never scrolls sideways: wide tables scroll in their own box.
    box = page.locator("main").bounding_box()
    assert box is not None
    assert box["width"] <= 390
    context.close()
