"""The board in a real browser: sorting, filters, address, copying, keyboard, instant navigation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import Site, Watched
from tests.site.conftest import broken_links

pytestmark = pytest.mark.browser
BOARD = "boards/demo-cxr/findings/"


def names(page: Page) -> list[str]:
    """Names of the visible rows, in order."""
    return page.locator("#board tbody tr:visible th a").all_inner_texts()


def values(page: Page, metric: str) -> list[float]:
    at = page.locator(f"#board thead tr:last-child th[data-k={metric}]").evaluate("e => e.cellIndex")
    cells = page.locator(f"#board tbody tr:visible > :nth-child({at + 1})").all()
    return [float(cell.evaluate("e => e.firstChild.textContent")) for cell in cells]


def test_a_heading_sorts_best_first_and_then_the_other_way(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    rouge = page.locator("th[data-k=rouge_l]")
    rouge.get_by_role("button").click()
    assert rouge.get_attribute("aria-sort") == "descending"
    down = values(page, "rouge_l")
    assert down == sorted(down, reverse=True)
    rouge.get_by_role("button").click()
    assert rouge.get_attribute("aria-sort") == "ascending"
    assert values(page, "rouge_l") == sorted(down)
    expect(page).to_have_url(re.compile("sort=rouge_l"))
    empty = page.locator("th[data-k=empty_rate]")
    empty.get_by_role("button").click()
    assert empty.get_attribute("aria-sort") == "ascending"  # lower is better, so the best comes first


def test_ranks_and_tie_groups_are_those_of_the_server_for_every_sorted_column(
    watched: Watched, site: Site
) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    before = page.locator("#board tbody .rx-rank").all_inner_texts()
    for metric in ("bleu_4", "rouge_l"):
        page.locator(f"th[data-k={metric}]").get_by_role("button").click()
        expect(page.locator("#board thead .rx-rank")).to_contain_text("Rank by")
        at = page.locator(f"#board thead tr:last-child th[data-k={metric}]").evaluate("e => e.cellIndex")
        for row in page.locator("#board tbody tr").all():
            given = row.locator(f":scope > :nth-child({at + 1})").get_attribute("data-r")
            rank = row.locator(".rx-rank").inner_text().split("\n")[0]
            if given is None:
                assert rank == ""
            else:
                place, low, high = given.split(",")[:3]
                assert rank == f"{place} ({low})" if low == high else f"{place} ({low}–{high})"
    page.get_by_role("link", name="Reset").click()
    expect(page.locator("#board thead .rx-rank")).to_have_text("Rank?")
    assert page.locator("#board tbody .rx-rank").all_inner_texts() == before


def test_a_view_can_be_sent(watched: Watched, site: Site, browser: Browser) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    page.locator("th[data-k=rouge_l]").get_by_role("button").click()
    page.get_by_role("searchbox", name="Find").fill("demo")
    page.get_by_label("View").select_option("all")
    page.get_by_label("Beside values").select_option("bar")
    page.get_by_role("checkbox", name="Choose Demo Careful").check()
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("Weights").select_option("open")
    shown = names(page)
    assert shown
    expect(page).to_have_url(re.compile("open=open"))  # all of the view is in the address by then
    other = browser.new_page()
    other.goto(page.url)
    assert names(other) == shown
    assert other.get_by_label("Beside values").input_value() == "bar"
    assert other.locator("#board td svg").count() > 0
    assert other.get_by_role("checkbox", name="Choose Demo Careful").is_checked()
    assert other.locator("th[data-k=bleu_4]").is_visible() == page.locator("th[data-k=bleu_4]").is_visible()
    assert "q=" not in page.url
    other.close()


def test_choices_beside_the_form_take_effect_at_once(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    last = names(page)[-1]
    page.get_by_role("checkbox", name=f"Choose {last}", exact=True).check()
    page.get_by_role("checkbox", name="pin chosen on top").check()
    assert names(page)[0] == last
    expect(page.get_by_role("checkbox", name="pin chosen on top")).to_be_focused()
    page.get_by_role("checkbox", name=f"Choose {last}", exact=True).press("Space")
    assert names(page)[-1] == last
    expect(page.get_by_role("checkbox", name=f"Choose {last}", exact=True)).to_be_focused()


def test_a_filter_that_matches_nothing_says_so_and_can_be_undone(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    page.get_by_role("searchbox", name="Find").fill("no such model")
    expect(page.get_by_text("No model matches these filters")).to_be_visible()
    expect(page.locator(".rx-status")).to_contain_text("0 of")
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_text("No model matches these filters")).to_be_hidden()
    expect(page.locator("#board tbody tr:visible").nth(4)).to_be_visible()


def test_every_reset_resets_and_going_back_brings_the_view_back(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address)
    page.goto(site.address + BOARD)
    find = page.get_by_role("searchbox", name="Find")
    for words in ("first words", "second words"):
        find.fill(words)
        page.get_by_role("link", name="Show all").click()
        expect(find).to_have_value("")
        expect(page.locator("#board tbody tr:visible").nth(4)).to_be_visible()
    page.wait_for_timeout(300)  # longer than an address waits to be written
    assert "find=" not in page.url
    for words in ("second words", "first words"):
        page.go_back()
        expect(find).to_have_value(words)
        expect(page.get_by_text("No model matches these filters")).to_be_visible()


def test_a_link_into_the_page_leads_to_the_view_that_is_seen(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD + "?find=old")
    find = page.get_by_role("searchbox", name="Find")
    find.fill("normal")
    page.locator("a[href$='#board']").first.evaluate("a => a.click()")
    expect(page).to_have_url(re.compile(r"\?find=normal#board$"))
    find.fill("other")
    expect(page).to_have_url(re.compile(r"find=other#board$"))
    page.go_back()
    expect(find).to_have_value("normal")
    expect(page).to_have_url(re.compile(r"find=normal$"))


def test_an_address_is_whole_as_soon_as_it_is_copied_or_left(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    page.get_by_role("searchbox", name="Find").fill("normal")
    page.locator("#board tbody tr:visible th a").first.click()
    expect(page).to_have_url(re.compile("/models/"))
    page.go_back()
    expect(page.get_by_role("searchbox", name="Find")).to_have_value("normal")
    expect(page).to_have_url(re.compile(r"\?find=normal$"))


def test_columns_can_be_chosen_and_their_groups_follow(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="BLEU-2", exact=True).uncheck()
    expect(page.locator("th[data-k=bleu_2]")).to_be_hidden()
    expect(page).to_have_url(re.compile("cols="))
    expect(page.locator("[name=preset] option:checked")).to_have_text("by hand")
    spans = page.locator(".rx-groups th:visible").evaluate_all("e => e.reduce((n, x) => n + x.colSpan, 0)")
    assert spans == page.locator("#board thead tr:last-child th[data-g]:visible").count()
    page.keyboard.press("Escape")
    expect(page.locator("#rx-columns")).to_be_hidden()


@pytest.mark.parametrize("width", [1000, 1920])
def test_a_heading_stays_under_the_mouse_for_the_second_click(
    browser: Browser, site: Site, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    for board in (BOARD, "boards/iu-xray/findings/"):
        page.goto(site.address + board)
        for heading in page.locator("#board th[data-g]:visible").all():
            button = heading.get_by_role("button")
            button.scroll_into_view_if_needed()
            box = button.bounding_box()
            assert box is not None
            seen = []
            for _ in range(2):
                page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                page.wait_for_timeout(50)
                seen.append(heading.get_attribute("aria-sort"))
            assert set(seen) == {"ascending", "descending"}, (board, heading.inner_text())
    page.close()


def test_boxes_presets_and_columns_say_the_same_however_they_are_reached(
    watched: Watched, site: Site, browser: Browser
) -> None:
    page = watched.page
    address = site.address + "boards/iu-xray/findings/"

    def state(of: Page) -> tuple[list[str], list[str], str]:
        boxes = of.locator("[name=col]").evaluate_all("all => all.filter(e => e.checked).map(e => e.value)")
        heads = of.locator("#board th[data-g]:visible").evaluate_all("all => all.map(e => e.dataset.k)")
        tabs = of.locator("#board td[tabindex='0']:visible").count()
        assert tabs == (1 if heads else 0)
        return boxes, heads, of.locator("[name=preset] option:checked").inner_text()

    page.goto(address)
    box = page.locator("[name=col]")
    every = box.evaluate_all("all => all.map(e => e.value)")
    for wanted in ([c for c in every if c != "bleu_2"], every, ["rouge_l"], [], ["bleu_2"]):
        for column in every:
            one = page.locator(f"[name=col][value={column}]")
            one.evaluate("(e, on) => e.checked == on || e.click()", column in wanted)
        boxes, heads, preset = state(page)
        assert boxes == heads == wanted
        page.wait_for_timeout(300)
        other = browser.new_page()
        other.goto(page.url)
        assert state(other) == (boxes, heads, preset)
        other.close()
    assert preset == "as in ReXrank"


@pytest.mark.parametrize(
    "query",
    [
        "show=nonsense",
        "cols=junk",
        "cols=,",
        "pin=0",
        "0=hello",
        "preset=bleu_2",
        "sort=__proto__",
        "size=zz",
    ],
)
def test_what_an_address_should_not_hold_changes_nothing(watched: Watched, site: Site, query: str) -> None:
    page = watched.page
    view = (
        "() => [[...document.querySelectorAll('#view select')].map(e => e.selectedIndex),"
        "[...document.querySelectorAll('input')].map(e => e.checked || e.value),"
        "document.querySelector('#board').innerText]"
    )
    page.goto(site.address + BOARD)
    usual = page.evaluate(view)
    page.goto(f"{site.address}{BOARD}?{query}")
    assert page.evaluate(view) == usual


def test_the_edition_asked_for_last_is_the_one_that_is_seen(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + "boards/iu-xray/findings/")
    links = page.locator(".rx-editions a:not([aria-current])")
    slow, quick = links.nth(0), links.nth(1)
    held: list[Route] = []
    page.route(slow.evaluate("a => a.href.split('#')[0]"), lambda route: held.append(route))
    name = quick.inner_text()
    slow.evaluate("a => a.click()")
    quick.evaluate("a => a.click()")
    current = page.locator(".rx-editions a[aria-current]")
    expect(current).to_have_text(name)
    held[0].continue_()
    page.wait_for_timeout(500)
    expect(current).to_have_text(name)


def test_exactly_this_view_is_copied_in_four_forms(watched: Watched, site: Site, tmp_path: Path) -> None:
    page = watched.page
    page.goto(site.address + BOARD + "?find=fluent")
    page.get_by_role("button", name="Copy, download").click()
    page.get_by_role("button", name="LaTeX").click()
    latex = page.evaluate("navigator.clipboard.readText()")
    assert latex.startswith("\\begin{tabular}")
    assert "Demo Fluent" in latex
    assert "Careful" not in latex
    page.get_by_role("button", name="Markdown").click()
    assert "| Demo Fluent |" in page.evaluate("navigator.clipboard.readText()")
    with page.expect_download() as got:
        page.get_by_role("button", name="CSV").click()
    text = Path(got.value.path()).read_text("utf-8")
    assert text.startswith('"rank","model","bleu_2","bleu_2_low"')
    assert len(text.splitlines()) == 2
    with page.expect_download() as got:
        page.get_by_role("button", name="Save as JSON").click()
    document = json.loads(Path(got.value.path()).read_text("utf-8"))
    assert [row["model"] for row in document["rows"]] == ["Demo Fluent"]
    assert 0 < document["rows"][0]["bleu_2"] < 1
    page.get_by_role("button", name="Copy the link").click()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_number_says_what_it_is_how_sure_and_compared_to_what(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    cell = page.locator("#board tbody tr", has_text="Demo Fluent").locator("td[data-v]").first
    cell.click()
    note = page.locator(".rx-pop")
    for words in ("95 % interval", "studies", "best", "median", "constant-normal", "bleu_2@"):
        expect(note).to_contain_text(words)
    note.locator(".rx-sig").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("bleu_2@")
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    cell.hover()
    expect(note).to_be_visible()


def test_cells_are_walked_with_the_arrow_keys(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + BOARD)
    first = page.locator("#board tbody td[tabindex='0']")
    assert first.count() == 1
    first.focus()
    here = page.evaluate("[document.activeElement.cellIndex, document.activeElement.parentNode.rowIndex]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    there = page.evaluate("[document.activeElement.cellIndex, document.activeElement.parentNode.rowIndex]")
    assert there == [here[0] + 1, here[1] + 1]
    expect(page.locator(".rx-pop")).to_be_visible()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className").startswith("rx-pop")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.localName") == "td"


def test_editions_are_swapped_in_place_and_stand_in_the_address(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address + "boards/iu-xray/findings/")
    picker = page.locator(".rx-editions")
    assert picker.locator("a").count() > 5
    picker.get_by_role("link", name="2024-11-04").click()
    expect(page.locator(".rx-reported")).to_have_attribute("data-edition", "rexrank-repo-2024-11-04")
    expect(page).to_have_url(re.compile("edition=2024-11-04"))
    expect(page.locator(".rx-reported .rx-note").first).to_contain_text("read at")
    page.locator(".rx-reported").get_by_role("button", name="BLEU-2").click()
    expect(page).to_have_url(re.compile("by=-BLEU-2&edition=2024-11-04"))
    first = page.locator(".rx-reported tbody th a").first.inner_text()
    page.reload()
    expect(page.locator(".rx-reported")).to_have_attribute("data-edition", "rexrank-repo-2024-11-04")
    expect(page.locator(".rx-reported th[aria-sort]")).to_contain_text("BLEU-2")
    expect(page.locator(".rx-reported tbody th a").first).to_have_text(first)
    link = page.locator(".rx-reported tbody th a").first
    link.click()
    expect(page).to_have_url(re.compile("/repo/models/"))


def test_instant_navigation_there_and_back_keeps_the_board_working(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address)
    page.evaluate("window.sameDocument = true")
    page.get_by_role("link", name="Demo chest X-rays, findings", exact=True).first.click()
    expect(page.locator("#board")).to_be_visible()
    page.locator("th[data-k=rouge_l]").get_by_role("button").click()
    page.locator("#board tbody th a").first.click()
    expect(page.locator("h1")).not_to_contain_text("Demo chest X-rays")
    page.go_back()
    expect(page.locator("#board")).to_be_visible()
    page.locator("th[data-k=bleu_4]").get_by_role("button").click()
    down = values(page, "bleu_4")
    assert down == sorted(down, reverse=True)
    assert page.evaluate("window.sameDocument") is True


def test_every_link_and_fragment_of_our_own_site_resolves(site: Site) -> None:
    assert broken_links(site.folder, site.address) == []
