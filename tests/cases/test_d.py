"""The site: sizes, dates, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from importlib import metadata
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from site_builder.building import build
from site_builder.page import Asset, Made, Page
from tests.cases.conftest import pages_of, serve
from tests.world import World


class Scripts(HTMLParser):
    """Sources of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.sources.append(dict(attrs).get("src") or "")


def test_the_plot_library_is_one_file_of_the_site_and_in_no_page(site: Mapping[str, Made]) -> None:
    # Inlined it would add 4,710 KiB to a page for each plot (measured with plotly 7.1.0).
    assert [path for path in site if "plotly" in path and path.endswith(".js")] == [
        "assets/plotly-basic.min.js"
    ]
    with_plots = 0
    for path, html in pages_of(site.values()).items():
        assert len(html.encode()) < 300_000, path
        assert Scripts(html).sources == (["../assets/compare.js"] if path == "compare/" else [])
        assert "Plotly.newPlot" not in html
        with_plots += html.count("data-plot=") > 0
    assert with_plots > 3
    script = site["assets/rexrank.js"]
    assert isinstance(script, Asset)
    assert script.data.count(b"Plotly.newPlot") == 1  # drawn in one place, after a click


def test_dates_are_those_of_the_results_and_of_no_clock_or_checkout(
    site: Mapping[str, Made], tiny: World
) -> None:
    assert not (tiny.root.parent / ".git").exists()
    dates = {made.path: made.date for made in site.values() if isinstance(made, Page)}
    assert dates["models/netone/"] == "2026-03-01"
    assert dates["models/nettwo/"] == "2026-03-02"
    assert dates["boards/tiny-knee/findings/"] == "2026-03-02"
    assert dates["models/model-10/"] == "2026-02-01"
    assert max(dates.values()) == "2026-03-02"  # neither the day of the build nor that of a commit


def test_no_script_makes_dates(site: Mapping[str, Made]) -> None:
    # A browser west of Greenwich shows midnight UTC as the day before, so dates are only ever text.
    for path in ("assets/rexrank.js", "assets/compare.js"):
        script = site[path]
        assert isinstance(script, Asset)
        assert not re.search(rb"\bDate\b|toLocale|Intl\.DateTimeFormat", script.data)


@pytest.fixture(scope="module")
def whole(tiny: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site as the generator makes it, served below a sub-path."""
    if not list(metadata.entry_points(group="mkdocs.plugins", name="rexrank")):
        pytest.skip("the package is not installed here, so mkdocs does not find its plugin")
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REXRANK_HOME", str(tiny.state))
        patch.setenv("REXRANK_CACHE", str(folder / "cache"))
        build(results=tiny.root, out=folder / "board", base_url="https://example.org/board/")
    with serve(folder) as address:
        yield f"{address}board"


def test_an_address_without_its_last_slash_leads_to_the_page(whole: str) -> None:
    for path in ("", "/models/nettwo"):
        with urlopen(f"{whole}{path}") as answer:
            assert answer.url == f"{whole}{path}/"
            assert answer.status == 200


@pytest.mark.browser
def test_a_page_opened_without_its_last_slash_has_its_styles(browser: Any, whole: str) -> None:
    page = browser.new_page()
    failed: list[str] = []
    page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    page.goto(f"{whole}/models/nettwo")
    assert page.url.endswith("/models/nettwo/")
    assert not failed
    assert page.locator(".rx-two").evaluate("node => getComputedStyle(node).display") == "grid"
    page.close()


@pytest.mark.browser
def test_a_link_to_a_part_of_a_page_shows_it_below_the_header(browser: Any, whole: str) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 500})
    page.goto(f"{whole}/boards/tiny-knee/findings/#leaders")
    heading = page.locator("#leaders")
    expect(heading).to_be_in_viewport()
    box, bar = heading.bounding_box(), page.locator(".md-header").bounding_box()
    assert box is not None
    assert bar is not None
    assert bar["y"] + bar["height"] <= box["y"] + 1 < 500
    page.close()


@pytest.mark.browser
def test_a_date_is_the_same_day_in_los_angeles_and_in_auckland(browser: Any, whole: str) -> None:
    for zone in ("America/Los_Angeles", "Pacific/Auckland"):
        context = browser.new_context(timezone_id=zone, locale="en-US")
        page = context.new_page()
        page.goto(f"{whole}/models/netone/")
        text = page.locator("body").inner_text()
        assert "2026-03-01" in text
        assert not re.search(r"2026-02-28|2/28/2026|2026-03-02", text)
        context.close()
