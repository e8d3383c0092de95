"""A board of more rows than a page lays out at once, and the choice of a colour scheme."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from benchmarks.site_worlds import DATASET, write_results
from site_builder.building import build
from tests.browser.conftest import SHEET, Site, Watched, beyond_the_sheet, serve, watch
from tests.site.conftest import broken_links, needs_plugin

pytestmark = pytest.mark.browser
BOARD = f"boards/{DATASET}/findings/"
ROWS = "#board tbody tr:visible"


@pytest.fixture(scope="module")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site of 120 models on one board."""
    needs_plugin()
    folder = tmp_path_factory.mktemp("long")
    server, address = serve(folder)
    build(results=write_results(folder / "world", 120), out=folder / "repo", base_url=address)
    yield Site(folder=folder / "repo", address=address)
    server.shutdown()
    server.server_close()


@pytest.fixture
def long(page: Page, long_site: Site) -> Iterator[Watched]:
    """Its board, open; problems fail the test at its end."""
    found = watch(page, long_site.address)
    page.goto(long_site.address + BOARD)
    yield found
    assert found.problems == []


def status(page: Page, words: str) -> None:
    expect(page.locator(".rx-status")).to_have_text(words)


def ordered(site: Site, metric: str, better: str) -> list[str]:
    """Names of all rows by the exact numbers of the board's document, best first."""
    document = json.loads((site.folder / f"data/v1/boards/{DATASET}.findings.json").read_text("utf-8"))
    values = {
        row["label"]: row["cells"][metric]["value"] for row in document["rows"] if metric in row["cells"]
    }
    return sorted(values, key=lambda name: values[name] * (-1 if better == "higher" else 1))


def names(page: Page) -> list[str]:
    return page.locator(f"{ROWS} th a").all_inner_texts()


def test_a_sort_looks_at_every_row_and_lays_out_the_first(long: Watched, long_site: Site) -> None:
    page = long.page
    status(page, "First 30 of 120 rows shown, by RadCliQ-v1")
    assert page.locator(ROWS).count() == 30
    page.locator("th[data-k=bleu_2]").get_by_role("button").click()
    status(page, "First 30 of 120 rows shown, by BLEU-2")
    assert names(page) == ordered(long_site, "bleu_2", "higher")[:30]
    assert page.locator("#board .rx-rank").nth(1).inner_text() == "1"
    link = page.locator(f"{ROWS} th a").first.evaluate("a => a.href")
    assert page.request.get(link).ok
    page.locator("th[data-k=bleu_2]").get_by_role("button").click()
    assert names(page) == ordered(long_site, "bleu_2", "higher")[:-31:-1]
    page.get_by_role("checkbox", name="all rows").check()
    status(page, "120 of 120 rows shown, by BLEU-2")
    assert names(page) == ordered(long_site, "bleu_2", "higher")[::-1]
    page.get_by_role("checkbox", name="all rows").uncheck()
    status(page, "First 30 of 120 rows shown, by BLEU-2")


def test_a_search_and_a_choice_reach_rows_that_were_not_laid_out(
    long: Watched, long_site: Site, browser: Browser
) -> None:
    page = long.page
    last = ordered(long_site, "radcliq_v1", "lower")[-1]
    assert last not in names(page)
    page.get_by_role("searchbox", name="Find").fill(last)
    expect(page.locator(ROWS, has_text=last)).to_have_count(1)
    page.get_by_role("checkbox", name=f"Choose {last}", exact=True).check()
    page.get_by_role("searchbox", name="Find").fill("")
    status(page, "First 30 of 120 rows shown, by RadCliQ-v1")
    page.get_by_role("checkbox", name="pin chosen on top").check()
    expect(page.locator(f"{ROWS} th a").first).to_have_text(last)
    expect(page).to_have_url(re.compile("pin=on.*sel="))
    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator(f"{ROWS} th a").first).to_have_text(last)
    expect(other.get_by_role("checkbox", name=f"Choose {last}", exact=True)).to_be_checked()
    assert page.locator(".rx-compare").evaluate("a => a.search").endswith(page.url.partition("sel=")[2])
    other.close()


def test_exactly_this_view_is_every_row_that_matches(long: Watched) -> None:
    page = long.page
    page.get_by_role("button", name="Copy, download").click()
    with page.expect_download() as got:
        page.get_by_role("button", name="Save as CSV").click()
    lines = list(csv.DictReader(Path(got.value.path()).read_text("utf-8").splitlines()))
    assert len(lines) == 120
    assert [line["rank"] for line in lines] == [str(i + 1) for i in range(120)]
    assert all(line["bleu_2"] for line in lines)


def test_rows_that_cannot_be_fetched_are_said_to_be_missing_and_asked_for_again(
    page: Page, long_site: Site
) -> None:
    page.route("**/all/", lambda route: route.abort())
    page.goto(long_site.address + BOARD)
    page.locator("th[data-k=bleu_2]").get_by_role("button").click()
    status(page, "The other rows could not be loaded")
    page.unroute("**/all/")
    page.locator("th[data-k=bleu_2]").get_by_role("button").click()
    status(page, "First 30 of 120 rows shown, by BLEU-2")


