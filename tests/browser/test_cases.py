"""The case explorer in a browser: found by words, sorted by a model's worst, and walked through."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Site, Watched

pytestmark = pytest.mark.browser


def reference_of(html: str) -> str:
    """The words of the reference on a case's page."""
    found = re.search(r'<h2 id="reference">.*?</section>', html, re.DOTALL)
    assert found is not None
    return found[0]


def test_cases_are_found_sorted_and_opened(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + "datasets/demo-cxr/cases/")
    rows = page.locator("tbody tr:visible")
    spreads = [float(x) for x in page.locator("tbody tr td:nth-child(2)").all_inner_texts() if x]
    assert spreads == sorted(spreads, reverse=True)

    page.get_by_role("button", name="Demo Hasty").click()
    column = page.locator("thead th").evaluate_all("hs => hs.findIndex(h => h.textContent == 'Demo Hasty')")
    expect(page.locator(".rx-status")).to_have_text("First 100 of 200 rows shown, by Demo Hasty")
    page.get_by_role("checkbox", name="all rows").check()
    expect(page.locator(".rx-status")).to_have_text("200 of 200 rows shown, by Demo Hasty")
    values = [float(x) for x in page.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts() if x]
    assert len(values) == 190
    assert values == sorted(values)

    page.get_by_role("searchbox", name="Find").fill("pneumothorax")
    # Every reference that has the word, though most lists show only its beginning.
    holding = {
        case.parent.name
        for case in (site.folder / "datasets/demo-cxr/cases").glob("*/index.html")
        if "pneumothorax" in reference_of(case.read_text("utf-8")).lower()
    }
    assert 0 < len(holding) < 200
    expect(page.locator(".rx-status")).to_have_text(f"{len(holding)} of 200 rows shown, by Demo Hasty")
    assert set(rows.locator("th a").all_inner_texts()) == holding
    expect(page).to_have_url(re.compile("find=pneumothorax"))
    expect(page).to_have_url(re.compile("sort=demo-hasty"))

    rows.first.get_by_role("link").click()
    expect(page.locator("h1")).to_contain_text("Study CX")
    expect(page.locator("ins").first).to_be_visible()


def test_probes_stay_folded_and_the_next_case_is_a_key_away(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + "datasets/demo-cxr/cases/CX0171_1/")
    probe = page.get_by_role("heading", name="Shuffled references")
    expect(probe).to_be_hidden()
    page.get_by_text("Reports that no image was shown to").focus()
    page.keyboard.press("Enter")
    expect(probe).to_be_visible()
    first = page.locator("h1").inner_text()
    page.get_by_role("link", name="next case").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).not_to_have_text(first)
    expect(page.get_by_role("heading", name="Shuffled references")).to_be_hidden()
