"""Every kind of page, in both schemes and at every width: no violation, no console error, nothing from elsewhere."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SHEET, Site, Watched, beyond_the_sheet, watch

pytestmark = pytest.mark.browser

KINDS = (
    "",
    "boards/",
    "boards/demo-cxr/findings/",
    "boards/demo-cxr/findings/?show=bar&sort=-rouge_l",
    "boards/demo-cxr/findings/plots/",
    "boards/iu-xray/findings/",
    "boards/mimic-cxr/findings_impression/",
    "models/",
    "models/demo-template/",
    "models/medversa/",
    "models/probe-constant-normal/",
    "datasets/",
    "datasets/demo-cxr/",
    "datasets/demo-cxr/cases/?sort=median",
    "datasets/demo-cxr/cases/CX0171_1/",
    "datasets/rexvqa/",
    "metrics/",
    "metrics/bleu_2/",
    "metrics/radcliq_v1/",
    "compare/?board=demo-cxr/findings&models=demo-fluent,demo-hasty",
    "editions/",
    "editions/rexrank-repo-2026-d573c31/",
    "history/",
    "reward-gap/",
    "agreement/",
    "quality/",
    "signals/",
    "methods/",
    "submit/",
    "submit/form/",
    "about/",
    "snapshots/",
    "data/",
    "404.html",
)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_kind_violates_axe(browser: Browser, site: Site, node_modules: Path, scheme: Any) -> None:
    width = (
        390 if scheme == "light" else 1280
    )  # what does not fit scrolls, and then a keyboard has to reach it
    context = browser.new_context(
        color_scheme=scheme,
        bypass_csp=True,
        reduced_motion="reduce",
        viewport={"width": width, "height": 800},
    )
    page = context.new_page()
    found = watch(page, site.address)
    axe = (node_modules / "axe-core" / "axe.min.js").read_text("utf-8")
    # The second scheme changes colours alone.
    rules = {} if scheme == "light" else {"runOnly": ["color-contrast", "link-in-text-block"]}
    wrong = []
    for kind in KINDS:
        page.goto(site.address + kind)
        page.wait_for_load_state("networkidle")
        page.evaluate(axe)
        result = page.evaluate("options => axe.run({ resultTypes: ['violations'], ...options })", rules)
        wrong += [
            f"/{kind}: {v['id']}: {v['help']}: {[n['target'] for n in v['nodes']][:3]}"
            for v in result["violations"]
        ]
    context.close()
    assert wrong == [], "\n".join(wrong)
    assert found.problems == []


SMALL_TEXT = """[...document.querySelectorAll("article *")].filter(
  e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) && e.offsetParent
    && parseFloat(getComputedStyle(e).fontSize) < 11.99
).map(e => `${location.pathname} ${e.localName}.${e.className} ${e.textContent.slice(0, 20)}`)"""


# Whether the page is wider than its window, once the window has that width and the theme's drawer has moved away.
WIDE = """async (width) => {
  const frame = () => new Promise(requestAnimationFrame);
  const isWide = () => innerWidth != width || document.documentElement.scrollWidth > innerWidth;
  const end = performance.now() + 1000;
  do await frame(); while (isWide() && performance.now() < end);
  return isWide();
}"""


@pytest.mark.slow
def test_every_width_and_twice_the_text_size_fit_and_no_text_is_tiny(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    wide, small = [], set()
    for kind in KINDS:
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(site.address + kind, wait_until="load")
        small |= set(page.evaluate(SMALL_TEXT))
        for width in (320, 390, 768, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            if page.evaluate(WIDE, width):
                wide.append(f"/{kind} at {width} px")
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate("document.documentElement.style.fontSize = '250%'")
        if page.evaluate(WIDE, 1280):
            wide.append(f"/{kind} with text of twice the size")
    page.close()
    assert (wide, sorted(small)) == ([], [])


def test_without_javascript_tables_are_complete_and_nothing_dead_is_shown(
    browser: Browser, site: Site
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.address + "boards/demo-cxr/findings/")
    assert page.locator("#board tbody tr:visible").count() > 10
    assert page.locator(".rx-tools, .rx-bar, .rx-acts").locator("visible=true").count() == 0
    expect(page.get_by_text("Without JavaScript the table is complete")).to_be_visible()
    assert page.locator("#board tbody small", has_text="not separable").count() >= 2
    page.get_by_role("link", name="Demo Fluent").first.click()
    expect(page.locator("h1")).to_contain_text("Demo Fluent")
    page.goto(site.address + "compare/")
    expect(page.get_by_text("needs JavaScript")).to_be_visible()
    context.close()


def test_forced_colours_keep_brackets_and_choice_visible(browser: Browser, site: Site) -> None:
    context = browser.new_context(forced_colors="active")
    page = context.new_page()
    page.goto(site.address + "boards/demo-cxr/findings/")
    tied = page.locator('#board tr[data-t="1"] .rx-pick').first
    assert tied.evaluate("e => getComputedStyle(e).borderLeftWidth") == "3px"
    context.close()


def test_printing_shows_the_whole_table_and_no_controls(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    page.goto(site.address + "boards/demo-cxr/findings/")
    page.emulate_media(media="print")
    expect(page.locator(".rx-tools")).to_be_hidden()
    assert page.locator(".rx-scroll").first.evaluate("e => getComputedStyle(e).overflow") == "visible"
    page.close()


def test_a_printed_sheet_cuts_nothing_off(browser: Browser, site: Site) -> None:
    page = browser.new_page(viewport=SHEET)
    page.emulate_media(media="print")
    board = "boards/demo-cxr/findings/"
    for path in (
        board,
        f"{board}plots/",
        "reward-gap/",
        "agreement/",
        "boards/iu-xray/findings/",
        "methods/",
    ):
        page.goto(site.address + path)
        page.wait_for_load_state("networkidle")
        assert beyond_the_sheet(page) == [], path
    page.close()


def test_the_first_stop_of_the_keyboard_leads_past_the_menus(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    for kind in ("", "boards/demo-cxr/findings/", "methods/"):
        page.goto(site.address + kind)
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Skip to content")
        page.keyboard.press("Enter")
        expect(page.locator("article")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("article :focus")).to_be_visible()
    page.close()


def test_the_page_hardly_moves_while_it_loads(browser: Browser, site: Site) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.add_init_script(
        """window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries())
        if (!e.hadRecentInput) window.shift += e.value; }).observe({ type: "layout-shift", buffered: true });"""
    )
    compared = "compare/?board=demo-cxr/findings&models=demo-fluent,demo-hasty"
    for kind in ("", "boards/demo-cxr/findings/", "models/demo-template/", "reward-gap/", compared):
        page.goto(site.address + kind)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("shift") <= 0.05, kind
    page.close()


def test_a_plot_can_be_explored_and_its_library_comes_only_then(watched: Watched, site: Site) -> None:
    page = watched.page
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(site.address + "boards/demo-cxr/findings/plots/")
    page.wait_for_load_state("networkidle")
    assert not any("plotly" in url for url in asked)
    for button in page.get_by_role("button", name="Explore").all()[:2]:
        button.click()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    assert sum("plotly" in url for url in asked) == 1


@pytest.mark.parametrize("path", ["boards/demo-cxr/findings/plots/", "agreement/", "reward-gap/"])
def test_every_figure_to_explore_is_drawn_as_what_it_says(watched: Watched, site: Site, path: str) -> None:
    page = watched.page
    page.goto(site.address + path)
    buttons = page.get_by_role("button", name="Explore")
    n = buttons.count()
    assert n
    for i in reversed(range(n)):
        buttons.nth(i).dblclick()  # asked for twice, drawn once
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(n)
    # The library takes a kind that it does not know for a scatter plot, without a word.
    kinds = page.locator(".js-plotly-plot").evaluate_all(
        "plots => plots.flatMap(({data, _fullData}) => data.map((trace, i) => [trace.type, _fullData[i].type]))"
    )
    assert [asked for asked, _ in kinds] == [drawn for _, drawn in kinds]
    if path == "reward-gap/":  # first place on top, as in the drawing
        ends = page.locator(".js-plotly-plot").evaluate_all(
            "plots => plots.map(p => p._fullLayout.yaxis.range)"
        )
        assert all(bottom > top for bottom, top in ends)


def test_a_figure_that_cannot_be_loaded_says_so_and_can_be_asked_for_again(page: Page, site: Site) -> None:
    page.goto(site.address + "boards/demo-cxr/findings/plots/")
    for blocked in ("**/plotly-basic.min.js", "**/agreement.json"):
        page.route(blocked, lambda route: route.abort())
        button = page.locator("[data-plot='agreement.json']").first
        button.click()
        expect(button).not_to_have_attribute("aria-busy", "true")
        expect(button).to_have_text("Could not be loaded: try again")
        page.unroute(blocked)
    page.locator("[data-plot='agreement.json']").first.click()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()


def test_the_form_writes_a_card_that_the_check_accepts(watched: Watched, site: Site, tmp_path: Path) -> None:
    from scorer.submission import read_submission

    page = watched.page
    page.goto(site.address + "submit/form/")
    page.get_by_label("id (needed)").fill("Not an id")
    page.get_by_role("button", name="Check and save").click()
    assert not page.get_by_label("id (needed)").evaluate("e => e.validity.valid")
    for name, wrong in (
        ("id (needed)", "abc-"),
        ("id (needed)", "a..b"),
        ("name (needed)", "   "),
        ("owner (needed)", "me and you!"),
        ("date", "yesterday"),
        ("parameters", "lots"),
        ("links: code", "https:// spaces"),
    ):
        field = page.get_by_label(name)
        field.fill(wrong)
        assert not field.evaluate("e => e.checkValidity()"), (name, wrong)
        field.fill("")
    assert not page.get_by_role("checkbox", name="findings", exact=True).evaluate("e => e.checkValidity()")
    page.get_by_label("id (needed)").fill(" net-one ")
    page.get_by_label("id (needed)").blur()
    page.get_by_label("name (needed)").fill('Net "One": a model')
    page.get_by_label("owner (needed)").fill("netters")
    page.get_by_label("institutions").fill("Institute A\n\n  \nInstitute B\n")
    page.get_by_label("links: code").fill("https://example.org/code")
    page.get_by_label("parameters").fill("7B")
    page.get_by_role("checkbox", name="findings", exact=True).check()
    page.get_by_role("checkbox", name="IU X-ray").check()
    page.get_by_label("other training data").fill("120,000 studies of our own")
    page.get_by_role("checkbox", name="inputs: prior studies").check()
    with page.expect_download() as got:
        page.get_by_role("button", name="Check and save").click()
    folder = tmp_path / "net-one"
    folder.mkdir()
    (folder / "submission.yaml").write_bytes(Path(got.value.path()).read_bytes())
    card = read_submission(folder)
    assert card.name == 'Net "One": a model'
    assert card.institutions == ("Institute A", "Institute B")
    assert card.parameters == 7_000_000_000
    assert [(d.dataset, d.other) for d in card.training_data] == [
        ("iu-xray", None),
        (None, "120,000 studies of our own"),
    ]
    assert card.inputs.prior_studies is True


def test_the_script_is_what_the_sources_give(node_modules: Path) -> None:
    done = subprocess.run(
        ["npm", "run", "-s", "minify", "--", "--check"],
        cwd=node_modules.parent,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def test_search_finds_models_by_name(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.address)
    page.wait_for_load_state("networkidle")  # the index has been read
    page.get_by_role("textbox", name="Search").fill("MedVersa")
    page.keyboard.press("End")  # the theme listens to keys
    expect(page.locator(".md-search-result__item").first).to_contain_text("MedVersa", timeout=20_000)


@pytest.mark.parametrize(
    ("words", "first"),
    [("radcliq_v1", "RadCliQ-v1"), ("Permanent addresses", "How to cite")],
)
def test_search_finds_what_a_page_names_besides_its_title(
    watched: Watched, site: Site, words: str, first: str
) -> None:
    page = watched.page
    page.goto(site.address)
    page.wait_for_load_state("networkidle")
    page.get_by_role("textbox", name="Search").fill(words)
    page.keyboard.press("End")
    expect(page.locator(".md-search-result__item").first).to_contain_text(first, timeout=20_000)


def test_html_is_valid_apart_from_the_themes_own_errors(site: Site, node_modules: Path) -> None:
    pages = sorted(
        {site.folder / kind.partition("?")[0] / "index.html" for kind in KINDS if not kind.endswith(".html")}
    )
    rules = {
        "extends": ["html-validate:standard"],
        # Material's own: unclosed or odd things that its templates write on every page.
        "rules": dict.fromkeys(THEME, "off"),
    }
    config = node_modules.parent / "node_modules" / ".validate.json"
    config.write_text(json.dumps(rules))
    done = subprocess.run(
        [str(node_modules / ".bin" / "html-validate"), "-f", "json", "-c", str(config), *map(str, pages)],
        capture_output=True,
        check=False,
    )
    reports = json.loads(done.stdout or b"[]")
    wrong = sorted(
        {
            f"{m['ruleId']}: {m['message']} ({m['selector']})"
            for r in reports
            for m in r["messages"]
            if "article" in (m["selector"] or "")
        }
    )
    assert wrong == [], "\n".join(wrong[:40])


THEME = (
    "long-title",
    "no-trailing-whitespace",
    "no-inline-style",
    "void-style",
    "attr-quotes",
    "doctype-style",
)