PAGE = "<!doctype html><article>{}</article>"


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (404, PAGE.format("Not found")),
        (200, PAGE.format("Sign in")),
        (200, PAGE.format("<table><tbody><tr><td>1</td></tr></tbody></table>")),
        (200, PAGE.format("<table><tbody>" + "<tr><td>1</td></tr>" * 120 + "</tbody></table>")),
    ],
)
def test_an_answer_that_is_not_the_whole_board_is_not_taken_for_it(
    page: Page, long_site: Site, code: int, body: str
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/all/", lambda route: route.fulfill(status=code, body=body, content_type="text/html"))
    page.goto(long_site.address + BOARD)
    page.locator("th[data-k=bleu_2]").get_by_role("button").click()
    status(page, "The other rows could not be loaded")
    page.get_by_role("button", name="Copy, download").click()
    page.get_by_role("button", name="Copy as Markdown").click()
    status(page, "The other rows could not be loaded")  # and no table of thirty rows passes for all
    page.unroute("**/all/")
    page.get_by_role("searchbox", name="Find").fill("Model")
    status(page, "First 30 of 120 rows shown, by BLEU-2")
    assert names(page) == ordered(long_site, "bleu_2", "higher")[:30]
    assert errors == []


def test_the_address_has_the_view_while_the_rows_are_still_coming(page: Page, long_site: Site) -> None:
    held: list[Route] = []
    page.route("**/all/", lambda route: held.append(route))
    page.goto(long_site.address + BOARD)
    heading = page.locator("th[data-k=bleu_2]")
    heading.get_by_role("button").click()
    status(page, "Loading the other rows")
    expect(page).to_have_url(re.compile("sort=-bleu_2$"))
    heading.get_by_role("button").click()  # turned round, not asked for again
    held[0].continue_()
    status(page, "First 30 of 120 rows shown, by BLEU-2")
    expect(heading).to_have_attribute("aria-sort", "ascending")


def test_arrow_keys_pass_hidden_columns_and_stop_at_the_edges(long: Watched) -> None:
    page = long.page
    page.locator("#board td[tabindex='0']").first.focus()
    at = "() => [document.activeElement.cellIndex, document.activeElement.parentNode.rowIndex]"
    shown = page.locator("#board thead tr:last-child th[data-g]:visible").evaluate_all(
        "heads => heads.map(head => head.cellIndex)"
    )
    walked = [page.evaluate(at)[0]]
    for _ in shown:
        page.keyboard.press("ArrowRight")
        walked.append(page.evaluate(at)[0])
    assert walked == [*shown, shown[-1]]
    rows = page.locator(ROWS).count()
    for _ in range(rows + 1):
        page.keyboard.press("ArrowDown")
    assert page.evaluate(at)[1] == rows + 1  # the last row; two rows of headings stand above
    assert page.locator("#board td[tabindex='0']:visible").count() == 1


def test_a_printed_sheet_has_every_column_that_was_shown(page: Page, long_site: Site) -> None:
    page.set_viewport_size(SHEET)
    page.emulate_media(media="print")
    page.goto(long_site.address + BOARD)
    assert page.locator("#board th[data-g]:visible").count() >= 12
    assert beyond_the_sheet(page, shrink=1.3) == []


def test_what_is_asked_last_is_what_is_seen_however_late_the_rows_come(page: Page, long_site: Site) -> None:
    held: list[Route] = []
    page.route("**/all/", lambda route: held.append(route))
    page.goto(long_site.address + BOARD)
    find = page.get_by_role("searchbox", name="Find")
    find.fill("no such model")
    find.fill("")
    status(page, "First 30 of 120 rows shown, by RadCliQ-v1")
    held[0].continue_()
    page.wait_for_timeout(500)
    status(page, "First 30 of 120 rows shown, by RadCliQ-v1")
    assert page.locator(ROWS).count() == 30
    assert "find=" not in page.url


def test_rows_that_come_after_the_reader_has_left_change_no_address(page: Page, long_site: Site) -> None:
    held: list[Route] = []
    page.route("**/all/", lambda route: held.append(route))
    page.goto(long_site.address + BOARD)
    page.get_by_role("searchbox", name="Find").fill("no such model")
    page.locator(f"{ROWS} th a").first.click()
    expect(page).to_have_url(re.compile("/models/"))
    held[0].continue_()
    page.wait_for_timeout(500)
    assert "find=" not in page.url


def test_without_a_script_the_other_rows_are_one_link_away(browser: Browser, long_site: Site) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(long_site.address + BOARD)
    assert page.locator(ROWS).count() == 30
    page.get_by_role("link", name="All 120 rows on one page").click()
    expect(page.locator(ROWS)).to_have_count(120)
    page.close()
    assert broken_links(long_site.folder, long_site.address) == []


def test_the_scheme_follows_the_system_until_one_is_chosen(watched: Watched, site: Site) -> None:
    page = watched.page
    scheme = "document.body.dataset.mdColorScheme"
    page.emulate_media(color_scheme="dark")
    page.add_init_script(
        "document.addEventListener('DOMContentLoaded', () => window.begun = document.body.dataset.mdColorScheme)"
    )
    page.goto(site.address)
    assert page.evaluate("begun") == "slate"  # before anything of the theme's own script has run
    page.emulate_media(color_scheme="light")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    page.get_by_role("button", name="Switch to light").click()
    page.get_by_role("button", name="Switch to dark").press("Enter")
    assert page.evaluate(scheme) == "slate"
    expect(page.get_by_role("button", name="Follow the system")).to_be_focused()
    page.goto(site.address + "boards/")
    assert page.evaluate(scheme) == "slate"
    page.get_by_role("button", name="Follow the system").click()
    assert page.evaluate(scheme) == "default"


@pytest.mark.parametrize("kept", ["no JSON", "null", '{"index": 99}', '{"index": "a"}'])
def test_whatever_the_storage_holds_the_page_is_painted(watched: Watched, site: Site, kept: str) -> None:
    page = watched.page
    page.emulate_media(color_scheme="dark")
    page.add_init_script(f"localStorage.setItem('/repo/.__palette', {json.dumps(kept)})")
    page.goto(site.address)
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"
    expect(page.get_by_role("button", name="Switch to light")).to_be_visible()
